import { resolve } from 'node:path';
import { readSealFile, type SealFile } from '../trail/extension.ts';
import { type PublicKey, readPublicKeys } from '../trail/key.ts';
import type { Verdict } from '../trail/verdict.ts';
import { type VerifierOptions, verifyExport } from '../trail/verifier.ts';
import { type Shell, UsageError } from './command.ts';
import { readPieces, smallFile } from './files.ts';
import { ProgressBar } from './progress.ts';

/** Verifies an export, and shows how far it is. One whose packing breaks off was cut, be the last line there or not. */
export async function verifyFile(path: string, options: VerifierOptions, shell: Shell): Promise<Verdict> {
  const bar = new ProgressBar(shell, 'MiB');
  let isCut = false;
  const pieces = readPieces(
    path,
    (bytes, share) => bar.at(Math.floor(bytes / 1024 / 1024), share),
    () => {
      isCut = true;
    },
  );
  const verdict = await verifyExport(pieces, options).finally(() => bar.clear());
  return isCut ? { ...verdict, valid: false, export_fault: { why: 'CUT', position: verdict.events } } : verdict;
}

/**
 * Public keys given as they are or as files, such as one of what "veritrail seal-key" prints: all that a file holds.
 * @throws UsageError where one of them is none
 */
export async function keysFrom(given: readonly string[], shell: Shell): Promise<PublicKey[]> {
  const read = await Promise.all(given.map((one) => keysOf(one, shell)));
  return read.flat();
}

async function keysOf(given: string, shell: Shell): Promise<PublicKey[]> {
  const text = await smallFile(resolve(shell.cwd, given));
  try {
    return readPublicKeys(text ?? given);
  } catch (error) {
    const what = text === null ? `neither a file nor a public key: ${given}` : `no file of public keys alone: ${given}`;
    throw new UsageError(`--key takes a public key, but this is ${what} (${(error as TypeError).message}).`);
  }
}

/** A file of "veritrail seal" that an option names. @throws UsageError where it is none */
export async function sealFrom(option: string, given: string, shell: Shell): Promise<SealFile> {
  const text = await smallFile(resolve(shell.cwd, given));
  const refused = (why: string) =>
    new UsageError(`${option} takes a file that "veritrail seal" wrote; ${given} ${why}.`);
  if (text === null) throw refused('cannot be read, or is larger than such a file');
  try {
    return readSealFile(text);
  } catch (error) {
    throw refused(`is ${(error as TypeError).message}`);
  }
}
