/**
 * A process in which test files run one after another, so that they share what they import. `test/run.ts` sends the
 * path of a file, or nothing at the end, and is sent the exit code that the file would have ended with. That is when
 * nothing is left that keeps the process going, as if it were the file's own: what a file leaves open runs into its bound.
 */
import { pathToFileURL } from 'node:url';

const uvu = globalThis as unknown as { UVU_QUEUE: unknown[][] };

takeNext();
process.on('beforeExit', (code) => {
  if (!process.connected) return;
  process.exitCode = undefined;
  // uvu would keep the suites that it has run.
  uvu.UVU_QUEUE = [[null]];
  takeNext();
  process.send?.(code);
});

/** Waiting for a message keeps the process going; while a file runs nobody waits for one. */
function takeNext(): void {
  process.once('message', (file: string) => {
    if (file === '') process.disconnect();
    else void import(pathToFileURL(file).href);
  });
}
