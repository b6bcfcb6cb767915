import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { generateRecoveryCodes, hashRecoveryCode } from '../../../src/identity/second-factor/recovery-codes.ts';
import { closeAll } from '../../support/identity/identity.ts';
import {
  ADA,
  CLIENT_INFO,
  outcomes,
  refusalOf,
  signUp,
  startPeople,
  startTwo,
  type TestPeople,
  withApp,
} from '../../support/identity/people.ts';

const test = suite('recovery codes');

test.after.each(closeAll);

const pendingOf = async (people: TestPeople) =>
  (await people.signIn.withPassword(ADA.email, ADA.password, CLIENT_INFO)).cookie;

test('creates ten codes of 80 bits, stored as hashes', async () => {
  const { codes, hashes } = generateRecoveryCodes();
  assert.is(new Set(codes).size, 10);
  for (const code of codes) assert.match(code, /^([0-9a-hjkmnp-tv-z]{4}-){3}[0-9a-hjkmnp-tv-z]{4}$/);
  assert.equal(codes.map(hashRecoveryCode), hashes);
  const people = await startPeople();
  const app = await withApp(people);
  const storedText = JSON.stringify(await people.identity.accounts.all('accounts'));
  for (const code of app.codes) assert.not(storedText.includes(code) || storedText.includes(code.replaceAll('-', '')));
  assert.is((await people.accounts.get(app.account.id))!.recovery.length, 10);
});

test('accepts a code in any spelling', () => {
  const hash = hashRecoveryCode('10ab-cdef-ghjk-mnpq');
  for (const typed of [
    '10AB-CDEF-GHJK-MNPQ',
    '10abcdefghjkmnpq',
    ' 10ab cdef ghjk mnpq\n',
    'lOab-cdef-ghjk-mnpq',
    'IoAB-CDEF-GHJK-MNPQ',
  ]) {
    assert.is(hashRecoveryCode(typed), hash, typed);
  }
  assert.is.not(hashRecoveryCode('10ab-cdef-ghjk-mnpr'), hash);
});

test('a code signs in once, and the others stay valid', async () => {
  const people = await startPeople();
  const { codes, account } = await withApp(people);
  const done = await people.signIn.withRecoveryCode(await pendingOf(people), codes[3]!, CLIENT_INFO);
  assert.ok(await people.sessions.find(done.cookie));
  assert.equal(
    people.accountEvents.find(({ type }) => type === 'RECOVERY_CODE_USED'),
    {
      type: 'RECOVERY_CODE_USED',
      account_id: account.id,
      left: 9,
      clientInfo: CLIENT_INFO,
    },
  );
  const repeatedUse = people.signIn.withRecoveryCode(await pendingOf(people), codes[3]!, CLIENT_INFO);
  assert.is((await refusalOf(repeatedUse)).code, 'forbidden');
  assert.is((await people.signIn.withRecoveryCode(await pendingOf(people), codes[4]!, CLIENT_INFO)).next, 'DONE');
});

test('a code used at once on two instances signs in once; different ones both sign in', async () => {
  const [here, there] = await startTwo();
  const { codes, account } = await withApp(here);
  const all = [here, there, here, there];
  const pendingSessions = await Promise.all(all.map(pendingOf));
  const raced = await outcomes(
    all.map((instance, i) => instance.signIn.withRecoveryCode(pendingSessions[i], codes[0]!, CLIENT_INFO)),
  );
  assert.equal([raced.done.length, raced.refused.length], [1, 3]);
  const other = await Promise.all(all.map(pendingOf));
  const outcomesOfOtherCodes = await outcomes(
    all.map((instance, i) => instance.signIn.withRecoveryCode(other[i], codes[i + 1]!, CLIENT_INFO)),
  );
  assert.is(outcomesOfOtherCodes.done.length, 4);
  assert.is((await here.accounts.get(account.id))!.recovery.length, 5);
});

test('new codes replace the old ones', async () => {
  const people = await startPeople();
  const { session, codes } = await withApp(people);
  assert.is((await refusalOf(people.recovery.regenerate(session, 'not the password', CLIENT_INFO))).code, 'forbidden');
  const newCodes = await people.recovery.regenerate(session, ADA.password, CLIENT_INFO);
  assert.is(newCodes.length, 10);
  await refusalOf(people.signIn.withRecoveryCode(await pendingOf(people), codes[0]!, CLIENT_INFO));
  assert.is((await people.signIn.withRecoveryCode(await pendingOf(people), newCodes[0]!, CLIENT_INFO)).next, 'DONE');
});

test('refuses codes without a second factor', async () => {
  const people = await startPeople();
  const { session } = await signUp(people);
  assert.is(
    (await refusalOf(people.recovery.regenerate(session, ADA.password, CLIENT_INFO))).code,
    'invalid_transition',
  );
});

test('an operator can remove all factors of a person who lost everything', async () => {
  const people = await startPeople();
  const { account } = await withApp(people);
  await people.factors.removeAll(account.id);
  assert.is((await people.signIn.withPassword(ADA.email, ADA.password, CLIENT_INFO)).next, 'DONE');
});

test.run();
