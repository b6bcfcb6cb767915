import * as assert from 'uvu/assert';
import { randomId } from '../../../src/commands/engine/ids.ts';
import { recordAggregate } from '../../../src/commands/families.ts';
import { adoptionCommand } from '../../../src/commands/framework.ts';
import type { Caller } from '../../../src/commands/organization/caller.ts';
import { LIBRARY_IDS, libraryFramework } from '../../../src/library/framework-library.ts';
import { familyQueryOfType } from '../../../src/queries/family-query.ts';
import type { Snapshot } from '../../../src/queries/moments/snapshot.ts';
import { presentRecords } from '../../../src/queries/records/present-records.ts';
import { type Answer, dumpDocuments, envelopeFor, ORGANIZATION, type TestRegister } from '../../support/register.ts';
import { registerSuite } from '../../support/register-suite.ts';

const test = registerSuite('frameworks', 'EACH');

const CONTROLS = ['A.1', 'A.2', 'A.3', 'A.4'].map((section_title) => ({ section_title, name: `On ${section_title}` }));
const CUSTOM_FRAMEWORK = { name: 'House rules', controls: CONTROLS };

async function ok<T = Answer>({ call }: TestRegister, tool: string, input: object, caller?: Caller): Promise<T> {
  const answer = await call(tool, input, caller);
  assert.not('error' in answer, JSON.stringify(answer));
  return answer as T;
}

async function refusalOf({ call }: TestRegister, tool: string, input: object, caller?: Caller): Promise<Answer> {
  const answer = await call(tool, input, caller);
  assert.ok('error' in answer, JSON.stringify(answer));
  return answer.error as Answer;
}

type Adopted = Answer & { framework: Answer & { id: string }; event_types: string[] };

function adopt(register: TestRegister, input: object): Promise<Adopted> {
  return ok(register, 'addFramework', { organization_id: ORGANIZATION, ...input });
}

async function list(register: TestRegister, extraInput: object = {}): Promise<Answer[]> {
  const answer = await ok<{ frameworks: Answer[] }>(register, 'listFrameworks', {
    organization_id: ORGANIZATION,
    ...extraInput,
  });
  return answer.frameworks;
}

/** Returns the counts that follow from a framework's controls. */
async function countsOf(register: TestRegister, id: string, as_of?: unknown): Promise<unknown[]> {
  const extraInput = { filter: { ids: [id], include_archived: true }, view: 'FULL', ...(as_of ? { as_of } : {}) };
  const [framework] = await list(register, extraInput);
  assert.ok(framework, 'exists already');
  return [framework.control_count, framework.included_count, framework.implemented_count, framework.coverage];
}

/** Returns the newest event's position. */
async function newest(register: TestRegister): Promise<string> {
  const answer = await ok(register, 'listChanges', { organization_id: ORGANIZATION, size: 1 });
  return (answer.changes as { position: string }[])[0]!.position;
}

test('adopting a library framework copies all the library’s fields', async ({ register }) => {
  for (const library_id of LIBRARY_IDS) {
    const { name, version, controls } = libraryFramework(library_id);
    const { framework, event_types, revision } = await adopt(register, { library_id, owner_id: 'ME' });
    assert.equal([event_types, revision], [['FrameworkAdopted'], 1]);
    assert.equal([framework.name, framework.version, framework.library_id], [name, version, library_id]);
    assert.equal([framework.owner_id, framework.archived_at], [register.accountId, null]);
    assert.equal(await countsOf(register, framework.id), [controls.length, controls.length, 0, 0]);
    const { total } = await ok(register, 'listControls', {
      organization_id: ORGANIZATION,
      filter: { framework_id: [framework.id] },
      view: 'COUNT',
    });
    assert.is(total, controls.length);
  }
});

test('a library framework is adopted once, with any key', async ({ register }) => {
  const input = { library_id: 'SOC2_2017', idempotency_key: 'once' };
  const first = await adopt(register, input);
  for (const repeatedInput of [{ library_id: 'SOC2_2017' }, { ...input, idempotency_key: 'another' }]) {
    const answer = await adopt(register, repeatedInput);
    assert.equal([answer.framework, answer.event_types], [first.framework, []]);
    assert.not('repeated' in answer);
  }
  assert.equal(await adopt(register, input), { ...first, repeated: true });
  await ok(register, 'archiveRecords', { ids: [first.framework.id], action: 'ARCHIVE', reason: 'not ours' });
  const { code, allowed } = await refusalOf(register, 'addFramework', {
    organization_id: ORGANIZATION,
    library_id: 'SOC2_2017',
  });
  assert.equal([code, allowed], ['invalid_transition', ['RESTORE']]);
  assert.is((await adopt(register, input)).repeated, true, 'the first answer is returned again');
});

test('adopting a framework with another framework’s key is refused', async ({ register }) => {
  await adopt(register, { library_id: 'SOC2_2017', idempotency_key: 'one' });
  await adopt(register, { ...CUSTOM_FRAMEWORK, idempotency_key: 'two' });
  const before = await newest(register);
  for (const input of [
    { library_id: 'GDPR', idempotency_key: 'one' },
    { library_id: 'SOC2_2017', description: 'Ours', idempotency_key: 'one' },
    { ...CUSTOM_FRAMEWORK, idempotency_key: 'one' },
    { library_id: 'GDPR', idempotency_key: 'two' },
    { ...CUSTOM_FRAMEWORK, name: 'Other rules', idempotency_key: 'two' },
  ]) {
    const { code, field } = await refusalOf(register, 'addFramework', { organization_id: ORGANIZATION, ...input });
    assert.equal([code, field], ['idempotency_conflict', 'idempotency_key']);
  }
  assert.is(await newest(register), before);
  const repeated = await adopt(register, { ...CUSTOM_FRAMEWORK, idempotency_key: 'two' });
  assert.equal([repeated.repeated, repeated.event_types], [true, ['FrameworkAdopted']]);
});

test('a custom framework needs a name and controls, without library_id', async ({ register }) => {
  const [first] = CONTROLS;
  for (const [input, code, field] of [
    [{}, 'invalid_input', 'library_id'],
    [{ name: 'House rules' }, 'invalid_input', 'controls'],
    [{ controls: CONTROLS }, 'invalid_input', 'name'],
    [{ ...CUSTOM_FRAMEWORK, library_id: 'GDPR' }, 'invalid_input', 'name'],
    [{ controls: CONTROLS, library_id: 'GDPR' }, 'invalid_input', 'controls'],
    [{ version: '2', library_id: 'GDPR' }, 'invalid_input', 'version'],
    [{ ...CUSTOM_FRAMEWORK, controls: [first, first] }, 'invalid_input', 'controls.1.section_title'],
    [{ ...CUSTOM_FRAMEWORK, controls: controlsWith(90, 'x'.repeat(9_000)) }, 'too_large', 'controls'],
  ] as const) {
    const error = await refusalOf(register, 'addFramework', { organization_id: ORGANIZATION, ...input });
    assert.equal([error.code, error.field], [code, field], JSON.stringify(input).slice(0, 100));
  }
  assert.is(await newest(register), '2', 'nothing was written');
  const { framework } = await adopt(register, {
    ...CUSTOM_FRAMEWORK,
    version: '3',
    description: 'Ours',
    controls: controlsWith(2, ' '),
  });
  assert.equal([framework.name, framework.version, framework.description], ['House rules', '3', 'Ours']);
  const { controls } = await ok(register, 'listControls', { organization_id: ORGANIZATION, view: 'FULL' });
  assert.equal(
    (controls as Answer[]).map(({ description }) => description),
    [null, null],
  );
});

function controlsWith(count: number, description: string): object[] {
  return Array.from({ length: count }, (_, index) => ({ section_title: `${index}`, name: 'N', description }));
}

test('a framework is read without the list of its controls', async ({ register }) => {
  const { framework } = await adopt(register, CUSTOM_FRAMEWORK);
  await ok(register, 'archiveRecords', { ids: [framework.id], action: 'ARCHIVE', reason: 'done' });
  const allDocuments = await dumpDocuments(register.projections.models);
  assert.is(allDocuments.frameworks!.length, 1);
  for (const document of [...allDocuments.frameworks!, ...allDocuments.frameworks_history!])
    assert.not('controls' in (document as object));
  const expectedFields = { id: framework.id, controls: CONTROLS, owner_id: null };
  const [pending] = await presentRecords(
    { snapshot: {} as Snapshot, organizationId: ORGANIZATION, moment: { today: '2026-01-01', position: null } },
    familyQueryOfType('FRAMEWORK'),
    [expectedFields],
    'FULL',
  );
  assert.not('controls' in pending!);
  const adoption = await ok(register, 'listChanges', {
    organization_id: ORGANIZATION,
    filter: { event_types: ['FrameworkAdopted'] },
  });
  const [change] = adoption.changes as { changes: { field: string; to: unknown }[] }[];
  assert.equal(change!.changes, [{ field: 'name', from: null, to: 'House rules' }]);
});

test('an imported framework answers with groups, parents and its note, today and in the past', async ({ register }) => {
  const id = randomId('frm');
  const controls = [
    { section_title: 'L.1', name: 'The lamp burns', group: 'Lamp › Night' },
    { section_title: 'L.1(1)', name: 'A spare wick', group: 'Lamp › Night', parent: 'L.1' },
    { section_title: 'H.1', name: 'The horn sounds' },
  ];
  const note = 'Withdrawn by the publisher and not adopted (1):\nL.2 Whale oil';
  const command = adoptionCommand(id, { name: 'Lighthouse rules', note, controls });
  const { storePosition } = await register.handler.execute(recordAggregate(id), command, envelopeFor());
  await register.projections.waitUntilProjected(ORGANIZATION, storePosition!, 5_000);
  const as_of = await newest(register);
  for (const moment of [{}, { as_of }]) {
    const filter = { framework_id: [id] };
    const input = { organization_id: ORGANIZATION, filter, view: 'FULL', ...moment };
    const answer = (await ok(register, 'listControls', input)) as { controls: Record<string, unknown>[] };
    assert.equal(
      answer.controls.map(({ section_title, group, parent }) => [section_title, group, parent]),
      [
        ['H.1', null, null],
        ['L.1', 'Lamp › Night', null],
        ['L.1(1)', 'Lamp › Night', 'L.1'],
      ],
    );
    const records = await ok(register, 'getRecords', { organization_id: ORGANIZATION, ids: [id], ...moment });
    assert.is((records.records as { note: string }[])[0]!.note, note);
  }
});

test.run();
