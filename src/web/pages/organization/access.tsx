import { Refusal } from '../../../commands/engine/refusal.ts';
import { accessDetailText } from '../../../identity/access-log/access-detail-text.ts';
import {
  ACCESS_ENTRIES,
  ACCESS_ENTRY_TYPES,
  type AccessEntryType,
  type AccessFilter,
} from '../../../identity/access-log/access-entry-types.ts';
import type { AccessLogChange, AccessLogPage } from '../../../identity/access-log/access-log-reader.ts';
import { ACCESS_LOG_DAYS } from '../../../identity/access-log/access-log-row.ts';
import { ACCESS_RECORD_TYPE } from '../../../queries/changes/access-log-source.ts';
import { Table, Timestamp } from '../../components/components.tsx';
import { FormError, SelectField, TextField } from '../../components/fields.tsx';
import { PageLinks } from '../../components/paging.tsx';
import type { WebContext } from '../../server/context.ts';
import { BLANK_FORM, type FormState, formWithRefusal } from '../../server/form-state.ts';
import { get, type Route, type SignedInRequest } from '../../server/page-request.ts';
import { type MembershipContext, requireMembership } from '../../server/require-membership.ts';
import type { WebPage } from '../../server/web-page.ts';
import { describeDownload, downloadOwnerIds, isDownload } from '../../texts/describe-download.ts';

type Collaborators = Pick<WebContext, 'members' | 'accessLogReader' | 'readNames'>;

const ROWS_PER_PAGE = 50;
/** The filter fields. They are in the address, so a page of the log can be bookmarked. */
const FIELDS = ['kind', 'from', 'to'] as const;
const FILTER_LABELS: Readonly<Record<AccessFilter, string>> = {
  'sign-ins': 'Signing in and out',
  refusals: 'Refused',
  tokens: 'Tokens and assistants',
  accounts: 'Account changes',
  downloads: 'Exports and reports',
};
/** Returns the name of a filter, given that name or the earlier one of a bookmarked page. */
const currentFilter = (name: string): string => (name === 'drawn' ? 'downloads' : name);

/** The access log, for owners, admins and auditors. */
export const accessPage = (context: Collaborators): Route[] => [
  get('/organizations/:id/access', async (request) => {
    const membership = await requireMembership(context, request, 'readAccessLog');
    const filters = filterQuery(request);
    const form: FormState = { ...BLANK_FORM, values: new Map(filters.map(([name, value]) => [name, [value]])) };
    try {
      return logPage(membership, filters, form, await read(context, request, membership), request.query.has('cursor'));
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'invalid_input') throw error;
      const field = error.more.field?.replace('filter.', '');
      const refusal = new Refusal(error.code, error.message, field === undefined ? {} : { field });
      return logPage(
        membership,
        [],
        formWithRefusal(refusal, form.values, FIELDS),
        { changes: [], owners: new Map() },
        false,
      );
    }
  }),
];

/** A page of the log, and names of the owners that reports were filtered by. */
type LogRows = AccessLogPage & { owners: ReadonlyMap<string, string> };
type Query = readonly (readonly [string, string])[];

function filterQuery({ query }: SignedInRequest): Query {
  const values = { kind: currentFilter(query.get('kind') ?? ''), from: query.get('from'), to: query.get('to') };
  return FIELDS.map((name) => [name, values[name] ?? ''] as const).filter(([, value]) => value !== '');
}

async function read(
  context: Collaborators,
  request: SignedInRequest,
  { organization }: MembershipContext,
): Promise<LogRows> {
  const { query } = request;
  const caller = await context.members.callerOf(request.person.account.id);
  const kind = currentFilter(query.get('kind') ?? '');
  const types = Object.hasOwn(FILTER_LABELS, kind)
    ? ACCESS_ENTRY_TYPES.filter((type) => ACCESS_ENTRIES[type].filter === kind)
    : null;
  const page = (await context.accessLogReader.list(caller, {
    organization_id: organization.id,
    filter: {
      record_types: [ACCESS_RECORD_TYPE],
      ...(types === null ? {} : { event_types: types }),
      from: query.get('from') || undefined,
      to: query.get('to') || undefined,
    },
    size: ROWS_PER_PAGE,
    cursor: query.get('cursor') ?? undefined,
    view: 'SUMMARY',
    verify: false,
  })) as AccessLogPage;
  const owners = downloadOwnerIds(page.changes);
  const names = await context.readNames(organization.id, owners);
  return { ...page, owners: new Map(owners.map((id) => [id, names.of(id)])) };
}

function logPage(
  { organization, path }: MembershipContext,
  filters: Query,
  form: FormState,
  page: LogRows,
  hasPrevious: boolean,
): WebPage {
  const pagePath = `${path}/access`;
  return {
    title: 'Access log',
    section: pagePath,
    organization,
    form,
    body: (
      <>
        <p class="sub">
          Sign-ins, refused attempts, token use and downloads. Refused attempts are counted per hour, token use per day.
          Entries are kept for {ACCESS_LOG_DAYS} days.
        </p>
        <FilterForm action={pagePath} form={form} />
        {page.changes.length === 0 ? (
          <p class="empty">No entries match. Choose another kind or a longer period.</p>
        ) : (
          <Log rows={page.changes} owners={page.owners} />
        )}
        <PageLinks label="Pages of the log" targets={pageTargets(pagePath, filters, page.next_cursor, hasPrevious)} />
      </>
    ),
  };
}

/** Sent by GET: it changes nothing, so it needs no CSRF token. */
function FilterForm({ action, form }: { action: string; form: FormState }) {
  const kinds = Object.entries(FILTER_LABELS).map(([value, label]) => ({ value, label }));
  return (
    <form method="get" action={action} class="inline card" aria-label="Filter">
      <FormError form={form} />
      <SelectField form={form} name="kind" label="Kind" choices={[{ value: '', label: 'Everything' }, ...kinds]} />
      <TextField form={form} name="from" label="From" type="date" required={false} />
      <TextField form={form} name="to" label="To" type="date" required={false} />
      <button type="submit">Show</button>
    </form>
  );
}

function Log({ rows, owners }: { rows: readonly AccessLogChange[]; owners: LogRows['owners'] }) {
  return (
    <Table
      caption="Newest first. Counted entries are at the start of their hour or day"
      head={['When', 'What', 'Who', 'From', 'Count']}
      rows={rows.map((row, at) => ({
        key: String(at),
        cells: [
          <EntryTime key="when" row={row} />,
          <EntryText key="what" row={row} owners={owners} />,
          personText(row),
          <EntrySource key="place" row={row} />,
          countText(row),
        ],
      }))}
    />
  );
}

const fieldOf = ({ changes }: AccessLogChange, name: string): unknown =>
  changes.find(({ field }) => field === name)?.to;

function EntryTime({ row }: { row: AccessLogChange }) {
  const last = fieldOf(row, 'last_at');
  const until = typeof last === 'string' && last.slice(0, 16) !== row.recorded_at.slice(0, 16) ? last : null;
  return (
    <>
      <Timestamp at={row.recorded_at} />
      {until !== null && (
        <small>
          {' '}
          until <Timestamp at={until} />
        </small>
      )}
    </>
  );
}

function EntryText({ row, owners }: { row: AccessLogChange; owners: LogRows['owners'] }) {
  const details = isDownload(row)
    ? describeDownload(row, owners)
    : row.changes.map(({ field, to }) => accessDetailText(field, to)).filter((words) => words !== null);
  return (
    <>
      {ACCESS_ENTRIES[row.event_type as AccessEntryType].text}
      {details.length > 0 && <small class="long"> ({details.join(', ')})</small>}
    </>
  );
}

function personText({ actor, record }: AccessLogChange) {
  if (actor.kind === 'TOKEN') return `${actor.name}, of ${record.name}`;
  if (actor.kind !== 'UNKNOWN') return record.id === actor.id ? actor.name : `${actor.name}, for ${record.name}`;
  const attemptedAccount = record.id.startsWith('acc_') ? `as ${record.name}` : 'unknown account';
  return <span class="muted">Somebody, {attemptedAccount}</span>;
}

function EntrySource({ row }: { row: AccessLogChange }) {
  const address = fieldOf(row, 'address');
  if (row.client === null && typeof address !== 'string')
    return <span class="muted">{row.actor.kind === 'SYSTEM' ? 'this machine' : 'not recorded'}</span>;
  return (
    <>
      {row.client}
      {row.client !== null && typeof address === 'string' && <br />}
      {typeof address === 'string' && <small>{address}</small>}
    </>
  );
}

function countText(row: AccessLogChange): string {
  return String(fieldOf(row, 'count') ?? 1);
}

function pageTargets(pagePath: string, filters: Query, next: string | undefined, hasPrevious: boolean) {
  const to = (changes: Query) => {
    const query = new URLSearchParams([...filters, ...changes].map(([name, value]) => [name, value])).toString();
    return query === '' ? pagePath : `${pagePath}?${query}`;
  };
  return { first: hasPrevious ? to([]) : null, next: next === undefined ? null : to([['cursor', next]]) };
}
