import { CHANGE_PROOF_FORMAT, type ChangeProof } from '../../queries/proofs/check-change.ts';
import type { TrailCrypto } from '../../trail/crypto.ts';
import type { PublicKey } from '../../trail/seals/key.ts';
import { type ChangeVerdict, changeVerdictText, verifySavedChange } from './change-verdict.ts';
import { isPartOfPack, type PackFile, type PackVerdict, packVerdictText, verifyPack } from './pack-verdict.ts';

/** The longest file with a proof. Only exports are longer, and they are read piece by piece. */
export const MAX_PROOF_FILE_BYTES = 32 * 1_048_576;

/** A file with one proof: a change's saved proof, or an audit pack in JSON. */
export type ProofFile = { kind: 'CHANGE'; proof: ChangeProof } | { kind: 'PACK'; pack: PackFile };

export type ProofFileVerdict = ChangeVerdict | PackVerdict;

/** Reads a file with one proof. Returns null for any other file. @throws TypeError for a part of an audit pack */
export function readProofFile(text: string): ProofFile | null {
  const value = readJson(text);
  if (value.format === CHANGE_PROOF_FORMAT) return { kind: 'CHANGE', proof: value as unknown as ChangeProof };
  // A file and an answer of getReport have the report in a member of its own.
  const pack = Object(value.report ?? value) as PackFile;
  if (pack.type !== 'AUDIT_PACK' || typeof pack.digest !== 'string') return null;
  if (isPartOfPack(pack)) throw new TypeError('it has only a part of an audit pack: download the pack as a JSON file');
  return { kind: 'PACK', pack };
}

function readJson(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text)) as Record<string, unknown>;
  } catch {
    return {};
  }
}

/** Verifies a file with one proof. @param now the reader's clock @throws TypeError if parts of the proof are missing */
export function verifyProofFile(
  crypto: TrailCrypto,
  file: ProofFile,
  keys: readonly PublicKey[],
  now: Date,
): ProofFileVerdict {
  try {
    return file.kind === 'PACK'
      ? verifyPack(crypto, file.pack, keys)
      : verifySavedChange(crypto, file.proof, keys, now);
  } catch {
    throw new TypeError('its proof is incomplete or damaged');
  }
}

/** Returns the verdict on a file with one proof as text. */
export function proofFileVerdictText(verdict: ProofFileVerdict): string {
  return verdict.kind === 'PACK' ? packVerdictText(verdict) : changeVerdictText(verdict);
}
