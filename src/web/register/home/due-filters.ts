import { DUE_KINDS } from '../../../reports/sections/due-rows.ts';
import { codeWords } from '../../../texts/words.ts';
import type { Choice } from '../../components/fields.tsx';
import { listAddress } from '../list/list-address.ts';
import type { ListFilter } from '../list/list-filters.ts';
import type { RegisterView } from '../open-register.ts';
import { recordsLabel } from '../rail-links.ts';
import { dueParameters } from './due-selection.ts';

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

/** Returns the address of the same due items of another owner. @param owner null for the reader's */
export function addressOfOwner(view: RegisterView, owner: string | null): string {
  const { filter, order_by } = dueParameters(view.query);
  return listAddress(view, { filter: { ...filter, owner: owner ?? [] }, order_by });
}

/** Returns the filters of the page, as those of lists. @param others the members besides the reader */
export function dueFilters(others: readonly Choice[], { query, caller }: RegisterView): ListFilter[] {
  const overdue = query.get('overdue');
  return [
    {
      name: 'kind',
      label: 'Kind',
      control: {
        kind: 'choices',
        choices: DUE_KINDS.map(({ name }) => ({ value: name, label: kindWords(name, overdue) })),
      },
    },
    {
      name: 'owner',
      label: 'Owner',
      control: {
        kind: 'choices',
        isSingle: true,
        choices: [{ value: caller.account_id, label: 'Me' }, { value: EVERYONE, label: 'Everyone' }, ...others],
      },
    },
    { name: 'overdue', label: 'Overdue', control: { kind: 'boolean' } },
    { name: 'from', label: 'From', control: { kind: 'date' } },
    { name: 'until', label: 'Until', control: { kind: 'date' } },
  ];
}

/** Returns the name of a kind of due items, for those that are overdue, those that aren't, or both. */
function kindWords(name: string, overdue: string | null): string {
  const kind = DUE_KINDS.find((candidate) => candidate.name === name);
  if (kind === undefined) return codeWords(name);
  const [label, { overdueLabel }] = [recordsLabel(kind), kind];
  if (overdueLabel === undefined || overdue === 'false') return label;
  return overdue === 'true' ? overdueLabel : `${label} or ${overdueLabel.replace(/^\S+ /, '')}`;
}
