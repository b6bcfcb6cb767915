import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { StoreUnavailable } from '../../../src/stores/errors.ts';
import { openMongoAccountStore } from '../../../src/stores/mongodb/account-store.ts';
import { openMongoReadStore } from '../../../src/stores/mongodb/read-store.ts';
import { find, ids, put, SPECS, vendor } from '../../contract/read-fixtures.ts';
import { until } from '../../support/run/wait.ts';
import { startMongo } from '../../support/stores/mongodb.ts';
import { Relay } from '../../support/stores/relay.ts';

const mongo = await startMongo();
const test = suite(`outage: ${mongo?.name}`);

/** Returns the database's URL through a relay. */
async function relayed(url: string): Promise<{ relay: Relay; url: string }> {
  const [, before, host, port = '27017', path] = /^([a-z]+:\/\/(?:[^@/]*@)?)([^:/,]+)(?::(\d+))?(\/.*)$/.exec(url)!;
  const relay = await Relay.to(Number(port), host);
  const direct = `${path}${path?.includes('?') ? '&' : '?'}directConnection=true`;
  return { relay, url: `${before}127.0.0.1:${relay.port}${direct}` };
}

const refusal = (work: Promise<unknown>) =>
  work.then(
    () => assert.unreachable('it was done'),
    (error: unknown) => error,
  );

const succeeds = (work: Promise<unknown>) =>
  work.then(
    () => true,
    () => false,
  );

test('calls fail as unavailable while the server is down, and succeed when it is up again', async () => {
  const { url, close } = (await startMongo())!;
  const { relay, url: way } = await relayed(url);
  const reads = await openMongoReadStore(way);
  const accounts = await openMongoAccountStore(way);
  const models = await reads.open('g1', SPECS);
  await put(models, 1, [vendor('v1', { name: 'a' })]);
  await relay.disconnect();

  const refused = await Promise.all(
    [
      find(models),
      models.checkpoints(),
      put(models, 2, [vendor('v2', {})]),
      reads.sharedEntry('lease'),
      accounts.get('tokens', 'tok_1'),
      accounts.insert('tokens', { id: 'tok_1' }),
    ].map(refusal),
  );
  for (const error of refused) {
    assert.instance(error, StoreUnavailable);
    assert.not.match((error as Error).message, /127|:\d/);
  }

  await relay.restore();
  await until(() => succeeds(models.recover()), 10_000, 'the read store notices the server');
  assert.is(await ids(find(models)), 'v1');
  await put(models, 2, [vendor('v2', {})]);
  await until(() => succeeds(accounts.get('tokens', 'tok_1')), 10_000, 'the account store notices it, too');
  assert.ok(await accounts.insert('tokens', { id: 'tok_1' }));
  await Promise.all([reads.close(), accounts.close()]);
  await relay.disconnect();
  await close();
});

test('calls fail as unavailable if the server never ran', async () => {
  const deadRelay = await Relay.to(1);
  await deadRelay.disconnect();
  const url = `mongodb://127.0.0.1:${deadRelay.port}/none`;
  for (const error of await Promise.all([refusal(openMongoReadStore(url)), refusal(openMongoAccountStore(url))])) {
    assert.instance(error, StoreUnavailable);
  }
});

if (mongo) {
  test.after(mongo.close);
  test.run();
}
