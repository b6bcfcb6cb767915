import { canonical } from '../../trail/canonical.ts';
import type { TrailCrypto } from '../../trail/crypto.ts';
import { type EventProof, type ProofVerdict, type SealAt, verifyProof } from '../../trail/seals/event-proof.ts';
import type { PublicKey } from '../../trail/seals/key.ts';
import { verdictBlock } from './verdict-text.ts';

/** An audit pack in JSON: the members that its proof and its digest need. */
export interface PackFile extends Record<string, unknown> {
  organization: { id: string };
  position: string;
  digest: string;
  data: { figures: readonly object[]; sections: readonly object[] };
  /** Absent while no seal covers the position. */
  proof?: EventProof;
}

export interface PackVerdict {
  kind: 'PACK';
  /** True if a seal of a trusted key covers the pack's position, and the digest is that of its data. */
  valid: boolean;
  organization_id: string;
  position: string;
  digest: string;
  seal: Pick<SealAt, 'size' | 'sealed_at' | 'key_id'> | null;
  /** `DIGEST`: the data don't match the digest. `NO_SEAL`: the pack has no proof yet. */
  fault: NonNullable<ProofVerdict['fault']> | 'DIGEST' | 'NO_SEAL' | null;
}

/** Verifies a whole audit pack. */
export function verifyPack(crypto: TrailCrypto, pack: PackFile, keys: readonly PublicKey[]): PackVerdict {
  const { position, digest, organization, proof } = pack;
  const fault = findFault(crypto, pack, keys);
  return {
    kind: 'PACK',
    valid: fault === null,
    organization_id: organization.id,
    position,
    digest,
    seal: proof ? { size: proof.seal.size, sealed_at: proof.seal.sealed_at, key_id: proof.seal.key_id } : null,
    fault,
  };
}

/** Returns true for a page of a long answer: it lacks rows or has shortened ones, so its digest can't be computed. */
export function isPartOfPack({ data, left_out, truncated }: Partial<PackFile>): boolean {
  return left_out !== undefined || truncated !== undefined || data?.figures === undefined;
}

function findFault(crypto: TrailCrypto, pack: PackFile, keys: readonly PublicKey[]): PackVerdict['fault'] {
  const { position, digest, organization, proof } = pack;
  if (digest !== digestOf(crypto, pack)) return 'DIGEST';
  if (proof === undefined) return 'NO_SEAL';
  const { fault } = verifyProof(crypto, proof, organization.id, keys);
  // The signature comes first: without it, the proof says nothing about the position.
  if (fault === 'KEY' || fault === 'SIGNATURE') return fault;
  return proof.event.position === position ? fault : 'EVENT';
}

/** The members that the digest covers. Titles, labels and notes are wording, which it doesn't cover. */
const DIGESTED_MEMBERS = ['report_version', 'type', 'organization', 'inputs', 'as_of', 'position', 'today'];
const DIGESTED_OF_FIGURE = ['name', 'kind', 'value', 'change'];
const DIGESTED_OF_SECTION = ['name', 'rows'];

/** Returns the digest of a whole report's data, as `ReportDigest` computes it row by row. */
function digestOf(crypto: TrailCrypto, pack: PackFile): string {
  const figures = pack.data.figures.map((figure) => membersOf(figure, DIGESTED_OF_FIGURE));
  const sections = pack.data.sections.map((section) => membersOf(section, DIGESTED_OF_SECTION));
  return crypto.sha256(canonical({ ...membersOf(pack, DIGESTED_MEMBERS), data: { figures, sections } }));
}

function membersOf(value: object, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([name]) => names.includes(name)));
}

const FAULT_TEXTS: Readonly<Record<NonNullable<PackVerdict['fault']>, string>> = {
  DIGEST: 'The digest doesn’t match the data: the pack was altered after it was generated.',
  NO_SEAL: 'The pack has no seal, so nothing proves it. If it was generated before a seal, generate it again.',
  KEY: 'None of the keys that you gave signed the seal.',
  SIGNATURE: 'The key didn’t sign the seal.',
  EVENT: 'The proof is not the one of the pack’s position.',
  PATH: 'The seal doesn’t cover the pack’s position.',
};

/** Returns the verdict on an audit pack as text. */
export function packVerdictText({ organization_id, position, digest, seal, fault }: PackVerdict): string {
  const rows: [string, string][] = [
    ['Organization', organization_id],
    ['Change', `${position}, up to which the pack goes`],
    ['Digest', digest],
  ];
  if (fault !== null) return verdictBlock(`NOT VALID. ${FAULT_TEXTS[fault]}`, [...rows, ['Proved', 'nothing']]);
  return verdictBlock(`VALID. The digest matches the data, and a signed seal covers change ${position}.`, [
    ...rows,
    ['Proved', `change ${position} is in the history, by the seal made at ${seal?.sealed_at}, key ${seal?.key_id}`],
    ['Not proved', 'that the history says what the pack says: the seal covers changes, not the digest'],
    ['Next', 'compare the digest with the service’s: the same report always has the same digest'],
  ]);
}
