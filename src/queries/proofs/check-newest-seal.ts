import { isDeepStrictEqual } from 'node:util';
import { newestSeal, SEALS, type SealDocument } from '../../projections/transparency/seal-documents.ts';
import type { EventStore } from '../../stores/event-store.ts';
import type { DocumentReads } from '../../stores/read-store.ts';
import { isAuthentic } from '../../trail/hash.ts';
import { nodeCrypto } from '../../trail/node/node-crypto.ts';
import type { SealAt } from '../../trail/seals/event-proof.ts';
import { type PublicKey, readPublicKey } from '../../trail/seals/key.ts';
import { provesInclusion } from '../../trail/seals/proof.ts';
import { isSigned, readSealEvent, sealStream } from '../../trail/seals/seal-events.ts';
import { inclusionPaths } from './proofs.ts';

const PROOFS_PER_READ = 100;
/** Key events of the seal stream that are searched for a seal's key, the newest first. An installation rarely changes its key. */
const MAX_KEY_EVENTS = 1_000;

/** The newest seal in the read models, checked against the log and its signature. */
export interface CheckedSeal {
  seal: SealAt;
  /** True if the seal is in the log and signed with the key it names. */
  isValid: boolean;
  /** The key it names, in base64; null if no event of the seal stream has it. */
  publicKey: string | null;
}

/** Checks the newest seal. Returns null if there is none. */
export async function checkNewestSeal(
  models: DocumentReads,
  events: Pick<EventStore, 'readStream'>,
  organizationId: string,
): Promise<CheckedSeal | null> {
  const document = await newestSeal(models, organizationId);
  if (document === null) return null;
  const { data, position, event_id, revision } = document;
  const [event] = await events.readStream(sealStream(organizationId), revision, 1);
  const sealEvent =
    event?.id === event_id && event.data !== null && isAuthentic(nodeCrypto, event)
      ? readSealEvent('LogSealed', event.data)
      : null;
  const isInLog = sealEvent !== null && isDeepStrictEqual(sealEvent.data, data);
  const publicKey = await readSealKey(models, organizationId, data.key_id);
  const isSignedByKey =
    publicKey !== null && isSigned(organizationId, 'LogSealed', data, data.signature, publicKey.key);
  return {
    seal: { ...data, position: String(position), event_id },
    isValid: isInLog && isSignedByKey,
    publicKey: publicKey?.text ?? null,
  };
}

/** Returns the public key with this id; null if no seal event has it. */
export async function readSealKey(
  models: DocumentReads,
  organizationId: string,
  keyId: string,
): Promise<PublicKey | null> {
  const keys = await readSealKeys(models, organizationId);
  return keys.find(({ key_id }) => key_id === keyId) ?? null;
}

/** Returns the public keys of the seal stream, the newest first. A key's id is derived from the key, so a false key can't have its id. */
export async function readSealKeys(models: DocumentReads, organizationId: string): Promise<PublicKey[]> {
  const where = [{ key: 'size', op: 'empty' }] as const;
  const order = { key: 'position', direction: 'DESC' } as const;
  const rows = await models.find({ collection: SEALS.name, organizationId, where, order, limit: MAX_KEY_EVENTS });
  return rows.flatMap(({ doc }) => {
    const { data } = doc as unknown as SealDocument;
    if (!('public_key' in data)) return [];
    const publicKey = readPublicKey(nodeCrypto, data.public_key);
    return publicKey.key_id === data.key_id ? [publicKey] : [];
  });
}

/** Returns the positions that the seal covers but whose given hashes don't match it. */
export async function findMismatches(
  models: DocumentReads,
  organizationId: string,
  { seal }: CheckedSeal,
  changes: readonly { position: number; hash: string }[],
): Promise<number[]> {
  const coveredChanges = changes.filter(({ position }) => position <= seal.size);
  const mismatches: number[] = [];
  for (let start = 0; start < coveredChanges.length; start += PROOFS_PER_READ) {
    const batch = coveredChanges.slice(start, start + PROOFS_PER_READ);
    const paths = await inclusionPaths(
      models,
      organizationId,
      seal.size,
      batch.map(({ position }) => position),
    );
    for (const { position, hash } of batch) {
      const path = paths.get(position);
      const proof = { position, size: seal.size, path: path ?? [] };
      if (path === undefined || !provesInclusion(nodeCrypto, proof, hash, seal)) mismatches.push(position);
    }
  }
  return mismatches;
}
