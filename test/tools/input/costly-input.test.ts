/** Inputs that would be costly to check. Answers describe the first problems and count all. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { normalize } from '../../../src/commands/engine/normalize.ts';
import { startTwoOrganizations, type TwoOrganizations } from '../../support/identity/two-organizations.ts';
import { refusalOf } from '../../support/mcp/refusals.ts';

const test = suite<TwoOrganizations>('costly inputs');

test.before(async (context) => {
  Object.assign(context, await startTwoOrganizations());
});
test.after(({ register }) => register.stop());

/** Each decomposes into two marks. Sorting 500,000 marks takes minutes. */
const MARKS = '\u0344\u0323';

test('texts with too many combining marks are refused before they are normalized', async (context) => {
  const validInput = context.inputsByTool.get('listVendors') as { filter?: object };
  for (const query of [`a${MARKS.repeat(20)}`, `a${MARKS.repeat(250_000)}`]) {
    const refusal = await refusalOf(context, 'listVendors', { ...validInput, filter: { query } });
    assert.is(refusal.code, 'invalid_input');
    assert.is(refusal.field, 'filter.query');
  }
  const { error } = await context.register.call<{ error?: object }>('listVendors', {
    ...validInput,
    filter: { query: `Vie\u0323\u0302t Nam ${'e\u0301'.repeat(900)}` },
  });
  assert.is(error, undefined, 'letters with several marks are valid in some languages');
});

/** One character, 18 when it is decomposed. */
const LIGATURE = '\ufdfa';

test('texts that grow when they are decomposed are refused, long ones of any language are not', async (context) => {
  const validList = context.inputsByTool.get('listVendors') as { filter?: object };
  const validAdd = context.inputsByTool.get('addVendor') as object;
  const long = { query: 'Ü'.repeat(1_000), description: '한'.repeat(10_000) };
  const list = (query: string) => ['listVendors', { ...validList, filter: { query } }, 'filter.query'] as const;
  const add = (description: string) => ['addVendor', { ...validAdd, description }, 'description'] as const;
  const grown = [list(LIGATURE.repeat(1_999)), add(LIGATURE.repeat(9_999)), list('x'.repeat(2_001))];
  for (const [tool, input, field] of grown) assert.is((await refusalOf(context, tool, input)).field, field);
  for (const [tool, input] of [list(long.query), add(long.description)]) {
    assert.is((await context.register.call<{ error?: object }>(tool, input)).error, undefined, tool);
  }
});

test('normalizing removes surplus combining marks', () => {
  assert.is(normalize('e\u0301', 'NFC'), 'é');
  assert.is(normalize(`e${'\u0301'.repeat(30)}x`, 'NFC').length, 31);
  assert.is(normalize(`e${'\u0301'.repeat(100_000)}x`, 'NFKC').length, 31);
});

test('unknown names in every row are all counted, and the first described', async (context) => {
  const names = Array.from({ length: 48 }, (_, index) => [`unknown_${index}_${'x'.repeat(60)}`, 1]);
  const rows = Array.from({ length: 200 }, () => ({ name: 'A', ...Object.fromEntries(names) }));
  const { organization_id } = context.inputsByTool.get('addVendor') as { organization_id: string };
  const answer = await context.register.call<{
    rows: { errors: object[]; more_errors?: number }[];
  }>('importRecords', { organization_id, type: 'VENDOR', rows });
  assert.is(answer.rows.length, 200);
  for (const { errors, more_errors = 0 } of answer.rows) assert.is(errors.length + more_errors, 48);
  assert.is(answer.rows[0]?.errors.length, 20);
  assert.ok(JSON.stringify(answer).length < 60_000);
});

test('hints compare long unknown names by their start only', async (context) => {
  const validInput = context.inputsByTool.get('listVendors')!;
  const refusal = await refusalOf(context, 'listVendors', { ...validInput, vieew: 'FULL', ['x'.repeat(500_000)]: 1 });
  assert.is(refusal.hint, 'Did you mean view?');
  assert.ok(JSON.stringify(refusal).length < 1_000);
});

test.run();
