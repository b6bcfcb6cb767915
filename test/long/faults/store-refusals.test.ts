import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startFakeEventStoreDb } from '../../support/fake-eventstoredb/server.ts';

/** Databases that can't be used. Each cause has its own message, and no output contains a password. */
const test = suite<{ cleanup: (() => unknown)[] }>('databases that cannot be used');

test.before.each((context) => {
  context.cleanup = [];
});
test.after.each(async ({ cleanup }) => {
  for (const cleanUp of cleanup) await cleanUp();
});

const TSX = createRequire(import.meta.url).resolve('tsx');
const OPEN_STORES_PROCESS = fileURLToPath(new URL('../../support/stores/open-stores-process.ts', import.meta.url));
const pemPath = (name: string) => fileURLToPath(new URL(`../../fixtures/tls/${name}.pem`, import.meta.url));
const certificate = readFileSync(pemPath('certificate'));
const key = readFileSync(pemPath('key'));
const CA = `tlsCAFile=${encodeURIComponent(pemPath('certificate'))}`;
const PASSWORD = 'topsecret';

/** Opens them in one process. Returns a message for each, and the output of both streams. */
async function open(environments: readonly Record<string, string>[]): Promise<{ messages: string[]; printed: string }> {
  const env = { ...process.env, ENVIRONMENTS: JSON.stringify(environments), NODE_EXTRA_CA_CERTS: '' };
  const result = await promisify(execFile)(process.execPath, ['--import', TSX, OPEN_STORES_PROCESS], { env });
  return { messages: result.stdout.trim().split('\n'), printed: result.stdout + result.stderr };
}

async function check(setting: string, cases: readonly [string, RegExp][]): Promise<void> {
  const { messages, printed } = await open(cases.map(([url]) => ({ [setting]: url })));
  assert.is(messages.length, cases.length);
  for (const [index, [, expected]] of cases.entries()) assert.match(messages[index]!, expected);
  assert.not.match(printed, new RegExp(`${PASSWORD}|esdb:|mongodb:|://`));
}

test('EventStoreDB', async ({ cleanup }) => {
  const user = { name: 'ops', password: PASSWORD, canReadAll: true };
  const plain = await startFakeEventStoreDb();
  const secured = await startFakeEventStoreDb({ tls: { certificate, key }, user });
  const narrow = await startFakeEventStoreDb({ tls: { certificate, key }, user: { ...user, canReadAll: false } });
  const electing = await startFakeEventStoreDb();
  electing.faults.withoutLeader = 'NOT_READY';
  cleanup.push(...[plain, secured, narrow, electing].map((fake) => () => fake.close()));
  const urlOf = ({ port }: { port: number }, who = `ops:${PASSWORD}@`) => `esdb://${who}127.0.0.1:${port}`;
  await check('EVENTSTORE_URL', [
    [`${urlOf(secured)}?${CA}`, /^opened$/],
    [`${urlOf(secured, `ops:${PASSWORD}x@`)}?${CA}`, /EVENTSTORE_URL.*refuses the user or the password/],
    [`${urlOf(secured, '')}?${CA}`, /EVENTSTORE_URL.*without a user/],
    [`${urlOf(narrow)}?${CA}`, /EVENTSTORE_URL.*may not read \$all/],
    [urlOf(secured), /EVENTSTORE_URL.*certificate is not trusted.*tlsCAFile/],
    [`${urlOf(secured)}?tlsCAFile=%2Fno%2Fsuch.pem`, /EVENTSTORE_URL.*tlsCAFile that cannot be read/],
    [
      `${urlOf(secured)}?tlsCAFile=${encodeURIComponent(fileURLToPath(import.meta.url))}`,
      /EVENTSTORE_URL names cannot be used: it names a file in tlsCAFile that is not PEM/,
    ],
    [`${urlOf(electing, '')}?tls=false`, /EVENTSTORE_URL.*no node says that it leads/],
    [urlOf(plain), /EVENTSTORE_URL.*does not speak TLS/],
    [`${urlOf(secured, '')}?tls=false`, /EVENTSTORE_URL.*perhaps it expects TLS/],
    ['esdb://127.0.0.1:1?tls=false', /EVENTSTORE_URL.*nothing listens/],
    ['esdb://nowhere.invalid?tls=false', /EVENTSTORE_URL.*host name is not known/],
    ['esdb+discover://127.0.0.1:1?tls=false', /EVENTSTORE_URL.*nothing listens/],
    ['esdb+discover://nowhere.invalid?tls=false', /EVENTSTORE_URL.*host name is not known/],
    [urlOf(secured).replace('esdb:', 'esdb+discover:'), /EVENTSTORE_URL.*certificate is not trusted.*tlsCAFile/],
    [urlOf(plain).replace('esdb:', 'esdb+discover:'), /EVENTSTORE_URL.*does not speak TLS/],
    [
      `${urlOf(secured, `ops:${PASSWORD}x@`)}?${CA}`.replace('esdb:', 'esdb+discover:'),
      /EVENTSTORE_URL.*refuses the user/,
    ],
    [`${urlOf(secured)}?tlsVerifyCert=false`, /EVENTSTORE_URL.*tlsVerifyCert/],
    [`esdb://ops:${PASSWORD}@:@127.0.0.1`, /EVENTSTORE_URL.*percent-encode/],
  ]);
});

test('MongoDB', async ({ cleanup }) => {
  const tls = createServer({ cert: certificate, key }).listen(0, '127.0.0.1');
  await once(tls, 'listening');
  const { port } = tls.address() as AddressInfo;
  const plain = await startFakeEventStoreDb();
  cleanup.push(
    () => plain.close(),
    () => tls.close(),
  );
  const urlOf = (to: number) => `mongodb://ops:${PASSWORD}@127.0.0.1:${to}/grc`;
  await check('MONGODB_URL', [
    [`${urlOf(port)}?tls=true`, /MONGODB_URL.*certificate is not trusted.*tlsCAFile/],
    [`${urlOf(port)}?tls=true&tlsCAFile=/no/such.pem`, /MONGODB_URL.*file that it names cannot be read/],
    [`${urlOf(plain.port)}?tls=true`, /MONGODB_URL.*does not speak TLS/],
    [urlOf(1), /MONGODB_URL.*nothing listens/],
    [`mongodb://ops:${PASSWORD}@nowhere.invalid/grc`, /MONGODB_URL.*host name is not known/],
    [`${urlOf(1)}?nosuch=1`, /MONGODB_URL.*option that the driver does not know/],
    [`mongodb://ops:p@${PASSWORD}@127.0.0.1/grc`, /MONGODB_URL.*percent-encode/],
  ]);
});

test.run();
