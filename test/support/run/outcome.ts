/** The totals of test files. */
export interface Outcome {
  passed: number;
  failed: number;
  skipped: number;
  skippedFiles: number;
}

/** Ends the output of a file in a shared process. Its exit code follows, on the same pipe, so that no output comes later. */
export const END_OF_FILE = '\u0004';

const END = new RegExp(`${END_OF_FILE}(\\d+)\n`);

/** Returns the exit code at the end of a file's output, or null if the file has not ended. */
export function exitCodeIn(output: string): number | null {
  const code = END.exec(output)?.[1];
  return code === undefined ? null : Number(code);
}

/** Returns output without the mark and the exit code. */
export function withoutEnd(output: string): string {
  return output.replace(END, '');
}

/**
 * Adds up the totals that uvu printed for a file. A file without totals ran no test and fails, unless it ended with 0 and
 * has a line that begins with `skipped:`. An exit code that the totals don't explain is a failure too.
 */
export function readOutcome(output: string, code: number | null): Outcome {
  // With FORCE_COLOR, uvu writes colours even into a pipe.
  const plain = output.replaceAll(/\u001b\[[\d;]*m/g, '');
  const total = sumOf('Total', plain);
  if (total === null) {
    const skipped = code === 0 && /^skipped: /m.test(plain);
    return { passed: 0, failed: skipped ? 0 : 1, skipped: 0, skippedFiles: skipped ? 1 : 0 };
  }
  const passed = sumOf('Passed', plain) ?? 0;
  const failed = total - passed;
  return {
    passed,
    failed: failed === 0 && code !== 0 ? 1 : failed,
    skipped: sumOf('Skipped', plain) ?? 0,
    skippedFiles: 0,
  };
}

function sumOf(label: string, plain: string): number | null {
  const matches = [...plain.matchAll(new RegExp(`^ {2}${label}: +(\\d+)$`, 'gm'))];
  return matches.length === 0 ? null : matches.reduce((sum, match) => sum + Number(match[1]), 0);
}
