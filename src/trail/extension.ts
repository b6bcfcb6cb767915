import { canonical } from './canonical.ts';
import { isKeptSealSigned, type KeptSeal, parseJsonLine, readKeptSeal } from './kept-seal.ts';
import { type PublicKey, readPublicKey } from './key.ts';
import { type ConsistencyProof, provesConsistency } from './proof.ts';
import { isHash, isSealEventSigned, readSealEvent, type SealKeyRotated } from './seal-events.ts';
import type { ExtensionFault, SealVerdict } from './verdict.ts';
import type { VerifierOptions } from './verifier.ts';

const EXTENSION_FORMAT = 'veritrail-extension-1';

/** Shows to whoever has two seals, and nothing else, that the history of the newer one begins with that of the older. */
export interface Extension extends ConsistencyProof {
  format: typeof EXTENSION_FORMAT;
  /** The rotations of keys before the newer seal, in order: they lead from a key that was given to the one it is of. */
  rotations: readonly SealKeyRotated[];
}

/** A file of "veritrail seal": a seal and, on a second line where it was asked for, what it extends. */
export interface SealFile {
  seal: KeptSeal;
  extension: Extension | null;
}

/** An extension as the second line of a kept seal's file. */
export function extensionText(proof: ConsistencyProof, rotations: readonly SealKeyRotated[]): string {
  return `${canonical({ ...proof, format: EXTENSION_FORMAT, rotations })}\n`;
}

/** @throws TypeError where the text is no kept seal, with an extension or without */
export function readSealFile(text: string): SealFile {
  const [, second, ...more] = text.trimEnd().split('\n');
  const seal = readKeptSeal(text);
  if (more.length > 0) throw new TypeError('of more than two lines');
  return { seal, extension: second === undefined ? null : readExtension(second) };
}

function readExtension(text: string): Extension {
  const value = parseJsonLine(text);
  const { format, newer, older, path, rotations, ...others } = value;
  const fits =
    format === EXTENSION_FORMAT &&
    [newer, older].every(Number.isSafeInteger) &&
    Array.isArray(path) &&
    path.every(isHash) &&
    Array.isArray(rotations) &&
    rotations.every((data) => readSealEvent('SealKeyRotated', Object(data)) !== null) &&
    Object.keys(others).length === 0;
  if (!fits) throw new TypeError(`not of the format ${EXTENSION_FORMAT} on its second line`);
  return value as unknown as Extension;
}

/**
 * Verifies a seal without its history: its signature and, of each seal kept earlier, that the history which it seals
 * begins with the one that was sealed then.
 */
export function verifySeal(file: SealFile, { keys, keptSeals: kept = [] }: VerifierOptions): SealVerdict {
  const { seal, extension } = file;
  const { trusted, replaced } = followRotations(seal.organization_id, keys, extension?.rotations ?? []);
  let fault: ExtensionFault | null = null;
  const isOfTrusted = trusted.some(({ key_id }) => key_id === seal.key_id);
  if (!isOfTrusted || replaced.has(seal.key_id)) fault = { why: 'KEY', size: null };
  else if (!isKeptSealSigned(seal, trusted)) fault = { why: 'SIGNATURE', size: null };
  for (const older of kept) {
    const why = findFault(file, older, trusted);
    if (why !== null) fault ??= { why, size: older.size };
  }
  return { valid: fault === null, seal, kept: kept.map(({ size }) => size), fault };
}

function findFault({ seal, extension }: SealFile, older: KeptSeal, trusted: readonly PublicKey[]) {
  if (older.organization_id !== seal.organization_id) return 'KEPT_KEY';
  // Before the signature: of two that changed places, the rotation to the key of one may stand behind the other.
  if (older.size > seal.size) return 'KEPT_BEYOND';
  if (!isKeptSealSigned(older, trusted)) return 'KEPT_KEY';
  const sizes = { older: older.size, newer: seal.size };
  const proof = older.size === seal.size ? { ...sizes, path: [] } : extension;
  if (proof?.older !== sizes.older || proof.newer !== sizes.newer) return 'NO_PROOF';
  return provesConsistency(proof, older, seal) ? null : 'KEPT';
}

/**
 * The keys that were given and those that took over from them with their consent; and ids of those that were replaced so
 * in the end: a rotation is the remedy for a key that leaked, so what it seals afterwards says nothing.
 */
function followRotations(organizationId: string, given: readonly PublicKey[], rotations: readonly SealKeyRotated[]) {
  const trusted = [...given];
  const replaced = new Set<string>();
  for (const data of rotations) {
    const before = trusted.find(({ key_id }) => key_id === data.from_key_id);
    const key = readPublicKey(data.public_key);
    if (before === undefined || key.key_id !== data.key_id) continue;
    if (!isSealEventSigned(organizationId, { type: 'SealKeyRotated', data }, key, before)) continue;
    trusted.push(key);
    replaced.add(before.key_id).delete(key.key_id);
  }
  return { trusted, replaced };
}
