import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import Database from 'libsql';
import { createDataFolder, DataFolderInUse, dataFolderError } from '../data-folder.ts';

/**
 * Creates the data folder if it is absent, and locks it against other instances until `release` or the end of the
 * process. The lock is the operating system's, on `server.lock`, so it also ends after a crash. `veritrail` commands
 * ignore it. Nothing else in this process may open that file, because closing it would release the lock.
 *
 * @throws DataFolderError if the folder can't be used
 * @throws DataFolderInUse if another instance has locked it. It names that process
 */
export function lockDataFolder(folder: string): { release(): void } {
  createDataFolder(folder);
  const pidFile = join(folder, 'server.pid');
  const lock = openLock(folder);
  try {
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    if (!(error instanceof Error && 'code' in error && error.code === 'SQLITE_BUSY'))
      throw dataFolderError(folder, error);
    throw new DataFolderInUse(
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

function openLock(folder: string): Database.Database {
  try {
    return new Database(join(folder, 'server.lock'));
  } catch (error) {
    throw dataFolderError(folder, error);
  }
}

function readPid(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return 'unknown';
  }
}
