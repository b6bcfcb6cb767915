import { resolve } from 'node:path';
import { machineClocks } from '../../clock/service-clock.ts';
import { EXPORT_FORMAT } from '../../trail/check/line.ts';
import type { Verdict } from '../../trail/check/verdict.ts';
import { type VerifierOptions, verifyExport } from '../../trail/check/verifier.ts';
import { readSealFile, type SealFile } from '../../trail/extension.ts';
import { nodeCrypto } from '../../trail/node/node-crypto.ts';
import { type PublicKey, readPublicKeys } from '../../trail/seals/key.ts';
import { type Shell, UnsuitableFile, UsageError } from '../command.ts';
import { beginsWith, readPieces, smallFile } from '../history/files.ts';
import { ProgressBar } from '../progress.ts';
import {
  MAX_PROOF_FILE_BYTES,
  type ProofFile,
  type ProofFileVerdict,
  readProofFile,
  verifyProofFile,
} from './proof-file.ts';

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
  const now = new Date(machineClocks.wallMs());
  const verdict = await verifyExport(nodeCrypto, pieces, { ...options, now }).finally(() => bar.clear());
  return isCut ? { ...verdict, valid: false, export_fault: { why: 'CUT', position: verdict.events } } : verdict;
}

/** Reads a file with one proof. Returns null for any other file. @throws UnsuitableFile for a part of an audit pack */
export async function proofFileFrom(path: string): Promise<ProofFile | null> {
  if (!(await beginsWith(path, '{')) || (await isExport(path))) return null;
  const text = await smallFile(path, MAX_PROOF_FILE_BYTES);
  return text === null ? null : orUnsuitable(() => readProofFile(text));
}

/** Returns true for a file that begins as an export does. Only its first piece is read, because an export may be long. */
async function isExport(path: string): Promise<boolean> {
  for await (const piece of readPieces(path)) {
    return Buffer.from(piece).toString().split('\n', 1)[0]!.includes(`"${EXPORT_FORMAT}"`);
  }
  return false;
}

/** Verifies a file with one proof. @throws UnsuitableFile if parts of the proof are missing */
export function verifyWithNode(file: ProofFile, keys: readonly PublicKey[]): ProofFileVerdict {
  return orUnsuitable(() => verifyProofFile(nodeCrypto, file, keys, new Date(machineClocks.wallMs())));
}

function orUnsuitable<Value>(read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    throw new UnsuitableFile(`The file can’t be verified: ${(error as Error).message}.`);
  }
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
