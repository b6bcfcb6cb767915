/**
 * Runs the test files, each in a process of its own, and ends with the line `N passed, N failed`.
 *
 *     tsx test/run.ts [--long] [--browser] [part of a path …]
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Outcome, readOutcome } from './support/outcome.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Tests that run only when they are asked for by `--<folder>`: each may take longer. */
const APART = ['long', 'browser'];
const AT_ONCE = 2;
/** A file that takes longer is killed and counts as failed. */
const BOUND_MS = 120_000;
const APART_BOUND_MS = 480_000;

const running = new Set<ChildProcess>();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    for (const child of running) killGroup(child);
    process.exit(1);
  });
}

const args = process.argv.slice(2);
const asked = APART.filter((folder) => args.includes(`--${folder}`));
const wanted = args.filter((arg) => !arg.startsWith('--'));
const files = findTests().filter((file) => wanted.every((part) => file.includes(part)));
if (files.length === 0) console.log('No test file matches.');

const sum: Outcome = { passed: 0, failed: files.length === 0 ? 1 : 0, skipped: 0, skippedFiles: 0 };
await Promise.all(Array.from({ length: AT_ONCE }, work));
if (sum.skipped > 0) console.log(`${sum.skipped} skipped`);
if (sum.skippedFiles > 0) console.log(`Skipped whole files: ${sum.skippedFiles}; each says why.`);
console.log(`${sum.passed} passed, ${sum.failed} failed`);
process.exitCode = sum.failed > 0 ? 1 : 0;

/** Takes the next file until none is left. */
async function work(): Promise<void> {
  for (let file = files.shift(); file !== undefined; file = files.shift()) {
    const outcome = await runFile(file);
    sum.passed += outcome.passed;
    sum.failed += outcome.failed;
    sum.skipped += outcome.skipped;
    sum.skippedFiles += outcome.skippedFiles;
  }
}

/** The folder of `APART` that a file is in. */
function apart(file: string): string | undefined {
  return APART.find((folder) => file.startsWith(join('test', folder, '/')));
}

function isAskedFor(file: string): boolean {
  const folder = apart(file);
  return folder === undefined || asked.includes(folder);
}

function findTests(): string[] {
  return readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
    .map((file) => join('test', file))
    .filter((file) => file.endsWith('.test.ts') && existsSync(join(ROOT, file)))
    .filter(isAskedFor)
    .sort();
}

/** Runs one file to its end or its bound and prints what it wrote. */
function runFile(file: string): Promise<Outcome> {
  const started = performance.now();
  // A process group of its own, so that what a test leaves running can be stopped with it.
  const child = spawn(process.execPath, ['--import', 'tsx', file], {
    cwd: ROOT,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const bound = apart(file) === undefined ? BOUND_MS : APART_BOUND_MS;
  const timer = setTimeout(() => {
    output += `\n  Killed: not finished within ${bound / 1000} s.\n`;
    killGroup(child);
  }, bound);

  return new Promise((resolve) => {
    child.once('exit', () => killGroup(child));
    child.once('close', (code) => {
      clearTimeout(timer);
      running.delete(child);
      const outcome = readOutcome(output, code);
      const seconds = ((performance.now() - started) / 1000).toFixed(1);
      const verdict = outcome.failed > 0 ? 'FAILED ' : outcome.skippedFiles > 0 ? 'SKIPPED ' : '';
      console.log(`${verdict}${file} (${seconds} s)\n${output.trimEnd()}\n`);
      resolve(outcome);
    });
  });
}

function killGroup(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The group has ended already.
  }
}
