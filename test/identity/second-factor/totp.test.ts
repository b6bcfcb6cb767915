import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { closeAll, open } from '../../support/identity/identity.ts';
import {
  ADA,
  CLIENT_INFO,
  codeOf,
  outcomes,
  refusalOf,
  signUp,
  startPeople,
  startTwo,
  type TestPeople,
  THIEF,
  withApp,
  wrongCode,
} from '../../support/identity/people.ts';

const test = suite('authenticator apps');

test.after.each(closeAll);

const startSignIn = async (people: TestPeople) =>
  (await people.signIn.withPassword(ADA.email, ADA.password, CLIENT_INFO)).cookie;
const codeAt = (secret: string, people: TestPeople, ms = 0) =>
  codeOf(secret, new Date(people.clock.now().getTime() + ms));

test('generates the codes of RFC 6238', () => {
  // The last six of the eight digits in Appendix B. The secret is 12345678901234567890.
  const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
  assert.is(codeOf(secret, new Date(59_000)), '287082');
  assert.is(codeOf(secret, new Date(1_111_111_109_000)), '081804');
  assert.is(codeOf(secret, new Date(20_000_000_000_000)), '353130');
});

test('shows a secret of 160 bits as text, address and QR code, and the same secret at the next request', async () => {
  const people = await startPeople();
  const { session } = await signUp(people);
  const enrolment = await people.totp.enrol(session);
  assert.match(enrolment.secret, /^([A-Z2-7]{4} ){7}[A-Z2-7]{4}$/);
  const uri = new URL(enrolment.uri);
  assert.is(uri.protocol + uri.host, 'otpauth:totp');
  assert.is(decodeURIComponent(uri.pathname), '/veritrail:Ada@Example.org');
  assert.equal(Object.fromEntries(uri.searchParams), {
    issuer: 'veritrail',
    secret: enrolment.secret.replaceAll(' ', ''),
    algorithm: 'SHA1',
    digits: '6',
    period: '30',
  });
  assert.match(enrolment.qr, /^<svg [^>]*>.*<\/svg>$/s);
  assert.not(/<script|onload|style=/.test(enrolment.qr));
  assert.equal(await people.totp.enrol(session), enrolment);
  people.clock.wait(15 * 60_000 - 1);
  assert.equal(await people.totp.enrol(session), enrolment);
});

test('adds the app only after a correct code', async () => {
  const people = await startPeople();
  const { session, account } = await signUp(people);
  assert.is((await refusalOf(people.totp.add(session, '123456', CLIENT_INFO))).code, 'invalid_transition');
  const { secret } = await people.totp.enrol(session);
  for (const code of [
    wrongCode(secret, people.clock.now()),
    '',
    '12345',
    'abcdef',
    '१२३४५६',
    codeAt(secret, people, -60_000),
  ]) {
    assert.is((await refusalOf(people.totp.add(session, code, CLIENT_INFO))).code, 'forbidden', code);
  }
  assert.is((await people.accounts.get(account.id))!.totp, null);
  assert.is((await people.signIn.withPassword(ADA.email, ADA.password, CLIENT_INFO)).next, 'DONE');
  const code = codeAt(secret, people);
  const codes = await people.totp.add(session, `${code.slice(0, 3)} ${code.slice(3)}`, CLIENT_INFO);
  assert.is(codes!.length, 10);
  assert.equal(
    people.accountEvents.filter(({ type }) => type === 'FACTOR_ADDED'),
    [{ type: 'FACTOR_ADDED', account_id: account.id, factor: 'TOTP', clientInfo: CLIENT_INFO }],
  );
});

test('adding an app requires a recent authentication, such as the password', async () => {
  const people = await startPeople();
  const { session, cookie } = await signUp(people);
  people.clock.wait(15 * 60_000);
  const refusal = await refusalOf(people.totp.enrol(session));
  assert.equal([refusal.code, /confirm your password/.test(refusal.message)], ['forbidden', true]);
  assert.is(
    (await refusalOf(people.recentAuthentication.confirmPassword(session, 'not the password', CLIENT_INFO))).code,
    'forbidden',
  );
  await refusalOf(people.totp.enrol((await people.sessions.find(cookie))!));
  const renewed = await people.recentAuthentication.confirmPassword(session, ADA.password, CLIENT_INFO);
  assert.is(await people.sessions.find(cookie), null);
  assert.ok(await people.totp.enrol((await people.sessions.find(renewed.cookie))!));
});

test('throttles guessing the password of a stolen session', async () => {
  const people = await startPeople();
  const { session } = await signUp(people);
  for (let i = 0; i < 5; i++)
    await refusalOf(people.recentAuthentication.confirmPassword(session, `guess number ${i}`, THIEF));
  assert.is(
    (await refusalOf(people.recentAuthentication.confirmPassword(session, ADA.password, THIEF))).code,
    'rate_limited',
  );
});

test('an account has one app, even if two are added at once', async () => {
  const [here, there] = await startTwo();
  const { session } = await signUp(here);
  const other = await here.signIn.withPassword(ADA.email, ADA.password, CLIENT_INFO);
  const first = await here.totp.enrol(session);
  const second = await there.totp.enrol(other.session);
  assert.is.not(first.secret, second.secret);
  const { done, refused } = await outcomes([
    here.totp.add(session, codeAt(first.secret, here), CLIENT_INFO),
    there.totp.add(other.session, codeAt(second.secret, here), CLIENT_INFO),
  ]);
  assert.equal([done.length, refused.length], [1, 1]);
  assert.is((await refusalOf(here.totp.enrol(session))).code, 'invalid_transition');
});

for (const [ms, isAccepted] of [
  [-60_000, false],
  [-30_000, true],
  [0, true],
  [30_000, true],
  [60_000, false],
] as const) {
  test(`${isAccepted ? 'accepts' : 'refuses'} a code from a clock that is ${ms / 1000} s off`, async () => {
    const people = await startPeople();
    const { secret } = await withApp(people);
    people.clock.wait(60_000);
    const signIn = people.signIn.withTotp(await startSignIn(people), codeAt(secret, people, ms), CLIENT_INFO);
    if (isAccepted) assert.is((await signIn).next, 'DONE');
    else assert.is((await refusalOf(signIn)).code, 'forbidden');
  });
}

test('replay: a code works once, and no earlier code works after it', async () => {
  const people = await startPeople();
  const { secret } = await withApp(people);
  const [early, now] = [codeAt(secret, people, -30_000), codeAt(secret, people)];
  await people.signIn.withTotp(await startSignIn(people), now, CLIENT_INFO);
  for (const code of [now, early]) {
    assert.is((await refusalOf(people.signIn.withTotp(await startSignIn(people), code, THIEF))).code, 'forbidden');
  }
  people.clock.wait(30_000);
  assert.is((await refusalOf(people.signIn.withTotp(await startSignIn(people), now, THIEF))).code, 'forbidden');
  assert.is(
    (await people.signIn.withTotp(await startSignIn(people), codeAt(secret, people), CLIENT_INFO)).next,
    'DONE',
  );
});

test('replay: the code that added the app does not sign in', async () => {
  const people = await startPeople();
  const { session } = await signUp(people);
  const { secret } = await people.totp.enrol(session);
  const code = codeAt(secret, people);
  await people.totp.add(session, code, CLIENT_INFO);
  assert.is((await refusalOf(people.signIn.withTotp(await startSignIn(people), code, THIEF))).code, 'forbidden');
});

test('replay: if several instances get the same code at once, only one accepts it', async () => {
  const [here, there] = await startTwo();
  const { secret } = await withApp(here);
  const thirdInstance = await startPeople(await open(here.identity.dataDir, here.clock));
  const all = [here, there, thirdInstance, here, there];
  const pending = await Promise.all(all.map(startSignIn));
  const code = codeAt(secret, here);
  const { done, refused } = await outcomes(
    all.map((instance, i) => instance.signIn.withTotp(pending[i], code, CLIENT_INFO)),
  );
  assert.equal([done.length, refused.length], [1, 4]);
});

test('removing the app requires a recent authentication. Afterwards, sign-in needs only the password', async () => {
  const people = await startPeople();
  const { session, account } = await withApp(people);
  assert.is((await refusalOf(people.totp.remove(session, 'not the password', THIEF))).code, 'forbidden');
  people.clock.wait(15 * 60_000);
  assert.is((await refusalOf(people.totp.remove(session, null, THIEF))).code, 'forbidden');
  await people.totp.remove(session, ADA.password, CLIENT_INFO);
  const { totp, recovery } = (await people.accounts.get(account.id))!;
  assert.equal([totp, recovery], [null, []]);
  assert.is((await people.signIn.withPassword(ADA.email, ADA.password, CLIENT_INFO)).next, 'DONE');
  assert.is((await refusalOf(people.totp.remove(session, ADA.password, CLIENT_INFO))).code, 'not_found');
  assert.is(people.accountEvents.filter(({ type }) => type === 'FACTOR_REMOVED').length, 1);
});

test('the access log contains no code', async () => {
  const people = await startPeople();
  const { secret, codes } = await withApp(people);
  const code = codeAt(secret, people);
  await people.signIn.withTotp(await startSignIn(people), code, CLIENT_INFO);
  const loggedText = JSON.stringify(people.accountEvents);
  for (const text of [secret, secret.replaceAll(' ', ''), code, codes[0]!, ADA.password])
    assert.not(loggedText.includes(text));
});

test.run();
