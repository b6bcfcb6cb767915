import type { TokenListItem } from '../../identity/tokens/token-lists.ts';
import type { Autonomy } from '../../register/proposal.ts';
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

/** Returns what a credential may do: `Editor, decisions proposed`. */
export function accessText(token: Pick<TokenListItem, 'role' | 'read_only' | 'autonomy'>): string {
  const { role, read_only, autonomy = 'ALL' } = token;
  return `${roleName(role)}${read_only ? ', read only' : BRIEFLY[autonomy]}`;
}
