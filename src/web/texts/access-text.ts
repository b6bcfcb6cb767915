import type { TokenListItem } from '../../identity/tokens/token-lists.ts';
import { type Autonomy, isLess } from '../../register/proposal.ts';
import { roleName } from './role-labels.ts';

export const AUTONOMY_CHOICES: readonly { value: Autonomy; label: string }[] = [
  { value: 'DECISIONS_PROPOSED', label: 'Decisions wait for a person, the rest is done' },
  { value: 'PROPOSE_ONLY', label: 'Everything waits for a person' },
  { value: 'ALL', label: 'Everything that its role may do' },
];

/** Returns what a credential does without a person, as its form says it. */
export function autonomyText({ autonomy = 'ALL', read_only }: Pick<TokenListItem, 'autonomy' | 'read_only'>): string {
  return read_only ? 'It only reads' : AUTONOMY_CHOICES.find(({ value }) => value === autonomy)!.label;
}

/** Autonomies as lists add them to a role. Nothing for a credential that may do everything alone. */
const BRIEFLY: Readonly<Record<Autonomy, string>> = {
  ALL: '',
  DECISIONS_PROPOSED: ', decisions proposed',
  PROPOSE_ONLY: ', proposes only',
};

type Access = Pick<TokenListItem, 'role' | 'read_only' | 'autonomy'>;

/** Returns true if an organization's ceiling allows a credential less than its own autonomy. */
const isLimited = ({ read_only, autonomy = 'ALL' }: Omit<Access, 'role'>, ceiling: Autonomy): boolean =>
  !read_only && isLess(ceiling, autonomy);

/**
 * Returns what a credential may do: `Editor, decisions proposed`.
 * @param ceiling that of the organization whose page says it
 */
export function accessText(credential: Access, ceiling: Autonomy = 'ALL'): string {
  const { role, read_only, autonomy = 'ALL' } = credential;
  if (isLimited(credential, ceiling)) return `${roleName(role)}${BRIEFLY[ceiling]} (the ceiling here)`;
  return `${roleName(role)}${read_only ? ', read only' : BRIEFLY[autonomy]}`;
}

/** Returns an organization that a credential reaches: `Fjord Pay`, or `Fjord Pay (its ceiling: proposes only)` if that holds. */
export function reachText({ name, ceiling }: { name: string; ceiling: Autonomy }, credential: Access): string {
  return isLimited(credential, ceiling) ? `${name} (its ceiling${BRIEFLY[ceiling].replace(',', ':')})` : name;
}
