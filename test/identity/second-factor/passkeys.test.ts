import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { closeAll } from '../../support/identity/identity.ts';
import {
  ADA,
  BASE_URL,
  CLIENT_INFO,
  EVE,
  refusalOf,
  type SignedUp,
  signUp,
  startPeople,
  startTwo,
  type TestPeople,
  THIEF,
  withApp,
} from '../../support/identity/people.ts';
import { SoftwareKey } from '../../support/identity/software-key.ts';

const test = suite('passkeys');

test.after.each(closeAll);

async function withKey(people: TestPeople, person = ADA): Promise<SignedUp & { key: SoftwareKey; codes: string[] }> {
  const account = await signUp(people, person);
  const key = new SoftwareKey(BASE_URL);
  const response = key.create(await people.passkeys.registrationOptions(account.session));
  const codes = await people.passkeys.register(account.session, 'Key on my ring', response, CLIENT_INFO);
  return { ...account, key, codes: codes! };
}

const pendingOf = (people: TestPeople, person = ADA) =>
  people.signIn.withPassword(person.email, person.password, CLIENT_INFO);

test('adds a passkey, which then signs in', async () => {
  const people = await startPeople();
  const { account, key, codes } = await withKey(people);
  assert.is(codes.length, 10, 'the first factor brings recovery codes');
  const pending = await pendingOf(people);
  assert.equal([pending.next, pending.factors], ['SECOND_FACTOR', ['PASSKEY', 'RECOVERY_CODE']]);
  const options = await people.passkeys.authenticationOptions(pending.session);
  assert.is(options.rpId, 'register.example.org');
  assert.equal(
    options.allowCredentials?.map(({ id }) => id),
    [key.id.toString('base64url')],
  );
  people.clock.wait(1_000);
  const done = await people.signIn.withPasskey(pending.cookie, key.get(options), CLIENT_INFO);
  assert.is.not(done.cookie, pending.cookie);
  assert.ok(await people.sessions.find(done.cookie));
  const [passkey] = await people.passkeys.list(account.id);
  assert.equal(
    [passkey!.name, passkey!.counter, passkey!.last_used_at],
    ['Key on my ring', 1, people.clock.now().toISOString()],
  );
});

test('sends these options to the browser', async () => {
  const people = await startPeople();
  const { session, account, key } = await withKey(people);
  const options = await people.passkeys.registrationOptions(session);
  assert.equal(options.rp, { name: 'veritrail', id: 'register.example.org' });
  assert.is(options.attestation, 'none');
  assert.is(options.authenticatorSelection?.userVerification, 'preferred');
  assert.equal(
    options.excludeCredentials?.map(({ id }) => id),
    [key.id.toString('base64url')],
  );
  assert.is(Buffer.from(options.user.id, 'base64url').toString(), account.id, 'no name or address as the user’s id');
});

test('an answer uses up its challenge, right or wrong', async () => {
  const [here, there] = await startTwo();
  const { key } = await withKey(here);
  const pending = await pendingOf(here);
  const options = await here.passkeys.authenticationOptions(pending.session);
  const response = key.get(options);
  const used = await Promise.all([here, there].map((people) => people.passkeys.use(pending.session, response)));
  assert.equal(used.filter(Boolean).length, 1);
  assert.not(await here.passkeys.use(pending.session, response));
  assert.not(await here.passkeys.use(pending.session, key.get(options)));
  await here.passkeys.authenticationOptions(pending.session);
  assert.not(await here.passkeys.use(pending.session, {}));
  assert.not(await here.passkeys.use(pending.session, key.get(options)), 'the previous challenge');
});

test('refuses an answer to another session’s challenge', async () => {
  const people = await startPeople();
  const { key } = await withKey(people);
  const [pending, other] = [await pendingOf(people), await pendingOf(people)];
  const options = await people.passkeys.authenticationOptions(pending.session);
  await people.passkeys.authenticationOptions(other.session);
  assert.is((await refusalOf(people.signIn.withPasskey(other.cookie, key.get(options), THIEF))).code, 'forbidden');
});

test('refuses a key whose counter goes back', async () => {
  const people = await startPeople();
  const { key } = await withKey(people);
  const pending = await pendingOf(people);
  key.counter = 40;
  assert.ok(
    await people.passkeys.use(pending.session, key.get(await people.passkeys.authenticationOptions(pending.session))),
  );
  for (const [counter, good] of [
    [5, false],
    [40, false],
    [41, true],
  ] as const) {
    key.counter = counter;
    const options = await people.passkeys.authenticationOptions(pending.session);
    assert.is(await people.passkeys.use(pending.session, key.get(options)), good, `after ${counter}`);
  }
});

test('admits only one of two key copies with the same counter', async () => {
  const [here, there] = await startTwo();
  const { key } = await withKey(here);
  const uses = [];
  for (const people of [here, there]) {
    const { session } = await pendingOf(people);
    key.counter = 7;
    const response = key.get(await people.passkeys.authenticationOptions(session));
    uses.push(() => people.passkeys.use(session, response));
  }
  const used = await Promise.all(uses.map((use) => use()));
  assert.equal(used.filter(Boolean).length, 1);
});

test('refuses another page’s answer, another key, another person’s key, and malformed input', async () => {
  const people = await startPeople();
  const { key } = await withKey(people);
  const eve = await withKey(people, EVE);
  const phished = Object.assign(Object.create(key) as SoftwareKey, {
    origin: 'https://register.example.org.evil.example',
  });
  const bad = new SoftwareKey(BASE_URL);
  Object.assign(bad, { id: key.id });
  const tries: ((options: Parameters<SoftwareKey['get']>[0]) => unknown)[] = [
    (options) => phished.get(options),
    (options) => bad.get(options),
    (options) => eve.key.get(options),
    (options) => key.get({ ...options, rpId: 'example.org' }),
    (options) => ({ ...key.get(options), type: 'password' }),
    (options) => ({ ...key.get(options), response: null }),
    () => null,
    () => 'text',
    () => ({ id: { $ne: '' } }),
    () => ({ id: '__proto__' }),
  ];
  for (const [i, answer] of tries.entries()) {
    const pending = await pendingOf(people);
    const options = await people.passkeys.authenticationOptions(pending.session);
    const refusal = await refusalOf(people.signIn.withPasskey(pending.cookie, answer(options), THIEF));
    assert.is(refusal.code, 'forbidden', `try ${i}`);
    assert.is(await people.sessions.find(pending.cookie), null);
  }
});

test('five wrong answers end the pending session', async () => {
  const people = await startPeople();
  await withKey(people);
  const { cookie } = await pendingOf(people);
  for (let i = 0; i < 5; i++) await refusalOf(people.signIn.withPasskey(cookie, {}, THIEF));
  assert.is(await people.sessions.findPending(cookie), null);
});

test('refuses to add a key without the challenge, from another page, twice, from malformed input, or long after sign-in', async () => {
  const people = await startPeople();
  const { session } = await signUp(people);
  const { passkeys } = people;
  const key = new SoftwareKey(BASE_URL);
  const options = await passkeys.registrationOptions(session);
  const register = (response: unknown) => passkeys.register(session, 'Key', response, CLIENT_INFO);
  assert.is((await refusalOf(register(key.create({ ...options, challenge: 'bm90IGl0' })))).code, 'forbidden');
  assert.is((await refusalOf(register(key.create(options)))).code, 'forbidden', 'the challenge is used up');
  const evil = new SoftwareKey('https://evil.example');
  for (const response of [evil.create(await passkeys.registrationOptions(session)), null, {}, { id: 1 }]) {
    await passkeys.registrationOptions(session);
    assert.is((await refusalOf(register(response))).code, 'forbidden');
  }
  assert.is((await refusalOf(passkeys.register(session, ' ', {}, CLIENT_INFO))).code, 'invalid_input');
  assert.ok(await register(key.create(await passkeys.registrationOptions(session))));
  assert.is((await refusalOf(register(key.create(await passkeys.registrationOptions(session))))).code, 'conflict');
  people.clock.wait(15 * 60_000);
  assert.is((await refusalOf(passkeys.registrationOptions(session))).code, 'forbidden');
});

test('a second factor creates no new recovery codes, and removing the last factor removes them', async () => {
  const people = await startPeople();
  const { session, account } = await withApp(people);
  const key = new SoftwareKey(BASE_URL);
  const response = key.create(await people.passkeys.registrationOptions(session));
  assert.is(await people.passkeys.register(session, 'Key', response, CLIENT_INFO), null);
  await people.totp.remove(session, ADA.password, CLIENT_INFO);
  const pending = await pendingOf(people);
  assert.equal(pending.factors, ['PASSKEY', 'RECOVERY_CODE']);
  await people.passkeys.remove(session, key.id.toString('base64url'), ADA.password, CLIENT_INFO);
  assert.equal((await people.accounts.get(account.id))!.recovery, []);
  assert.is((await pendingOf(people)).next, 'DONE');
});

test('only its owner removes a passkey', async () => {
  const people = await startPeople();
  const { session, key, account } = await withKey(people);
  const eve = await signUp(people, EVE);
  const id = key.id.toString('base64url');
  assert.is((await refusalOf(people.passkeys.remove(eve.session, id, EVE.password, THIEF))).code, 'not_found');
  assert.is((await refusalOf(people.passkeys.remove(session, id, 'not the password', THIEF))).code, 'forbidden');
  assert.is((await people.passkeys.list(account.id)).length, 1);
});

for (const [address, available] of [
  ['https://register.example.org', true],
  ['http://localhost:8080', true],
  ['http://127.0.0.1:8080', false],
  ['http://[::1]:8080', false],
] as const) {
  test(`at ${address} there are ${available ? '' : 'no '}passkeys`, async () => {
    const people = await startPeople(undefined, { baseUrl: address });
    assert.is(people.passkeys.available, available);
    const { session } = await signUp(people);
    if (!available) {
      assert.is((await refusalOf(people.passkeys.registrationOptions(session))).code, 'invalid_transition');
    } else {
      const key = new SoftwareKey(address);
      const response = key.create(await people.passkeys.registrationOptions(session));
      assert.ok(await people.passkeys.register(session, 'Key', response, CLIENT_INFO));
    }
  });
}

test.run();
