import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, isLoopbackOnly } from '../config.ts';

/** A secret of the start: its text if it may be shown, the file that has it, or why no file could be written. */
export type StartSecret = { text: string } | { file: string } | { fault: string };

/**
 * Delivers a secret of the start. If the service is reachable only from this machine, it may be printed. Otherwise output
 * often ends in a log store, so the secret goes to a file in the data folder that only the service's user can read.
 * @param name the file's name. A file of an earlier start is replaced, or removed if `text` is null
 */
export function deliverStartSecret(config: Config, name: string, text: string | null): StartSecret | null {
  const file = join(config.dataDir, name);
  try {
    rmSync(file, { force: true });
    if (text === null) return null;
    if (isLoopbackOnly(config)) return { text };
    // With both databases, the data folder may not exist yet.
    mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
    writeFileSync(file, `${text}\n`, { mode: 0o600, flag: 'wx' });
    return { file };
  } catch (error) {
    return text === null ? null : { fault: `${file} (${(error as NodeJS.ErrnoException).code})` };
  }
}
