import * as assert from 'uvu/assert';
import type { Caller, Role } from '../../src/commands/organization/caller.ts';
import { ALL_TOOLS } from '../../src/tools/all-tools.ts';
import { CALLER } from '../support/mcp/toy-tools.ts';
import { registerSuite } from '../support/register-suite.ts';

const test = registerSuite('listed tools');

/** Returns a caller with these roles, one in each organization. The account's own roles are the same by default. */
function callerWith(roles: readonly Role[], members = roles, limits: Partial<Caller> = {}): Caller {
  const byOrganization = (values: readonly Role[]) => new Map(values.map((role, i) => [`org_${i}`, role]));
  return { ...CALLER, roles: byOrganization(roles), members: byOrganization(members), ...limits };
}

for (const [what, caller, expected] of [
  ['an ADMIN', callerWith(['ADMIN']), 32],
  ['an ADMIN of one organization and a VIEWER of another', callerWith(['VIEWER', 'ADMIN']), 32],
  ['a VIEWER of two organizations', callerWith(['VIEWER', 'VIEWER']), 12],
  ['an ADMIN token of a VIEWER', callerWith(['ADMIN'], ['VIEWER']), 12],
  ['an EDITOR of one organization and a VIEWER of another', callerWith(['EDITOR', 'VIEWER']), 30],
  ['an OWNER who may only read', callerWith(['OWNER'], ['OWNER'], { read_only: true }), 12],
  ['a caller without any organization', callerWith([]), 1],
] as const) {
  test(`tools/list has ${expected} tools for ${what}`, ({ register: { tools } }) => {
    const names = (JSON.parse(tools.listJson(caller)) as { name: string }[]).map(({ name }) => name);
    assert.is(names.length, expected);
    assert.is(names[0], 'listOrganizations');
    assert.is(tools.listJson(caller), tools.listJson({ ...caller }), 'the list is made once');
  });
}

test('tools/list without a caller has all tools, in the order of their definition', ({ register: { tools } }) => {
  const names = (JSON.parse(tools.listJson()) as { name: string }[]).map(({ name }) => name);
  assert.equal(
    names,
    ALL_TOOLS.map(({ name }) => name),
  );
});

test.run();
