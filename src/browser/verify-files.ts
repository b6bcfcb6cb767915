import type { SealVerdict, Verdict } from '../trail/check/verdict.ts';
import { verifyExport } from '../trail/check/verifier.ts';
import { readSealFile, verifySeal } from '../trail/extension.ts';
import { type EventProof, type ProofVerdict, verifyProof } from '../trail/seals/event-proof.ts';
import { readKeptSeal } from '../trail/seals/kept-seal.ts';
import { readPublicKeys } from '../trail/seals/key.ts';
import { nobleCrypto } from './noble-crypto.ts';

export interface VerifyFileOptions {
  /** Trusted public keys as text: PEM blocks, or base64 with one key a line. */
  keys: string;
  keptSeals?: readonly string[];
  /** Receives the share of the file that has been read, 0 to 1. */
  onProgress?: (share: number) => void;
  signal?: AbortSignal;
}

/**
 * Verifies an export, plain or gzip, piece by piece: memory use doesn't grow with the file.
 * @throws NotAnExport with the line's number
 * @throws TypeError if a key or a kept seal can't be read, or nothing of a gzip file can be unzipped
 */
export async function verifyExportFile(file: Blob, options: VerifyFileOptions): Promise<Verdict> {
  const keys = readPublicKeys(nobleCrypto, options.keys);
  const keptSeals = (options.keptSeals ?? []).map(readKeptSeal);
  let isCut = false;
  const pieces = readPieces(file, options, () => {
    isCut = true;
  });
  const verdict = await verifyExport(nobleCrypto, pieces, { keys, keptSeals, now: new Date() });
  return isCut ? { ...verdict, valid: false, export_fault: { why: 'CUT', position: verdict.events } } : verdict;
}

/** Verifies a file of "veritrail seal", alone or against kept seals. @throws TypeError if a text can't be read */
export function verifySealFile(text: string, options: Pick<VerifyFileOptions, 'keys' | 'keptSeals'>): SealVerdict {
  const keys = readPublicKeys(nobleCrypto, options.keys);
  return verifySeal(nobleCrypto, readSealFile(text), { keys, keptSeals: (options.keptSeals ?? []).map(readKeptSeal) });
}

/** Verifies the proof in an audit pack. @throws TypeError if a key can't be read */
export function verifyEventProof(proof: EventProof, organizationId: string, keys: string): ProofVerdict {
  return verifyProof(nobleCrypto, proof, organizationId, readPublicKeys(nobleCrypto, keys));
}

/** Reads a file's bytes, unzipped. @param onCut called for gzip data that break off or are damaged: nothing follows them */
async function* readPieces(file: Blob, options: VerifyFileOptions, onCut: () => void): AsyncGenerator<Uint8Array> {
  const bytes = file.stream().pipeThrough(countBytes(file.size, options));
  if (!(await isGzip(file))) return yield* readStream(bytes);
  const gunzip = new DecompressionStream('gzip') as TransformStream<Uint8Array, Uint8Array>;
  let isEmpty = true;
  try {
    for await (const piece of readStream(bytes.pipeThrough(gunzip))) {
      isEmpty = false;
      yield piece;
    }
  } catch (error) {
    // Browsers report damaged gzip data as TypeError. Reading and aborting fail with other errors.
    if (!(error instanceof TypeError)) throw error;
    if (isEmpty) throw new TypeError('it is damaged: nothing of it can be unzipped');
    onCut();
  }
}

/** Returns a step of a stream that reports the progress. It fails when the caller aborts. */
function countBytes(size: number, { onProgress, signal }: VerifyFileOptions): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(piece, controller) {
      signal?.throwIfAborted();
      bytes += piece.length;
      onProgress?.(bytes / size);
      controller.enqueue(piece);
    },
  });
}

/** Returns true if a file begins as gzip data do. */
export async function isGzip(file: Blob): Promise<boolean> {
  const [first, second] = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  return first === 0x1f && second === 0x8b;
}

/** Reads a stream. Not all browsers have the stream's own iterator. */
async function* readStream(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    await reader.cancel();
  }
}
