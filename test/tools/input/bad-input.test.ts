import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ALL_TOOLS } from '../../../src/tools/all-tools.ts';
import { fullSchema } from '../../../src/tools/schema/json-schema.ts';
import type { Tool } from '../../../src/tools/tool.ts';
import { startTwoOrganizations, type TwoOrganizations } from '../../support/identity/two-organizations.ts';
import { badInputs } from '../../support/mcp/bad-input.ts';
import { assertNames, refusalOf } from '../../support/mcp/refusals.ts';

/*
 * Breaks every rule of every tool's definition, one at a time. The inputs are generated from the definitions, so new tools
 * and properties are covered without a change here.
 */

const test = suite<TwoOrganizations>('bad inputs');

test.before(async (context) => {
  Object.assign(context, await startTwoOrganizations());
});
test.after(({ register }) => register.stop());

const schemaOf = ({ input }: Tool) => fullSchema(input as Parameters<typeof fullSchema>[0]);

for (const tool of ALL_TOOLS) {
  test(`${tool.name} refuses each bad input and names its field`, async (context) => {
    let callCount = 0;
    for (const bad of badInputs(schemaOf(tool), context.inputsByTool.get(tool.name)!, tool.name.startsWith('update'))) {
      const refusal = await refusalOf(context, tool.name, bad.input, bad.about);
      const label = `${tool.name} ${bad.about}`;
      assertNames(refusal, 'invalid_input', bad.field || undefined, label);
      if (bad.allowed) assert.equal(refusal.allowed, bad.allowed, label);
      if (bad.hint) assert.is(refusal.hint, bad.hint, label);
      callCount++;
    }
    assert.ok(callCount > 20, `${callCount} were tried`);
  });
}

test('an input that is not an object is refused', async (context) => {
  for (const { name } of ALL_TOOLS) {
    for (const input of ['text', 5, true, [], ['a']]) {
      const refusal = await refusalOf(context, name, input, JSON.stringify(input));
      assertNames(refusal, 'invalid_input', undefined, name);
    }
  }
});

test('an input with too many problems is refused with the first of them', async (context) => {
  for (const tool of ALL_TOOLS) {
    const validInput = context.inputsByTool.get(tool.name)!;
    const surplusFields = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`surplus_${index}`, index]));
    const refusal = await refusalOf(context, tool.name, { ...validInput, ...surplusFields }, 'many');
    assert.is(refusal.code, 'invalid_input');
    assert.match(refusal.message, '5000 problems');
    assert.ok(refusal.issues!.length >= 50, `${refusal.issues!.length} are told`);
  }
});

test('unknown names of any length are refused, without their values in the answer', async (context) => {
  for (const { name } of ALL_TOOLS) {
    const validInput = context.inputsByTool.get(name)!;
    for (const key of ['x'.repeat(100_000), 'a\u0000\u202e\ud800b', '\n', ' ', '', '/etc/passwd', '<b>']) {
      const refusal = await refusalOf(context, name, { ...validInput, [key]: 1 }, JSON.stringify(key).slice(0, 40));
      assert.is(refusal.code, 'invalid_input', name);
    }
    const deep = JSON.parse(`${'{"a":'.repeat(2_000)}1${'}'.repeat(2_000)}`);
    assert.is((await refusalOf(context, name, { ...validInput, ...deep }, 'deep')).field, 'a');
  }
});

test.run();
