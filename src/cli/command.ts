import { resolve } from 'node:path';

/** The environment of a command. Commands use nothing else of the process, so tests can run them in process. */
export interface Shell {
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  /** Prints a result. */
  out(text: string): void;
  /** Prints everything else. */
  err(text: string): void;
  /** Replaces the text of the last line. Present only on a terminal. */
  bar?(text: string): void;
}

/** One subcommand of `veritrail`. */
export interface Command {
  /** Printed by --help. */
  help: string;
  /** @throws UsageError, or an error of parseArgs, for wrong arguments; any other error if the command failed */
  run(args: string[], shell: Shell): Promise<void>;
}

/** The arguments are wrong. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The command can't be done now. `message` says what to do. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

/** The file is not of the kind that the command works on. */
export class UnsuitableFile extends Error {
  override readonly name = 'UnsuitableFile';
}

/** Returns the only argument. @throws UsageError if there is none, or more than one */
export function onlyArgument(positionals: readonly string[], what: string): string {
  const argument = optionalArgument(positionals, what);
  if (argument === undefined) throw new UsageError(`Give ${what}.`);
  return argument;
}

/** Returns the only argument, if there is one. @throws UsageError if there are more */
export function optionalArgument(positionals: readonly string[], what: string): string | undefined {
  if (positionals.length > 1) throw new UsageError(`Give ${what} and nothing else.`);
  return positionals[0];
}

/** Returns the path in `--to`. @throws UsageError without one */
export function fileToWrite(to: string | undefined, { cwd }: Shell): string {
  if (to === undefined) throw new UsageError('Give the file to write: --to FILE.');
  return resolve(cwd, to);
}

/** Reads a number of days. The caller checks its range. */
export function daysOf(text: string | undefined): { days?: number } {
  if (text === undefined) return {};
  if (!/^\d{1,4}$/.test(text)) throw new UsageError('--days takes a whole number.');
  return { days: Number(text) };
}
