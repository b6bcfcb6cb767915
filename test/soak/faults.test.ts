/**
 * Lets clocks, disks, locks and processes misbehave under load, on each pair of stores, and checks afterwards that nothing
 * was lost, changed or made up:
 *
 *     SOAK_MINUTES=15 npm run test:soak -- soak/faults
 *
 * Not in CI: it takes a quarter of an hour for each pair. It needs a C compiler for the shim.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compileFaultShim, type FaultShim } from '../support/faults/shim.ts';
import { callTool, firstOrganization } from '../support/mcp/call-tool.ts';
import { until } from '../support/run/wait.ts';
import { type Service, startService } from '../support/service.ts';
import { checkStores } from '../support/stores/check-stores.ts';
import { type Pair, startPairs } from '../support/stores/pairs.ts';
import { veritrail } from '../support/stores/shared-pair.ts';
import { Writers } from '../support/stores/writers.ts';

const MINUTES = Number(process.env.SOAK_MINUTES ?? 15);
const LOCKER = fileURLToPath(new URL('../support/faults/lock-database.ts', import.meta.url));
const HOUR_MS = 3_600_000;
const YEAR_MS = 365 * 24 * HOUR_MS;
/** A clock that is wrong for less than 30 s must never reach the log. */
const WRONG_CLOCK_MS = 5_000;
/** After a clock is right again, writes go on within this time. After any other fault, too. */
const RECOVERY_MS = 45_000;
const FIRST_SEAL_MS = 120_000;
/** Past times older than this have answers for ever. */
const SETTLED_MS = 10_000;

/** Characters of a service's output that are shown after a failure. */
const MAX_OUTPUT = 4_000;

/** A service under load, and what a fault may do to it. */
interface Scene {
  pair: Pair;
  shim: FaultShim;
  /** Two instances on the databases, one on the embedded stores. */
  services: Service[];
  token: string;
}

/** A fault that begins while clients write, and has ended when it resolves. */
type Fault = (scene: Scene) => Promise<void>;

const wrongClock =
  (ms: number): Fault =>
  async ({ shim }) => {
    shim.setClock(ms);
    await pause(WRONG_CLOCK_MS);
    shim.setClock(0);
  };

const killed: Fault = async (scene) => {
  const index = Math.floor(Math.random() * scene.services.length);
  await scene.services[index]!.kill();
  scene.services[index] = await start(scene.pair, scene.shim);
};

const paused: Fault = async ({ services }) => {
  const { pid } = services[Math.floor(Math.random() * services.length)]!;
  process.kill(pid, 'SIGSTOP');
  await pause(1_000 + Math.random() * 9_000);
  process.kill(pid, 'SIGCONT');
};

const failingSyncs: Fault = async ({ shim }) => {
  shim.failSyncs(15);
  await pause(5_000);
  shim.failSyncs(0);
};

const foreignLock =
  (file: string): Fault =>
  async ({ pair }) => {
    const locker = spawn(process.execPath, ['--import', 'tsx', LOCKER, join(pair.env.DATA_DIR!, file)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(locker, 'exit');
    await Promise.race([once(locker.stdout, 'data'), ended]);
    await pause(3_000);
    locker.kill('SIGKILL');
    await ended;
  };

const rebuilt: Fault = async ({ pair }) => {
  await veritrail(pair.env, 'rebuild');
};

/** Backs up the running service, restores the file into empty embedded stores, and verifies the history there. */
const restored: Fault = async ({ pair }) => {
  const folder = mkdtempSync(join(tmpdir(), 'veritrail-soak-'));
  try {
    const file = join(folder, 'backup.jsonl.gz');
    await veritrail(pair.env, 'backup', '--to', file);
    await veritrail({ DATA_DIR: join(folder, 'data') }, 'restore', file);
    await assertExportIsValid({ DATA_DIR: join(folder, 'data') });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

const FAULTS: Readonly<Record<string, Fault>> = {
  killed,
  paused,
  'clock an hour ahead': wrongClock(HOUR_MS),
  'clock an hour behind': wrongClock(-HOUR_MS),
  'clock a year ahead': wrongClock(YEAR_MS),
  'clock a year behind': wrongClock(-YEAR_MS),
  rebuilt,
  restored,
};

const EMBEDDED_FAULTS: Readonly<Record<string, Fault>> = {
  'failing syncs': failingSyncs,
  'a lock on the log': foreignLock('events.db'),
  'a lock on the accounts': foreignLock('accounts.db'),
};

for (const pair of await startPairs()) {
  const test = suite(`a soak with faults, on ${pair.name}`);

  test(`${MINUTES} minutes of faults lose, change and make up nothing`, async () => {
    const shim = compileFaultShim();
    try {
      await soak(pair, shim);
    } finally {
      shim.remove();
      await pair.close();
    }
  });

  test.run();
}

async function soak(pair: Pair, shim: FaultShim): Promise<void> {
  const isEmbedded = pair.env.MONGODB_URL === undefined;
  const first = await start(pair, shim);
  // A clock that is a year ahead must not end it, as it would end the first token.
  const created = await veritrail(pair.env, 'token', 'create', '--name', 'soak', '--role', 'EDITOR', '--days', '366');
  const token = created.split('\n')[0]!;
  await until(
    async () => (await callTool(first.url, token, 'listOrganizations')).status === 200,
    5_000,
    'the token works',
  );
  const organization = await firstOrganization(first.url, token);
  const services = isEmbedded ? [first] : [first, await start(pair, shim)];
  const scene: Scene = { pair, shim, services, token };
  const writers = await Writers.create(first.url, token, organization);
  // Without a seal nothing proves an export. The first one is made after a minute.
  const hasSeal = async () => {
    const { body } = await callTool(first.url, token, 'listChanges', { verify: true, view: 'COUNT' });
    return (body.verification as { seal?: object | null } | undefined)?.seal != null;
  };
  await until(hasSeal, FIRST_SEAL_MS, 'the first seal');
  const faults = Object.entries(isEmbedded ? { ...FAULTS, ...EMBEDDED_FAULTS } : FAULTS);
  const pastAnswers = new Map<string, string>();
  const endsAt = performance.now() + MINUTES * 60_000;
  for (let round = 0; performance.now() < endsAt; round++) {
    const [name, fault] = faults[round % faults.length]!;
    await runRound(scene, writers, fault).catch((error: unknown) => {
      for (const { output } of scene.services) console.log(output().slice(-MAX_OUTPUT));
      throw new Error(`${name}, round ${round}: ${error instanceof Error ? error.message : error}`, { cause: error });
    });
    await rememberPast(scene, pastAnswers);
    console.log(
      JSON.stringify({ round, fault: name, acknowledged: writers.acknowledgedCount, past: pastAnswers.size }),
    );
  }
  await assertPastIsUnchanged(scene, pastAnswers);
  await Promise.all(scene.services.map((service) => service.stop()));
  await assertExportIsValid(pair.env);
  await checkStores(pair.env, writers);
}

/** Lets the fault happen while clients write. Afterwards writes must succeed again, and repeated ones are done once. */
async function runRound(scene: Scene, writers: Writers, fault: Fault): Promise<void> {
  const isEmbedded = scene.services.length === 1;
  const firstWrite = writers.writes.length;
  const urls = scene.services.map(({ url }) => url);
  // FerretDB reads a whole collection for each document that it changes, so its writers pause.
  writers.start(urls, scene.token, isEmbedded ? 8 : 4, isEmbedded ? 20 : 500);
  await pause(1_000);
  await fault(scene);
  await writers.stop();
  const { url } = scene.services.at(-1)!;
  const addition = writers.newAddition('Added after the fault');
  const isAccepted = async () => {
    const reply = await callTool(url, scene.token, 'addVendor', addition).catch(() => null);
    return reply?.status === 200;
  };
  await until(isAccepted, RECOVERY_MS, 'writes succeed again');
  await writers.repeat(url, scene.token, writers.writes.slice(firstWrite));
}

/** Asks for the register at a settled time, through each instance, and keeps the answer. */
async function rememberPast(scene: Scene, answers: Map<string, string>): Promise<void> {
  const asOf = new Date(Date.now() - SETTLED_MS - 1_000).toISOString();
  for (const { url } of scene.services) {
    const answer = await pastAnswer(url, scene.token, asOf);
    assert.is(answer, answers.get(asOf) ?? answer, `two instances disagree on ${asOf}`);
    answers.set(asOf, answer);
  }
}

async function assertPastIsUnchanged({ services, token }: Scene, answers: ReadonlyMap<string, string>): Promise<void> {
  for (const [asOf, answer] of answers) {
    for (const { url } of services) assert.is(await pastAnswer(url, token, asOf), answer, `as of ${asOf}`);
  }
}

async function pastAnswer(url: string, token: string, asOf: string): Promise<string> {
  const list = async () => {
    const reply = await callTool(url, token, 'listVendors', { as_of: asOf, size: 100, view: 'FULL' }).catch(() => null);
    return reply?.status === 200 ? reply : null;
  };
  // The url names this instance's address, and cursors are signed anew.
  const { vendors, as_of } = (await until(list, RECOVERY_MS, `an answer as of ${asOf}`)).body;
  return JSON.stringify({ vendors, as_of });
}

async function assertExportIsValid(env: Record<string, string>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'veritrail-soak-'));
  try {
    const file = join(folder, 'export.jsonl.gz');
    await veritrail(env, 'export', '--to', file);
    const key = join(folder, 'key.pem');
    writeFileSync(key, await veritrail(env, 'seal-key'));
    // Exits with 1 unless the export is valid, and then rejects.
    await veritrail(env, 'verify', file, '--key', key);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function start(pair: Pair, shim: FaultShim): Promise<Service> {
  return startService({ ...pair.env, ...shim.env, LOG_LEVEL: 'warn' });
}
