import { Refusal } from '../commands/refusal.ts';
import { ConfigError } from '../config.ts';
import { InstallationError } from '../identity/installation.ts';
import { StoreUnavailable } from '../stores/errors.ts';
import { StoreNotReached } from '../stores/open.ts';
import { NotAnExport } from '../trail/split.ts';
import { VERSION } from '../version.ts';
import { type Command, CommandError, type Shell, UnfitFile, UsageError } from './command.ts';
import { COMMANDS } from './commands.ts';

const DONE = 0;
const FAILED = 1;
const WRONG_USAGE = 2;
const WRONG_FILE = 2;

/** Runs one subcommand. Answers the exit code; never throws. */
export async function run(args: readonly string[], shell: Shell): Promise<number> {
  const [first] = args;
  if (first === undefined || first === 'help' || first === '--help' || first === '-h') {
    shell.out(helpFor(args.slice(1)));
    return DONE;
  }
  if (first === '--version' || first === '-v') {
    shell.out(VERSION);
    return DONE;
  }
  const command = find(args);
  if (command === null) {
    const named = args.slice(0, 2).filter((arg) => !arg.startsWith('-'));
    shell.err(`veritrail: there is no command "${named.join(' ')}".\n\n${overview()}`);
    return WRONG_USAGE;
  }
  const rest = args.slice(command.name.split(' ').length);
  if (rest.includes('--help') || rest.includes('-h')) {
    shell.out(command.help);
    return DONE;
  }
  try {
    await command.run(rest, shell);
    return DONE;
  } catch (error) {
    return report(error, command, shell);
  }
}

/** The command that the arguments begin with. */
function find(args: readonly string[]): Command | null {
  return COMMANDS.find(({ name }) => name === args.slice(0, name.split(' ').length).join(' ')) ?? null;
}

function helpFor(words: readonly string[]): string {
  return find(words)?.help ?? overview();
}

function overview(): string {
  const width = Math.max(...COMMANDS.map(({ name }) => name.length));
  const lines = COMMANDS.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
  return `veritrail ${VERSION}

Usage: veritrail COMMAND [options]      (COMMAND --help says more)

${lines.join('\n')}

It works on the stores that the service's own settings name (DATA_DIR, EVENTSTORE_URL, MONGODB_URL, from the environment
or .env), also while the service is running.`;
}

function report(error: unknown, command: Command, shell: Shell): number {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof UsageError || isParseError(error)) {
    shell.err(`veritrail ${command.name}: ${message}\n\n${command.help}`);
    return WRONG_USAGE;
  }
  if (error instanceof UnfitFile || error instanceof NotAnExport) {
    const what =
      error instanceof NotAnExport ? `this is no export of veritrail, or it is damaged: ${message}` : message;
    shell.err(`veritrail ${command.name}: ${what}`);
    return WRONG_FILE;
  }
  if (error instanceof StoreUnavailable) {
    shell.err(`veritrail ${command.name}: a store does not answer (${message}). Repeat it when the store is back.`);
  } else if (isExpected(error)) {
    shell.err(`veritrail ${command.name}: ${message}`);
  } else {
    shell.err(`veritrail ${command.name} failed: ${error instanceof Error ? error.stack : message}`);
  }
  return FAILED;
}

function isExpected(error: unknown): boolean {
  return [ConfigError, CommandError, InstallationError, Refusal, StoreNotReached].some(
    (known) => error instanceof known,
  );
}

/** An option that parseArgs does not know, or that lacks its value. */
function isParseError(error: unknown): boolean {
  return error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
}
