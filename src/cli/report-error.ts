import { Refusal } from '../commands/engine/refusal.ts';
import { ConfigError } from '../config.ts';
import { InstallationError } from '../identity/installation/installation.ts';
import { AccountSchemaError } from '../identity/migrations/migrate.ts';
import { DataFolderError } from '../stores/data-folder.ts';
import { DiskFull, StoreRefused, StoreReplaced, StoreUnavailable, StreamDamaged } from '../stores/errors.ts';
import { StoreNotReached } from '../stores/open.ts';
import { NotAnExport } from '../trail/check/line-splitter.ts';
import { CommandError, type Shell, UnsuitableFile, UsageError } from './command.ts';

const EXIT_FAILURE = 1;
const EXIT_USAGE = 2;
const EXIT_UNSUITABLE_FILE = 2;

/** Prints an error and returns the exit code. */
export function reportError(error: unknown, command: string, shell: Shell): number {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof UsageError || isParseError(error)) {
    // The whole help would scroll the message out of view.
    shell.err(`veritrail ${command}: ${message}\n"veritrail ${command} --help" has the details.`);
    return EXIT_USAGE;
  }
  if (error instanceof UnsuitableFile || error instanceof NotAnExport) {
    const what =
      error instanceof NotAnExport ? `the file is not an export of veritrail, or it is damaged: ${message}` : message;
    shell.err(`veritrail ${command}: ${what}`);
    return EXIT_UNSUITABLE_FILE;
  }
  if (error instanceof StoreUnavailable && !isExpected(error)) {
    shell.err(`veritrail ${command}: a store does not answer (${message}). Repeat it when the store is back.`);
  } else if (isExpected(error)) {
    shell.err(`veritrail ${command}: ${message}`);
  } else {
    shell.err(`veritrail ${command} failed: ${error instanceof Error ? error.stack : message}`);
  }
  return EXIT_FAILURE;
}

function isExpected(error: unknown): boolean {
  return [
    AccountSchemaError,
    ConfigError,
    CommandError,
    DataFolderError,
    InstallationError,
    Refusal,
    StoreNotReached,
    DiskFull,
    StoreRefused,
    StoreReplaced,
    StreamDamaged,
  ].some((expectedClass) => error instanceof expectedClass);
}

/** Returns true for an error of parseArgs: an unknown option, or one without its value. */
function isParseError(error: unknown): boolean {
  return error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
}
