/** Checks that answers match the tools' output schemas, from which the reference is generated. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { z } from 'zod';
import { ROLES } from '../../src/commands/organization/caller.ts';
import { roleAllows } from '../../src/commands/organization/permissions.ts';
import { ALL_TOOLS } from '../../src/tools/all-tools.ts';
import { errorOutput } from '../../src/tools/schema/output.ts';
import { type ExampleRun, runExamples } from '../support/mcp/examples.ts';
import { callerAs, startRegister, type TestRegister } from '../support/register.ts';

interface Context {
  register: TestRegister;
  runs: ExampleRun[];
}
const test = suite<Context>('outputs of tools');

/** Makes a schema refuse undeclared members. */
function assertMatches(schema: z.ZodType, answer: unknown, about: string): void {
  const { error } = schema.safeParse(answer);
  assert.is(error, undefined, `${about}: ${error?.message}\n${JSON.stringify(answer)}`);
}

const outputOf = (name: string) => ALL_TOOLS.find((tool) => tool.name === name)!.output;

test.before(async (context) => {
  context.register = await startRegister();
  context.runs = await runExamples(ALL_TOOLS, async (tool, input) => {
    const answer = await context.register.call(tool, input);
    assert.is(answer.error, undefined, `${tool} ${JSON.stringify(input)}: ${JSON.stringify(answer)}`);
    return answer;
  });
});

test.after(({ register }) => register.stop());

test('the answers to all examples match their schemas', ({ runs: ran }) => {
  assert.equal(ran.map(({ tool }) => tool.name).sort(), ALL_TOOLS.map(({ name }) => name).sort());
  for (const { tool, answer } of ran) assertMatches(tool.output, answer, tool.name);
});

test('every example’s answer has content', ({ runs: ran }) => {
  for (const { tool, answer } of ran) {
    const [first] = Object.values(answer);
    assert.ok(!Array.isArray(first) || first.length > 0, `${tool.name} answers nothing`);
    if (!tool.readOnly && answer.event_types) assert.ok((answer.event_types as string[]).length > 0, tool.name);
  }
});

test('lists match their schemas in every view, now and as_of, page by page', async ({ register, runs: ran }) => {
  const lists = ALL_TOOLS.filter(({ name }) => name.startsWith('list') && name !== 'listOrganizations');
  assert.ok(lists.length >= 9);
  for (const { name, output } of lists) {
    for (const view of ['SUMMARY', 'FULL', 'COUNT']) {
      for (const as_of of [undefined, '10', '0']) {
        const filter = name === 'listChanges' ? {} : { filter: { include_archived: true } };
        const input = { organization_id: register.organizationId, view, as_of, size: 1, ...filter };
        const answer = await register.call(name, input);
        assertMatches(output, answer, `${name} ${view} as of ${as_of}`);
        assert.is('total' in answer, view === 'COUNT');
      }
    }
  }
  assert.ok(ran.length > 0);
});

test('records with all included parts match their schema', async ({ register, runs: ran }) => {
  const ids = ran.flatMap(({ tool, answer }) => {
    const record = answer[tool.record?.singular ?? ''] as { id: string } | undefined;
    return record ? [record.id] : [];
  });
  const include = ['LINKS', 'EVIDENCE', 'HISTORY', 'ARCHIVED'];
  const answer = await register.call('getRecords', { ids: [...new Set(ids)], include });
  assertMatches(outputOf('getRecords'), answer, 'getRecords');
  const types = (answer.records as { type: string }[]).map(({ type }) => type);
  const families = new Set(ALL_TOOLS.flatMap(({ record }) => record?.type ?? []));
  assert.equal(types.sort(), [...families].sort());
});

test('writes that are repeated, similar, without a change or pending match their schemas', async ({ register }) => {
  const input = { organization_id: register.organizationId, name: 'Twice', idempotency_key: 'twice' };
  await register.call('addVendor', input);
  const repeated = await register.call('addVendor', input);
  assert.is(repeated.repeated, true);
  const { idempotency_key: _key, ...again } = input;
  const repeatedAdd = await register.call('addVendor', again);
  assert.is((repeatedAdd.similar as object[]).length, 1);
  const { id } = repeatedAdd.vendor as { id: string };
  const unchanged = await register.call('updateVendor', { id, name: 'Twice' });
  assert.equal(unchanged.event_types, []);
  for (const answer of [repeated, repeatedAdd]) assertMatches(outputOf('addVendor'), answer, 'addVendor');
  assertMatches(outputOf('updateVendor'), unchanged, 'updateVendor');

  const { projections } = register;
  const { waitUntilProjected } = projections;
  projections.waitUntilProjected = async () => false;
  try {
    for (const tool of ALL_TOOLS.filter(({ name }) => /^add(Vendor|Risk|Measure|Obligation)$/.test(name))) {
      const texts = { name: 'Pending', requirement: 'Pending' };
      const exampleTexts = Object.entries(texts).filter(([key]) => key in (tool.example as object));
      const fields = { organization_id: register.organizationId, ...Object.fromEntries(exampleTexts) };
      const answer = await register.call(tool.name, fields);
      assert.is(answer.pending, true, tool.name);
      assertMatches(tool.output, answer, `${tool.name} pending`);
    }
  } finally {
    projections.waitUntilProjected = waitUntilProjected;
  }
});

test('errors match their schema', async ({ register }) => {
  const organization_id = register.organizationId;
  const refusal: [string, object][] = [
    ['addVendor', { organization_id, nam: 'x', criticality: 'HUGE' }],
    ['getRecords', { ids: [''] }],
    ['updateRisk', { id: `rsk_${'0'.repeat(26)}` }],
    ['addRisk', { organization_id, name: 'x', status: 'ACCEPTED' }],
    ['listVendors', { organization_id, cursor: 'none' }],
    ['linkRecords', { links: [{ from_id: `rsk_${'0'.repeat(26)}`, to_id: `vnd_${'0'.repeat(26)}` }] }],
    ['importRecords', { organization_id, type: 'VENDOR', rows: [{}] }],
  ];
  for (const [tool, input] of refusal) {
    const answer = await register.call(tool, input);
    assertMatches(tool === 'importRecords' ? outputOf(tool) : errorOutput, answer, tool);
  }
  const { vendor } = await register.call<{ vendor: { id: string } }>('addVendor', { organization_id, name: 'Raced' });
  const stale = await register.call('updateVendor', { id: vendor.id, name: 'x', expected_revision: 7 });
  assert.is((stale.error as { current_revision: number }).current_revision, 1);
  assertMatches(errorOutput, stale, 'a stale revision');
});

test('each tool refuses exactly the roles that lack its permission', async ({ register, runs: ran }) => {
  for (const { tool, input } of ran) {
    for (const role of ROLES) {
      const { error } = await register.call<{ error?: { code: string } }>(tool.name, input, callerAs(role));
      // The example of decideRisk accepts a risk, which needs more than other decisions.
      const below = !roleAllows(role, tool.name === 'decideRisk' ? 'acceptRisks' : tool.permission);
      assert.is(error?.code === 'forbidden', below, `${tool.name} as ${role}: ${error?.code}`);
    }
  }
});

test.run();
