import * as assert from 'uvu/assert';
import { controlId } from '../../src/commands/engine/ids.ts';
import { buildGeneration } from '../../src/projections/engine/build-generation.ts';
import { COLLECTIONS } from '../../src/projections/models.ts';
import { type Answer, dumpDocuments, INSTALLATION_ID, ORGANIZATION, type TestRegister } from './register.ts';

/** Calls a tool and asserts that it succeeds. */
export async function ok<T = Answer>({ call }: TestRegister, tool: string, input: object): Promise<T> {
  const answer = await call(tool, input);
  assert.not('error' in answer, JSON.stringify(answer));
  return answer as T;
}

/** Returns the error of a call that must be refused. */
export async function expectRefusal({ call }: TestRegister, tool: string, input: object): Promise<Answer> {
  const answer = await call(tool, input);
  assert.ok('error' in answer, JSON.stringify(answer));
  return answer.error as Answer;
}

/** Adds a framework with one control for each number, in this order. `ids` are the controls' ids, `call_id` is the call's. */
export async function adopt(register: TestRegister, name: string, numbers: readonly string[]) {
  const controls = numbers.map((section_title) => ({ section_title, name: `On ${section_title}` }));
  const answer = await ok(register, 'addFramework', { organization_id: ORGANIZATION, name, controls });
  const framework = (answer.framework as { id: string }).id;
  const ids = Object.fromEntries(numbers.map((number, index) => [number, controlId(framework, index)]));
  return { framework, ids, call_id: String(answer.call_id) };
}

/** Returns a complete list of controls. Checks that COUNT returns the same number. */
export async function list(register: TestRegister, filter: object = {}, options: object = {}): Promise<Answer[]> {
  const input = { organization_id: ORGANIZATION, filter, size: 100, ...options };
  const { controls } = await ok<{ controls: Answer[] }>(register, 'listControls', input);
  const { total } = await ok(register, 'listControls', { ...input, view: 'COUNT' });
  assert.is(total, controls.length, 'COUNT equals the length of the list');
  return controls;
}

/** Returns the numbers of the listed controls. */
export async function numbers(register: TestRegister, filter: object = {}, options: object = {}): Promise<unknown[]> {
  return (await list(register, filter, options)).map(({ section_title }) => section_title);
}

/** Returns a record, archived or not. */
export async function record({ call }: TestRegister, id: string, options: object = {}): Promise<Answer> {
  const { records } = (await call('getRecords', { ids: [id], include: ['ARCHIVED'], ...options })) as {
    records: Answer[];
  };
  return records[0]!;
}

export function update(register: TestRegister, id: string, fields: object): Promise<Answer> {
  return ok(register, 'updateControl', { id, reason: 'Found out', ...fields });
}

export function exclude(register: TestRegister, id: string, exclusion_justification = 'no trucks'): Promise<Answer> {
  return update(register, id, { status: 'EXCLUDED', exclusion_justification });
}

export function archive(register: TestRegister, id: string, action = 'ARCHIVE'): Promise<Answer> {
  return ok(register, 'archiveRecords', { ids: [id], action, reason: 'as agreed' });
}

/** Adds a measure that is linked to these records, and returns its id. */
export async function measure(register: TestRegister, to: readonly string[], fields: object = {}): Promise<string> {
  const answer = await ok(register, 'addMeasure', { organization_id: ORGANIZATION, name: 'Lock', ...fields });
  const { id } = answer.measure as { id: string };
  await ok(register, 'linkRecords', { links: to.map((to_id) => ({ from_id: id, to_id })) });
  return id;
}

/** Returns the position of the newest event. */
export async function newest(register: TestRegister): Promise<string> {
  const answer = await ok(register, 'listChanges', { organization_id: ORGANIZATION, size: 1 });
  return (answer.changes as { position: string }[])[0]!.position;
}

/** Asserts that rebuilt read models equal the live ones. */
export async function assertRebuilt(register: TestRegister): Promise<void> {
  const liveDocuments = await dumpDocuments(register.projections.models);
  const { generation } = await buildGeneration({ ...register.stores, installation: INSTALLATION_ID });
  assert.equal(await dumpDocuments(await register.stores.reads.open(generation, COLLECTIONS)), liveDocuments);
}
