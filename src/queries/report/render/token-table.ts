/* Written by scripts/write-token-table.ts. */

export const MERGES = `
ĠĠ ĠĠĠĠ in Ġt ĠĠĠĠĠĠĠĠ er ĠĠĠ on Ġa re at st en or Ġth ĊĊ Ġc le Ġs it an ar al Ġthe ;Ċ Ġp Ġf ou Ġ= is ĠĠĠĠĠĠĠ
ing es Ġw ion ed ic Ġb Ġd et Ġm Ġo ĉĉ ro as el ct nd Ġin Ġh ent id Ġn am ĠĠĠĠĠĠĠĠĠĠĠ Ġto Ġre -- Ġ{ Ġof om );Ċ im
čĊ Ġ( il // Ġand ur se Ġl ex ĠS ad Ġ" ch ut if ** Ġ} em ol ĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠ th )Ċ Ġ{Ċ Ġg ig iv ,Ċ ce od Ġv ate
ĠT ag ay Ġ* ot us ĠC Ġst ĠI un ul ue ĠA ow Ġ' ew Ġ< ation () Ġfor ab ort um ame Ġis pe tr ck Ǣƀ Ġy ist ---- .ĊĊ
he Ġe lo ĠM Ġbe ers Ġon Ġcon ap ub ĠP ĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠ ass int >Ċ ly urn ĠĤ ;ĊĊ av port ir -> nt ction end Ġde 00
ith out turn our ĠĠĠĠĠ lic res pt == Ġthis Ġwh Ġif ĠD ver age ĠB ht ext =" Ġthat **** ĠR Ġit ess ĠF Ġr os and
Ġas ect ke rom Ġ// con ĠL (" qu lass Ġwith iz de ĠN Ġal op up get Ġ}Ċ ile Ġan ata ore ri Ġpro ;čĊ ĉĉĉĉ ter ain
ĠW ĠE Ġcom Ġreturn art ĠH ack import ublic Ġor est ment ĠG able Ġ- ine ill ind ere :: ity Ġ+ Ġtr elf ight (' orm
ult str .. ", Ġyou ype pl Ġnew Ġj ĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠ Ġfrom Ġex ĠO 20 ld Ġ[ oc :Ċ Ġse Ġle -------- .s {Ċ ', ant
Ġat ase .c Ġch </ ave ang Ġare Ġint Ǣƀƙ _t ert ial act }Ċ ive ode ost Ġclass Ġnot og ord alue all ff ();Ċ ont
ime are ĠU Ġpr Ġ: ies ize ure Ġby ire Ġ}ĊĊ .p Ġsh ice ast ption tring ok __ cl ## Ġhe ard ). Ġ@ iew ĉĉĉ Ġwas ip
this Ġu ĠThe ide ace ib ac rou Ġwe ject Ġpublic ak ve ath oid Ġ=> ust que Ġres )) 's Ġk ans yst unction ********
Ġi Ġus pp 10 one ail ==== name Ġstr Ġ/ Ġ& ach div ystem ell Ġhave err ould ull pon ĠJ _p Ġ== ign St .Ċ Ġpl );ĊĊ
form put ount }ĊĊ dd ite Ġget rr ome ĠǢƀ aram cc Ġ*/ ER In les _s ong ie Ġcan ĠV erv pr Ġun row ber Ġdo ll Ġel
Ġself ated ary Ġ. '] ud Ġen ĠTh ĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠ te _c uct Ġab ork .get Ġ# aw ress ob Name 201 app ['
Ġall ory ition ance ear Ġcont vent ia Ġwill IN ĠĠĠĠĠĠĠĠĠ return Ġ</ data )ĊĊ Re ple ild ther Ġyour "Ċ (Ĥ Ġout ),
Ġhas String so Ġup ax Ġdef Ġbo ge alse ON per 12 ich Ġbut ĠĊ Ġ_ _m add quest odel self ery ft ens //// ake .C
Ġgo Ġfunction ĠK ivate Ġim Ġconst .t Ġ*/Ċ );čĊ Ġvoid Ġset ĠSystem cri ()Ċ li ĉif .m ally set ep Ǣƀƙs bo def ',Ċ
Ġme Ġ! atch "> ",Ċ ec ĠIn ph Ġ| _f Ġvar ence Id ree ink lect ug eth Ġelse ---------------- 19 cont Ġso atic Ġlo
pro ton ss own abel oint ous eld ST The ĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠ RE ": olor tp eg key ude ĠSt ound Ġar
");Ċ ener ser 11 bject essage fer Ġmore ations ents Ġhis Ġthey .S ĠY use ne ish old _d io ield Ġper Cont ings
#### Ġdata Ġsa ef fo Ġone eng Ġdis AT Ġname Ġtrue val led .f Ġne Ġend 32 .T 16 cre ark log Ex error _id urre
ange Ġnull rray Ġmy pan ict ator View List ĉreturn ǢƀƝ Ġpre Ġx clude arg 15 ov .h Ġ> Ġtheir ') irst ick gh LE OR
Ġprivate tem čĊčĊ user Ġ) com .A ";Ċ Ġid read Ġwho _b ">Ċ Ġtime Ġman ry ======== roup rop public vel umber ble
Ġwhich **************** Ġany Ġfalse we Ġvalue Ġli ") nder gr Ġno param 25 fig .com Ġapp _l ions .D ĠCh Ġabout
Ġadd Ġsu Ġstring ID Ġover string .l ource 000 _C ]Ċ Ġqu ĠString ca SE Ġro sh ual Type son new ern Ġag AR ];Ċ ].
Ġ? ical Ġdes uth ix ays Ġtype 't ault Ġinter var .b Ġpart .d urrent IT EN 30 enc (f ra value cho 18 utton ose 14
Ġ!= ater ǃƩ reate oll pos yle ng AL using ames Ġ{čĊ ates ely Ġwork Ġem inal Ġsp Ġwhen .set ĠĠĠĠĠĠ ):Ċ to quire
indow lement pect ash [i Ġuse .F pec Ġad ove ception ength include ader ĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠ atus Th itle
rit void (). (Ċ Ġoff Ġother Ġ&& ';Ċ ms Ġbeen Ġte ml co nc 13 ervice Ġ% **Ċ ann ade ĊĊĊĊ lock const 100 ponse
Ġsup ++ date Ġacc Ġhad Ġbu 200 ĠRe Ġwere Ġfile Ġwould ĠǢƀƜ ven iss Ġour class raw Ġyear Data Ġval Ġsome fter ys
Ġ/// round view Ġpe Ġthere Ġsaid du of line /* duct Ġher ĠĠĠĠĠĠĠĠĠĠĠĠĠ Res Ġco Ġcomm ise min ĠĠĠĠĊ #include
ethod .P ute Ġass Int ask loc Ġlike ody Ġlet load Ġam rol Ġgr yp Ġalso ĠIt url ific ors _P _n igh Ġthan Com AN
UL ating 17 ĠThis ref _S Ġstatic roll Ġjust Ġresult ian idth Ġthem ));Ċ der reak Con :// ule ... arch ement Ġ<<
50 ush ense arr Ġinto cess amp ied ument ĠŜ ], wo als Ġwhat anc Value =' olum Ġpos ages ayer Ġsc ues ")Ċ _T
Ġlist (s Ġcase Ch ĉĉĉĉĉ //////// ponent Ġz Ġkn let DE red Ġfe Ġ},Ċ Ġ, (t Ġfirst ');Ċ word Ġimport Ġact Ġchar CT
ĠTr ople ={ ĉf 24 ient cent .j lection ))Ċ Ġonly Ġprint mer .W ock Ġ-- Text Ġop ank Ġits Ġback [" Ġneed Ġcl Ġsub
Ġla (( ." Object Ġstart file (self ner ey Ġuser Ġent ĠCom its ĠCon ouble ower item very ĠWe 64 lick ĠQ php ttp
': ics Ġunder Ġ*Ċ .L ); ices Ġreg )čĊ ĉpublic SS Ġthen reat ious .G ek irect heck cript ning ĠUn Ġmay ĠWh Bo
Item struct .st ream ible loat Ġorg und sum _in ../ _M Ġhow rite 'Ċ To 40 ww Ġpeople index .n http (m ector Ġind
Ġjav ],Ċ ĠHe _st ful ole ){Ċ Ġshould opy elp ier _name erson ION ote Ġtest Ġbet rror ular ǣƀ Ġǐ bs ting Ġmake Tr
Ġafter arget RO olumn rc _re define 22 Ġright right day Ġlong [] (p td cond ĠPro Ġrem ptions vid .g Ġext Ġ__ ')Ċ
pace mp Ġmin stance air action wh type util ait <? IC text Ġph Ġfl .M ccess br fore ersion ),Ċ .re ateg Ġloc ins
-s trib ĠInt Ġarray ," Pro (c ession >ĊĊ Ġshe "] aph Ġexp erty ĠSe Ġpar unc ET Ġread print Ġrel Ġform Ġdr
Exception input Ġtrans ######## order By Ġaw ities uff play .add ĠǢƀƓ Ġwant Ġcomp ments Ġ|| az be Ġnumber
Ġrequire ĠEx 60 Ġcol Ġkey ember Ġtwo Ġsize Ġwhere UT result ĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠ ough orld ood uch
ative ger arent Ġ/* Ġarg Ġwhile 23 (this Ġrec Ġdif State Ġspec ride _F Ġlook AM ility eter Ǣƀƙt ĊĊĊ ayout
-------------------------------- ager Ġcould Ġbr ends ures Ġknow ets ĠIf ĠSh .w back Ġser Ġ+= Ġfr ());Ċ Ġhand
Ind ULL Im ();ĊĊ Ġmost Ġtry Ġnow rough >čĊ ackage Ġhim ._ ify Ġbreak Ġ);Ċ ren #define itt Ġap ĉc (n ĠYou :ĊĊ -m
Ġevery ustom lient ocument cription Error -b ǐƾ ][ 99 trans Ġpoint Ġstd Ġfil Time 80 Ġmod Ġ-> Ġerror ah Ġtext
roller lose ql Ġpol ></ Ġshow User ased Ġ{ĊĊ Ġfind ǐư ED span enu Ġcurrent Ġused cept clud Ġplay Ġlog ution fl
Ġsee indows Ġhelp Ġthese Ġpass Ġdown Ġeven ason uild from (d Ġbl label else ǐƵ Ġ(! ized (), Ġob Ġitem ump UR orn
Ġdon Se man 27 ample tn ================ He gram Ġdid wn _h iver Ġsm Ġthrough ĠAn che Ġinv ouse Ġes ĠNew export
mary uto ler Ġlast Ġevent try ǯƼ ily igned ines ollow icense sole lear (int Ġagain Ġhigh html Index uthor Ġ/**Ċ
Ġline Event _D Ġdoes itial Ġcr ars 28 Ġtem cause face ĠŠ _A Button ature ected ES ister ĉĊ Ġbefore ale other
Ġbecause roid Ġed ik reg ĠDe Ġdist },Ċ Ġstate Ġcons rint att Ġhere ined Ġfinal Ġ"" Key LO Ġdel pty thing 26 ĠAnd
Ġrun ĠX ym .app Ġvery ces _N ared ward list ited olog itch Box ife 33 Ġac Ġmodel Ġmon Ġway lete Ġcall Ġatt Ġcal
vert Ġdec lease oun Ġ});Ċ fr formation etail Ġnum aj query Ġwell Ġobject ĠAs Ġyears Color IS Ġdefault Wh Ġins
aint Ġjava Ġsim ĠAr mon til ();čĊ ): Set 29 atter Ġview Ġpres array We At Ġbel Ġmany 21 Man ender Ġbeing Ġgood
ĉĉĉĉĉĉ ational ware .log {čĊ Ġusing _B Ġ:= _w ists lish Ġstud ĠAl Ġgu config uring time oken amespace Ġrequest
Ġchild Ġǃ lob Ġparam Ġ}čĊ 01 Ġecho function ******************************** ps Element alk lication by Size
rawing Ġperson ĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠ Ŝn object ince En File uf ffect AC Ġstyle summary Ġque _r Ġ(Ĥ Model ident
Ġmethod IL ott less ING Ġ() Ġexpect ync package 35 urs Ġprot ./ pre Ġ)Ċ ma Ġsur Ġfound Info par imes .e ains
Ġpost -d 45 olean Ġsl PE Ġsuch select ainer Ġthink Ġdiffer .r /**Ċ FF ool plate qual ĠFor Ġmuch uc (new odule
Ġsom Ġhttp ĠList Ġcount Ġinst char mit .id aking Ġgener px vice 37 _data ĠNULL }čĊ idd ǣƀƂ Ġmed org ider ache
work Ġcheck ween Ġ(( the ants >< .B -c Ġopen Ġest ĠĠĠĠĠĠĠĠĊ Ġnext IM ǑƂ OT ǃƳ Ġfollow content ĠĠĠĠĠĠĠĠĠĠĠĠ
Ġinclud HE ĠRes Ġhref ǐƸ Ġcar ypes image Un Ġbool AD Ġgame .Form rows */ velop .Drawing Ġpath ision Ġeach ĠPl
_type Path nection Ġav '). Ġsupport ENT rem "). Ġown Ġcor count miss ually Ġmem std ience search "ĊĊ Form Ġsex
ename Ġsign Ġet ĠĠĠĠĠĠĠĠĠĠ ',' ĠApp Ġthose off Ġerr Ġsystem Ġbest code Ġsame Ġdi uss Ġcreate ather Array .in fe
Service UN ats ĠZ alth Ġmade true AB Ġmark rid ified ,čĊ yn press Ġgroup Ġfin ĠLicense Field eger Ġworld iness
ty Ġprocess (b Ġcre arn ives Ġmain ideo 36 _g AG valid img PI Ġcolor Ġreport Ġtake rib OM Ġday Request Ġsk bers
ĉs .Add oot Image Ġcomple ollection Ġtop Ġfree AS De ĠOn IG 90 eta Date Ġaction 34 Over itor
ĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠĠ not Ġindex her icon On ;čĊčĊ ivity mand .Windows OL Ġreal Ġmax land ....
raph Ġbuild leg assword ?ĊĊ ǢƀƦ ook uck Ġmessage test ivers 38 Ġinput Ġart Ġbetween Get enter ground ene ǃơ
.length Node (i Class
`;

export const WORDS = `
About Absolute Accept Access Account Accounts Accuracy Actions Activation Active Actor Adapter Add Adding
Address Addresses Adds After Aggregate Alerts Algorithms All Allow Allowed Alternate Analysis Analytics Annex
Another Answer Answers Any Applies April Architecture Array Art Ask Asked Asking Assessment At Attempts
Attributes Audit Authenticate Authentication Authorization Authorized Automatic Availability Backup Base Batch
Before Begins Behavior Behind Between Both Bound Buffer Business By Bytes Cache Call Called Caller Calls
Capacity Cell Certification Chain Challenge Challenges Change Changes Characters Check Checks Chromium Claims
Claude Clients Code Codes Collection Column Columns Command Commands Commit Communication Communications
Compliance Component Components Condition Conditions Config Configuration Confirmation Connect Connection
Consent Content Context Control Controls Cookies Correct Count Counts Credentials Criteria Critical Cross Cutter
Cycle Data Database Date Dates Db Debt Demo Depth Derived Desk Desktop Details Detection Development Devices
Disclosure Disconnect Document Documentation Documents Does Draft Draws Each Ed Else Embedded Emergency Empty
Encryption Ends Enforcement Engineering Entry Equipment Era Error Errors Establishment Event Events Every
Everybody Everything Evidence Example Exchange Exclude Execution Extension External Extract Facilities Fact
Factor Factors Facts Failure False Family February Feed Field Fields Figure Figures Files Filter Filters Find
Finds Format Formats Found Framework Friday From Front Functions Further Gate Generation Generator Get Given
Gives Group Half Handle Handler Handling Harbour Head Headers Health High Holds Host Hosting How Identification
Identity Implementation Imported Incident Individuals Information Infrastructure Input Inserts Inspector
Installation Institute Integrity Internet Invitation Issue Item Items Iterable Its Join Journal Judges Keep
Keeps Key Keys Kind Known Labels Lack Lease Leaves Legal Lets Letters Library Limits Lines Link Links Linux
Location Log Logger Logging Looks Made Maintenance Makes Management Map Markdown Math Measures Media Member
Members Membership Message Metadata Middleware Mission Moment Monday Monitoring More Moves Name Named Names
Needs Never Nimbus No Nobody Node Not Notes Nothing Notice Notification Null Number Numbers Object Of One Only
Open Opens Options Order Organization Organizations Origin Other Outcome Outside Own Owned Page Parameter
Parameters Params Parser Part Partial Parts Pending People Period Person Personnel Physical Pick Place Plan
Plans Points Ports Position Positions Prepare Prepared Present Primary Principles Printer Prints Privacy Problem
Procedures Process Processes Processing Programs Promise Prompt Proof Protection Protocol Provider Published Put
Query Question Raise Raised Range Ratings Read Reader Readers Readonly Reads Reason Record Records Recovery
Redirect Register Registered Regulation Related Relation Removal Removes Reply Reporting Reports Representatives
Requests Required Resolution Resources Response Responsibilities Restricted Restrictions Result Retry Reviewed
Revision Risk Role Roles Round Rounds Route Router Routes Row Rows Rule Runner Runs Said Says Scalar Schema
Screening Search Seconds Secret Secrets Section Secure Security See Sent Server Servers Service Services Serving
Session Sessions Set Setting Settings Sheet Shelf Shell Shows Signing Signs Site So Software Somebody Something
Source Stage Standards Start State Statement States Step Steps Stop Storage Stored Stores Story Streams Style
Supply Support Systems Takes Team Techniques Technology Tells Testing That Their Then There They Those Titles To
Today Tokens Tool Tools Traffic Training Transmission Treatment Turns Two Type Types Uint Unauthorized Unicode
Updating Usage Use User Users Uses Validation Value Values Verification Visit Visitor Waiting Welcome What
Whatever When Where Whether Which Who Whoever Why With Within Without Words Workbook Worker Writes Written Zip
aborted above absent accents accept acceptance accepted accepts access account accounts accurate acknowledged
across actions active actor acts actual adapter added adding address addresses adds adjusted admin admission
admit admits admitted admitting adopt adopted adopting adoption adopts adverse advises afterwards against age
agent aggregate ago agree agreed agreements ahead algebra algorithm alike allow allowed allows alone already
altered alternative always ambiguous among analysed analysis analytics anew anonymous another answer answered
answers anybody anything anywhere apart append appended applicable application applied applies apply approved
apps archive archived area args argument arguments aria around arrival arrive arrived aside ask asked asking
asks assessed assessment assessments asset assets assistant assistants async attempt attempts attributes
audience audit auditor audits authenticate authentication authorities authority authorization auto autumn
availability available avoid await away axis backup backups badges bar bare base baseline batch batches became
become becomes began begin beginning begins begun behalf behind believed belong belongs below bench beside
besides beyond bigint biome bits blank blanks bodies body boolean border both bottom bound boundary bounded
bounds boxes brackets breach breaches brief bring brings broken brought browser browsers bucket buffer building
builds built business busy byte bytes cache cached calculated calendar callback called caller calls came
candidates cannot canonical capabilities capitals carried carries carry catalog catalogs catch categories
category caught cause causes cell cells cert certificate certificates certification certified chain chained
chains challenge challenges change changed changes changing character characters charset chart checked
checkpoint checkpoints checks checksum choose chooses chosen chunk chunks claim claimed claims clause clauses
clear cleared client clients climb climbed clinic clinics clock close closed closes closing code codes collect
collected collection collections collector colon colour column columns come comes command commands commit
commits common communicated communication compare compared compares complete completed completion compliance
compliant concerned concerns condition conditions config configuration configurations configured confirm
confirmed conflict connect connected connecting connection connections connects consecutive consent constructor
consume consumed content context continuation continue continued continuing contract contracts contradict
control controlled controller controls cookie cookies copied copies copy copyright correct corrected correcting
corrections corrective correlation cost costs counsel counted counter counting country counts coverage covered
covers created credential credentials criteria cross csv ctx cursor cut cuts cutter cwd cybersecurity damaged
database databases date dates days db debt decide decided decides decimals decision decoded decoder deed deeds
defaults definition definitions delete deleted deleting deletion delimiter demand demo depend dependencies
dependency depends depth derive derived describe describes description descriptions desk destination destroy
destructive detail details development deviation devices differences different differs digest digit digits
direct direction disclosures disconnect disconnected discover disguise disk disks dispatcher display disposed
distance distinct div doc docs doctors document documented documents domain domains done dots double doubled
doubted draft drafts draw drawing drawn draws drop dropped dry due durable duties earlier earliest editor
editors effective effectiveness either elected elsewhere email embedded emphasis empty enabled encoded encoding
encrypted ended ending endpoint endpoints ends enforced enough entered entries entry enumeration env envelope
environment environmental epoch equal equals era erased errors escaped establish established evaluated events
ever everybody everything everywhere evidence evolve evolved exact exactly examined examines example examples
exchange excluded exclusion exclusive executed exercise exist expected expired expires explained export exported
exports extends extension facilities fact factor factors facts fail failed failing fails failure failures falls
families family far faster fatal fault faults features feed fetch fetched few fewer field fields figure figures
filed files fill filled fills filter filtered filters finally finding findings finds finer finish finished
finishes fit fits fitting five fixed flex flood flush focus fold folded folder folds follower follows font
forbidden force forged forgotten format formats former forms formula four fragment framework frameworks frequent
fresh front full fully functions further future gap gaps gate gathered gave generated generation generations
generators gets give given gives goes going gone grant granted grants greatest grid groups grown grows gt guard
guarded guessed guesses guessing gzip half halves handle handler happen happened happens harm hash hashed hashes
head header headers heading headings heads health height held hex hexadecimal hidden hide highest hint hints
histories history hold holder holds holidays hops hospital hospitals host hosting hostname hosts hour hours
however html https identifier identity idle ids ignored ignoring impact implementation implemented implements
imported imports impossible improved incident incidents include included inclusion inclusive incomplete
independently indexes info information inherent init inner inputs insert inside installation instance instanceof
instances instead instructions insufficient intelligence interaction interface internal intrusion invalid
invitation issue issued issuer issues items itself jitter join joined joins journal json judge judged judges
justification keep keeps kept keyof keys kind kinds known knows label labels laboratory lack lacking lacks
laptop large larger largest late later latest law laws lead leader leading leads leaf lease least leave leaves
leaving ledger left legacy length less lets letter letters level library licence lie life likelihood likely
likewise limit limited limits lines link linked links lint listed listener listens lists literal literally
little live lives load loaded loads lock logged logger logs longer longest looked looks lookup loop loss lost
lower lowest lt machine machines maintained majority makes making managed management map mapped maps margin
markdown marks match matrix matters maximum mean meaning means meant meanwhile measure measured measures meet
member members membership memberships memory merged messages met meta metadata metrics middle middleware
milliseconds minimum minute minutes mirrored mismatch missing mode models modern moment moments mongodb
monitored month monthly months move moved moves ms multicast multiple must named names namespace naming narrow
narrowed narrowing navigation near nearest needed needs neighbour neighbours neither nested network networks
never newcomer newer newest nobody node nodes nonce none nor normal note noted notes nothing notice noticed
nowhere npm numbered numbers oauth objectives objects obligation obligations officer offset often old older
oldest omitted once ones opened opens operation operations operator options order ordered orders ordinal
ordinary organization organizations origin others otherwise ours outcome outcomes outdated outgoing output
outside overdue overflow override owed owner owners pack package packages packed padding page pages paging paid
pair pairs paper parameter parameters params parent parked parse parsed parser parsing particular parties parts
passed passphrase password passwords past paths patient patiently patients pattern pause payload pending
penetration perfect performance perhaps period permit personal personnel phase pick picture piece pieces piled
pinned pins pipeline place placed places plain plan planned plans planted plot plots plural plus points policies
policy pool port portal ports position positions posix possible power preceding prefix prefixes prepare prepared
preprocessing present preserved previous printed printer prints priorities priority privacy privilege problem
problems procedure processes processing processors product profile program programme programs progress project
projection projections promise promised promises prompt prompts proof proofs properties property propose props
prose protected protection protocol prove proved proves provider providers provides proxies proxy prune publish
published publisher publishes purpose put puts quarter queries query question quiet quotation quote quoted
quotes raised raising random range ranges rank ranked ranks rate rated rather ratings ratio raw reach reached
reaches readable reader readers reading readonly reads ready reason rebuild rebuilding received recent
recognition record recorded records recover recovery recursive redirect redirects refer reference references
referred refresh refusal refuse refused refuses regenerate region register registered registration registry
regulator regulators reject rejects relation relations relationship release relevant remedy remember remembered
remove removed removes removing rename renewed reopened repair repaired repeat repeated repeating replace
replaced replacement replacements replaces replica reply reported reports reproduced req requests required
requirement requirements residual resolve resolved resolves resource resources response responses
responsibilities rest restart restore restored restores restricted results resume resumed retry reversed review
reviewed reviews revised revision revisions revoke revoked rights risk risks role roles room root rotate
rotation rotations round rounds route router routes row rows rule rules runner running runs safe safeguards salt
salts sandbox satisfies save say says schema schemas scheme schemes scope scopes score scores screen script seal
sealed sealing seals search searchable searched second seconds secrecy secret secrets section sections secure
secured securely security seed seen sees segment segments seldom send sending sends sensitive sent sentence
separator serve served server servers serves service services serving session sessions sets setting settings
settle settled several severity sha shape share shared shares sheet sheets shell short shortened shorter shown
shows side sides sideways signal signature signatures signed significant signing signs silent similar simplify
simulated since single singular site six sizes slash slot slots slow small smallest socket software solid
somebody something somewhere soon sort sorted sought source space spaces speaks spelled spelling spells split
splitter spoiled spreadsheet spring sql src stacked stacks staff stage stakeholders stale stamp stand standard
stands started starts statement statements states statistics status stay stays steer steering step steps still
stolen stood stop stopped stopping stops store stored stores stories story stranger strangers strategy stream
streams stretch strings styles subject subjects subscribe subscriber subscribers subscription subscriptions
substituted succeed success succession suggest sum summary summer super supplier suppliers surrogate survive
suspended svg sweep switch switched switches synced synchronous systems table tables tag tags tail taken takes
tally target tbody td technology telephone tell tells terminal terms tested tests texts themselves thing things
third though thread threats three throttle throw thrown throws tidy timer times timestamp timestamps tip title
titles tls today together token tokens told too took tool tools total touch touched touches tracked trail
training transaction transactions transport transports treated treatment treats tree trend trial tried tries
trimmed truncated trusted truth ttl turn turned turns twelve twice twin typed typeof types uid unanswered
unauthorized unavailable unchanged unchecked undefined understood unfit unique unit units unknown unless
unnoticed unpack unpublished unsupported until unused update updated updates uri url usual valid validated
values variable variables vendor vendors verdict verification verified verifier verifies verify verifying
version versions views visible visit visitor visitors vulnerabilities wait waiting waits wake walk walked walks
wanted wants warehouse warn warning warnings watched watches ways web website weeks welcome went whatever
whenever wherever whether whichever white whoever whole whom whose why width window wire withdraw withdrawn
within without word words workbook worked worker workflow working works worth worthless write writer writers
writes writing written wrong wrongly wrote xmlns yes yet yield yours zero zip zone
`;

export const APART = `
BQ BZ CJ CQ CZ DQ DZ EJ EY FJ FQ FV FZ GJ GK GQ GZ HJ IY JF JG JH JL JN JQ JU JW JX JY JZ KJ KQ KU KX KZ LH LJ
LQ LW LX LZ NQ OJ OQ OY OZ PQ PZ QD QF QG QH QI QJ QK QO QV QW QX QY QZ RJ RQ RZ TJ TQ UH UJ UO UQ UW UZ VH VJ
VQ VU VW VX VY VZ WJ WQ WU WV WY WZ XG XH XJ XK XN XO XQ XU XV XW XZ YB YD YF YH YI YJ YK YQ YR YU YV YX ZB ZC
ZD ZG ZI ZJ ZK ZL ZM ZP ZQ ZS ZT ZU ZV
`;
