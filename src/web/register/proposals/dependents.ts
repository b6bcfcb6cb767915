import { eachProposal, findProposal, type Proposal } from '../../../queries/proposals.ts';
import type { RegisterView } from '../open-register.ts';
import { proposalTitle, readEffectNames } from './proposal-effects.tsx';

/** Dependents that a page or a notice names. Each can hold 700 KB. */
const MAX_NAMED = 10;

/** The open proposals that end with one that is declined or withdrawn. */
export interface Dependents {
  /** The newest. */
  named: readonly Proposal[];
  total: number;
}

/** Reads the open proposals that depend on this one. */
export async function readDependents({ snapshot, organization }: RegisterView, id: string): Promise<Dependents> {
  const named: Proposal[] = [];
  let total = 0;
  for await (const proposal of eachProposal(snapshot, organization.id, { only: 'DEPENDENT' })) {
    if (!proposal.depends_on.includes(id)) continue;
    total += 1;
    if (named.length < MAX_NAMED) named.push(proposal);
  }
  return { named, total };
}

/** Returns the effects by which dependents have their titles. */
export const effectsOf = ({ named }: Dependents) => named.flatMap(({ effects }) => effects.slice(0, 1));

/** Says which proposals end with one: ", and with it Change risk: R-1 Fire". Nothing if none does. */
export async function endingText(view: RegisterView, id: string): Promise<string> {
  const dependents = await readDependents(view, id);
  if (dependents.total === 0) return '';
  // Dependents can name records that this one would add.
  const { effects = [] } = (await findProposal(view.snapshot, view.organization.id, id)) ?? {};
  const names = await readEffectNames(view, [...effects, ...effectsOf(dependents)]);
  const titles = dependents.named.map((proposal) => proposalTitle(proposal, names));
  const more = dependents.total - titles.length;
  return `, and with it ${new Intl.ListFormat('en').format(more > 0 ? [...titles, `${more} more`] : titles)}`;
}
