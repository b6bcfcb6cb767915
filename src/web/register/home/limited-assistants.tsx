import { countRecentChanges } from '../../../queries/changes/recent-changes.ts';
import { lowerAutonomy } from '../../../register/proposal.ts';
import type { WebContext } from '../../server/context.ts';
import { countText } from '../../texts/counts.ts';
import type { RegisterView } from '../open-register.ts';

/** The credentials of a reader that may change nothing more at the moment, and the limit that they reached. */
export interface LimitedAssistants {
  names: readonly string[];
  limit: number;
}

/** A credential that was not used for so long made no change in the last hour: its uses are stored with some delay. */
const TWO_HOURS_MS = 7_200_000;

/** Reads which credentials of an account have made as many changes in the last hour as the organization allows. */
export async function readLimitedAssistants(
  { members, tokens }: Pick<WebContext, 'members' | 'tokens'>,
  { snapshot, organization, past }: RegisterView,
  accountId: string,
): Promise<LimitedAssistants> {
  const { policy } = await members.approvalsOf(organization.id);
  const limit = policy.hourly_changes;
  const names: string[] = [];
  const twoHoursAgo = new Date(snapshot.now().getTime() - TWO_HOURS_MS).toISOString();
  for (const { id, name, autonomy = 'ALL', last_used_at } of past === null
    ? await tokens.listOfAccount(accountId)
    : []) {
    const isUnused = (last_used_at ?? '') < twoHoursAgo;
    if (isUnused || lowerAutonomy(autonomy, policy.ceiling) === 'ALL') continue;
    if ((await countRecentChanges(snapshot, organization.id, id, limit)) >= limit) names.push(name);
  }
  return { names, limit };
}

/** Tells the owner of a credential that it reached the limit of an hour. */
export function LimitedAssistantsNotice({ names, limit }: LimitedAssistants) {
  return names.map((name) => (
    <p key={name} class="notice warning">
      “{name}” made {countText(limit)} changes of existing records in the last hour, the limit here. Further changes of
      existing records are refused until older ones are an hour ago.
    </p>
  ));
}
