/** The audits and frameworks that the reports page offers, on the embedded stores. */
import * as assert from 'uvu/assert';
import { MAX_CHOICES, reportChoices } from '../../src/reports/report-choices.ts';
import { rejectionError } from '../support/identity/identity.ts';
import { callerAs, type TestRegister } from '../support/register.ts';
import { registerSuite } from '../support/register-suite.ts';

const controls = [{ section_title: '1', name: 'The one control' }];

const test = registerSuite('what reports can be about', 'EACH');

/** Reads the choices from the register's stores. */
function choicesOf(register: TestRegister, caller = callerAs('VIEWER')) {
  return reportChoices(register.reader, caller, register.organizationId);
}

type Added = Record<string, { id: string }>;

test('completed audits, the newest first, archived and reopened ones too; frameworks, the newest adoption first', async ({
  register,
}) => {
  const { call, organizationId: organization_id } = register;
  assert.equal(await choicesOf(register), {
    audits: { choices: [], isCut: false },
    frameworks: { choices: [], isCut: false },
  });
  const ids: string[] = [];
  for (const version of ['2022', null]) {
    const extraFields = version === null ? {} : { version };
    const adoption = await call<Added>('addFramework', {
      organization_id,
      name: `Of ${version}`,
      controls,
      ...extraFields,
    });
    ids.push(adoption.framework!.id);
  }
  const audit = async (name: string, starts_on: string | null, ...moves: object[]) => {
    const add = { organization_id, name, framework_id: ids[0], ...(starts_on === null ? {} : { starts_on }) };
    const { audit } = await call<Added>('addAudit', { ...add, kind: 'INTERNAL', state: 'IN_PROGRESS' });
    for (const move of moves) await call('updateAudit', { id: audit!.id, ...move });
    return audit!.id;
  };
  const done = { state: 'COMPLETED', reason: 'Signed' };
  const old = await audit('Old', '2024-05-01', done);
  const reopenedAudit = await audit('Reopened', '2026-05-01', done, { state: 'IN_PROGRESS', reason: 'There was more' });
  const undated = await audit('Undated', null, done);
  await audit('Under way', '2026-06-01');
  const archived = await audit('Archived', '2025-05-01', done);
  await call('archiveRecords', { ids: [archived], action: 'ARCHIVE', reason: 'Not needed' });
  const { audits, frameworks } = await choicesOf(register);
  assert.equal(audits, {
    choices: [
      { id: reopenedAudit, name: 'Reopened', qualifier: '2026-05-01', archived: false },
      { id: archived, name: 'Archived', qualifier: '2025-05-01', archived: true },
      { id: old, name: 'Old', qualifier: '2024-05-01', archived: false },
      { id: undated, name: 'Undated', qualifier: null, archived: false },
    ],
    isCut: false,
  });
  assert.equal(frameworks.choices, [
    { id: ids[1], name: 'Of null', qualifier: null, archived: false },
    { id: ids[0], name: 'Of 2022', qualifier: '2022', archived: false },
  ]);
});

test('the newest of many, with isCut', async ({ register }) => {
  const { call, organizationId: organization_id } = register;
  for (let index = 0; index <= MAX_CHOICES; index += 1)
    await call('addFramework', { organization_id, name: `Framework ${index}`, controls });
  const { choices, isCut } = (await choicesOf(register)).frameworks;
  assert.equal(
    [choices.length, choices[0]!.name, choices.at(-1)!.name, isCut],
    [...[MAX_CHOICES, `Framework ${MAX_CHOICES}`], ...['Framework 1', true]],
  );
});

test('are only for members', async ({ register }) => {
  const stranger = callerAs('OWNER', { roles: new Map() });
  assert.match((await rejectionError(choicesOf(register, stranger))).message, 'not a member of such an organization');
});

test.run();
