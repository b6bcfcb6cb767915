import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Role } from '../../src/commands/caller.ts';
import type { Session } from '../support/mcp-client.ts';
import { embeddedPair, type Served, serve } from '../support/pairs.ts';
import { daysAgo } from '../support/story.ts';

interface Context extends Served {
  vendor: string;
  risk: string;
}

const test = suite<Context>('roles');

test.before(async (context) => {
  const served = await serve(embeddedPair());
  const { owner, organizationId: organization_id } = served;
  const { vendor } = await owner.ok('addVendor', { organization_id, name: 'V' });
  const { risk } = await owner.ok('addRisk', { organization_id, name: 'R' });
  Object.assign(context, served, { vendor: vendor.id, risk: risk.id });
});
test.after((served) => served.close());

const READS_NOW = ['listOrganizations', 'listVendors', 'listRisks', 'getRecords', 'as_of today'] as const;
const READS_PAST = ['as_of a date', 'as_of a position', 'records as_of', 'HISTORY', 'listChanges', 'verify'] as const;
const WRITES = ['addVendor', 'updateVendor', 'reviewVendor', 'addRisk', 'updateRisk', 'CLOSE', 'REOPEN'] as const;
const DECIDES = ['ACCEPT', 'ARCHIVE', 'RESTORE'] as const;
type Deed = (typeof READS_NOW | typeof READS_PAST | typeof WRITES | typeof DECIDES)[number];

/** A call of every kind, in an order in which an OWNER may make all. */
function calls({ organizationId: organization_id, vendor, risk }: Context): Record<Deed, [tool: string, args: object]> {
  const archive = { ids: [vendor], reason: 'r' };
  return {
    listOrganizations: ['listOrganizations', {}],
    listVendors: ['listVendors', { organization_id }],
    listRisks: ['listRisks', { organization_id, view: 'COUNT' }],
    getRecords: ['getRecords', { ids: [vendor], include: ['ARCHIVED'] }],
    'as_of today': ['listVendors', { organization_id, as_of: daysAgo(0) }],
    'as_of a date': ['listVendors', { organization_id, as_of: daysAgo(1) }],
    'as_of a position': ['listRisks', { organization_id, as_of: '1' }],
    'records as_of': ['getRecords', { ids: [vendor], as_of: '1' }],
    HISTORY: ['getRecords', { ids: [vendor], include: ['HISTORY'] }],
    listChanges: ['listChanges', { organization_id }],
    verify: ['listChanges', { organization_id, verify: true }],
    addVendor: ['addVendor', { organization_id, name: 'W' }],
    updateVendor: ['updateVendor', { id: vendor, country: 'DE' }],
    reviewVendor: ['reviewVendor', { id: vendor, outcome: 'APPROVED' }],
    addRisk: ['addRisk', { organization_id, name: 'S' }],
    updateRisk: ['updateRisk', { id: risk, note: 'n' }],
    CLOSE: ['decideRisk', { id: risk, decision: 'CLOSE', reason: 'r' }],
    REOPEN: ['decideRisk', { id: risk, decision: 'REOPEN', reason: 'r' }],
    ACCEPT: ['decideRisk', { id: risk, decision: 'ACCEPT', until: daysAgo(-1), reason: 'r' }],
    ARCHIVE: ['archiveRecords', { ...archive, action: 'ARCHIVE' }],
    RESTORE: ['archiveRecords', { ...archive, action: 'RESTORE' }],
  };
}

async function check(served: Context, session: Session, may: readonly Deed[]): Promise<void> {
  for (const [deed, [tool, args]] of Object.entries(calls(served))) {
    if (may.includes(deed as Deed)) await session.ok(tool, args);
    else {
      const { code, message, retryable } = await session.refused(tool, args);
      assert.equal([deed, code, retryable], [deed, 'forbidden', false]);
      assert.ok(message.length > 20);
    }
  }
  const { risk } = served;
  const back = { id: risk, decision: 'REVOKE', reason: 'r' };
  if (may.includes('ACCEPT')) await served.owner.ok('decideRisk', back);
}

const MAY: Record<Role, readonly Deed[]> = {
  VIEWER: READS_NOW,
  AUDITOR: [...READS_NOW, ...READS_PAST],
  EDITOR: [...READS_NOW, ...READS_PAST, ...WRITES],
  ADMIN: [...READS_NOW, ...READS_PAST, ...WRITES, ...DECIDES],
  OWNER: [...READS_NOW, ...READS_PAST, ...WRITES, ...DECIDES],
};

for (const [role, may] of Object.entries(MAY) as [Role, readonly Deed[]][]) {
  test(`${role} may do ${may.length} of ${Object.keys(MAY.OWNER).length} things`, async (served) => {
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

test('a refused call leaves no trace', async (served) => {
  const { owner, organizationId: organization_id, vendor } = served;
  const viewer = await served.as('VIEWER');
  const count = async () => (await owner.ok('listChanges', { organization_id, view: 'COUNT' })).total;
  const before = await count();
  await viewer.refused('addVendor', { organization_id, name: 'X' });
  await viewer.refused('updateVendor', { id: vendor, country: 'XX' });
  await viewer.refused('archiveRecords', { ids: [vendor], action: 'ARCHIVE', reason: 'r' });
  assert.is(await count(), before);
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
