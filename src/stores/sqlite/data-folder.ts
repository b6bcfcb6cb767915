import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import Database from 'libsql';

/**
 * Makes the data folder where it is absent and keeps every other server off it until `release`, or until this process
 * has ended, however it ended: the lock is the system's own, held by SQLite on `server.lock`. The command line takes
 * no part in this. Nothing else may open that file in this process: closing it would let go of the lock.
 *
 * @throws Error that says which process has the folder and what to do
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
      `The data folder ${resolve(folder)} is in use by another veritrail server (process ${readPid(pidFile)}). ` +
        'Stop that server first, or set DATA_DIR to another folder.',
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
