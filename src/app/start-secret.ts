import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, isLoopbackOnly } from '../config.ts';

/** A secret that was created at start: its text, the file that holds it, or the file that could not be written. */
export type StartSecret = { text: string } | { file: string } | { unwritableFile: string };

/**
 * Delivers a secret that was created at start. A service that only this machine can reach may print it. The output of
 * other services often ends in a log store, so their secret goes to a file that only the service's user can read.
 * @param name the file's name in the data folder. An earlier start's file is replaced
 * @param text null if there is no secret: then only the earlier file is removed
 */
export function deliverStartSecret(config: Config, name: string, text: string | null): StartSecret | null {
  const file = join(config.dataDir, name);
  try {
    rmSync(file, { force: true });
    if (text === null) return null;
    if (isLoopbackOnly(config)) return { text };
    // With EventStoreDB and MongoDB, no store creates the data folder.
    mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
    writeFileSync(file, `${text}\n`, { mode: 0o600, flag: 'wx' });
    return { file };
  } catch (error) {
    return text === null ? null : { unwritableFile: `${file} (${(error as NodeJS.ErrnoException).code})` };
  }
}
