import type { TrailCrypto } from '../crypto.ts';
import { eventId } from '../hash.ts';
import type { PublicKey } from './key.ts';
import { type InclusionProof, provesInclusion } from './proof.ts';
import { isSigned, type LogSealed } from './seal-events.ts';

/** A seal, with position and id of the event that holds it. Its signature doesn't cover these two. */
export type SealAt = LogSealed & { position: string; event_id: string };

/** An event, a seal, and the proof that the seal covers the event. Audit packs contain one. */
export interface EventProof {
  event: { position: string; event_id: string; hash: string };
  seal: SealAt;
  inclusion: InclusionProof;
}

/** The outcome of verifying an event's proof. */
export interface ProofVerdict {
  /** True if a trusted key signed the seal, and the seal covers this event at this position. */
  valid: boolean;
  /**
   * - `KEY`: the seal's key isn't trusted.
   * - `SIGNATURE`: its key didn't sign the seal.
   * - `EVENT`: position or id don't belong to the proof.
   * - `PATH`: the proof doesn't lead from the event to the seal.
   */
  fault: 'KEY' | 'SIGNATURE' | 'EVENT' | 'PATH' | null;
}

/** Verifies the proof that an organization's seal covers an event. */
export function verifyProof(
  crypto: TrailCrypto,
  proof: EventProof,
  organizationId: string,
  keys: readonly PublicKey[],
): ProofVerdict {
  const fault = findFault(crypto, proof, organizationId, keys);
  return { valid: fault === null, fault };
}

function findFault(
  crypto: TrailCrypto,
  { event, seal, inclusion }: EventProof,
  organizationId: string,
  keys: readonly PublicKey[],
): ProofVerdict['fault'] {
  const { position: _position, event_id: _event, ...data } = seal;
  const key = keys.find(({ key_id }) => key_id === seal.key_id);
  if (key === undefined) return 'KEY';
  if (!isSigned(organizationId, 'LogSealed', data, seal.signature, key.key)) return 'SIGNATURE';
  const isOfEvent = String(inclusion.position) === event.position && eventId(crypto, event.hash) === event.event_id;
  if (!isOfEvent) return 'EVENT';
  return provesInclusion(crypto, inclusion, event.hash, seal) ? null : 'PATH';
}
