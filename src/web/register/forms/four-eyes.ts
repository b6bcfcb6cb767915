import { fourEyesInForce } from '../../../commands/organization/approval-policy.ts';
import { ARCHIVING, FAMILY_DECISIONS } from '../../../register/decisions.ts';
import { EVIDENCE } from '../../../register/evidence.ts';
import { codeWords } from '../../../texts/words.ts';
import type { WebContext } from '../../server/context.ts';
import { type Act, WITHDRAW } from './acts.ts';

/** Stands on the form of a decision that another account must approve. */
export const NEEDS_ANOTHER = 'Another person must approve this first.';

/** Reads the decisions that another account must approve in an organization now. */
export async function readFourEyes(
  { members }: Pick<WebContext, 'members'>,
  organizationId: string,
): Promise<ReadonlySet<string>> {
  const { policy, suspended } = await members.approvalsOf(organizationId);
  return fourEyesInForce({ ...policy, four_eyes_suspended: suspended });
}

/** Returns true if an act makes one of these decisions. */
export function isUnderFourEyes(fourEyes: ReadonlySet<string>, type: string, act: Act): boolean {
  const word = isReplacement(act, type) ? ARCHIVING : act.name.toUpperCase();
  const state = act.name === WITHDRAW ? 'WITHDRAWN' : act.reaches;
  return FAMILY_DECISIONS.some(
    (decision) =>
      fourEyes.has(decision.name) &&
      decision.family.type === type &&
      (decision.word === word ||
        (state !== undefined && decision.events.some((event) => event.endsWith(codeWords(state))))),
  );
}

/** Newer evidence that replaces a piece archives that piece. */
const isReplacement = ({ inputs }: Act, type: string): boolean => type === EVIDENCE.type && 'replaces' in inputs;

/** Returns true if the undo of changes of these types makes one of the decisions. It counts as all those of a family. */
export function isUndoUnderFourEyes(fourEyes: ReadonlySet<string>, types: readonly string[]): boolean {
  return FAMILY_DECISIONS.some(({ name, family }) => fourEyes.has(name) && types.includes(family.type));
}
