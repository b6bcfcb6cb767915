/** Everything that decides if a call is done, proposed or refused, and who may approve: autonomy, role, decision, four eyes. */
import * as assert from 'uvu/assert';
import { organizationAggregate } from '../../../src/commands/families.ts';
import { type Caller, ROLES, type Role } from '../../../src/commands/organization/caller.ts';
import { AUTONOMIES, type Autonomy } from '../../../src/register/proposal.ts';
import { ok } from '../../support/controls.ts';
import { daysAgo } from '../../support/histories/story.ts';
import { idOf } from '../../support/ids.ts';
import { type Answer, callerAs, envelopeFor, ORGANIZATION, OWNER, type TestRegister } from '../../support/register.ts';
import { registerSuite } from '../../support/register-suite.ts';

const test = registerSuite('the matrix of approvals', 'ALL');

const OTHER = idOf('acc');

/** The acts, the lowest role that may do each, and the decision that it is. */
const ACTS = {
  edit: { lowest: 'EDITOR', decision: null, tool: 'updateRisk', input: { category: 'Fire' } },
  close: { lowest: 'EDITOR', decision: 'RISK_CLOSE', tool: 'decideRisk', input: { decision: 'CLOSE' } },
  accept: {
    lowest: 'ADMIN',
    decision: 'RISK_ACCEPT',
    tool: 'decideRisk',
    input: { decision: 'ACCEPT', until: daysAgo(-30) },
  },
  archive: { lowest: 'ADMIN', decision: 'RISK_ARCHIVE', tool: 'archiveRecords', input: { action: 'ARCHIVE' } },
} as const;
type Act = keyof typeof ACTS;

const mayDo = (role: Role, act: Act) => ROLES.indexOf(role) >= ROLES.indexOf(ACTS[act].lowest);

interface Pending extends Answer {
  pending_approval?: { proposal_id: string };
  error?: { code: string };
}

async function setFourEyes({ handler }: TestRegister, isSet: boolean): Promise<void> {
  const execute = (command: object) =>
    handler.execute(organizationAggregate(ORGANIZATION), command as never, envelopeFor({ actor_id: 'SYSTEM' }));
  await execute({ type: 'AddMember', account_id: OTHER, role: 'OWNER' });
  const four_eyes = isSet ? Object.values(ACTS).flatMap(({ decision }) => decision ?? []) : [];
  await execute({ type: 'ChangeApprovalPolicy', ceiling: 'ALL', four_eyes, hourly_changes: 500 });
}

async function attempt(register: TestRegister, act: Act, caller: Caller): Promise<Pending> {
  const { risk } = await ok<{ risk: { id: string } }>(register, 'addRisk', {
    organization_id: ORGANIZATION,
    name: 'Fire',
    inherent_likelihood: 3,
    inherent_impact: 3,
  });
  const { tool, input } = ACTS[act];
  const target = tool === 'archiveRecords' ? { ids: [risk.id] } : { id: risk.id };
  return register.call<Pending>(tool, { ...target, ...input, reason: 'Because' }, caller);
}

const outcomeOf = ({ pending_approval, error }: Pending) => error?.code ?? (pending_approval ? 'proposed' : 'done');

function expected(role: Role, autonomy: Autonomy, act: Act, isFourEyed: boolean): string {
  if (!mayDo(role, act)) return 'forbidden';
  if (autonomy === 'PROPOSE_ONLY') return 'proposed';
  const isDecision = ACTS[act].decision !== null;
  return isDecision && (autonomy === 'DECISIONS_PROPOSED' || isFourEyed) ? 'proposed' : 'done';
}

for (const isFourEyed of [false, true]) {
  const eyes = isFourEyed ? 'with' : 'without';

  test(`each autonomy and role does, proposes or is refused each act, ${eyes} four eyes`, async ({ register }) => {
    await setFourEyes(register, isFourEyed);
    const found: string[] = [];
    const wanted: string[] = [];
    for (const role of ROLES) {
      for (const autonomy of AUTONOMIES) {
        const own = autonomy === 'ALL' ? {} : { autonomy: new Map([[ORGANIZATION, autonomy]]) };
        for (const act of Object.keys(ACTS) as Act[]) {
          const cell = `${role} ${autonomy} ${act}`;
          found.push(`${cell}: ${outcomeOf(await attempt(register, act, callerAs(role, own)))}`);
          wanted.push(`${cell}: ${expected(role, autonomy, act, isFourEyed)}`);
        }
      }
    }
    assert.equal(found, wanted);
  });

  test(`each role approves what it may do itself, ${eyes} four eyes only another account’s`, async ({ register }) => {
    await setFourEyes(register, isFourEyed);
    const proposing = callerAs('OWNER', { autonomy: new Map([[ORGANIZATION, 'PROPOSE_ONLY']]) });
    const found: string[] = [];
    const wanted: string[] = [];
    for (const act of Object.keys(ACTS) as Act[]) {
      const { pending_approval } = await attempt(register, act, proposing);
      for (const account_id of [OWNER, OTHER]) {
        for (const role of ROLES) {
          const caller = callerAs(role, { account_id });
          const { refusal } = await register.proposals.preview(pending_approval!.proposal_id, {
            ...caller,
            renew: async () => caller,
          });
          const isOwn = account_id === OWNER;
          const cell = `${act} by ${isOwn ? 'the same' : 'another'} ${role}`;
          const mayApprove = mayDo(role, act) && !(isFourEyed && isOwn && ACTS[act].decision !== null);
          found.push(`${cell}: ${refusal?.code ?? 'approves'}`);
          wanted.push(`${cell}: ${mayApprove ? 'approves' : 'forbidden'}`);
        }
      }
    }
    assert.equal(found, wanted);
  });
}

test.run();
