import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { z } from 'zod';
import { ROW_READERS, type RowReader } from '../../../src/import/import-rows.ts';
import { ALL_TOOLS } from '../../../src/tools/all-tools.ts';
import { fullSchema } from '../../../src/tools/schema/json-schema.ts';
import { startTwoOrganizations, type TwoOrganizations } from '../../support/identity/two-organizations.ts';
import { idOf } from '../../support/ids.ts';
import { type BadInput, badInputs } from '../../support/mcp/bad-input.ts';
import { checkAnswer } from '../../support/mcp/refusals.ts';
import { ORGANIZATION } from '../../support/register.ts';

/* Import rows with every error that the add and update tools can refuse. */

const test = suite<TwoOrganizations>('bad rows');

test.before(async (context) => {
  Object.assign(context, await startTwoOrganizations());
});
test.after(({ register }) => register.stop());

type Row = Record<string, unknown>;
interface Imported {
  created: number;
  updated: number;
  unchanged: number;
  rows: { row: number; errors?: { field: string; message: string; hint?: string }[]; more_errors?: number }[];
  error?: { code: string; message: string };
}

const MAX_ROWS = 200;

/** Imports rows, some of them invalid, and checks that nothing is written. */
async function refusedRows({ register }: TwoOrganizations, type: string, rows: readonly Row[]) {
  const before = (await register.stores.events.head(null)).newest;
  const input = { organization_id: ORGANIZATION, type, rows };
  const answer = await register.call<Imported>('importRecords', input);
  checkAnswer(answer, input, type);
  assert.is((await register.stores.events.head(null)).newest, before, `${type}: something was written`);
  assert.equal([answer.created, answer.updated, answer.unchanged], [0, 0, 0]);
  assert.is(answer.error?.code, 'invalid_input');
  assert.match(answer.error!.message, /^Nothing was written\. /);
  assert.is(answer.rows.length, rows.length);
  return answer.rows;
}

/** Returns the schemas of a type's rows, each with a valid row. */
function rowsOf(
  { inputsByTool }: TwoOrganizations,
  { type, addParser, updateParser }: RowReader,
): [z.ZodObject, Row][] {
  const tools = ALL_TOOLS.filter(({ name, record }) => record?.type === type && /^(add|update)/.test(name));
  const rowInputs = tools.map(({ name }) => {
    const schema = (name.startsWith('add') ? addParser : updateParser)?.schema;
    const rowFields = Object.entries(inputsByTool.get(name)!).filter(
      ([field]) => schema !== undefined && field in schema.shape,
    );
    return [schema, Object.fromEntries(rowFields)] as const;
  });
  return rowInputs.filter((rowInput): rowInput is [z.ZodObject, Row] => rowInput[0] !== undefined);
}

const READERS = [...ROW_READERS.values()];

for (const reader of READERS) {
  test(`bad rows of type ${reader.type} are refused, each with its fields`, async (context) => {
    for (const [shape, right] of rowsOf(context, reader)) {
      // Without its id a row adds a record, and a row that is not an object has no fields.
      const bad = [...badInputs(fullSchema(shape), right, 'id' in shape.shape)].filter(
        ({ field, input }) => field !== '' && ('id' in shape.shape ? String(input.id ?? '').trim() !== '' : true),
      );
      assert.ok(bad.length > 50);
      for (let from = 0; from < bad.length; from += MAX_ROWS) {
        const batch = bad.slice(from, from + MAX_ROWS);
        const rows = batch.map(({ input }) => input);
        for (const [index, { errors = [] }] of (await refusedRows(context, reader.type, rows)).entries()) {
          checkErrors(batch[index]!, errors);
        }
      }
    }
  });
}

function checkErrors({ about, field, hint }: BadInput, errors: NonNullable<Imported['rows'][number]['errors']>) {
  const label = `${about}: ${JSON.stringify(errors)}`;
  const cut = (text: string) => text.slice(0, 29);
  // A full answer has only the start of each row's first error.
  const matchingError = errors.find((error) => error.field === field || cut(error.field) === cut(field));
  assert.ok(matchingError, label);
  assert.ok(matchingError.message.length > 5 && matchingError.message.length <= 500, label);
  if (hint && matchingError.hint) assert.is(matchingError.hint, hint, label);
}

test('rows naming unknown records or another organization’s get the same errors', async (context) => {
  const { theirIds } = context;
  for (const reader of READERS) {
    for (const [shape, right] of rowsOf(context, reader)) {
      for (const [field, kind] of Object.entries({
        id: 'own',
        audit_id: 'aud',
        framework_id: 'frm',
        owner_id: 'acc',
      })) {
        if (!(field in shape.shape)) continue;
        const prefix = kind === 'own' ? String(right.id).slice(0, 3) : kind;
        const ids = [idOf(prefix), theirIds.get(prefix)!];
        const rows = ids.map((id) => ({ ...right, [field]: id }));
        const answered = [];
        for (const row of rows) answered.push((await refusedRows(context, reader.type, [row]))[0]!.errors);
        const [nothing, other] = answered.map((errors, index) => JSON.stringify(errors).replaceAll(ids[index]!, 'ID'));
        assert.is(other, nothing);
        assert.is(answered[0]![0]!.field, field, `${reader.type} ${field}: ${nothing}`);
      }
    }
  }
});

test('one bad row prevents all writes, and valid rows have no errors', async (context) => {
  const { inputsByTool } = context;
  const { organization_id: _, ...vendor } = inputsByTool.get('addVendor')!;
  const rows = Array.from({ length: 10 }, (_each, index) => ({ ...vendor, name: `Vendor ${index}` }));
  rows[7] = { ...vendor, name: '' };
  const answered = await refusedRows(context, 'VENDOR', rows);
  assert.equal(
    answered.flatMap(({ row, errors }) => (errors ? [[row, errors[0]!.field]] : [])),
    [[7, 'name']],
  );
});

test.run();
