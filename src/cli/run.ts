import { BUILD_VERSION } from '../version.ts';
import type { Shell } from './command.ts';
import { COMMANDS, type CommandEntry } from './commands.ts';

const EXIT_SUCCESS = 0;
const EXIT_USAGE = 2;

/** Runs one subcommand and returns the exit code. Never throws. */
export async function run(args: readonly string[], shell: Shell): Promise<number> {
  const [first] = args;
  if (first === undefined || first === 'help' || first === '--help' || first === '-h') {
    shell.out(await helpFor(args.slice(1)));
    return EXIT_SUCCESS;
  }
  if (first === '--version' || first === '-v') {
    shell.out(BUILD_VERSION);
    return EXIT_SUCCESS;
  }
  const command = findCommand(args);
  if (command === null) return unknownCommand(args, shell);
  const commandArgs = args.slice(command.name.split(' ').length);
  try {
    const module = await command.load();
    if (commandArgs.includes('--help') || commandArgs.includes('-h')) shell.out(module.help);
    else await module.run(commandArgs, shell);
    return EXIT_SUCCESS;
  } catch (error) {
    const { reportError } = await import('./report-error.ts');
    return reportError(error, command.name, shell);
  }
}

function findCommand(args: readonly string[]): CommandEntry | null {
  return COMMANDS.find(({ name }) => name === args.slice(0, name.split(' ').length).join(' ')) ?? null;
}

/** Returns the commands that begin with this word, such as `token create` and `token list`. */
function commandGroup(word: string | undefined): CommandEntry[] {
  return COMMANDS.filter(({ name }) => name.startsWith(`${word} `));
}

/** Lists the commands that begin with the first word, or all commands. */
function unknownCommand([first, second, ...commandArgs]: readonly string[], shell: Shell): number {
  const commands = commandGroup(first);
  const isFamily = commands.length > 0;
  if (isFamily && (second === '--help' || second === '-h') && commandArgs.length === 0) {
    shell.out(groupHelp(first!, commands));
    return EXIT_SUCCESS;
  }
  const commandWords = [first, second].filter((arg) => arg !== undefined && !arg.startsWith('-')).join(' ');
  const problem =
    isFamily && commandWords === first
      ? `veritrail ${first}: give one of its commands.`
      : `veritrail: unknown command "${commandWords}".`;
  shell.err(`${problem}\n\n${isFamily ? groupHelp(first!, commands) : overview()}`);
  return EXIT_USAGE;
}

async function helpFor(words: readonly string[]): Promise<string> {
  const command = findCommand(words);
  if (command !== null) return (await command.load()).help;
  const commands = commandGroup(words[0]);
  return commands.length > 0 ? groupHelp(words[0]!, commands) : overview();
}

function commandTable(commands: readonly CommandEntry[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  return commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`).join('\n');
}

function groupHelp(word: string, commands: readonly CommandEntry[]): string {
  return `Usage: veritrail ${word} COMMAND [options]      (COMMAND --help for details)

${commandTable(commands)}`;
}

function overview(): string {
  return `veritrail ${BUILD_VERSION}

Usage: veritrail COMMAND [options]      (COMMAND --help for details)

${commandTable(COMMANDS)}

The commands use the same settings as the service (DATA_DIR, EVENTSTORE_URL, MONGODB_URL, from the environment or .env).
The service may be running unless a command's help says otherwise.`;
}
