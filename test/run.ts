/**
 * Runs the test files, one after another in a few processes, and ends with the line `N passed, N failed`.
 *
 *     tsx test/run.ts [--long] [--browser] [--soak] [--servers] [part of a path …]
 *
 * Files run that have any of the parts in their path. `--long`, `--browser` and `--soak` run that folder instead of the
 * quick tests.
 *
 * The tests that can run on both pairs of stores run on the embedded pair, or with `--servers` on the other.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { exitCodeIn, type Outcome, readOutcome, withoutEnd } from './support/run/outcome.ts';
import { selectFiles, separateFolderOf } from './support/run/selection.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const LANES = 2;
/** A file that takes longer is killed and fails. */
const FILE_TIMEOUT_MS = 120_000;
const SEPARATE_TIMEOUT_MS = 480_000;
const SOAK_TIMEOUT_MS = 7_200_000;

/** A process that runs one file after another, see support/lane.ts. */
interface Lane {
  child: ChildProcess;
  /** Output since its last file ended. */
  output: string;
  /** Its exit code, once it has ended. */
  closed: Promise<number | null>;
}

const running = new Set<ChildProcess>();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    for (const child of running) killGroup(child);
    process.exit(1);
  });
}

const args = process.argv.slice(2);
/** A soak takes long, so its output is printed as it comes. */
const printsAtOnce = args.includes('--soak');
const onServers = args.includes('--servers');
const files = selectFiles(findTests(), args);
/** Read by support/stores/mongodb.ts. A run in separate folders, or with a real database, is for both pairs. */
const storesOfRun = onServers ? 'servers' : files.some(separateFolderOf) ? '' : 'embedded';
const serialFiles = new Set(files.filter(isAlone));
files.sort((one, other) => Number(serialFiles.has(other)) - Number(serialFiles.has(one)));
if (files.length === 0) console.log('No test file matches.');

const sum: Outcome = { passed: 0, failed: files.length === 0 ? 1 : 0, skipped: 0, skippedFiles: 0 };
await Promise.all(Array.from({ length: LANES }, work));
if (sum.skipped > 0) console.log(`${sum.skipped} skipped`);
if (sum.skippedFiles > 0) console.log(`Skipped whole files: ${sum.skippedFiles}; each says why.`);
console.log(`${sum.passed} passed, ${sum.failed} failed`);
process.exitCode = sum.failed > 0 ? 1 : 0;

/** Runs files until none is left. A process in which a file failed is not used again. */
async function work(): Promise<void> {
  let lane: Lane | undefined;
  for (let file = files.shift(); file !== undefined; file = files.shift()) {
    lane ??= startLane();
    const outcome = await runFile(file, lane);
    sum.passed += outcome.passed;
    sum.failed += outcome.failed;
    sum.skipped += outcome.skipped;
    sum.skippedFiles += outcome.skippedFiles;
    if (outcome.failed === 0 && !serialFiles.has(file)) continue;
    await endLane(lane);
    lane = undefined;
  }
  if (lane) await endLane(lane);
}

function timeoutOf(folder: string | undefined): number {
  if (folder === undefined) return FILE_TIMEOUT_MS;
  return folder === 'soak' ? SOAK_TIMEOUT_MS : SEPARATE_TIMEOUT_MS;
}

function findTests(): string[] {
  return readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
    .map((file) => join('test', file))
    .filter((file) => file.endsWith('.test.ts') && existsSync(join(ROOT, file)))
    .filter(
      (file) =>
        !onServers || /\b(startPairs|onBothPairs|startSecondPair|startMongo|startRelayedPair)\(/.test(readTest(file)),
    )
    .sort();
}

/** Returns true if a file needs its own process. Such a file has a line that says so, with the reason. */
function isAlone(file: string): boolean {
  return separateFolderOf(file) !== undefined || /^\/\/ In a process of its own: /m.test(readTest(file));
}

function readTest(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8');
}

function startLane(): Lane {
  // In a new process group, to stop processes that a test left running.
  const child = spawn(process.execPath, ['--import', 'tsx', join(ROOT, 'test/support/run/lane.ts')], {
    cwd: ROOT,
    env: { ...process.env, TEST_STORES: storesOfRun },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  running.add(child);
  const lane: Lane = { child, output: '', closed: once(child, 'close').then(([code]) => code) };
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      lane.output += text;
      if (printsAtOnce) process.stdout.write(withoutEnd(text));
    });
  }
  child.once('exit', () => killGroup(child));
  return lane;
}

async function endLane({ child, closed }: Lane): Promise<void> {
  if (child.connected) child.send('', () => undefined);
  await closed;
  running.delete(child);
}

/** Waits for the end of a file, or of the process. */
async function exitCodeOf(lane: Lane): Promise<number | null> {
  const closed = lane.closed.then(() => 'closed');
  while (exitCodeIn(lane.output) === null) {
    const more = once(lane.child.stdout!, 'data');
    if ((await Promise.race([more, closed])) === 'closed') return lane.closed;
  }
  return exitCodeIn(lane.output);
}

/** Runs one file to its end or its time limit, and prints its output. */
async function runFile(file: string, lane: Lane): Promise<Outcome> {
  const startedAt = performance.now();
  const timeoutMs = timeoutOf(separateFolderOf(file));
  const timer = setTimeout(() => {
    lane.output += `\n  Killed: it did not finish within ${timeoutMs / 1000} s.\n`;
    killGroup(lane.child);
  }, timeoutMs);
  lane.child.send(join(ROOT, file), () => undefined);
  const code = await exitCodeOf(lane);
  clearTimeout(timer);
  const outcome = readOutcome(lane.output, code);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  const verdict = outcome.failed > 0 ? 'FAILED ' : outcome.skippedFiles > 0 ? 'SKIPPED ' : '';
  console.log(`${verdict}${file} (${seconds} s)\n${printsAtOnce ? '' : `${withoutEnd(lane.output).trimEnd()}\n`}`);
  lane.output = '';
  return outcome;
}

function killGroup(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The group has ended already.
  }
}
