import {
  MAX_PROOF_FILE_BYTES,
  type ProofFileVerdict,
  proofFileVerdictText,
  readProofFile,
  verifyProofFile,
} from '../cli/proofs/proof-file.ts';
import { sealVerdictText, verdictText } from '../cli/proofs/verdict-text.ts';
import { EXPORT_FORMAT } from '../trail/check/line.ts';
import { KEPT_SEAL_FORMAT } from '../trail/seals/kept-seal.ts';
import { readPublicKeys } from '../trail/seals/key.ts';
import type { PageCheckOutcome } from './check-change-on-page.ts';
import { nobleCrypto } from './noble-crypto.ts';
import { isGzip, verifyExportFile, verifySealFile } from './verify-files.ts';

/** Bytes at a file's beginning that are enough to recognise an export. */
const HEAD_BYTES = 4_096;

/**
 * Verifies a file of any kind that veritrail writes: an export, a seal, the JSON of an audit pack, or a change's saved
 * proof. Never throws: the outcome says why a file can't be read.
 * @param keys trusted public keys as text
 */
export async function verifyAnyFile(file: Blob, keys: string): Promise<PageCheckOutcome> {
  try {
    readPublicKeys(nobleCrypto, keys);
  } catch (error) {
    const text = `not checked, because your keys can’t be read (${(error as Error).message}). Correct them.`;
    return { result: 'UNSEALED', text };
  }
  try {
    return (await isExport(file)) ? await verifyExportOf(file, keys) : verifySmallFile(await readText(file), keys);
  } catch (error) {
    return { result: 'MISMATCH', text: `This file can’t be verified: ${(error as Error).message}.` };
  }
}

async function isExport(file: Blob): Promise<boolean> {
  if (await isGzip(file)) return true;
  const head = await file.slice(0, HEAD_BYTES).arrayBuffer();
  return new TextDecoder().decode(head).split('\n')[0]!.includes(`"${EXPORT_FORMAT}"`);
}

async function verifyExportOf(file: Blob, keys: string): Promise<PageCheckOutcome> {
  const verdict = await verifyExportFile(file, { keys });
  return { result: verdict.valid ? 'SEALED' : 'MISMATCH', text: verdictText(verdict) };
}

async function readText(file: Blob): Promise<string> {
  if (file.size > MAX_PROOF_FILE_BYTES) throw new TypeError('it is neither an export nor a seal or proof');
  return file.text();
}

function verifySmallFile(text: string, keys: string): PageCheckOutcome {
  if (text.split('\n')[0]!.includes(`"${KEPT_SEAL_FORMAT}"`)) {
    const verdict = verifySealFile(text, { keys });
    return { result: verdict.valid ? 'SEALED' : 'MISMATCH', text: sealVerdictText(verdict) };
  }
  const file = readProofFile(text);
  if (file === null)
    throw new TypeError('it is neither an export, a seal, the JSON of an audit pack nor a saved proof');
  const verdict = verifyProofFile(nobleCrypto, file, readPublicKeys(nobleCrypto, keys), new Date());
  return { result: resultOf(verdict), text: proofFileVerdictText(verdict) };
}

function resultOf(verdict: ProofFileVerdict): PageCheckOutcome['result'] {
  if (verdict.fault === 'NO_SEAL') return 'UNSEALED';
  if (!verdict.valid) return 'MISMATCH';
  const isRedacted = verdict.kind === 'CHANGE' && (verdict.erased === 'DATA' || verdict.erased === 'CHANGES');
  return isRedacted ? 'REDACTED' : 'SEALED';
}
