import { Refusal } from '../commands/refusal.ts';
import { ConfigError } from '../config.ts';
import { InstallationError } from '../identity/installation.ts';
import { AccountSchemaError } from '../identity/migrations/migrate.ts';
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
  if (command === null) return noCommand(args, shell);
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

/** The commands whose first word of two this is. */
function family(word: string | undefined): Command[] {
  return COMMANDS.filter(({ name }) => name.startsWith(`${word} `));
}

/** Says which commands there are: of the family that the first word names, or all. */
function noCommand([first, second, ...rest]: readonly string[], shell: Shell): number {
  const commands = family(first);
  const isFamily = commands.length > 0;
  if (isFamily && (second === '--help' || second === '-h') && rest.length === 0) {
    shell.out(familyHelp(first!, commands));
    return DONE;
  }
  const named = [first, second].filter((arg) => arg !== undefined && !arg.startsWith('-')).join(' ');
  const said =
    isFamily && named === first
      ? `veritrail ${first}: say which of its commands.`
      : `veritrail: there is no command "${named}".`;
  shell.err(`${said}\n\n${isFamily ? familyHelp(first!, commands) : overview()}`);
  return WRONG_USAGE;
}

function helpFor(words: readonly string[]): string {
  const command = find(words);
  if (command !== null) return command.help;
  const commands = family(words[0]);
  return commands.length > 0 ? familyHelp(words[0]!, commands) : overview();
}

function listed(commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  return commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`).join('\n');
}

function familyHelp(word: string, commands: readonly Command[]): string {
  return `Usage: veritrail ${word} COMMAND [options]      (each with --help says more)

${listed(commands)}`;
}

function overview(): string {
  return `veritrail ${VERSION}

Usage: veritrail COMMAND [options]      (COMMAND --help says more)

${listed(COMMANDS)}

It works on the stores that the service's own settings name (DATA_DIR, EVENTSTORE_URL, MONGODB_URL, from the environment
or .env), also while the service is running.`;
}

function report(error: unknown, command: Command, shell: Shell): number {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof UsageError || isParseError(error)) {
    // The whole help would make the one line that matters scroll away.
    shell.err(`veritrail ${command.name}: ${message}\n"veritrail ${command.name} --help" says more.`);
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
  return [AccountSchemaError, ConfigError, CommandError, InstallationError, Refusal, StoreNotReached].some(
    (known) => error instanceof known,
  );
}

/** An option that parseArgs does not know, or that lacks its value. */
function isParseError(error: unknown): boolean {
  return error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
}
