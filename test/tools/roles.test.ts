import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { FAMILIES } from '../../src/commands/families.ts';
import { ROLES } from '../../src/commands/organization/caller.ts';
import {
  PERMISSIONS,
  type Permission,
  roleAllows,
  TOOL_PERMISSIONS,
} from '../../src/commands/organization/permissions.ts';
import { ALL_TOOLS } from '../../src/tools/all-tools.ts';
import { daysAgo } from '../support/histories/story.ts';
import { type ExampleRun, isArchiving, runExamples } from '../support/mcp/examples.ts';
import { FAMILY_TOOL_CONTRACTS, words } from '../support/mcp/family-contracts.ts';
import { legacyRequest, modernRequest, type Session } from '../support/mcp/mcp-client.ts';
import { embeddedPair, type ServedPair, serve } from '../support/stores/pairs.ts';

/** One call of each tool, in an order in which an OWNER can make all of them. */
type Calls = Map<string, { tool: string; args: object; permissions: Permission[] }>;

/** The permission of each tool, copied from the contract, so that a mistake in a tool's definition shows. */
const EXPECTED_TOOLS: readonly (readonly [tool: string, permission: string])[] = [
  ...words('listOrganizations getRecords listChanges getReport').map((name) => [name, 'readRecords'] as const),
  ...words('linkRecords importRecords').map((name) => [name, 'changeRecords'] as const),
  ['archiveRecords', 'archiveRecords'],
  ...FAMILY_TOOL_CONTRACTS.map(
    ([name, { permission = name.startsWith('list') ? 'readRecords' : 'changeRecords' }]) => [name, permission] as const,
  ),
];
/** Permissions for pages and the command line, which no tool needs. */
const MANAGEMENT_PERMISSIONS = [
  'changeMembers',
  'requireSecondFactor',
  'changeApprovalPolicy',
  'renameOrganization',
  'createOrganizations',
  'viewTokens',
  'revokeTokens',
  'createTokens',
];

interface Context extends ServedPair {
  calls: Calls;
  risk: string;
}

const test = suite<Context>('roles');

test.before(async (context) => {
  const served = await serve(embeddedPair());
  const { owner, organizationId } = served;
  // Decisions and archives depend on the state, so they come separately below.
  const undecided = ALL_TOOLS.filter((tool) => tool.name !== 'decideRisk' && !isArchiving(tool));
  const exampleRuns = await runExamples(undecided, async (tool, input) => ({ ...(await owner.ok(tool, input)) }));
  const { vendor } = await owner.ok('addVendor', { organization_id: organizationId, name: 'V' });
  const { risk } = await owner.ok('addRisk', { organization_id: organizationId, name: 'R' });
  const added = exampleRuns.find(({ tool }) => tool.name === 'addFramework')!.answer as { framework: { id: string } };
  const audited = { organization_id: organizationId, framework_id: added.framework.id, name: 'A' };
  const { audit } = (await owner.ok('addAudit', audited)) as object as { audit: { id: string } };
  for (const state of ['IN_PROGRESS', 'COMPLETED'])
    await owner.ok('updateAudit', { id: audit.id, state, reason: 'Found out' });
  const calls = callsOf(exampleRuns, organizationId, { vendor: vendor.id, risk: risk.id, audit: audit.id });
  Object.assign(context, served, { calls, risk: risk.id });
});
test.after((served) => served.close());

/** Calls of lists, several for each. */
const LISTS = ALL_TOOLS.flatMap(({ name, record, readOnly }) => (record && readOnly ? [name] : []));

function callsOf(
  runs: readonly ExampleRun[],
  organization_id: string,
  { vendor, risk, audit }: Readonly<Record<'vendor' | 'risk' | 'audit', string>>,
): Calls {
  const calls: Calls = new Map(runs.map(({ tool, input }) => [tool.name, call(tool.name, input)]));
  for (const list of LISTS) {
    calls.set(`${list} COUNT`, call(list, { organization_id, view: 'COUNT' }));
    calls.set(`${list} today`, call(list, { organization_id, as_of: daysAgo(0) }));
    calls.set(`${list} a day ago`, call(list, { organization_id, as_of: daysAgo(1) }));
    calls.set(`${list} at a position`, call(list, { organization_id, as_of: '1' }));
  }
  const unlink = { ...runs.find(({ tool }) => tool.name === 'linkRecords')!.input, action: 'UNLINK' };
  const archive = { ids: [vendor], reason: 'r' };
  const until = daysAgo(-1);
  const accept = { id: risk, decision: 'ACCEPT', until, reason: 'r' };
  const further: Record<string, ReturnType<typeof call>> = {
    archived: call('getRecords', { ids: [vendor], include: ['ARCHIVED'] }),
    'records then': call('getRecords', { ids: [vendor], as_of: '1' }),
    history: call('getRecords', { ids: [vendor], include: ['HISTORY'] }),
    verify: call('listChanges', { organization_id, verify: true }),
    pack: call('getReport', { organization_id, type: 'AUDIT_PACK', audit_id: audit }, 'exportHistory'),
    access: call('listChanges', { organization_id, filter: { record_types: ['ACCESS'] } }, 'readAccessLog'),
    unlink: call('linkRecords', unlink),
    close: call('decideRisk', { id: risk, decision: 'CLOSE', reason: 'r' }),
    reopen: call('decideRisk', { id: risk, decision: 'REOPEN', reason: 'r' }),
    accept: call('decideRisk', accept, 'acceptRisks'),
    library: call('addFramework', { organization_id, library_id: 'GDPR' }),
    archive: call('archiveRecords', { ...archive, action: 'ARCHIVE' }),
    restore: call('archiveRecords', { ...archive, action: 'RESTORE' }),
  };
  for (const [name, needed] of Object.entries(further)) calls.set(name, needed);
  return calls;
}

/** Returns the names in tools/list, which both eras must give alike. */
async function listedTools({ url, token }: Session): Promise<string[]> {
  const [legacy, modern] = (await Promise.all([
    legacyRequest(url, token, 'tools/list', {}),
    modernRequest(url, token, 'tools/list'),
  ])) as { tools: { name: string }[]; cacheScope?: string }[];
  assert.equal(legacy!.tools, modern!.tools);
  assert.is(modern!.cacheScope, 'private');
  return legacy!.tools.map(({ name }) => name);
}

/** A call, and the permissions that it needs. */
function call(tool: string, args: object, ...finer: Permission[]) {
  const { permission } = ALL_TOOLS.find(({ name }) => name === tool)!;
  return { tool, args, permissions: [permission, ...finer] };
}

/** Makes every call. Without permission it must be forbidden and write nothing, else it must succeed. */
async function check(served: Context, session: Session, allows: (permission: Permission) => boolean): Promise<void> {
  const { calls, risk, owner, organizationId: organization_id } = served;
  // Without the entries about tokens of other tests, which are written a moment later.
  const filter = { record_types: Object.keys(FAMILIES) };
  const events = async () => (await owner.ok('listChanges', { organization_id, filter, view: 'COUNT' })).total;
  const before = await events();
  const allowed = [...calls].filter(([, { permissions }]) => permissions.every(allows));
  for (const [name, { tool, args }] of calls) {
    if (allowed.some(([other]) => other === name)) continue;
    const { code, message, retryable } = await session.refused(tool, args);
    assert.equal([name, code, retryable], [name, 'forbidden', false]);
    assert.match(message, /^\S.{20,}[.]$/);
  }
  assert.is(await events(), before);
  for (const [name, { tool, args }] of allowed) {
    await session.ok(tool, args);
    // An accepted risk takes no other decision.
    if (name === 'accept') await owner.ok('decideRisk', { id: risk, decision: 'REVOKE', reason: 'r' });
  }
}

test('every tool needs the permission of the contract', () => {
  const pairs = EXPECTED_TOOLS.map((pair) => pair.join(' '));
  assert.equal(ALL_TOOLS.map(({ name, permission }) => `${name} ${permission}`).sort(), pairs.sort());
});

test('the calls of this test cover every tool’s permission', ({ calls }) => {
  const coveredPermissions = new Set([...calls.values()].flatMap(({ permissions }) => permissions));
  assert.equal([...coveredPermissions, ...MANAGEMENT_PERMISSIONS].sort(), Object.keys(PERMISSIONS).sort());
  const called = new Set([...calls.values()].map(({ tool }) => tool));
  assert.equal([...called].sort(), ALL_TOOLS.map(({ name }) => name).sort());
});

for (const role of ROLES) {
  test(`${role} may do exactly what the table of permissions allows`, async (served) => {
    const session = await served.as(role);
    const [organization] = (await session.ok('listOrganizations')).organizations;
    assert.is(organization!.role, role);
    const allowed = Object.entries(TOOL_PERMISSIONS).filter(([, permission]) => roleAllows(role, permission));
    assert.equal(
      [organization!.permissions, organization!.read_only],
      [allowed.map(([word]) => word), !roleAllows(role, 'changeRecords')],
    );
    const expected = ALL_TOOLS.filter(({ permission }) => roleAllows(role, permission)).map(({ name }) => name);
    assert.equal(await listedTools(session), expected);
    assert.is(expected.length, { VIEWER: 12, AUDITOR: 12, EDITOR: 30, ADMIN: 32, OWNER: 32 }[role]);
    await check(served, session, (permission) => roleAllows(role, permission));
  });
}

test('a read-only token can’t write, with any role', async (served) => {
  const session = await served.as('OWNER', { read_only: true });
  assert.is((await listedTools(session)).length, 12);
  const [organization] = (await session.ok('listOrganizations')).organizations;
  assert.equal([organization?.role, organization?.read_only], ['OWNER', true]);
  assert.equal(organization?.permissions, ['READ_RECORDS', 'READ_ACCESS_LOG', 'EXPORT_HISTORY']);
  await check(served, session, (permission) => !PERMISSIONS[permission].writes);
});

test('an EDITOR’s token limited to AUDITOR has only the permissions that both roles have', async (served) => {
  const account_id = await served.addMember('Ed', 'EDITOR');
  const session = await served.as('AUDITOR', { account_id });
  await check(served, session, (permission) => roleAllows('AUDITOR', permission) && roleAllows('EDITOR', permission));
  assert.ok(roleAllows('AUDITOR', 'readAccessLog') && !roleAllows('EDITOR', 'readAccessLog'));
});

test('every role can list members', async (served) => {
  await served.addMember('Maria', 'EDITOR');
  const viewer = await served.as('VIEWER');
  const [organization] = (await viewer.ok('listOrganizations', { include_members: true })).organizations;
  const members = organization?.members as { name: string; role: string }[];
  const memberRoles = members.filter(({ name }) => name !== 'Ed').map(({ name, role }) => [name, role]);
  assert.equal(memberRoles.sort(), [
    ['First owner', 'OWNER'],
    ['Maria', 'EDITOR'],
  ]);
  assert.equal(Object.keys((await viewer.ok('listOrganizations')).organizations[0]!), [
    ...['id', 'name', 'role', 'read_only', 'permissions', 'account_id', 'created_at'],
  ]);
});

test('an owner’s EDITOR token that may not accept a risk is told that the token is the limit', async (served) => {
  const { owner, organizationId: organization_id } = served;
  const { risk } = await owner.ok('addRisk', { organization_id, name: 'Limited' });
  const accept = { id: risk.id, decision: 'ACCEPT', until: daysAgo(-9), reason: 'r' };
  const { message, field } = await (await served.as('EDITOR')).refused('decideRisk', accept);
  assert.is(field, 'decision');
  const needs = 'For recording the acceptance of a risk you need the role ADMIN or OWNER';
  assert.is(message, `${needs}, but this token has the role EDITOR. Use one with a higher role: you may create it.`);
  const account_id = await served.addMember('Ed Editor', 'EDITOR');
  const member = await (await served.as('EDITOR', { account_id })).refused('decideRisk', accept);
  assert.is(member.message, `${needs}, but yours is EDITOR. Ask an OWNER to change it.`);
});

test.run();
