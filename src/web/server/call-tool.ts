import { organizationAddress } from '../../addresses/page-addresses.ts';
import { monotonicMs } from '../../clock/monotonic.ts';
import type { Caller } from '../../commands/organization/caller.ts';
import { BUILD_VERSION } from '../../version.ts';
import type { WebContext } from './context.ts';
import { redirect, type SignedInRequest } from './page-request.ts';

/** The client of changes that people make on pages. */
const WEB_CLIENT = { name: 'veritrail web', version: BUILD_VERSION };

/** Returns true for the client of a change that somebody made on a page. */
export function isOfPages(client: string | null): boolean {
  return client?.startsWith(`${WEB_CLIENT.name} `) ?? false;
}

/** Returns the person and the client they used, such as `Ingrid, with claude` or `Ingrid, in the browser`. */
export function throughText(name: string, client: string | null): string {
  if (client === null) return name;
  return isOfPages(client) ? `${name}, in the browser` : `${name}, with ${client}`;
}

/** A tool's error as its answer has it, and the status with which a page shows it. */
export interface ToolError {
  status: number;
  code: string;
  message: string;
  field?: string;
  issues?: readonly { field: string; message: string }[];
  /** The records that the word in `field` may name. */
  candidates?: readonly { id: string; name: string }[];
  current_revision?: number;
}

/** A tool's answer, or the error that came instead. */
export type ToolOutcome =
  | { answer: Readonly<Record<string, unknown>>; error: null }
  | { answer: null; error: ToolError };

/** Returns the signed-in person as a caller of tools, with the rights of their session. */
export async function callerOfSession(
  { members }: Pick<WebContext, 'members'>,
  request: SignedInRequest,
): Promise<Caller> {
  const accountId = request.person.account.id;
  const { address, agent } = request.clientInfo;
  return {
    ...(await members.callerOf(accountId)),
    client: WEB_CLIENT,
    clientInfo: { address, agent },
    checkedAt: monotonicMs(),
    renew: async () => ((await request.isStillSignedIn()) ? members.callerOf(accountId) : null),
  };
}

/**
 * Calls a tool for the signed-in person, with the rights of their session. It checks the input and the permission.
 * @throws Redirect to the proposal, if another account must approve the call or did
 */
export async function callTool(
  context: Pick<WebContext, 'members' | 'tools'>,
  request: SignedInRequest,
  name: string,
  input: object,
): Promise<ToolOutcome> {
  const caller = await callerOfSession(context, request);
  // Without a signal: a second click leaves the first request, whose change must not stay half done.
  const { json, status } = await context.tools.call(name, input, { caller });
  const answer = JSON.parse(json);
  // A form that is sent again after the approval is answered with the proposal alone.
  const proposal = answer.pending_approval?.proposal_id ?? answer.proposal_id;
  if (proposal !== undefined) {
    const isDone = answer.repeated === true;
    const text = isDone
      ? 'Somebody has approved this already.'
      : 'Proposed. Another account must approve this before it is done.';
    throw redirect(organizationAddress(request.params.id!, `/proposals/${proposal}`), text);
  }
  return answer.error === undefined ? { answer, error: null } : { answer: null, error: { ...answer.error, status } };
}
