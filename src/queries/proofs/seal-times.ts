import { firstSealsOf, type LogSealedDocument } from '../../projections/transparency/seal-documents.ts';
import { StoreUnavailable } from '../../stores/errors.ts';
import type { Snapshot } from '../moments/snapshot.ts';
import { findFaultySeal } from './check-seals.ts';

/**
 * The time of the first seal that covers a change, by the change's position. Null if that seal is faulty. Absent until a
 * seal covers the change.
 */
export type SealTimes = ReadonlyMap<string, string | null>;

/** Reads when changes were sealed, and checks these seals. One seal covers many changes, and is read once. */
export async function readSealTimes(
  snapshot: Snapshot,
  organizationId: string,
  changes: readonly { position: string }[],
): Promise<SealTimes> {
  const positions = changes.map(({ position }) => Number(position));
  const seals = await firstSealsOf(snapshot.models, organizationId, positions);
  const faulty = await faultySeals(snapshot, organizationId, seals);
  const times = new Map<string, string | null>();
  for (const position of positions) {
    const seal = seals.find(({ data }) => data.size >= position);
    if (seal !== undefined) times.set(String(position), faulty.has(seal) ? null : seal.data.sealed_at);
  }
  return times;
}

/** Returns the faulty ones of these seals. Returns none while the log doesn't answer: pages show what was read before. */
async function faultySeals(
  snapshot: Snapshot,
  organizationId: string,
  seals: readonly LogSealedDocument[],
): Promise<ReadonlySet<LogSealedDocument>> {
  const faulty = new Set<LogSealedDocument>();
  try {
    if ((await findFaultySeal(snapshot, organizationId, seals)) === null) return faulty;
    for (const seal of seals) if ((await findFaultySeal(snapshot, organizationId, [seal])) !== null) faulty.add(seal);
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
  }
  return faulty;
}
