import { resolve } from 'node:path';

/** Where a command runs: nothing of the process itself is reached, so that tests can run one in process. */
export interface Shell {
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  /** What was asked for. */
  out(text: string): void;
  /** Everything said beside it. */
  err(text: string): void;
  /** Present on a terminal: puts a text in place of the one before it, on a line that stays the last. */
  bar?(text: string): void;
}

/** One subcommand of `veritrail`. */
export interface Command {
  /** Printed by --help. */
  help: string;
  /** @throws UsageError, or parseArgs' own, where the arguments are wrong; any other error where it failed */
  run(args: string[], shell: Shell): Promise<void>;
}

/** The command was called wrongly. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The command cannot be done as things are. `message` says what to do. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

/** A file that was given is not what the command works on. */
export class UnfitFile extends Error {
  override readonly name = 'UnfitFile';
}

/** The one argument that a command takes. */
export function onlyArgument(positionals: readonly string[], what: string): string {
  const argument = optionalArgument(positionals, what);
  if (argument === undefined) throw new UsageError(`Give ${what}.`);
  return argument;
}

/** The one argument that a command may take. */
export function optionalArgument(positionals: readonly string[], what: string): string | undefined {
  if (positionals.length > 1) throw new UsageError(`Give ${what} and nothing else.`);
  return positionals[0];
}

/** The path that `--to` names. */
export function fileToWrite(to: string | undefined, { cwd }: Shell): string {
  if (to === undefined) throw new UsageError('Give the file to write: --to FILE.');
  return resolve(cwd, to);
}

/** A count of days as it was typed; judged by who uses it. */
export function daysOf(text: string | undefined): { days?: number } {
  if (text === undefined) return {};
  if (!/^\d{1,4}$/.test(text)) throw new UsageError('--days takes a whole number.');
  return { days: Number(text) };
}
