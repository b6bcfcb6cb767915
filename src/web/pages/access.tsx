/** @jsxRuntime automatic @jsxImportSource preact */
import { Refusal } from '../../commands/refusal.ts';
import { KEPT_DAYS } from '../../identity/access-rows.ts';
import type { AccessEntryType } from '../../queries/access-log-row.ts';
import {
  ACCESS_RECORD_TYPE,
  type AccessLogChange,
  type AccessLogPage,
  listAccessLog,
} from '../../queries/list-access-log.ts';
import { namesIn } from '../../queries/names.ts';
import { ACCESS_KINDS, ACCESS_WORDS, detailWords } from '../access-words.ts';
import type { WebContext } from '../context.ts';
import { drawnWords, isDrawn, ownersIn } from '../drawn-words.ts';
import { FormFault, SelectField, TextField } from '../fields.tsx';
import { BLANK, type FormState, refusedForm } from '../forms.ts';
import type { Page } from '../page.ts';
import { PageLinks } from '../paging.tsx';
import { Moment, Table } from '../pieces.tsx';
import { get, type Route, type SignedInVisit } from '../visit.ts';
import { type Within, within } from '../within.ts';

const SIZE = 50;
/** What the filter holds, in the address: a page of the log can be bookmarked. */
const FIELDS = ['kind', 'from', 'to'] as const;

/** Who came in, who was refused, and what was used when: for OWNERs, ADMINs and AUDITORs. */
export const accessPage = (context: WebContext): Route[] => [
  get('/organizations/:id/access', async (visit) => {
    const place = await within(context, visit, 'listChanges ACCESS');
    const asked = askedBy(visit);
    const form: FormState = { ...BLANK, sent: new Map(asked.map(([name, value]) => [name, [value]])) };
    try {
      return logPage(place, asked, form, await read(context, visit, place), visit.query.has('cursor'));
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'invalid_input') throw error;
      const field = error.more.field?.replace('filter.', '');
      const refusal = new Refusal(error.code, error.message, field === undefined ? {} : { field });
      return logPage(place, [], refusedForm(refusal, form.sent, FIELDS), { changes: [], owners: new Map() }, false);
    }
  }),
];

/** A page of the log, and names of the people that what was drawn was narrowed to. */
type Found = AccessLogPage & { owners: ReadonlyMap<string, string> };
type Asked = readonly (readonly [string, string])[];

function askedBy({ query }: SignedInVisit): Asked {
  return FIELDS.map((name) => [name, query.get(name) ?? ''] as const).filter(([, value]) => value !== '');
}

async function read(context: WebContext, visit: SignedInVisit, { organization }: Within): Promise<Found> {
  const { query } = visit;
  const caller = await context.members.callerOf(visit.person.account.id);
  const types = Object.hasOwn(ACCESS_KINDS, query.get('kind') ?? '') ? ACCESS_KINDS[query.get('kind')!]!.types : null;
  const page = (await listAccessLog(context.accessReader, caller, {
    organization_id: organization.id,
    filter: {
      record_types: [ACCESS_RECORD_TYPE],
      ...(types === null ? {} : { event_types: [...types] }),
      from: query.get('from') || undefined,
      to: query.get('to') || undefined,
    },
    size: SIZE,
    cursor: query.get('cursor') ?? undefined,
    view: 'SUMMARY',
    verify: false,
  })) as AccessLogPage;
  const owners = ownersIn(page.changes);
  const names = await namesIn(context.accessReader, organization.id, owners);
  return { ...page, owners: new Map(owners.map((id) => [id, names.of(id)])) };
}

function logPage({ organization, path }: Within, asked: Asked, form: FormState, found: Found, later: boolean): Page {
  const here = `${path}/access`;
  return {
    title: 'Access log',
    section: here,
    organization,
    form,
    body: (
      <>
        <p>
          Who signed in, who was refused, and what was used when. Refusals are counted by the hour, the use of a token
          by the day. Everything is kept for {KEPT_DAYS} days; times are UTC.
        </p>
        <FilterForm action={here} form={form} />
        {found.changes.length === 0 ? (
          <p class="muted">There is nothing of that kind.</p>
        ) : (
          <Log rows={found.changes} owners={found.owners} />
        )}
        <PageLinks label="Pages of the log" ways={waysOf(here, asked, found.next_cursor, later)} />
      </>
    ),
  };
}

/** Sent by GET: nothing is changed by it, so it needs no token. */
function FilterForm({ action, form }: { action: string; form: FormState }) {
  const kinds = Object.entries(ACCESS_KINDS).map(([value, { label }]) => ({ value, label }));
  return (
    <form method="get" action={action} class="inline card" aria-label="Filter">
      <FormFault form={form} />
      <SelectField form={form} name="kind" label="Kind" choices={[{ value: '', label: 'Everything' }, ...kinds]} />
      <TextField form={form} name="from" label="From" type="date" required={false} />
      <TextField form={form} name="to" label="To" type="date" required={false} />
      <button type="submit">Show</button>
    </form>
  );
}

function Log({ rows, owners }: { rows: readonly AccessLogChange[]; owners: Found['owners'] }) {
  return (
    <Table
      caption="Newest first"
      head={['When', 'What', 'Who', 'From where', 'How often']}
      rows={rows.map((row, at) => ({
        key: String(at),
        cells: [
          <When key="when" row={row} />,
          <What key="what" row={row} owners={owners} />,
          whoOf(row),
          <Place key="place" row={row} />,
          timesOf(row),
        ],
      }))}
    />
  );
}

const factOf = ({ changes }: AccessLogChange, name: string): unknown => changes.find(({ field }) => field === name)?.to;

function When({ row }: { row: AccessLogChange }) {
  const last = factOf(row, 'last_at');
  const until = typeof last === 'string' && last.slice(0, 16) !== row.recorded_at.slice(0, 16) ? last : null;
  return (
    <>
      <Moment at={row.recorded_at} />
      {until !== null && <small> until {until.slice(11, 16)}</small>}
    </>
  );
}

function What({ row, owners }: { row: AccessLogChange; owners: Found['owners'] }) {
  const details = isDrawn(row)
    ? drawnWords(row, owners)
    : row.changes.map(({ field, to }) => detailWords(field, to)).filter((words) => words !== null);
  return (
    <>
      {ACCESS_WORDS[row.event_type as AccessEntryType]}
      {details.length > 0 && <small class="long"> ({details.join(', ')})</small>}
    </>
  );
}

function whoOf({ actor, record }: AccessLogChange) {
  if (actor.kind === 'TOKEN') return `${actor.name}, of ${record.name}`;
  if (actor.kind !== 'UNKNOWN') return actor.name;
  const tried = record.id.startsWith('acc_') ? `as ${record.name}` : 'not known here';
  return <span class="muted">Somebody, {tried}</span>;
}

function Place({ row }: { row: AccessLogChange }) {
  const address = factOf(row, 'address');
  if (row.client === null && typeof address !== 'string')
    return <span class="muted">{row.actor.kind === 'SYSTEM' ? 'this machine' : 'not noted'}</span>;
  return (
    <>
      {row.client}
      {row.client !== null && typeof address === 'string' && <br />}
      {typeof address === 'string' && <small>{address}</small>}
    </>
  );
}

function timesOf(row: AccessLogChange): string {
  const count = Number(factOf(row, 'count') ?? 1);
  return count === 1 ? 'once' : `${count} times`;
}

function waysOf(here: string, asked: Asked, next: string | undefined, later: boolean) {
  const to = (more: Asked) => {
    const query = new URLSearchParams([...asked, ...more].map(([name, value]) => [name, value])).toString();
    return query === '' ? here : `${here}?${query}`;
  };
  return { first: later ? to([]) : null, next: next === undefined ? null : to([['cursor', next]]) };
}
