/** Imports in process, and what they answer. */
import * as assert from 'uvu/assert';
import type { ImportAnswer } from '../../../src/import/import-answer.ts';
import { callerAs, ORGANIZATION, type TestRegister } from '../register.ts';

export const suppliers = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ name: `Supplier ${n}`, country: 'DE' }));

/** Returns true if a call was refused only for its missing reason or selection. */
function lacksConfirmation({ error, rows = [] }: Partial<ImportAnswer> & { error?: { field?: string } }): boolean {
  const fields = rows.flatMap(({ errors = [] }) => errors.map(({ field }) => field));
  if (error !== undefined && error.field !== 'rows') fields.push(error.field ?? '');
  return error !== undefined && fields.every((field) => field === 'reason' || field === 'selection');
}

/** Imports rows. Gives a reason and makes the dry run where the write needs them. */
export async function runImport(
  { call }: TestRegister,
  type: string,
  rows: object[],
  input: object = {},
): Promise<ImportAnswer> {
  const args = { organization_id: ORGANIZATION, type, rows, ...input };
  let answer = await call('importRecords', args);
  if (lacksConfirmation(answer)) {
    const explained = { reason: 'Reorganized', ...args };
    const { selection } = await call('importRecords', { ...explained, dry_run: true });
    answer = await call('importRecords', { ...explained, selection });
  }
  // An import that is refused for wrong rows answers its rows too.
  if ('error' in answer) assert.ok(Array.isArray(answer.rows), JSON.stringify(answer));
  return answer as unknown as ImportAnswer;
}

export async function expectRefusedImport({ call }: TestRegister, args: object, caller = callerAs()) {
  const { error } = await call('importRecords', { organization_id: ORGANIZATION, ...args }, caller);
  return error as { code: string; field: string; message: string };
}

export const countsOf = ({ created, updated, unchanged }: ImportAnswer) => [created, updated, unchanged];
export const errorsOf = ({ rows }: ImportAnswer) => rows.map(({ errors }) => errors?.map(({ field }) => field) ?? null);

/** Returns the number of events in the log, so that tests can check that a refused import wrote none. */
export async function logLength({ stores }: TestRegister): Promise<number> {
  let length = 0;
  for await (const events of stores.events.readAll(null)) length += events.length;
  return length;
}
