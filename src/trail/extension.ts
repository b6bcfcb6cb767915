import { canonical } from './canonical.ts';
import type { ExtensionFault, SealVerdict } from './check/verdict.ts';
import type { VerifierOptions } from './check/verifier.ts';
import type { TrailCrypto } from './crypto.ts';
import { isKeptSealSigned, type KeptSeal, parseJsonLine, readKeptSeal } from './seals/kept-seal.ts';
import { type PublicKey, readPublicKey } from './seals/key.ts';
import { type ConsistencyProof, provesConsistency } from './seals/proof.ts';
import { isHash, isSealEventSigned, readSealEvent, type SealKeyRotated } from './seals/seal-events.ts';

const EXTENSION_FORMAT = 'veritrail-extension-1';

/** Proves that the history of a newer seal begins with the history of an older one. Needs only the two seals. */
export interface Extension extends ConsistencyProof {
  format: typeof EXTENSION_FORMAT;
  /** The key rotations before the newer seal, in order. They lead from a trusted key to the key that signed it. */
  rotations: readonly SealKeyRotated[];
}

/** A file that "veritrail seal" writes: a seal and, on an optional second line, the proof since an older one. */
export interface SealFile {
  seal: KeptSeal;
  extension: Extension | null;
}

/** Returns an extension as the second line of a kept seal's file. */
export function extensionText(proof: ConsistencyProof, rotations: readonly SealKeyRotated[]): string {
  return `${canonical({ ...proof, format: EXTENSION_FORMAT, rotations })}\n`;
}

/** Reads a kept seal's file, with or without an extension. @throws TypeError if the text isn't one */
export function readSealFile(text: string): SealFile {
  const [, second, ...more] = text.trimEnd().split('\n');
  const seal = readKeptSeal(text);
  if (more.length > 0) throw new TypeError('longer than two lines');
  return { seal, extension: second === undefined ? null : readExtension(second) };
}

function readExtension(text: string): Extension {
  const value = parseJsonLine(text);
  const { format, newer, older, path, rotations, ...unexpectedMembers } = value;
  const isValid =
    format === EXTENSION_FORMAT &&
    [newer, older].every(Number.isSafeInteger) &&
    Array.isArray(path) &&
    path.every(isHash) &&
    Array.isArray(rotations) &&
    rotations.every((data) => readSealEvent('SealKeyRotated', Object(data)) !== null) &&
    Object.keys(unexpectedMembers).length === 0;
  if (!isValid) throw new TypeError(`not of the format ${EXTENSION_FORMAT} on its second line`);
  return value as unknown as Extension;
}

/**
 * Verifies a seal without its history: its signature and, for each kept seal, that the newer history begins with the
 * history that the kept one covers.
 */
export function verifySeal(
  crypto: TrailCrypto,
  file: SealFile,
  { keys, keptSeals = [] }: VerifierOptions,
): SealVerdict {
  const { seal, extension } = file;
  const rotations = extension?.rotations ?? [];
  const { trustedKeys, rotatedAway } = followRotations(crypto, seal.organization_id, keys, rotations);
  let fault: ExtensionFault | null = null;
  const hasTrustedKey = trustedKeys.some(({ key_id }) => key_id === seal.key_id);
  if (!hasTrustedKey || rotatedAway.has(seal.key_id)) fault = { why: 'KEY', size: null };
  else if (!isKeptSealSigned(seal, trustedKeys)) fault = { why: 'SIGNATURE', size: null };
  for (const olderSeal of keptSeals) {
    const why = findFault(crypto, file, olderSeal, trustedKeys);
    if (why !== null) fault ??= { why, size: olderSeal.size };
  }
  return { valid: fault === null, seal, kept_sizes: keptSeals.map(({ size }) => size), fault };
}

function findFault(
  crypto: TrailCrypto,
  { seal, extension }: SealFile,
  older: KeptSeal,
  trustedKeys: readonly PublicKey[],
): ExtensionFault['why'] | null {
  if (older.organization_id !== seal.organization_id) return 'KEPT_KEY';
  // Only a signed seal says anything. A seal that nobody signed may state any size.
  if (!isKeptSealSigned(older, trustedKeys)) return 'KEPT_KEY';
  if (older.size > seal.size) return 'KEPT_BEYOND';
  const sizes = { older: older.size, newer: seal.size };
  const proof = older.size === seal.size ? { ...sizes, path: [] } : extension;
  if (proof?.older !== sizes.older || proof.newer !== sizes.newer) return 'NO_PROOF';
  return provesConsistency(crypto, proof, older, seal) ? null : 'KEPT';
}

/**
 * Returns the caller's keys with the keys that they rotated to. Also returns the ids of keys that were rotated away: a key
 * may be rotated because it leaked, so its later seals prove nothing.
 */
function followRotations(
  crypto: TrailCrypto,
  organizationId: string,
  callerKeys: readonly PublicKey[],
  rotations: readonly SealKeyRotated[],
) {
  const trustedKeys = [...callerKeys];
  const rotatedAway = new Set<string>();
  for (const data of rotations) {
    const before = trustedKeys.find(({ key_id }) => key_id === data.from_key_id);
    const key = readPublicKey(crypto, data.public_key);
    if (before === undefined || key.key_id !== data.key_id) continue;
    if (!isSealEventSigned(organizationId, { type: 'SealKeyRotated', data }, key, before)) continue;
    trustedKeys.push(key);
    rotatedAway.add(before.key_id).delete(key.key_id);
  }
  return { trustedKeys, rotatedAway };
}
