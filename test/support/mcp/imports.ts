/** Imports in process, and what they answer. */
import * as assert from 'uvu/assert';
import type { ImportAnswer } from '../../../src/import/import-answer.ts';
import { callerAs, ORGANIZATION, type TestRegister } from '../register.ts';

export const suppliers = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ name: `Supplier ${n}`, country: 'DE' }));

/** Imports rows. Makes the dry run first where so many records change that the write needs its selection. */
export async function runImport(
  { call }: TestRegister,
  type: string,
  rows: object[],
  input: object = {},
): Promise<ImportAnswer> {
  const args = { organization_id: ORGANIZATION, type, rows, ...input };
  let answer = await call('importRecords', args);
  if ((answer.error as { field?: string } | undefined)?.field === 'selection') {
    const { selection } = await call('importRecords', { ...args, dry_run: true });
    answer = await call('importRecords', { ...args, selection });
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
