/** Interleavings of calls, proposals, approvals, policies and removals: the history holds permitted acts only. */
import fc from 'fast-check';
import * as assert from 'uvu/assert';
import { organizationAggregate } from '../../../src/commands/families.ts';
import { type Caller, ROLES, type Role } from '../../../src/commands/organization/caller.ts';
import { AUTONOMIES, type Autonomy } from '../../../src/register/proposal.ts';
import type { TrailEvent } from '../../../src/trail/event.ts';
import { ok } from '../../support/controls.ts';
import { idOf } from '../../support/ids.ts';
import { type Answer, callerAs, envelopeFor, ORGANIZATION, OWNER, type TestRegister } from '../../support/register.ts';
import { registerSuite } from '../../support/register-suite.ts';

const test = registerSuite('interleavings of approvals', 'EACH');

const PEOPLE = [OWNER, idOf('acc'), idOf('acc')] as const;
const TOKENS = PEOPLE.map(() => idOf('tok'));

type Step =
  | { kind: 'CLOSE'; who: number; isAssistant: boolean; autonomy: Autonomy }
  | { kind: 'APPROVE'; who: number; which: number }
  | { kind: 'MEMBER'; who: number; role: Role | null }
  | { kind: 'POLICY'; ceiling: Autonomy; isFourEyed: boolean };

const who = fc.nat({ max: PEOPLE.length - 1 });
const autonomy = fc.constantFrom(...AUTONOMIES);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('CLOSE' as const), who, isAssistant: fc.boolean(), autonomy }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('APPROVE' as const), who, which: fc.nat({ max: 9 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('MEMBER' as const),
      who,
      role: fc.constantFrom('OWNER', 'OWNER', 'OWNER', ...ROLES, null),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('POLICY' as const),
      ceiling: autonomy,
      isFourEyed: fc.constantFrom(true, true, true, false),
    }),
  },
);

/** Runs a step. A caller claims to be an OWNER, whatever it is by then: only the log decides. Refusals are fine. */
async function run(register: TestRegister, step: Step, proposals: string[]): Promise<void> {
  const { handler } = register;
  const command = (given: object) =>
    handler
      .execute(organizationAggregate(ORGANIZATION), given as never, envelopeFor({ actor_id: 'SYSTEM' }))
      .catch(() => null);
  switch (step.kind) {
    case 'CLOSE': {
      const caller: Caller = callerAs('OWNER', {
        account_id: PEOPLE[step.who]!,
        token_id: step.isAssistant ? TOKENS[step.who]! : null,
        ...(step.isAssistant && step.autonomy !== 'ALL' ? { autonomy: new Map([[ORGANIZATION, step.autonomy]]) } : {}),
      });
      const { risk } = await ok<{ risk: { id: string } }>(register, 'addRisk', {
        organization_id: ORGANIZATION,
        name: 'Fire',
      });
      const close = { id: risk.id, decision: 'CLOSE', reason: 'Gone' };
      const { pending_approval: pending } = await register.call<
        Answer & { pending_approval?: { proposal_id: string } }
      >('decideRisk', close, caller);
      if (pending !== undefined) proposals.push(pending.proposal_id);
      return;
    }
    case 'APPROVE': {
      const id = proposals[step.which % Math.max(proposals.length, 1)];
      if (id === undefined) return;
      const caller = callerAs('OWNER', { account_id: PEOPLE[step.who]! });
      const person = { ...caller, renew: async () => caller };
      const { seen } = await register.proposals.preview(id, person);
      await register.proposals.approve(id, person, { seen }).catch(() => null);
      return;
    }
    case 'MEMBER': {
      // The first owner adds the risks, and so remains.
      const account_id = PEOPLE[Math.max(step.who, 1)]!;
      if (step.role === null) await command({ type: 'RemoveMember', account_id });
      else {
        await command({ type: 'AddMember', account_id, role: step.role });
        await command({ type: 'ChangeMemberRole', account_id, role: step.role });
      }
      return;
    }
    case 'POLICY':
      await command({
        type: 'ChangeApprovalPolicy',
        ceiling: step.ceiling,
        four_eyes: step.isFourEyed ? ['RISK_CLOSE'] : [],
        hourly_changes: 500,
      });
  }
}

/** Replays the history by rules of its own, and returns the closings that were not permitted. */
function forbiddenClosings(log: readonly TrailEvent[]): string[] {
  const members = new Map<string, Role>();
  const authors = new Map<string, string>();
  const approvals = new Map<string, string>();
  let ceiling: Autonomy = 'ALL';
  let fourEyes: readonly string[] = [];
  const found: string[] = [];
  const count = (lowest: Role) =>
    [...members.values()].filter((role) => ROLES.indexOf(role) >= ROLES.indexOf(lowest)).length;
  for (const { type, data, metadata, stream, id } of log) {
    const { account_id } = data as { account_id: string };
    if (type === 'MemberAdded') members.set(account_id, data.role as Role);
    if (type === 'MemberRoleChanged') members.set(account_id, data.to as Role);
    if (type === 'MemberRemoved') members.delete(account_id);
    if (type === 'ApprovalPolicyChanged') {
      ceiling = data.ceiling as Autonomy;
      fourEyes = data.four_eyes as string[];
    }
    if (type === 'ProposalMade') authors.set(stream, String(data.proposed_by));
    if (type === 'ProposalApproved') approvals.set(id, authors.get(stream)!);
    if (type !== 'RiskClosed') continue;
    const { actor_id, token_id, causation_id } = metadata;
    const role = members.get(actor_id);
    if (role === undefined || ROLES.indexOf(role) < ROLES.indexOf('EDITOR')) found.push(`${actor_id} has no right`);
    if (token_id !== null && ceiling !== 'ALL') found.push(`${token_id} is above the ceiling`);
    const author = approvals.get(causation_id ?? '');
    if (token_id !== null && author !== undefined) found.push(`${token_id} approved`);
    const isAlone = author === undefined || author === actor_id;
    if (fourEyes.includes('RISK_CLOSE') && count('EDITOR') > 1 && isAlone) found.push(`${actor_id} decided alone`);
  }
  return found;
}

test('whatever happens at once, only permitted decisions are in the history', async ({ register }) => {
  const { handler } = register;
  for (const [index, account_id] of PEOPLE.entries()) {
    const grant = { account_id, role: 'OWNER', read_only: false, expires_at: '2099-01-01T00:00:00.000Z' } as const;
    for (const command of [
      { type: 'AddMember', account_id, role: 'OWNER' },
      { type: 'CreateToken', token_id: TOKENS[index]!, ...grant },
    ] as const)
      await handler.execute(organizationAggregate(ORGANIZATION), command, envelopeFor({ actor_id: 'SYSTEM' }));
  }
  const proposals: string[] = [];
  await run(register, { kind: 'POLICY', ceiling: 'ALL', isFourEyed: true }, proposals);
  const turns = fc.array(fc.array(step, { minLength: 1, maxLength: 3 }), { minLength: 8, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(turns, async (steps) => {
      for (const together of steps) await Promise.all(together.map((one) => run(register, one, proposals)));
      const log: TrailEvent[] = [];
      for await (const batch of register.stores.events.readAll(null)) log.push(...(batch as readonly TrailEvent[]));
      assert.equal(forbiddenClosings(log), []);
    }),
    { numRuns: 10 },
  );
  assert.ok(proposals.length > 0);
});

test.run();
