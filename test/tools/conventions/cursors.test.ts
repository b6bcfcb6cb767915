import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { embeddedPair, type ServedPair, serve } from '../../support/stores/pairs.ts';

const test = suite<ServedPair>('cursors');

const ORDER = { field: 'name', direction: 'ASC' };

test.before(async (context) => {
  Object.assign(context, await serve(embeddedPair()));
  const { owner, organizationId } = context;
  for (const name of ['a', 'b', 'c']) {
    await owner.ok('addVendor', { organization_id: organizationId, name });
    await owner.ok('addRisk', { organization_id: organizationId, name });
  }
});
test.after((served) => served.close());

test('a cursor is bound to tool, organization, filter, order and as_of', async (served) => {
  const { owner, organizationId } = served;
  const foreignOrganization = await served.foreignOrganization();
  const list = { organization_id: organizationId, filter: { status: ['PENDING_REVIEW'] }, order_by: ORDER, size: 1 };
  const { next_cursor: cursor } = await owner.ok('listVendors', list);
  await owner.ok('listVendors', { ...list, cursor, size: 2, view: 'FULL' });
  const refusalOf = async (tool: string, args: object, session = owner) => {
    const { code, field } = await session.refused(tool, { ...args, cursor });
    assert.equal([code, field], ['invalid_input', 'cursor'], `${tool} ${JSON.stringify(args)}`);
  };
  await refusalOf('listVendors', { ...list, filter: { status: ['APPROVED'] } });
  await refusalOf('listVendors', { ...list, filter: undefined });
  await refusalOf('listVendors', { ...list, order_by: { ...ORDER, direction: 'DESC' } });
  await refusalOf('listVendors', { ...list, order_by: { ...ORDER, field: 'created_at' } });
  await refusalOf('listVendors', { ...list, as_of: '3' });
  await refusalOf('listRisks', { organization_id: organizationId, order_by: ORDER });
  await refusalOf('listChanges', { organization_id: organizationId });
  await refusalOf('listOrganizations', {});
  await refusalOf('listVendors', { ...list, organization_id: foreignOrganization.id }, foreignOrganization.owner);
});

test('an altered cursor is refused', async ({ owner, organizationId }) => {
  const list = { organization_id: organizationId, size: 1 };
  const cursor = (await owner.ok('listVendors', list)).next_cursor!;
  const dot = cursor.indexOf('.');
  const altered = ['x', '.', cursor.slice(1), cursor.slice(0, -1), `${cursor}.`, `${cursor}A`, `${cursor}=`];
  altered.push(cursor.slice(0, dot), `${cursor}.x`, ` ${cursor}`, Buffer.from('[0,"a","vnd_"]').toString('base64url'));
  for (let index = 0; index < cursor.length; index += 7) {
    altered.push(`${cursor.slice(0, index)}${cursor[index] === 'A' ? 'B' : 'A'}${cursor.slice(index + 1)}`);
  }
  const last = cursor.at(-1) === 'A' ? 'B' : String.fromCharCode(cursor.charCodeAt(cursor.length - 1) + 1);
  altered.push(`${cursor.slice(0, -1)}${last}`);
  for (const alteredCursor of altered) {
    const { code, field } = await owner.refused('listVendors', { ...list, cursor: alteredCursor });
    assert.equal([code, field], ['invalid_input', 'cursor'], alteredCursor);
  }
});

test('a cursor carries its moment: later pages don’t show later changes', async ({ owner, organizationId }) => {
  const { position } = await owner.ok('addRisk', { organization_id: organizationId, name: 'd' });
  const list = { organization_id: organizationId, order_by: ORDER, as_of: position, size: 2 };
  const first = await owner.ok('listRisks', list);
  await owner.ok('updateRisk', { id: first.risks[0]!.id, name: 'z' });
  await owner.ok('addRisk', { organization_id: organizationId, name: 'bb' });
  const second = await owner.ok('listRisks', { ...list, cursor: first.next_cursor });
  assert.equal(
    [...first.risks, ...second.risks].map(({ name }) => name),
    ['a', 'b', 'c', 'd'],
  );
  assert.equal(second.as_of, first.as_of);
});

test('a VIEWER pages through the past with the cursor of any member', async (served) => {
  const { owner, organizationId } = served;
  const viewer = await served.as('VIEWER');
  const list = { organization_id: organizationId, order_by: ORDER, as_of: '9', size: 1 };
  const { next_cursor } = await owner.ok('listVendors', list);
  assert.type(next_cursor, 'string');
  const { as_of, vendors } = await viewer.ok('listVendors', { ...list, cursor: next_cursor });
  assert.equal([as_of!.position, vendors.length], ['9', 1]);
});

test('listOrganizations refuses a made-up cursor', async (served) => {
  const foreignOrganization = await served.foreignOrganization();
  assert.equal((await served.owner.ok('listOrganizations', { size: 1 })).next_cursor, undefined);
  assert.is((await foreignOrganization.owner.refused('listOrganizations', { cursor: 'x' })).field, 'cursor');
});

test.run();
