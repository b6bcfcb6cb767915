import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type KeptSeal, readKeptSeal } from '../trail/kept-seal.ts';
import { type PublicKey, readPublicKey } from '../trail/key.ts';
import { verifyExport } from '../trail/verifier.ts';
import { type Command, CommandError, onlyArgument, type Shell, UsageError } from './command.ts';
import { readExport } from './export-file.ts';
import { ProgressBar } from './progress.ts';
import { verdictText } from './verdict-text.ts';

/** A key or a seal is a few hundred bytes. */
const MOST_BYTES = 64 * 1024;

export const verify: Command = {
  name: 'verify',
  summary: 'prove an exported history, without any store or server',
  help: `Usage: veritrail verify FILE --key KEY [options]

Proves a history that "veritrail export" wrote: every event, every chain, every seal and signature, the order, and that
nothing is missing up to the newest seal. It needs the file and the public key alone. Nothing is written.

  --key KEY      the public key that seals are signed with, which the service prints by "veritrail seal-key": the text
                 itself or a file with it. Get it from somebody you trust, not with the file. May be repeated
  --seal FILE    a seal that was kept elsewhere earlier ("veritrail seal"): the history must extend it. May be repeated
  --json         the verdict as JSON

Ends with 0 where all holds, 1 where something does not fit (it says what, and where), 2 where the file is no export.`,

  async run(args, shell) {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        key: { type: 'string', multiple: true },
        seal: { type: 'string', multiple: true },
        json: { type: 'boolean', default: false },
      },
    });
    const path = resolve(shell.cwd, onlyArgument(positionals, 'the FILE to verify'));
    if (values.key === undefined) throw new UsageError('Give the public key: --key KEY.');
    const keys = await Promise.all(values.key.map((key) => keyFrom(key, shell)));
    const kept = await Promise.all((values.seal ?? []).map((seal) => sealFrom(seal, shell)));
    const bar = new ProgressBar(shell, 'MiB');
    const pieces = readExport(path, (bytes, share) => bar.at(Math.floor(bytes / 1024 / 1024), share));
    const verdict = await verifyExport(pieces, { keys, kept }).finally(() => bar.clear());
    shell.out(values.json ? JSON.stringify(verdict, null, 2) : verdictText(verdict));
    if (!verdict.valid) throw new CommandError('The history does not hold.');
  },
};

/** A key given as it is, or as a file. */
export async function keyFrom(given: string, shell: Shell): Promise<PublicKey> {
  const text = await smallFile(resolve(shell.cwd, given));
  try {
    return readPublicKey(text ?? given);
  } catch (error) {
    const what = text === null ? `neither a file nor a public key: ${given}` : `no public key in ${given}`;
    throw new UsageError(`--key takes a public key, but this is ${what} (${(error as TypeError).message}).`);
  }
}

async function sealFrom(given: string, shell: Shell): Promise<KeptSeal> {
  const text = await smallFile(resolve(shell.cwd, given));
  try {
    return readKeptSeal(text ?? '');
  } catch (error) {
    throw new UsageError(
      `--seal takes a file that "veritrail seal" wrote; ${given} is ${(error as TypeError).message}.`,
    );
  }
}

async function smallFile(path: string): Promise<string | null> {
  const text = await readFile(path, 'utf8').catch(() => null);
  return text === null || text.length > MOST_BYTES ? null : text;
}
