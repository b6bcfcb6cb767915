import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  controlId,
  controlIndex,
  frameworkOfControl,
  idPrefix,
  libraryFrameworkId,
} from '../../src/commands/engine/ids.ts';
import {
  adoptionCommand,
  type FrameworkControlInput,
  framework,
  MAX_ADOPTION_BYTES,
} from '../../src/commands/framework.ts';
import type { FrameworkEvent } from '../../src/register/framework.ts';
import { canonical } from '../../src/trail/canonical.ts';
import { refusalOf, specOf } from '../support/spec.ts';

const test = suite('framework commands');
const { given } = specOf(framework);

const ID = libraryFrameworkId('org_1', 'GDPR');
const RULES: FrameworkControlInput[] = [
  { section_title: 'A.1', name: 'Rules' },
  { section_title: 'A.2', name: 'Keys', description: 'Who has which.' },
];
const adopted: FrameworkEvent = {
  type: 'FrameworkAdopted',
  data: {
    name: 'House rules',
    controls: [
      { id: controlId(ID, 0), section_title: 'A.1', name: 'Rules' },
      { id: controlId(ID, 1), section_title: 'A.2', name: 'Keys', description: 'Who has which.' },
    ],
  },
};
const adoptedFromLibrary: FrameworkEvent = { type: 'FrameworkAdopted', data: { ...adopted.data, library_id: 'GDPR' } };
const archived: FrameworkEvent = {
  type: 'FrameworkArchived',
  data: { archived_at: '2026-03-01T00:00:00.000Z', reason: 'gone' },
};

test('a framework is adopted by one event with every control, whose id contains its index', () => {
  const extraFields = { version: '1', library_id: null, description: null, owner_id: undefined };
  const { fields: _fields, ...rest } = adoptionCommand(
    ID,
    { name: 'House rules', controls: RULES, ...extraFields },
    'agreed',
  );
  assert.equal(rest, { type: 'AddFramework', reason: 'agreed' });
  given([])
    .when(adoptionCommand(ID, { name: 'House rules', controls: RULES, ...extraFields }, 'agreed'))
    .then([{ type: 'FrameworkAdopted', data: { ...adopted.data, version: '1', reason: 'agreed' } }]);
  const state = given([adopted]).state();
  assert.equal([state.library_id, state.version, state.archived_at, state.controls.length], [null, null, null, 2]);
});

test('a framework is adopted once; adopting a library framework again changes nothing, unless it is archived', () => {
  const repeatedAdoption = adoptionCommand(ID, { name: 'House rules', controls: RULES });
  given([adopted]).when(repeatedAdoption).refused('conflict');
  given([adoptedFromLibrary]).when(repeatedAdoption).then([]);
  given([adoptedFromLibrary, archived])
    .when(repeatedAdoption)
    .refused('invalid_transition', { allowed: ['RESTORE'] });
});

test('adopting a framework rejects duplicate control numbers, ignoring case', () => {
  given([])
    .when(adoptionCommand(ID, { name: 'Empty', controls: [] }))
    .refused('invalid_input', { field: 'controls' });
  const controls = [...RULES, { section_title: 'a.1', name: 'Again' }, { section_title: 'A.2', name: 'Once more' }];
  const { more } = refusalOf(() =>
    given([])
      .when(adoptionCommand(ID, { name: 'Twice', controls }))
      .then([]),
  );
  assert.is(more.field, 'controls.2.section_title');
  assert.equal(more.issues, [
    { field: 'controls.2.section_title', message: 'repeats controls.0.section_title' },
    { field: 'controls.3.section_title', message: 'repeats controls.1.section_title' },
  ]);
});

test('a framework of more than 768 KiB is refused with its size and a hint', () => {
  const adoptionOfSize = (bytes: number) => {
    const blankDescription = adoptionCommand(ID, { name: 'Long', controls: [{ ...RULES[0]!, description: '' }] });
    const length = bytes - Buffer.byteLength(canonical(blankDescription.fields));
    return adoptionCommand(ID, { name: 'Long', controls: [{ ...RULES[0]!, description: 'x'.repeat(length) }] });
  };
  const largest = adoptionOfSize(MAX_ADOPTION_BYTES);
  given([])
    .when(largest)
    .then([{ type: 'FrameworkAdopted', data: largest.fields } as FrameworkEvent]);
  const { code, message, more } = refusalOf(() =>
    given([])
      .when(adoptionOfSize(MAX_ADOPTION_BYTES + 1))
      .then([]),
  );
  assert.equal([code, more.field], ['too_large', 'controls']);
  assert.match(message, /769 KiB.* 768 KiB.* descriptions/);
  assert.is(MAX_ADOPTION_BYTES, 786_432);
});

test('a library framework’s id depends on the organization', () => {
  assert.is(idPrefix(ID), 'frm');
  assert.is(libraryFrameworkId('org_1', 'GDPR'), ID);
  assert.is.not(libraryFrameworkId('org_2', 'GDPR'), ID);
  assert.is.not(libraryFrameworkId('org_1', 'SOC2_2017'), ID);
});

test('a control’s id contains its framework’s id and its index', () => {
  for (const index of [0, 1, 31, 32, 499, 32_767]) {
    const id = controlId(ID, index);
    assert.equal([idPrefix(id), frameworkOfControl(id), controlIndex(id)], ['ctl', ID, index]);
  }
});

test.run();
