import { VERSION } from '../version.ts';
import type { Shell } from './command.ts';
import { COMMANDS, type CommandEntry } from './commands.ts';

const DONE = 0;
const WRONG_USAGE = 2;

/** Runs one subcommand. Answers the exit code; never throws. */
export async function run(args: readonly string[], shell: Shell): Promise<number> {
  const [first] = args;
  if (first === undefined || first === 'help' || first === '--help' || first === '-h') {
    shell.out(await helpFor(args.slice(1)));
    return DONE;
  }
  if (first === '--version' || first === '-v') {
    shell.out(VERSION);
    return DONE;
  }
  const command = find(args);
  if (command === null) return noCommand(args, shell);
  const rest = args.slice(command.name.split(' ').length);
  try {
    const loaded = await command.load();
    if (rest.includes('--help') || rest.includes('-h')) shell.out(loaded.help);
    else await loaded.run(rest, shell);
    return DONE;
  } catch (error) {
    const { reportError } = await import('./report-error.ts');
    return reportError(error, command.name, shell);
  }
}

/** The command that the arguments begin with. */
function find(args: readonly string[]): CommandEntry | null {
  return COMMANDS.find(({ name }) => name === args.slice(0, name.split(' ').length).join(' ')) ?? null;
}

/** The commands whose first word of two this is. */
function family(word: string | undefined): CommandEntry[] {
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

async function helpFor(words: readonly string[]): Promise<string> {
  const command = find(words);
  if (command !== null) return (await command.load()).help;
  const commands = family(words[0]);
  return commands.length > 0 ? familyHelp(words[0]!, commands) : overview();
}

function listed(commands: readonly CommandEntry[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  return commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`).join('\n');
}

function familyHelp(word: string, commands: readonly CommandEntry[]): string {
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
