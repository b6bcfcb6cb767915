/*
 * The legal forms of companies, as they stand in names. Their source is ISO 20275, the list of entity legal forms that
 * GLEIF keeps: here are the common forms of the countries whose companies most registers have.
 *
 * Each form is written as `similarText` leaves it, in lower case, without accents and signs, with single letters put
 * together: AG & Co. KG is `ag co kg`, and Sp. z o.o. is `sp zoo`.
 */

/** Forms that end a name: Redpoll Legal AG. */
const ENDING_FORMS: ReadonlySet<string> = new Set(
  [
    // Germany, Austria, Switzerland, Liechtenstein
    'ag, ag co kg, gmbh, ggmbh, mbh, gmbh co kg, gmbh co kgaa, gmbh co ohg, ug, ug co kg, kg, kgaa',
    'ug haftungsbeschrankt, ohg, og, gbr, eg, ev, ek, partg, partg mbb, se, se co kg, se co kgaa',
    'aktiengesellschaft, gesellschaft mit beschrankter haftung, gesmbh, anstalt, genossenschaft',
    // France, Belgium, Luxembourg, French Switzerland
    'sa, sas, sasu, sarl, eurl, snc, sca, scs, sci, srl, sprl, societe anonyme',
    // Italy
    'spa, srls, sapa, societa per azioni, societa a responsabilita limitata',
    // Spain, Portugal, Latin America, Brazil
    'sl, slu, sau, sll, sa de cv, sab de cv, s de rl de cv, sapi de cv, lda, unipessoal lda, sgps, ltda',
    'eireli, sociedad anonima, sociedad limitada, sociedade anonima',
    // The Netherlands, Belgium
    'bv, nv, cv, vof, bvba, besloten vennootschap, naamloze vennootschap',
    // Denmark, Norway, Sweden, Finland, Iceland
    'as, asa, aps, ivs, ab, ab publ, hb, oy, oyj, oy ab, ehf, hf, aktiebolag, aktieselskab, aksjeselskap',
    'osakeyhtio',
    // Great Britain, Ireland, United States, Canada, Australia, New Zealand
    'ltd, limited, plc, public limited company, llp, lp, cic, dac, clg, inc, incorporated, corp',
    'corporation, co, company, co inc, co ltd, co limited, company limited, llc, lllp, pllc, pc',
    'limited liability company, ulc, ltee, pty ltd, pty limited, proprietary limited, pty',
    // Poland, Czechia, Slovakia, Hungary, Slovenia, Croatia, Serbia, Romania, Bulgaria, the Baltic states
    'sp zoo, spolka zoo, sp k, sp j, sp zoo sp k, spolka akcyjna, spolka z ograniczona odpowiedzialnoscia',
    'sro, spol sro, vos, kft, zrt, nyrt, bt, doo, dd, jdoo, ad, ead, eood, ood, ou, uab, sia',
    // Greece, Turkey, Israel, the Gulf, Egypt
    'ae, epe, ike, ltd sti, limited sirketi, anonim sirketi, wll, fze, fzco, fz llc, fzllc, sae',
    // India, Singapore, Malaysia, Indonesia, Hong Kong, China, Japan, Korea
    'pvt ltd, pvt limited, private limited, private ltd, pte ltd, pte limited, sdn bhd, bhd, berhad, tbk',
    'kk, gk, yk, kabushiki kaisha, kabushiki gaisha, godo kaisha',
    // Russia, Ukraine, Kazakhstan
    'ooo, oao, zao, pao, jsc, ojsc, cjsc, pjsc, tov, ооо, оао, зао, пао, ао, тов, тоо',
  ].flatMap((forms) => forms.split(', ')),
);
/** The most words of a form: S. de R.L. de C.V. */
const MAX_FORM_WORDS = 5;

/** Forms that begin a name: PT Astra, OOO Romashka. */
const LEADING_FORMS: ReadonlySet<string> = new Set('pt ooo oao zao pao jsc tov ооо оао зао пао ао тов тоо'.split(' '));

/** Forms at either end of a name, without a space between: 株式会社トヨタ. */
const JOINED_FORM =
  /^(?:株式会社|有限会社|合同会社|주식회사|유한회사) ?|(?: ?(?:株式会社|有限会社|合同会社|주식회사|유한회사|股份有限公司|有限责任公司|有限責任公司|有限公司))$/g;

/** Words that are no name alone: The Limited isn't The. */
const ARTICLES: ReadonlySet<string> = new Set('the der die das le la les el los il de het'.split(' '));

/** Returns a company's name without its legal form. What is no name without it stays: AG, The Limited, X Corp. */
export function withoutLegalForm(name: string): string {
  const joined = name.replace(JOINED_FORM, '');
  const words = (isName(joined) ? joined : name).split(' ');
  const named = LEADING_FORMS.has(words[0]!) && isName(words.slice(1).join(' ')) ? words.slice(1) : words;
  for (let length = Math.min(MAX_FORM_WORDS, named.length - 1); length > 0; length--) {
    const rest = named.slice(0, -length).join(' ');
    if (ENDING_FORMS.has(named.slice(-length).join(' ')) && isName(rest)) return rest;
  }
  return named.join(' ');
}

const isName = (text: string): boolean => text.length > 1 && !ARTICLES.has(text) && !ENDING_FORMS.has(text);
