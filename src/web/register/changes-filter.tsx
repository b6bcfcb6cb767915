import { addressWith } from '../../addresses/page-addresses.ts';
import { ASSISTANTS } from '../../http/files/changes-query.ts';
import type { Member } from '../../identity/memberships/members.ts';
import type { ChangesInput } from '../../queries/changes/changes-input.ts';
import type { ListedChange } from '../../queries/changes/list-changes.ts';
import type { ChangeRefinement } from '../../queries/changes/refined-changes.ts';
import { isStored } from '../../register/event-members.ts';
import { EVENT_TYPES } from '../../register/events.ts';
import { FAMILY_DESCRIPTIONS, familyOfType } from '../../register/families.ts';
import type { FamilyDescription } from '../../register/family-description.ts';
import { LINK_EVENTS } from '../../register/link.ts';
import { codeWords } from '../../texts/words.ts';
import { type Choice, SelectField, TextField } from '../components/fields.tsx';
import { BLANK_FORM } from '../server/form-state.ts';
import { eventText, typeText } from '../texts/event-words.ts';
import type { RegisterView } from './open-register.ts';
import { familyHeading } from './rail-links.ts';
import type { InputLabels } from './refused-input.ts';

export interface ChangesFilterProps {
  view: RegisterView;
  filter: NonNullable<ChangesInput['filter']>;
  refinement: ChangeRefinement;
  members: readonly Member[];
  /** The changes on the page, for the names of records. */
  changes: readonly ListedChange[];
}

const ANY: Choice = { value: '', label: 'Any' };

/** Sent by GET, so that the address holds the filters. It is folded, unless something is to be corrected. */
export function ChangesFilterForm({
  view,
  filter,
  refinement,
  members,
  isOpen = false,
}: ChangesFilterProps & { isOpen?: boolean }) {
  const family = familyOfType(filter.record_types?.[0] ?? '');
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
    <details open={isOpen}>
      <summary>Filter</summary>
      <form method="get" action={view.path} class="inline filters" aria-label="Filters">
        {view.past !== null && <input type="hidden" name="as_of" value={view.past.asOf} />}
        {filter.record_id?.map((id) => (
          <input key={id} type="hidden" name="record_id" value={id} />
        ))}
        {filter.call_id !== undefined && <input type="hidden" name="call_id" value={filter.call_id} />}
        {select('record_types', 'Family', FAMILY_CHOICES)}
        {select('event_types', 'What happened', eventTypeChoices(family))}
        {select('actor_id', 'Person', [
          ...members.map(({ account_id, name }) => ({ value: account_id, label: name })),
          SERVICE,
        ])}
        <SelectField
          form={BLANK_FORM}
          name="field"
          label="Field"
          choices={[ANY, ...fieldChoices(family)]}
          value={filter.field ?? ''}
        />
        <SelectField
          form={BLANK_FORM}
          name="made_by"
          label="Made by"
          choices={[ANY, { value: ASSISTANTS, label: 'Assistants' }]}
          value={refinement.onlyAssistants ? ASSISTANTS : ''}
        />
        <TextField form={BLANK_FORM} name="client" label="Client" required={false} value={refinement.client ?? ''} />
        {date('from', 'From')}
        {date('to', 'Until')}
        <button type="submit">Filter</button>
      </form>
    </details>
  );
}

const FAMILY_CHOICES: readonly Choice[] = [
  ...FAMILY_DESCRIPTIONS.map((family) => ({ value: family.type, label: familyHeading(family) })),
  { value: 'PROPOSAL', label: 'Proposals' },
  { value: 'ORGANIZATION', label: 'Organization' },
];

/** The service itself acts too: it introduces keys and seals. */
const SERVICE: Choice = { value: 'SYSTEM', label: 'veritrail' };

/** Returns the events of a family and those of links, or all events. */
function eventTypeChoices(family: FamilyDescription | undefined): Choice[] {
  const types = family === undefined ? EVENT_TYPES : [...Object.keys(family.events), ...Object.keys(LINK_EVENTS)];
  return types.map((type) => ({ value: type, label: eventText(type) }));
}

/** Returns the fields of a family that its history records. Fields of all families would be too many to choose from. */
function fieldChoices(family: FamilyDescription | undefined): Choice[] {
  const fields = Object.entries(family?.fields ?? {}).filter(
    ([, field]) => isStored(field) && !field.excludedFromHistory,
  );
  return fields.map(([name, { label }]) => ({ value: name, label }));
}

/** The filters of the address, each with a link that leaves it out. */
export function ActiveChangesFilters({ view, changes, members }: ChangesFilterProps) {
  const { query, path, past } = view;
  const filters = [...query].filter(([name, value]) => Object.hasOwn(FILTER_LABELS, name) && value !== '');
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
            {FILTER_LABELS[name]}: {names.get(value) ?? filterText(name, value)} <span aria-hidden="true">×</span>
          </a>
        </li>
      ))}
      <li>
        <a href={addressWith(path, { as_of: past?.asOf })}>Clear filters</a>
      </li>
    </ul>
  );
}

/** Returns a filter's value in words. Ids, dates and names of clients are shown as they are. */
function filterText(name: string, value: string): string {
  if (name === 'event_types') return eventText(value);
  if (name === 'record_types') return typeText(value);
  return name === 'field' ? codeWords(value) : value;
}

const FILTER_LABELS: Readonly<Record<string, string>> = {
  record_id: 'Record',
  record_types: 'Family',
  event_types: 'What happened',
  actor_id: 'Person',
  call_id: 'Call',
  field: 'Field',
  client: 'Client',
  made_by: 'Made by',
  from: 'From',
  to: 'Until',
  filter: 'Filter',
};

/** The labels of filters, by the names in refusals. */
export const CHANGES_FILTER_INPUTS: InputLabels = Object.fromEntries(
  Object.entries(FILTER_LABELS).flatMap(([name, label]) => [
    [name, label],
    [`filter.${name}`, label],
  ]),
);

function addressWithout({ query, path }: RegisterView, name: string, value: string): string {
  const parameters = new URLSearchParams(query);
  parameters.delete(name, value);
  parameters.delete('cursor');
  return `${path}?${parameters}`;
}
