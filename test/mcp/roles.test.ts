import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Role } from '../../src/commands/caller.ts';
import { FAMILIES } from '../../src/commands/families.ts';
import type { Service } from '../../src/mcp/service.ts';
import { allTools } from '../../src/mcp/tools.ts';
import { type Ran, runExamples } from '../support/examples.ts';
import type { Session } from '../support/mcp-client.ts';
import { embeddedPair, type Served, serve } from '../support/pairs.ts';
import { daysAgo } from '../support/story.ts';

/** A call of each kind, in an order in which an OWNER may make all of them. */
type Calls = Map<string, readonly [tool: string, args: object]>;

interface Context extends Served {
  calls: Calls;
  risk: string;
}

const TOOLS = allTools({} as Service);
const test = suite<Context>('roles');

test.before(async (context) => {
  const served = await serve(embeddedPair());
  const { owner, organizationId } = served;
  // Decisions and archives depend on the state, so each has its own turn below.
  const steady = TOOLS.filter(({ name, destructive }) => name !== 'decideRisk' && !destructive);
  const ran = await runExamples(steady, async (tool, input) => ({ ...(await owner.ok(tool, input)) }));
  const { vendor } = await owner.ok('addVendor', { organization_id: organizationId, name: 'V' });
  const { risk } = await owner.ok('addRisk', { organization_id: organizationId, name: 'R' });
  const calls = callsOf(ran, organizationId, vendor.id, risk.id);
  Object.assign(context, served, { calls, risk: risk.id });
});
test.after((served) => served.close());

/** What each role may, written down from the contract. A deed is a tool's worked example, or a use of one below. */
const LISTS = words(
  'listRisks listMeasures listVendors listObligations listNonconformities listFrameworks listControls listAudits',
);
const READS_NOW = [
  ...words('listOrganizations getRecords ARCHIVED'),
  ...LISTS,
  ...LISTS.flatMap((list) => [`${list} COUNT`, `${list} today`]),
];
const READS_PAST = [
  ...words('listChanges verify HISTORY records-then'),
  ...LISTS.flatMap((list) => [`${list} a day ago`, `${list} at a position`]),
];
const WRITES = words(
  'addRisk updateRisk CLOSE REOPEN addVendor updateVendor reviewVendor addMeasure updateMeasure addEvidence addObligation updateObligation addNonconformity updateNonconformity updateControl addAudit updateAudit linkRecords UNLINK importRecords',
);
const DECIDES = words('ACCEPT ARCHIVE RESTORE addFramework library');

function callsOf(ran: readonly Ran[], organization_id: string, vendor: string, risk: string): Calls {
  const calls: Calls = new Map(ran.map(({ tool, input }) => [tool.name, [tool.name, input] as const]));
  for (const list of LISTS) {
    calls.set(`${list} COUNT`, [list, { organization_id, view: 'COUNT' }]);
    calls.set(`${list} today`, [list, { organization_id, as_of: daysAgo(0) }]);
    calls.set(`${list} a day ago`, [list, { organization_id, as_of: daysAgo(1) }]);
    calls.set(`${list} at a position`, [list, { organization_id, as_of: '1' }]);
  }
  const unlink = { ...ran.find(({ tool }) => tool.name === 'linkRecords')!.input, action: 'UNLINK' };
  const archive = { ids: [vendor], reason: 'r' };
  const until = daysAgo(-1);
  const further = {
    ARCHIVED: ['getRecords', { ids: [vendor], include: ['ARCHIVED'] }],
    'records-then': ['getRecords', { ids: [vendor], as_of: '1' }],
    HISTORY: ['getRecords', { ids: [vendor], include: ['HISTORY'] }],
    verify: ['listChanges', { organization_id, verify: true }],
    UNLINK: ['linkRecords', unlink],
    CLOSE: ['decideRisk', { id: risk, decision: 'CLOSE', reason: 'r' }],
    REOPEN: ['decideRisk', { id: risk, decision: 'REOPEN', reason: 'r' }],
    ACCEPT: ['decideRisk', { id: risk, decision: 'ACCEPT', until, reason: 'r' }],
    library: ['addFramework', { organization_id, library_id: 'GDPR' }],
    ARCHIVE: ['archiveRecords', { ...archive, action: 'ARCHIVE' }],
    RESTORE: ['archiveRecords', { ...archive, action: 'RESTORE' }],
  } as const;
  for (const [deed, call] of Object.entries(further)) calls.set(deed, call);
  return calls;
}

async function check(served: Context, session: Session, may: readonly string[]): Promise<void> {
  const { calls, risk, owner, organizationId: organization_id } = served;
  // Without the tokens that other tests have made: they are told a moment later.
  const filter = { record_types: Object.keys(FAMILIES) };
  const events = async () => (await owner.ok('listChanges', { organization_id, filter, view: 'COUNT' })).total;
  for (const [deed, [tool, args]] of calls) {
    if (may.includes(deed)) {
      await session.ok(tool, args);
      continue;
    }
    const before = await events();
    const { code, message, retryable } = await session.refused(tool, args);
    assert.equal([deed, code, retryable], [deed, 'forbidden', false]);
    assert.ok(message.length > 20);
    assert.is(await events(), before, `${deed} leaves no trace`);
  }
  const back = { id: risk, decision: 'REVOKE', reason: 'r' };
  if (may.includes('ACCEPT')) await owner.ok('decideRisk', back);
}

function words(text: string): string[] {
  return text.split(' ');
}

const MAY: Record<Role, readonly string[]> = {
  VIEWER: READS_NOW,
  AUDITOR: [...READS_NOW, ...READS_PAST],
  EDITOR: [...READS_NOW, ...READS_PAST, ...WRITES],
  ADMIN: [...READS_NOW, ...READS_PAST, ...WRITES, ...DECIDES],
  OWNER: [...READS_NOW, ...READS_PAST, ...WRITES, ...DECIDES],
};

test('every tool is tried, and everything that an OWNER may', ({ calls }) => {
  assert.equal([...calls.keys()].sort(), MAY.OWNER.toSorted());
  const tried = new Set([...calls.values()].map(([tool]) => tool));
  assert.equal([...tried].sort(), TOOLS.map(({ name }) => name).sort());
});

for (const [role, may] of Object.entries(MAY) as [Role, readonly string[]][]) {
  test(`${role} may do ${may.length} of ${MAY.OWNER.length} things`, async (served) => {
    const session = await served.as(role);
    const [organization] = (await session.ok('listOrganizations')).organizations;
    assert.is(organization?.role, role);
    await check(served, session, may);
  });
}

test('a token that only reads writes nothing, whatever its role', async (served) => {
  const session = await served.as('OWNER', { read_only: true });
  await check(served, session, MAY.AUDITOR);
});

test('members are told to whoever asks for them', async (served) => {
  await served.addMember('Maria', 'EDITOR');
  const viewer = await served.as('VIEWER');
  const [organization] = (await viewer.ok('listOrganizations', { include_members: true })).organizations;
  const members = organization?.members as { name: string; role: string }[];
  assert.equal(members.map(({ name, role }) => [name, role]).sort(), [
    ['Maria', 'EDITOR'],
    ['Owner', 'OWNER'],
  ]);
  assert.equal(Object.keys((await viewer.ok('listOrganizations')).organizations[0]!), [
    ...['id', 'name', 'role', 'account_id', 'created_at'],
  ]);
});

test.run();
