/** Calls of a credential whose account lacks the second factor that an organization requires. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Caller } from '../../src/commands/organization/caller.ts';
import { getPrompt } from '../../src/mcp/prompts/prompts.ts';
import { type Answer, callerAs, startRegister, type TestRegister } from '../support/register.ts';

const test = suite<{ register: TestRegister; id: string; organization_id: string; barred: Caller }>('a missing factor');

const PAGE = 'https://grc.example/settings/security';

test.before(async (context) => {
  const register = await startRegister();
  const [organization_id] = callerAs().roles.keys();
  const { risk } = await register.call<{ risk: { id: string } }>('addRisk', {
    ...{ organization_id, name: 'Fire', reason: 'r', idempotency_key: 'k-1' },
  });
  const missingFactor = { organizations: new Set([organization_id!]), page: PAGE };
  const barred = { ...callerAs(), roles: new Map(), members: new Map(), missingFactor };
  Object.assign(context, { register, id: risk.id, organization_id, barred });
});
test.after(({ register }) => register.stop());

const isForbidden = (answer: Answer, what: string) => {
  const error = answer.error as { code: string; message: string } | undefined;
  assert.is(error?.code, 'forbidden', what);
  assert.match(String(error?.message), PAGE, what);
};

test('every kind of call is forbidden and names the page', async ({ register, id, organization_id, barred }) => {
  const write = { reason: 'r', idempotency_key: 'k-2' };
  for (const [tool, input] of [
    ['listOrganizations', {}],
    ['listRisks', {}],
    ['listRisks', { organization_id }],
    ['getRecords', { ids: [id] }],
    ['updateRisk', { id, name: 'Flood', ...write }],
    ['getReport', { organization_id, type: 'RISK_REGISTER' }],
  ] as const) {
    isForbidden(await register.call<Answer>(tool, input, barred), tool);
  }
});

test('prompts say so too, with and without an organization', async ({ register, organization_id, barred }) => {
  for (const input of [{}, { organization_id }]) {
    const refusal = await getPrompt(register.tools, 'weekly_due_items', input, { caller: barred }).catch(
      (error: unknown) => error,
    );
    assert.match(String(refusal), PAGE, JSON.stringify(input));
  }
});

test('the same where the credential reaches another organization, which stays open', async ({
  register,
  id,
  organization_id,
  barred,
}) => {
  const other = 'org_00000000000000000000000001';
  const caller: Caller = { ...barred, roles: new Map([[other, 'OWNER']]), members: new Map([[other, 'OWNER']]) };
  isForbidden(await register.call<Answer>('listRisks', { organization_id }, caller), 'list');
  isForbidden(await register.call<Answer>('getRecords', { ids: [id] }, caller), 'read');
  const update = { id, name: 'Flood', reason: 'r', idempotency_key: 'k-3' };
  isForbidden(await register.call<Answer>('updateRisk', update, caller), 'write');
  assert.is((await register.call<Answer>('listRisks', { organization_id: other }, caller)).error, undefined);
});

test.run();
