import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import Database from 'libsql';

/**
 * Creates the data folder if it is absent, and locks it against other instances until `release` or the end of the
 * process. The lock is the operating system's, on `server.lock`, so it also ends after a crash. `veritrail` commands
 * ignore it. Nothing else in this process may open that file, because closing it would release the lock.
 *
 * @throws Error if another instance has locked the folder. It names that process and the next step
 */
export function lockDataFolder(folder: string): { release(): void } {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const pidFile = join(folder, 'server.pid');
  const lock = new Database(join(folder, 'server.lock'));
  try {
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    if (!(error instanceof Error && 'code' in error && error.code === 'SQLITE_BUSY')) throw error;
    throw new Error(
      `The data folder ${resolve(folder)} is in use by another instance of veritrail (process ${readPid(pidFile)}). ` +
        'Stop that instance first, or set DATA_DIR to another folder.',
      { cause: error },
    );
  }
  writeFileSync(pidFile, `${process.pid}\n`);
  return {
    release() {
      if (!lock.open) return;
      rmSync(pidFile, { force: true });
      lock.close();
    },
  };
}

function readPid(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return 'unknown';
  }
}
