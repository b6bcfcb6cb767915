import { resolve } from 'node:path';
import type { z } from 'zod';

/** The environment of a command. Commands use nothing else of the process, so tests can run them in process. */
export interface Shell {
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  /** Takes a file that is written to a pipe. Absent where no process belongs to the command. */
  stdout?: NodeJS.WritableStream;
  /** Prints a result. */
  out(text: string): void;
  /** Prints everything else. */
  err(text: string): void;
  /** Replaces the text of the last line. Present only on a terminal. */
  bar?(text: string): void;
  /** Asks a question. Returns true for yes. Present only on a terminal. */
  confirm?(question: string): Promise<boolean>;
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

/** A place to write to, as `--to` names it. */
export interface Output {
  /** A new file, or standard output. */
  target: string | NodeJS.WritableStream;
  name: string;
  /** Prints the result: beside the output, never in it. */
  report(text: string): void;
}

/** Returns the output in `--to`: a file, or standard output for `-`. @throws UsageError without one */
export function outputOf(to: string | undefined, { cwd, stdout, out, err }: Shell): Output {
  if (to === undefined) throw new UsageError('Give the file to write: --to FILE.');
  if (to === '-' && stdout) return { target: stdout, name: 'standard output', report: err };
  return { target: resolve(cwd, to), name: to, report: out };
}

/** Reads a number of days. The caller checks its range. */
export function daysOf(text: string | undefined): { days?: number } {
  if (text === undefined) return {};
  if (!/^\d{1,4}$/.test(text)) throw new UsageError('--days takes a whole number.');
  return { days: Number(text) };
}

/** Returns a table with aligned columns. The first row has the headings. */
export function textTable(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((cells) => cells[column]!.length)));
  const line = (cells: readonly string[]) => cells.map((cell, column) => cell.padEnd(widths[column]!)).join('  ');
  return rows.map((cells) => line(cells).trimEnd()).join('\n');
}

/** Checks a text option with the schema of the tools. @throws UsageError with the option's name */
export function textOption(option: string, schema: z.ZodType<string>, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const result = schema.safeParse(text);
  if (result.success) return result.data;
  throw new UsageError(`${option} ${result.error.issues[0]!.message}.`);
}
