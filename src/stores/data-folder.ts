import { accessSync, constants, mkdirSync } from 'node:fs';
import { resolve } from 'node:path';

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
  return new DataFolderError(
    `The data folder ${resolve(folder)} cannot be used: ${reasonOf(cause)}. ` +
      'Mend that, or set DATA_DIR to another folder.',
    { cause },
  );
}

function reasonOf(cause: unknown): string {
  switch (cause instanceof Error && 'code' in cause && cause.code) {
    case 'EEXIST':
    case 'ENOTDIR':
      return 'a file has its name, or that of a folder above it';
    case 'EACCES':
    case 'EPERM':
    case 'SQLITE_READONLY':
      return 'the user that runs veritrail may not read and write it';
    case 'EROFS':
      return 'its disk is read-only';
    case 'ENOSPC':
    case 'SQLITE_FULL':
      return 'its disk is full';
    default:
      return cause instanceof Error ? cause.message : String(cause);
  }
}
