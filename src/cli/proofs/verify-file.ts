import { resolve } from 'node:path';
import type { Verdict } from '../../trail/check/verdict.ts';
import { type VerifierOptions, verifyExport } from '../../trail/check/verifier.ts';
import { readSealFile, type SealFile } from '../../trail/extension.ts';
import { nodeCrypto } from '../../trail/node/node-crypto.ts';
import { type PublicKey, readPublicKeys } from '../../trail/seals/key.ts';
import { type Shell, UsageError } from '../command.ts';
import { readPieces, smallFile } from '../history/files.ts';
import { ProgressBar } from '../progress.ts';

/** Verifies an export and shows the progress. A gzip file that breaks off counts as cut, even if the last line is there. */
export async function verifyFile(path: string, options: VerifierOptions, shell: Shell): Promise<Verdict> {
  const bar = new ProgressBar(shell, 'MiB');
  let isCut = false;
  const pieces = readPieces(
    path,
    (bytes, share) => bar.update(Math.floor(bytes / 1024 / 1024), share),
    () => {
      isCut = true;
    },
  );
  const verdict = await verifyExport(nodeCrypto, pieces, options).finally(() => bar.clear());
  return isCut ? { ...verdict, valid: false, export_fault: { why: 'CUT', position: verdict.events } } : verdict;
}

/**
 * Reads public keys from texts or files. A file may have several, as "veritrail seal-key" prints them.
 * @throws UsageError for anything else
 */
export async function keysFrom(sources: readonly string[], shell: Shell): Promise<PublicKey[]> {
  const read = await Promise.all(sources.map((source) => keysOf(source, shell)));
  return read.flat();
}

async function keysOf(source: string, shell: Shell): Promise<PublicKey[]> {
  const text = await smallFile(resolve(shell.cwd, source));
  try {
    return readPublicKeys(nodeCrypto, text ?? source);
  } catch (error) {
    const problem = text === null ? 'is neither a file nor a public key' : 'is not a file with public keys alone';
    throw new UsageError(
      `"${source}" ${problem} (${(error as TypeError).message}). Give --key as "veritrail seal-key" prints it.`,
    );
  }
}

/** Reads a file of "veritrail seal". @throws UsageError for any other file */
export async function sealFrom(option: string, source: string, shell: Shell): Promise<SealFile> {
  const text = await smallFile(resolve(shell.cwd, source));
  const unsuitableSeal = (why: string) =>
    new UsageError(`"${source}" ${why}. Give ${option} a file that "veritrail seal" wrote.`);
  if (text === null) throw unsuitableSeal('can’t be read, or is too large');
  try {
    return readSealFile(text);
  } catch (error) {
    throw unsuitableSeal(`is ${(error as TypeError).message}`);
  }
}
