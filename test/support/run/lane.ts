/**
 * Runs test files one after another in one process, so that they share imported modules. `test/run.ts` sends the path of a
 * file, or an empty text at the end. A file's output ends with a mark and the exit code that the file would have had in its
 * own process. A file ends when nothing keeps the process alive. A file that passes and leaves something open hits the time
 * limit; one that fails ends the process soon, because a failed test rarely closes what it opened.
 */
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { END_OF_FILE } from './outcome.ts';

const uvu = globalThis as unknown as { UVU_QUEUE: unknown[][] };

// A property that fails by an error shows that error, not only the values.
fc.configureGlobal({ includeErrorInReport: true });

const END_AFTER_FAILURE_MS = 3_000;
const endFailed = () => process.exitCode && process.exit();
setInterval(() => process.exitCode && setTimeout(endFailed, END_AFTER_FAILURE_MS).unref(), 500).unref();

takeNext();
process.on('beforeExit', (code) => {
  if (!process.connected) return;
  process.exitCode = undefined;
  // uvu would run its earlier suites again.
  uvu.UVU_QUEUE = [[null]];
  takeNext();
  process.stdout.write(`${END_OF_FILE}${code}\n`);
});

/** Waiting for a message keeps the process alive. Nothing waits while a file runs. */
function takeNext(): void {
  process.once('message', (file: string) => {
    if (file === '') process.disconnect();
    else void import(pathToFileURL(file).href);
  });
}
