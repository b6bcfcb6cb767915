/** What reports can be about, as forms offer it, on the embedded stores. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { MOST_CHOICES, reportChoices } from '../src/queries/report/choices.ts';
import { rejection } from './support/identity.ts';
import { callerAs, startRegister, type TestRegister } from './support/register.ts';

const controls = [{ section_title: '1', name: 'The one control' }];

const test = suite<{ register: TestRegister }>('what reports can be about');

test.before.each(async (context) => {
  context.register = await startRegister();
});
test.after.each(({ register }) => register.stop());

/** As a service asks, of the same stores. */
function choicesOf(register: TestRegister, role: 'AUDITOR' | 'VIEWER' = 'AUDITOR') {
  const { stores, projections, organizationId } = register;
  const reader = {
    ...{ ...stores, models: projections.models, progress: projections.runner },
    ...{ cursorKey: Buffer.from('a key for tests'), now: () => new Date() },
  };
  return reportChoices(reader, callerAs(role), organizationId);
}

type Added = Record<string, { id: string }>;

test('audits that were completed, newest first, whatever became of them; frameworks, newest adoption first', async ({
  register,
}) => {
  const { call, organizationId: organization_id } = register;
  assert.equal(await choicesOf(register), {
    audits: { choices: [], cut: false },
    frameworks: { choices: [], cut: false },
  });
  const ids: string[] = [];
  for (const version of ['2022', null]) {
    const more = version === null ? {} : { version };
    const added = await call<Added>('addFramework', { organization_id, name: `Of ${version}`, controls, ...more });
    ids.push(added.framework!.id);
  }
  const audit = async (name: string, starts_on: string | null, ...moves: object[]) => {
    const add = { organization_id, name, framework_id: ids[0], ...(starts_on === null ? {} : { starts_on }) };
    const { audit } = await call<Added>('addAudit', { ...add, kind: 'INTERNAL', state: 'IN_PROGRESS' });
    for (const move of moves) await call('updateAudit', { id: audit!.id, ...move });
    return audit!.id;
  };
  const done = { state: 'COMPLETED' };
  const old = await audit('Old', '2024-05-01', done);
  const reopened = await audit('Reopened', '2026-05-01', done, { state: 'IN_PROGRESS', reason: 'There was more' });
  const undated = await audit('Undated', null, done);
  await audit('Under way', '2026-06-01');
  const archived = await audit('Archived', '2025-05-01', done);
  await call('archiveRecords', { ids: [archived], action: 'ARCHIVE', reason: 'Not needed' });
  const { audits, frameworks } = await choicesOf(register);
  assert.equal(audits, {
    choices: [
      { id: reopened, name: 'Reopened', mark: '2026-05-01', archived: false },
      { id: archived, name: 'Archived', mark: '2025-05-01', archived: true },
      { id: old, name: 'Old', mark: '2024-05-01', archived: false },
      { id: undated, name: 'Undated', mark: null, archived: false },
    ],
    cut: false,
  });
  assert.equal(frameworks.choices, [
    { id: ids[1], name: 'Of null', mark: null, archived: false },
    { id: ids[0], name: 'Of 2022', mark: '2022', archived: false },
  ]);
});

test('of many the newest, and says that there are more', async ({ register }) => {
  const { call, organizationId: organization_id } = register;
  for (let at = 0; at <= MOST_CHOICES; at += 1)
    await call('addFramework', { organization_id, name: `Framework ${at}`, controls });
  const { choices, cut } = (await choicesOf(register)).frameworks;
  assert.equal(
    [choices.length, choices[0]!.name, choices.at(-1)!.name, cut],
    [...[MOST_CHOICES, `Framework ${MOST_CHOICES}`], ...['Framework 1', true]],
  );
});

test('for those who may draw reports', async ({ register }) => {
  assert.match((await rejection(choicesOf(register, 'VIEWER'))).message, 'the role has to be');
});

test.run();
