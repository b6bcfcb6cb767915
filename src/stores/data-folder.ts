import { accessSync, constants, mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { StoreUnavailable } from './errors.ts';

/** The data folder can't be used. `message` names the folder and the setting, and says what to do. */
export class DataFolderError extends Error {
  override readonly name = 'DataFolderError';
}

/** Another instance of veritrail has locked the data folder. */
export class DataFolderInUse extends Error {
  override readonly name = 'DataFolderInUse';
}

/** Creates the data folder if it is absent, readable by its owner only. @throws DataFolderError if it can't be used */
export function createDataFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw dataFolderError(folder, error);
  }
}

/** Explains an error of the operating system or of SQLite. */
export function dataFolderError(folder: string, cause: unknown): DataFolderError {
  const { reason, advice = 'Mend that, or set DATA_DIR to another folder.' } = reasonOf(cause);
  return new DataFolderError(`The data folder ${resolve(folder)} cannot be used: ${reason}. ${advice}`, { cause });
}

/** Explains an error of a start if it comes from files in the data folder. Returns any other error unchanged. */
export function explainStartError(folder: string, error: unknown): unknown {
  const isFromSqlite = error instanceof StoreUnavailable && /^SQLITE_/.test(codeOf(error.cause));
  if (isFromSqlite) return dataFolderError(folder, error.cause);
  return codeOf(error) === 'ENOSPC' ? dataFolderError(folder, error) : error;
}

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '');

function reasonOf(cause: unknown): { reason: string; advice?: string } {
  switch (codeOf(cause)) {
    case 'EEXIST':
    case 'ENOTDIR':
      return { reason: 'a file has its name, or that of a folder above it' };
    case 'EACCES':
    case 'EPERM':
    case 'SQLITE_READONLY':
      return { reason: 'the user that runs veritrail may not read and write it' };
    case 'EROFS':
      return { reason: 'its disk is read-only' };
    case 'ENOSPC':
    case 'SQLITE_FULL':
    case 'SQLITE_IOERR_SHMSIZE':
      return { reason: 'its disk is full', advice: 'Free some space there, then start again.' };
    case 'SQLITE_BUSY':
      return { reason: 'another process has locked a file in it', advice: 'End that process, then start again.' };
    default:
      return { reason: cause instanceof Error ? cause.message : String(cause) };
  }
}
