import type { WebTest } from './web.ts';

/** Makes a call as a credential of the account that may only propose, named claude. Returns the proposal's id. */
export async function proposeAs(
  { tools, members }: Pick<WebTest, 'tools' | 'members'>,
  accountId: string,
  organizationId: string,
  { tool, input }: { tool: string; input: object },
): Promise<string> {
  const caller = {
    ...(await members.callerOf(accountId)),
    client: { name: 'claude', version: '1' },
    autonomy: new Map([[organizationId, 'PROPOSE_ONLY' as const]]),
  };
  const { json } = await tools.call(tool, input, { caller });
  return JSON.parse(json).pending_approval.proposal_id;
}
