import type { ComponentChildren } from 'preact';
import { type AddressParameters, addressWith } from '../../../addresses/page-addresses.ts';
import { isRealDate } from '../../../commands/engine/dates.ts';
import { DUE_KINDS } from '../../../reports/sections/due-rows.ts';
import { codeWords } from '../../../texts/words.ts';
import { LongDay } from '../../components/components.tsx';
import type { RegisterView } from '../open-register.ts';
import { recordsLabel } from '../rail-links.ts';

/** The owner of the due items that a page shows. */
export interface DueOwner {
  /** The account; null for the items of everyone. */
  id: string | null;
  isReader: boolean;
}

/** The value of `owner` for the items of everyone. */
export const EVERYONE = 'all';

/** Reads the parameter `owner`: an account's id, or `all`. By default, the items are the reader's. */
export function readDueOwner({ query, caller }: Pick<RegisterView, 'query' | 'caller'>): DueOwner {
  const text = query.get('owner') || caller.account_id;
  return { id: text === EVERYONE ? null : text, isReader: text === caller.account_id };
}

/** Returns the address of the same due items with other parameters. */
export function dueAddress({ path, query, past }: RegisterView, changes: AddressParameters): string {
  const [overdue, from, until, owner] = ['overdue', 'from', 'until', 'owner'].map((name) => query.get(name));
  return addressWith(path, { as_of: past?.asOf, kind: query.getAll('kind'), overdue, from, until, owner, ...changes });
}

const OVERDUE_WORDS: ReadonlyMap<string, string> = new Map([
  ['true', 'Overdue'],
  ['false', 'Not overdue'],
]);

interface DueFiltersProps {
  view: RegisterView;
  /** The name of the person whose items are shown; null for the reader's, and those of everyone. */
  ownerName: string | null;
}

/** The filters of the address as chips, each with a link that leaves it out. */
export function DueFilters(props: DueFiltersProps) {
  const filters = setFilters(props);
  if (filters.length === 0) return null;
  return (
    <ul class="plain chips">
      {filters.map(({ key, words, rest }) => (
        <li key={key}>
          <a class="chip" href={dueAddress(props.view, rest)} title="Remove this filter">
            <span class="for-screen-readers">Remove the filter </span>
            {words} <span aria-hidden="true">×</span>
          </a>
        </li>
      ))}
    </ul>
  );
}

/** Returns the name of a kind of due items, for those that are overdue, those that aren't, or both. */
function kindWords(name: string, overdue: string | null): string {
  const kind = DUE_KINDS.find((candidate) => candidate.name === name);
  if (kind === undefined) return codeWords(name);
  const [label, { overdueLabel }] = [recordsLabel(kind), kind];
  if (overdueLabel === undefined || overdue === 'false') return label;
  return overdue === 'true' ? overdueLabel : `${label} or ${overdueLabel.replace(/^\S+ /, '')}`;
}

interface SetFilter {
  key: string;
  words: ComponentChildren;
  /** The parameters without the filter. */
  rest: AddressParameters;
}

function setFilters({ view: { query }, ownerName }: DueFiltersProps): SetFilter[] {
  const kinds = query.getAll('kind');
  const overdue = OVERDUE_WORDS.get(query.get('overdue') ?? '');
  const [from, until] = ['from', 'until'].map((name) => query.get(name) ?? '') as [string, string];
  const filters: (SetFilter | false)[] = [
    ...kinds.map((kind) => ({
      key: kind,
      words: kindWords(kind, query.get('overdue')),
      rest: { kind: kinds.filter((other) => other !== kind) },
    })),
    overdue !== undefined && { key: 'overdue', words: overdue, rest: { overdue: null } },
    isRealDate(from) && { key: 'from', words: ['From ', <LongDay key="day" at={from} />], rest: { from: null } },
    isRealDate(until) && { key: 'until', words: ['Until ', <LongDay key="day" at={until} />], rest: { until: null } },
    ownerName !== null && { key: 'owner', words: `Owner: ${ownerName}`, rest: { owner: EVERYONE } },
  ];
  return filters.filter((filter) => filter !== false);
}
