import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, isLoopbackOnly } from './config.ts';

/** A secret of the start: its text where it may be shown, or the file that has it, or why no file could be written. */
export type StartSecret = { text: string } | { file: string } | { fault: string };

/**
 * Hands over a secret of the start. Where only this machine is served it is shown. Elsewhere output often goes to a
 * store of logs: there a file of the data folder has it, which only the service's own user can read.
 * @param name the file's; one of an earlier start is replaced, and removed where `text` is null
 */
export function deliverStartSecret(config: Config, name: string, text: string | null): StartSecret | null {
  const file = join(config.dataDir, name);
  try {
    rmSync(file, { force: true });
    if (text === null) return null;
    if (isLoopbackOnly(config)) return { text };
    // With both databases nothing else may ever have been kept there.
    mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
    writeFileSync(file, `${text}\n`, { mode: 0o600, flag: 'wx' });
    return { file };
  } catch (error) {
    return text === null ? null : { fault: `${file} (${(error as NodeJS.ErrnoException).code})` };
  }
}
