import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { FAMILY_DESCRIPTIONS } from '../../../src/register/families.ts';
import {
  OTHER_PREFIX,
  startTwoOrganizations,
  type TwoOrganizations,
} from '../../support/identity/two-organizations.ts';
import { assertNames, refusalOf } from '../../support/mcp/refusals.ts';

/* test/tools/isolation.test.ts tries every argument of every tool, on both pairs of stores. */

const test = suite<TwoOrganizations>('ids of two organizations in one call');

test.before(async (context) => {
  Object.assign(context, await startTwoOrganizations());
});
test.after(({ register }) => register.stop());

test('a call can’t mix our ids with another organization’s', async (context) => {
  const { ourIds, theirIds, inputsByTool } = context;
  const links = [{ from_id: ourIds.get('rsk'), to_id: theirIds.get('vnd') }];
  const mixed: [string, object, string][] = [
    ['linkRecords', { links }, 'links'],
    ['linkRecords', { links: [...(inputsByTool.get('linkRecords')!.links as object[]), ...links] }, 'links'],
    ['archiveRecords', { ids: [ourIds.get('rsk'), theirIds.get('vnd')], action: 'ARCHIVE', reason: 'r' }, 'ids'],
    [
      'addEvidence',
      { ...inputsByTool.get('addEvidence'), record_ids: [ourIds.get('rsk'), theirIds.get('rsk')] },
      'record_ids',
    ],
  ];
  for (const [tool, input, field] of mixed) {
    assertNames(await refusalOf(context, tool, input), 'not_found', field, tool);
  }
});

test('a member of both organizations can’t mix their ids in one call', async ({
  register,
  ourIds,
  theirIds,
  otherOwner,
}) => {
  const organizations = [ourIds.get('org')!, theirIds.get('org')!];
  const roles = new Map(organizations.map((id) => [id, 'OWNER' as const]));
  const memberOfBoth = { ...otherOwner, roles, members: roles };
  const ids = [ourIds.get('rsk')!, theirIds.get('vnd')!];
  const [from_id, to_id] = ids;
  const calls: [string, object, string, string][] = [
    ['linkRecords', { links: [{ from_id, to_id }] }, 'invalid_input', 'links'],
    ['archiveRecords', { ids, action: 'ARCHIVE', reason: 'r' }, 'invalid_input', 'ids'],
    ['updateRisk', { id: from_id, organization_id: organizations[1], note: 'n' }, 'not_found', 'id'],
    ['updateRisk', { id: from_id, owner_id: 'ME' }, 'invalid_input', 'owner_id'],
  ];
  const { events } = register.stores;
  const before = (await events.head(null)).newest;
  for (const [tool, input, code, field] of calls) {
    const { error } = (await register.call(tool, input, memberOfBoth)) as { error: { code: string; field: string } };
    assert.equal([error.code, error.field], [code, field], `${tool} ${JSON.stringify(error)}`);
  }
  assert.is((await events.head(null)).newest, before);
});

test('the other organization has records of all types, with a secret that no answer may show', async ({
  register,
  theirIds,
  otherOwner,
}) => {
  const ids = [...theirIds.values()].filter((id) => !/^(org|acc)_/.test(id));
  const { records } = await register.call<{ records: object[] }>('getRecords', { ids }, otherOwner);
  assert.is(records.length, FAMILY_DESCRIPTIONS.length);
  assert.ok(JSON.stringify(records).split(OTHER_PREFIX).length > FAMILY_DESCRIPTIONS.length);
});

test.run();
