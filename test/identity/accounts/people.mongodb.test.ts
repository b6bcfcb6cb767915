/** Steps of accounts that must be atomic, on MongoDB with two instances. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openMongoAccountStore } from '../../../src/stores/mongodb/account-store.ts';
import { closeAll, open } from '../../support/identity/identity.ts';
import {
  ADA,
  BASE_URL,
  CLIENT_INFO,
  codeOf,
  EVE,
  LIGHT,
  outcomes,
  refusalOf,
  signUp,
  startPeople,
  type TestPeople,
  THIEF,
  withApp,
} from '../../support/identity/people.ts';
import { SoftwareKey } from '../../support/identity/software-key.ts';
import { startMongo } from '../../support/stores/mongodb.ts';

const mongo = await startMongo();
if (mongo) {
  const test = suite(`people: ${mongo.name}`);
  let closing: (() => Promise<void>)[] = [];

  async function startBoth(): Promise<[TestPeople, TestPeople]> {
    const { url, close } = (await startMongo())!;
    const identity = await open();
    const instance = async () => {
      const accounts = await openMongoAccountStore(url);
      closing.push(() => accounts.close());
      return startPeople({ ...identity, accounts }, { hasher: LIGHT });
    };
    const both: [TestPeople, TestPeople] = [await instance(), await instance()];
    closing.push(close);
    return both;
  }

  const pendingOf = (people: TestPeople) => people.signIn.withPassword(ADA.email, ADA.password, CLIENT_INFO);

  test.after.each(async () => {
    for (const close of closing) await close();
    closing = [];
    await closeAll();
  });

  test('creates one account for an address', async () => {
    const [here, there] = await startBoth();
    const creations = [here, there, here, there].map((instance) => instance.accounts.create(ADA, CLIENT_INFO));
    assert.is((await outcomes(creations)).done.length, 1);
  });

  test('a code, a recovery code and a key’s answer work once', async () => {
    const [here, there] = await startBoth();
    const { secret, codes, session, account } = await withApp(here);
    const all = [here, there, here, there];
    const code = codeOf(secret, here.clock.now());
    const used = await Promise.all(all.map((instance) => instance.totp.use(account.id, code)));
    assert.is(used.filter(Boolean).length, 1);
    const codesLeft = await Promise.all(all.map((instance) => instance.recovery.use(account.id, codes[0]!)));
    assert.is(codesLeft.filter((instance) => instance === 9).length, 1);
    const codesLeftByInstance = await Promise.all(
      all.map((instance, i) => instance.recovery.use(account.id, codes[i + 1]!)),
    );
    assert.equal(codesLeftByInstance.sort(), [5, 6, 7, 8]);

    const key = new SoftwareKey(BASE_URL);
    const response = key.create(await here.passkeys.registrationOptions(session));
    await there.passkeys.register(session, 'Key', response, CLIENT_INFO);
    const pending = (await pendingOf(here)).session;
    const answer = key.get(await here.passkeys.authenticationOptions(pending));
    const accepted = await Promise.all(all.map((instance) => instance.passkeys.use(pending, answer)));
    assert.is(accepted.filter(Boolean).length, 1);
    const turned = await outcomes(all.map((instance) => instance.sessions.completeSecondFactor(pending, CLIENT_INFO)));
    assert.is(turned.done.length, 1);
  });

  test('a link works once', async () => {
    const [here, there] = await startBoth();
    const { session } = await signUp(here);
    const { secret } = await here.links.create({
      kind: 'INVITATION',
      organization_id: 'org_A',
      role: 'EDITOR',
      made_by: 'SYSTEM',
    });
    const acceptances = [here, there, here, there].map((instance) => instance.welcome.accept(secret, session));
    assert.is((await outcomes(acceptances)).done.length, 1);
  });

  test('both instances count failures together, and lose none', async () => {
    const [here, there] = await startBoth();
    await signUp(here);
    const guesses = Array.from({ length: 12 }, (_, i) =>
      (i % 2 === 0 ? here : there).signIn.withPassword(ADA.email, `guess number ${i}`, THIEF),
    );
    const { refused } = await outcomes(guesses);
    assert.is(refused.filter(({ message }) => message.startsWith('The e-mail address')).length, 5);
    assert.is((await refusalOf(there.signIn.withPassword(ADA.email, ADA.password, CLIENT_INFO))).code, 'rate_limited');
  });

  test('a new password, a reset and an erasure take effect on the other instance at once', async () => {
    const [here, there] = await startBoth();
    const { session, cookie } = await signUp(here);
    const eve = await signUp(here, EVE);
    const next = await here.accounts.changePassword(session, ADA.password, 'a password that is new', CLIENT_INFO);
    assert.is(await there.sessions.find(cookie), null);
    assert.ok(await there.sessions.find(next.cookie));
    await there.accounts.erase(eve.session, EVE.password, CLIENT_INFO);
    assert.is(await here.sessions.find(eve.cookie), null);
    assert.is((await here.accounts.get(eve.account.id))!.name, null);
    assert.is((await signUp(here, EVE)).next, 'DONE');
  });

  test.after(mongo.close);
  test.run();
}
