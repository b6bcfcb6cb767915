import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openEventStoreDb } from '../../../src/stores/eventstoredb/event-store.ts';
import { startFakeEventStoreDb } from '../fake-eventstoredb/server.ts';
import { freePort } from '../run/free-port.ts';
import { until } from '../run/wait.ts';

/** An EventStoreDB on loopback, empty at first: a real one if EVENTSTORE_COMMAND is set, else the fake. */
export interface EventStoreServer {
  /** Shown in the names of suites. */
  name: string;
  url: string;
  port: number;
  close(): Promise<void>;
}

/** A server in its own process, which a test may kill and pause. */
export interface EventStoreProcess extends EventStoreServer {
  /** Kills the server with SIGKILL, as a power cut would. */
  kill(): Promise<void>;
  /** Restarts the server on the same port and folder. */
  start(): Promise<void>;
  /** Pauses the server with SIGSTOP. Its connections stay open. */
  pause(): void;
  resume(): void;
}

const READY_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 30_000;

/** EVENTSTORE_COMMAND runs one insecure node in the foreground. It is called with a folder and a port. */
const { EVENTSTORE_COMMAND = '', EVENTSTORE_SIGNALS = '1' } = process.env;

export const hasRealEventStore = EVENTSTORE_COMMAND !== '';

const FAKE_MAIN = fileURLToPath(new URL('../fake-eventstoredb/main.ts', import.meta.url));
/** The fake as EVENTSTORE_COMMAND. Its log is in memory, so it doesn't survive the process. */
const FAKE_COMMAND = `"${process.execPath}" --import tsx "${FAKE_MAIN}"`;

/** The server's output, in its folder. */
const OUTPUT_FILE = 'output.txt';
const OUTPUT_CHARACTERS = 2_000;

const children = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

export async function startEventStore(): Promise<EventStoreServer> {
  if (hasRealEventStore) return startEventStoreProcess();
  const fake = await startFakeEventStoreDb();
  return { name: 'EventStoreDB (fake)', url: fake.url, port: fake.port, close: () => fake.close() };
}

/** Returns true if a test may kill and pause a real server. If not, says why on standard output. */
export function canKillEventStore(): boolean {
  if (!hasRealEventStore) console.log('skipped: EVENTSTORE_COMMAND is not set, so there is no server to kill');
  else if (EVENTSTORE_SIGNALS === '0') console.log('skipped: EVENTSTORE_SIGNALS=0, so the server cannot be killed');
  else return true;
  return false;
}

/** Starts an event store in a process of its own: the one of EVENTSTORE_COMMAND, else the fake. */
export async function startEventStoreProcess(): Promise<EventStoreProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'veritrail-eventstore-'));
  const port = await freePort();
  const url = `esdb://127.0.0.1:${port}?tls=false`;
  let child = await startProcess(folder, port, url);
  const stopWith = async (signal: NodeJS.Signals) => {
    if (!children.has(child)) return;
    child.ref();
    child.kill(signal);
    await until(() => !children.has(child), STOP_TIMEOUT_MS, `the event store exits after ${signal}`);
  };
  return {
    name: hasRealEventStore ? 'EventStoreDB' : 'EventStoreDB (fake)',
    url,
    port,
    kill: () => stopWith('SIGKILL'),
    start: async () => {
      child = await startProcess(folder, port, url);
    },
    pause: () => child.kill('SIGSTOP'),
    resume: () => child.kill('SIGCONT'),
    close: async () => {
      await stopWith('SIGTERM').catch(() => stopWith('SIGKILL'));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Runs the command and waits until the node answers as the leader. */
async function startProcess(folder: string, port: number, url: string): Promise<ChildProcess> {
  // `exec` replaces the shell with the command, so signals reach the command.
  const command = EVENTSTORE_COMMAND || FAKE_COMMAND;
  const output = openSync(join(folder, OUTPUT_FILE), 'a');
  const stdio = ['ignore', output, output] as const;
  const child = spawn('sh', ['-c', `exec ${command} "$0" "$1"`, folder, String(port)], { stdio: [...stdio] });
  closeSync(output);
  children.add(child);
  child.unref();
  void once(child, 'exit').then(() => children.delete(child));
  const store = openEventStoreDb(url);
  const isReady = async () => {
    if (!children.has(child)) {
      throw new Error(`the event store ended with ${child.exitCode ?? child.signalCode}:\n${endOfOutput(folder)}`);
    }
    return store.readStream('veritrail-ready').then(
      () => true,
      () => false,
    );
  };
  try {
    await until(isReady, READY_TIMEOUT_MS, 'the event store answers as leader');
    return child;
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  } finally {
    await store.close();
  }
}

function endOfOutput(folder: string): string {
  return readFileSync(join(folder, OUTPUT_FILE), 'utf8').slice(-OUTPUT_CHARACTERS);
}
