/** @jsxRuntime automatic @jsxImportSource preact */
import { readChangesQuery } from '../../../http/files/changes-query.ts';
import type { Member } from '../../../identity/memberships/members.ts';
import { ACCESS_RECORD_TYPE } from '../../../queries/changes/access-log-source.ts';
import type { ChangesInput } from '../../../queries/changes/changes-input.ts';
import { type ListedChange, listChanges } from '../../../queries/changes/list-changes.ts';
import { readSealTimes, type SealTimes } from '../../../queries/proofs/seal-times.ts';
import { EVENT_TYPES } from '../../../register/events.ts';
import { FAMILY_DESCRIPTIONS } from '../../../register/families.ts';
import { codeWords } from '../../../reports/formats/report-text.ts';
import type { NamesByKey } from '../../../reports/pages/report-page.ts';
import { type Choice, SelectField, TextField } from '../../components/fields.tsx';
import { ChangeLinks, ChangeWords, RecordLink, readPeopleInChanges } from '../../register/change-words.tsx';
import {
  addressWith,
  asOfInput,
  openRegister,
  type RegisterCollaborators,
  type RegisterView,
} from '../../register/open-register.ts';
import { familyHeading } from '../../register/rail-links.ts';
import { BLANK_FORM } from '../../server/form-state.ts';
import { get, type Route, redirect } from '../../server/page-request.ts';
import type { WebPage } from '../../server/web-page.ts';

const CHANGES_PER_PAGE = 50;

/** Parameters of the address that are not filters. */
const PAGE_PARAMETERS = ['as_of', 'cursor'];

type ChangesFilter = NonNullable<ChangesInput['filter']>;

interface ChangesPageContent {
  filter: ChangesFilter;
  members: readonly Member[];
  changes: readonly ListedChange[];
  people: NamesByKey;
  sealTimes: SealTimes;
  nextCursor: string | undefined;
  total: number;
}

/** The organization's history, newest first, with the filters of listChanges in the address. */
export const changesPage = (context: RegisterCollaborators): Route[] => [
  get('/organizations/:id/changes', async (request) => {
    const view = await openRegister(context, request);
    const { organization, query, caller } = view;
    const input = readChangesQuery(organization.id, query, { size: CHANGES_PER_PAGE, ...asOfInput(view) });
    const { filter = {} } = input;
    if (filter.record_types?.includes(ACCESS_RECORD_TYPE)) return redirect(`/organizations/${organization.id}/access`);
    const [page, count] = await Promise.all([
      listChanges(context.reader, caller, input),
      listChanges(context.reader, caller, { ...input, cursor: undefined, view: 'COUNT' }),
    ]);
    const { changes, next_cursor } = page as { changes: ListedChange[]; next_cursor?: string };
    return pageOf(view, {
      filter,
      members: await context.members.membersOf(organization.id),
      changes,
      people: await readPeopleInChanges(view, changes),
      sealTimes: await readSealTimes(view.snapshot, organization.id, changes),
      nextCursor: next_cursor,
      total: (count as { total: number }).total,
    });
  }),
];

function pageOf(view: RegisterView, content: ChangesPageContent): WebPage {
  const { changes, people, sealTimes, nextCursor, total } = content;
  const { organization, path, query } = view;
  return {
    title: 'Changes',
    section: path,
    organization,
    moment: view,
    body: (
      <>
        <p class="sub">
          {total} {total === 1 ? 'change' : 'changes'}, newest first
        </p>
        <FilterForm view={view} {...content} />
        <ActiveFilters view={view} {...content} />
        {changes.length === 0 ? <p>No change matches these filters.</p> : null}
        <ol class="timeline changes">
          {changes.map((change) => (
            <li
              key={change.position}
              id={`change-${change.position}`}
              class={change.client === null ? undefined : 'bot'}
            >
              <h2>
                <RecordLink view={view} record={change.record} /> <small>{codeWords(change.record.type)}</small>
              </h2>
              <ChangeWords view={view} change={change} people={people} />
              <ChangeLinks view={view} change={change} sealTimes={sealTimes} />
            </li>
          ))}
        </ol>
        {nextCursor !== undefined && (
          <a class="button quiet" href={`${path}?${withParameter(query, 'cursor', nextCursor)}`}>
            Older changes
          </a>
        )}
      </>
    ),
  };
}

const ANY: Choice = { value: '', label: 'Any' };

/** Sent by GET, so that the address holds the filters. */
function FilterForm({
  view,
  filter,
  members,
}: { view: RegisterView } & Pick<ChangesPageContent, 'filter' | 'members'>) {
  const select = (name: 'record_types' | 'event_types' | 'actor_id', label: string, choices: readonly Choice[]) => (
    <SelectField
      form={BLANK_FORM}
      name={name}
      label={label}
      choices={[ANY, ...choices]}
      value={filter[name]?.[0] ?? ''}
    />
  );
  const date = (name: 'from' | 'to', label: string) => (
    <TextField form={BLANK_FORM} name={name} label={label} type="date" required={false} value={filter[name] ?? ''} />
  );
  return (
    <form method="get" action={view.path} class="inline filters" aria-label="Filters">
      {view.past !== null && <input type="hidden" name="as_of" value={view.past.asOf} />}
      {filter.record_id?.map((id) => (
        <input key={id} type="hidden" name="record_id" value={id} />
      ))}
      {select('record_types', 'Family', FAMILY_CHOICES)}
      {select('event_types', 'What happened', eventTypeChoices(filter.record_types?.[0]))}
      {select('actor_id', 'Person', [
        ...members.map(({ account_id, name }) => ({ value: account_id, label: name })),
        SERVICE,
      ])}
      {date('from', 'From')}
      {date('to', 'Until')}
      <button type="submit">Filter</button>
    </form>
  );
}

const FAMILY_CHOICES: readonly Choice[] = [
  ...FAMILY_DESCRIPTIONS.map((family) => ({ value: family.type, label: familyHeading(family) })),
  { value: 'ORGANIZATION', label: 'Organization' },
];

/** The service itself acts too: it introduces keys and seals. */
const SERVICE: Choice = { value: 'SYSTEM', label: 'veritrail' };

/** Returns the events of a family and those of links, or all events. */
function eventTypeChoices(familyType: string | undefined): Choice[] {
  const family = FAMILY_DESCRIPTIONS.find(({ type }) => type === familyType);
  const types =
    family === undefined ? EVENT_TYPES : [...Object.keys(family.events), 'RecordsLinked', 'RecordsUnlinked'];
  return types.map((type) => ({ value: type, label: codeWords(type) }));
}

/** The filters of the address, each with a link that leaves it out. */
function ActiveFilters({
  view,
  changes,
  members,
}: { view: RegisterView } & Pick<ChangesPageContent, 'changes' | 'members'>) {
  const { query, path, past } = view;
  const filters = [...query].filter(([name, value]) => !PAGE_PARAMETERS.includes(name) && value !== '');
  if (filters.length === 0) return null;
  const names = new Map([
    ...members.map(({ account_id, name }) => [account_id, name] as const),
    ...changes.map(({ record }) => [record.id, record.name] as const),
  ]);
  return (
    <ul class="plain chips">
      {filters.map(([name, value]) => (
        <li key={`${name}=${value}`}>
          <a class="chip" href={addressWithout(view, name, value)} title="Remove this filter">
            {FILTER_LABELS[name] ?? name}: {names.get(value) ?? codeWords(value)} <span aria-hidden="true">×</span>
          </a>
        </li>
      ))}
      <li>
        <a href={addressWith(path, { as_of: past?.asOf })}>Clear filters</a>
      </li>
    </ul>
  );
}

const FILTER_LABELS: Readonly<Record<string, string>> = {
  record_id: 'Record',
  record_types: 'Family',
  event_types: 'What happened',
  actor_id: 'Person',
  from: 'From',
  to: 'Until',
};

function addressWithout({ query, path }: RegisterView, name: string, value: string): string {
  const parameters = new URLSearchParams(query);
  parameters.delete(name, value);
  parameters.delete('cursor');
  return `${path}?${parameters}`;
}

function withParameter(query: URLSearchParams, name: string, value: string): URLSearchParams {
  const parameters = new URLSearchParams(query);
  parameters.set(name, value);
  return parameters;
}
