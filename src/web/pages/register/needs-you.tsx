import { addressWith, organizationAddress, reportFileAddress } from '../../../addresses/page-addresses.ts';
import { isRealDate } from '../../../commands/engine/dates.ts';
import type { Reader } from '../../../queries/moments/snapshot.ts';
import { formerMemberText, readFormerMembers } from '../../../queries/records/former-members.ts';
import { getRecords } from '../../../queries/records/get-records.ts';
import { FAMILY_DESCRIPTIONS, familyOfType } from '../../../register/families.ts';
import { RISK } from '../../../register/risk.ts';
import type { ReportContext, ReportRow } from '../../../reports/report-type.ts';
import { dueRows } from '../../../reports/sections/due-rows.ts';
import { LongDay, Table, type TableHeading } from '../../components/components.tsx';
import { SecondFactorNotice } from '../../components/second-factor-notice.tsx';
import { FieldContent, type RecordRow, StateChip } from '../../register/field-content.tsx';
import { DUE_ACTS } from '../../register/forms/acts.ts';
import { BACK } from '../../register/forms/open-form.ts';
import { addressOfOwner, type DueOwner, dueFilters, EVERYONE, readDueOwner } from '../../register/home/due-filters.ts';
import { dueDistance, dueRequest } from '../../register/home/due-requests.ts';
import {
  countDueSelection,
  type DueOrder,
  type DueSelection,
  dueParameters,
  readDueSelection,
  reportInputs,
} from '../../register/home/due-selection.ts';
import {
  type LimitedAssistants,
  LimitedAssistantsNotice,
  readLimitedAssistants,
} from '../../register/home/limited-assistants.tsx';
import { DownloadMenu } from '../../register/list/download-menu.tsx';
import { FilterForm } from '../../register/list/filter-form.tsx';
import { addressWithoutEmpty, listAddress } from '../../register/list/list-address.ts';
import type { ListFilter } from '../../register/list/list-filters.ts';
import { SORT_WORDS, SortLink } from '../../register/list/sort-link.tsx';
import { ChooseForm, RowBox } from '../../register/many/choose-form.tsx';
import {
  asOfInput,
  mayChange,
  openRegister,
  type RegisterCollaborators,
  type RegisterView,
  registerAddress,
} from '../../register/open-register.ts';
import { readWaiting, type Waiting, WaitingProposals } from '../../register/proposals/waiting-proposals.tsx';
import { numberedName } from '../../register/record/numbered-name.ts';
import { recordsContext } from '../../register/records-context.ts';
import type { WebContext } from '../../server/context.ts';
import { get, type Route, redirect } from '../../server/page-request.ts';
import type { WebPage } from '../../server/web-page.ts';
import { countText } from '../../texts/counts.ts';

const MAX_ROWS = 200;

/** Risks whose scores are shown. */
const MAX_SCORED_RISKS = 50;

type Collaborators = RegisterCollaborators & Pick<WebContext, 'readNames' | 'members' | 'tokens'>;

interface DueItems {
  owner: DueOwner;
  today: string;
  rows: readonly ReportRow[];
  /** The risks among the rows, by id. */
  risks: ReadonlyMap<string, RecordRow>;
  total: number;
  /** The items of everyone, if the reader has none. Else null. */
  ofOthers: { total: number; withoutOwner: number; ownerGone: number } | null;
  /** The owner of a row, by account. */
  ownerName: (id: string) => string;
}

/** The reader's items that are due or overdue. The address can ask for those of another person, or of everyone. */
export const needsYouPage = (context: Collaborators): Route[] => [
  get('/organizations/:id/needs-you', async (request) => {
    const shorter = addressWithoutEmpty(request);
    if (shorter !== null) return redirect(shorter);
    const view = await openRegister(context, request);
    const owner = readDueOwner(view);
    const records = await recordsContext(view, owner.id ?? undefined);
    const selection = readDueSelection(view.query, records.moment.today);
    const items = await readItems(context, view, records, { owner, ...selection });
    const filters = dueFilters(await readOwnerChoices(context, view, items), view);
    const limited = await readLimitedAssistants(context, view, request.person.account.id);
    return page(view, selection, items, { filters, waiting: await readWaiting(view), limited });
  }),
];

async function readItems(
  { reader, readNames }: Collaborators,
  view: RegisterView,
  records: ReportContext,
  { owner, ...selection }: DueSelection & Pick<DueItems, 'owner'>,
): Promise<DueItems> {
  const rows: ReportRow[] = [];
  for await (const row of dueRows(records, selection.kinds, selection.bounds)) {
    if (rows.push(row) === MAX_ROWS) break;
  }
  const owners = rows.flatMap(({ owner_id }) => (owner_id === undefined ? [] : [String(owner_id)]));
  const names = await readNames(records.organizationId, owners);
  const former = new Set(await readFormerMembers(records));
  const { today } = records.moment;
  const total = await countDueSelection(records, selection);
  const ofOthers = total === 0 && owner.isReader ? await countOfOthers(records, selection) : null;
  const risks = await readRisks(reader, view, rows);
  const ownerName = (id: string) => (former.has(id) ? formerMemberText(names.of(id)) : names.of(id));
  return { owner, today, rows: sortedRows(rows, selection, ownerName), risks, total, ofOthers, ownerName };
}

/** Sorts the rows, which come in the order of their dates. Items without an owner are last, in both directions. */
function sortedRows(
  rows: readonly ReportRow[],
  { order, direction }: DueSelection,
  ownerName: DueItems['ownerName'],
): readonly ReportRow[] {
  const texts: Record<DueOrder, (row: ReportRow) => string | null> = {
    record: nameInList,
    kind: ({ what }) => dueRequest(String(what)),
    due: ({ due }) => String(due),
    owner: ({ owner_id }) => (owner_id === undefined ? null : ownerName(String(owner_id))),
  };
  const sign = direction === 'ASC' ? 1 : -1;
  return rows.toSorted((a, b) => {
    const [first, second] = [texts[order](a), texts[order](b)];
    if (first === null || second === null) return Number(first === null) - Number(second === null);
    return sign * WORDS.compare(first, second);
  });
}

/** R-2 stands before R-10. */
const WORDS = new Intl.Collator('en', { numeric: true });

const nameInList = ({ reference_id, name }: ReportRow): string => numberedName({ reference_id, name: String(name) });

/** Returns the other members by name, and a former one whose items are shown. */
async function readOwnerChoices({ members }: Collaborators, { organization, caller }: RegisterView, items: DueItems) {
  const all = await members.membersOf(organization.id);
  const choices = all.map(({ account_id, name }) => ({ value: account_id, label: name }));
  const { id } = items.owner;
  const isFormer = id !== null && items.total > 0 && !choices.some(({ value }) => value === id);
  return [...choices, ...(isFormer ? [{ value: id, label: items.ownerName(id) }] : [])]
    .filter(({ value }) => value !== caller.account_id)
    .sort((a, b) => WORDS.compare(a.label, b.label));
}

/** Counts the items of everyone, and those among them without an owner, or whose owner is no longer a member. */
async function countOfOthers(records: ReportContext, selection: DueSelection): Promise<DueItems['ofOthers']> {
  const ofEveryone = { ...records, inputs: {} };
  const owner_id = await readFormerMembers(records);
  return {
    total: await countDueSelection(ofEveryone, selection),
    withoutOwner: await countDueSelection(ofEveryone, selection, { missing: ['OWNER'] }),
    ownerGone: await countDueSelection(ofEveryone, selection, { owner_id }),
  };
}

/** Reads the risks among due items, for their scores. */
async function readRisks(reader: Reader, view: RegisterView, rows: readonly ReportRow[]) {
  const ids = rows.filter(({ type }) => type === 'RISK').map(({ id }) => String(id));
  const { records } = (await getRecords(reader, view.caller, {
    ids: ids.slice(0, MAX_SCORED_RISKS),
    organization_id: view.organization.id,
    include: [],
    ...asOfInput(view),
  })) as { records: RecordRow[] };
  return new Map(records.map((risk) => [String(risk.id), risk]));
}

function page(
  view: RegisterView,
  selection: DueSelection,
  items: DueItems,
  {
    filters,
    waiting,
    limited,
  }: { filters: readonly ListFilter[]; waiting: Waiting | null; limited: LimitedAssistants },
): WebPage {
  const { owner, total, rows } = items;
  return {
    title: 'Needs you',
    section: `/organizations/${view.organization.id}/needs-you`,
    organization: view.organization,
    moment: view,
    heading: (
      <div class="heading">
        <div>
          <h1>Needs you</h1>
          <p class="sub">
            {countText(total)} {total === 1 ? 'item' : 'items'}
            {total > 0 && selection.bounds.lte !== undefined && !hasUntil(view.query) && ', up to 30 days ahead'}
            {rows.length < total && `; the ${rows.length} that are due first are shown`}
            {waiting !== null && ` · ${countText(waiting.total)} ${waiting.total === 1 ? 'proposal' : 'proposals'}`}
          </p>
        </div>
        {total > 0 && (
          <div class="row">
            <HandOver view={view} owner={owner} />
            <Downloads view={view} selection={selection} owner={owner} />
          </div>
        )}
      </div>
    ),
    body: (
      <>
        <SecondFactorNotice organization={view.organization.name} from={view.missingFactorFrom} />
        <LimitedAssistantsNotice {...limited} />
        <WaitingProposals view={view} waiting={waiting} />
        <OwnerSwitch view={view} owner={owner} />
        <FilterForm view={view} selection={dueParameters(view.query)} filters={filters} isSearched={false} />
        {total === 0 ? (
          <>
            <Empty {...{ view, owner, selection, waiting }} today={items.today} />
            <OfOthers view={view} count={items.ofOthers} />
          </>
        ) : (
          <ChosenDue view={view} items={items} selection={selection} />
        )}
      </>
    ),
  };
}

const FILE_FORMATS = [
  ['xlsx', 'XLSX'],
  ['csv', 'CSV'],
  ['json', 'JSON'],
] as const;

/** The report of due items with exactly these items, as files. */
function Downloads({ view, selection, owner }: { view: RegisterView; selection: DueSelection; owner: DueOwner }) {
  const inputs = { as_of: view.past?.asOf, ...reportInputs(selection, owner.id) };
  const hrefOf = (format: string) => reportFileAddress(view.organization.id, 'DUE_ITEMS', { format, ...inputs });
  return <DownloadMenu files={FILE_FORMATS.map(([format, name]) => ({ name, href: hrefOf(format) }))} />;
}

/** Returns true if the address has a last day of its own. By default items up to 30 days ahead are listed. */
const hasUntil = (query: URLSearchParams): boolean => isRealDate(query.get('until') ?? '');

/**
 * Says that there are no items. Filters may hide others, so it then speaks only of what matches. Proposals that wait need the
 * reader too, so beside them it speaks only of items.
 */
function Empty(
  props: Parameters<typeof WaitingProposals>[0] & Pick<DueItems, 'owner' | 'today'> & { selection: DueSelection },
) {
  const { view, owner, selection, today, waiting } = props;
  const { past, query } = view;
  const { lte } = selection.bounds;
  const isOfAnother = owner.id !== null && !owner.isReader;
  const isFiltered =
    isOfAnother || query.has('kind') || (lte !== undefined && (query.has('overdue') || query.has('from')));
  const [is, needs] = past === null ? ['is', 'needs'] : ['was', 'needed'];
  const nothing = isFiltered ? 'Nothing that matches' : 'Nothing';
  if (lte === undefined) return <p>{`${nothing}${owner.isReader && !isFiltered ? ' of yours' : ''} ${is} overdue.`}</p>;
  const isOwn = owner.isReader && !isFiltered;
  return (
    <p>
      {isOwn && waiting !== null ? 'No item of yours is due' : `${nothing} ${isOwn ? `${needs} you` : `${is} due`}`}{' '}
      <Period view={view} until={lte} today={today} />.
    </p>
  );
}

/** The days that the list has. A past page counts them from its own day, since their end may still be ahead. */
function Period({ view: { past, query }, until, today }: { view: RegisterView; until: string; today: string }) {
  if (hasUntil(query))
    return (
      <>
        until <LongDay at={until} />
      </>
    );
  if (past !== null)
    return (
      <>
        within 30 days of <LongDay at={today} />
      </>
    );
  return (
    <>
      in the next 30 days, until <LongDay at={until} />
    </>
  );
}

/** Leads from an empty list to the items that others own, or nobody does. */
function OfOthers({ view, count }: { view: RegisterView; count: DueItems['ofOthers'] }) {
  if (count === null || count.total === 0) return null;
  const { total, withoutOwner, ownerGone } = count;
  const [items, have, others] = total === 1 ? ['item', 'has', 'another owner'] : ['items', 'have', 'other owners'];
  const owners = withoutOwner === total ? 'no owner' : withoutOwner === 0 ? others : `${others} or none`;
  return (
    <p>
      <a href={addressOfOwner(view, EVERYONE)}>
        {countText(total)} {items} {view.past === null ? have : 'had'} {owners}
      </a>
      {ownerGone > 0 &&
        `. ${ownerGone === 1 ? 'The owner of 1' : `The owners of ${countText(ownerGone)}`} ${view.past === null ? 'left' : 'had left'}.`}
    </p>
  );
}

/** Switches between the reader's items and those of everyone. The other filters stay. */
function OwnerSwitch({ view, owner: { id, isReader } }: { view: RegisterView; owner: DueOwner }) {
  const choices = [
    { title: 'Mine', owner: null, isShown: isReader },
    { title: 'Everyone’s', owner: EVERYONE, isShown: id === null },
  ];
  return (
    <ul class="plain row">
      {choices.map(({ title, owner, isShown }) => (
        <li key={title}>
          <a class="button quiet" href={addressOfOwner(view, owner)} aria-current={isShown ? 'true' : undefined}>
            {title}
          </a>
        </li>
      ))}
    </ul>
  );
}

/** Hands over everything of the person whose items are shown. */
function HandOver({ view, owner: { id, isReader } }: { view: RegisterView; owner: DueOwner }) {
  if (id === null || !mayChange(view, 'changeRecords')) return null;
  return (
    <a class="button quiet" href={organizationAddress(view.organization.id, `/members/${id}/hand-over`)}>
      {isReader ? 'Hand over everything of yours' : 'Hand over everything'}
    </a>
  );
}

/** The address of this page, to come back to. */
const ownAddress = (view: RegisterView): string => listAddress(view, dueParameters(view.query));

/** The items, of which those that a person chooses can be handed over. */
function ChosenDue(props: Parameters<typeof DueTable>[0]) {
  const { view } = props;
  if (!mayChange(view, 'changeRecords')) return <DueTable {...props} />;
  return (
    <ChooseForm
      action={organizationAddress(view.organization.id, '/hand-over')}
      parameters={{ [BACK]: ownAddress(view) }}
      all={null}
      acts={[{ name: 'owner', label: 'Hand over' }]}
    >
      <DueTable {...props} />
    </ChooseForm>
  );
}

function DueTable({ view, items, selection }: { view: RegisterView; items: DueItems; selection: DueSelection }) {
  const { today, rows, ownerName } = items;
  const { id, isReader } = items.owner;
  const everyone = id === null;
  const ofPerson = isReader ? 'Your due items' : `Due items of ${ownerName(id ?? '')}`;
  const acts = mayChange(view, 'changeRecords');
  const owner = ({ owner_id }: ReportRow) => (owner_id === undefined ? '–' : ownerName(String(owner_id)));
  const heading = (order: DueOrder, text: string) => sortHeading(view, selection, order, text);
  return (
    <Table
      caption={everyone ? 'Due items of everyone' : ofPerson}
      head={[
        heading('record', 'Record'),
        heading('kind', 'What it needs'),
        heading('due', 'Due'),
        'When',
        ...(everyone ? [heading('owner', 'Owner')] : []),
        ...(acts ? [{ text: 'Next step', content: <span class="screen-only">Next step</span> }] : []),
      ]}
      rows={rows.map((row) => ({
        key: `${row.what} ${row.id}`,
        cells: [
          <DueRecord view={view} row={row} risk={items.risks.get(String(row.id))} isChosen={acts} />,
          dueRequest(String(row.what)),
          <LongDay at={String(row.due)} />,
          <DueChip due={String(row.due)} today={today} />,
          ...(everyone ? [owner(row)] : []),
          ...(acts ? [<DueAct key="act" view={view} row={row} />] : []),
        ],
      }))}
    />
  );
}

/** A heading that orders the items by its column; a second time, the other way round. */
function sortHeading(view: RegisterView, selection: DueSelection, order: DueOrder, text: string): TableHeading {
  const current = selection.order === order ? selection.direction : null;
  const direction = current === 'ASC' ? 'DESC' : 'ASC';
  const href = listAddress(view, { ...dueParameters(view.query), order_by: { field: order, direction } });
  return {
    text,
    content: <SortLink href={href} label={text} current={current} />,
    sort: current === null ? undefined : SORT_WORDS[current],
  };
}

/** A record's name. A risk also has its score. */
function DueRecord(props: { view: RegisterView; row: ReportRow; risk: RecordRow | undefined; isChosen: boolean }) {
  const { view, row, risk } = props;
  const { plural } = FAMILY_DESCRIPTIONS.find(({ type }) => type === row.type)!;
  return (
    <>
      {props.isChosen && <RowBox id={String(row.id)} name={nameInList(row)} />}
      <a href={registerAddress(view, `/${plural}/${row.id}`)} data-row>
        {nameInList(row)}
      </a>{' '}
      {risk !== undefined && <FieldContent name="score" field={RISK.fields.score} row={risk} />}
    </>
  );
}

/** The one button of an item. It opens the form of what the item asks, which leads back here. */
function DueAct({ view, row }: { view: RegisterView; row: ReportRow }) {
  const { otherwise, ...first } = DUE_ACTS[String(row.what)]!;
  const isAllowed = first.permission === undefined || mayChange(view, first.permission);
  if (!isAllowed && otherwise === undefined) return <span class="muted screen-only">An admin decides</span>;
  const { button, act } = isAllowed ? first : otherwise!;
  const { plural } = familyOfType(String(row.type))!;
  return (
    <a
      class="button quiet screen-only"
      href={addressWith(`/organizations/${view.organization.id}/${plural}/${row.id}/${act}`, {
        [BACK]: ownAddress(view),
      })}
      aria-label={`${button}: ${row.name}`}
    >
      {button}
    </a>
  );
}

function DueChip({ due, today }: { due: string; today: string }) {
  return <StateChip tone={due < today ? 'danger' : 'plain'} text={dueDistance(due, today)} />;
}
