import { CHANGES, type ChangeDocument, changeId } from '../../projections/history/change-document.ts';
import { readNodes } from '../../projections/transparency/organization-tree.ts';
import { firstSealOf, type LogSealedDocument } from '../../projections/transparency/seal-documents.ts';
import type { DocumentReads } from '../../stores/read-store.ts';
import { nodeCrypto } from '../../trail/node/node-crypto.ts';
import type { EventProof, SealAt } from '../../trail/seals/event-proof.ts';
import { consistencyPath, inclusionPath } from '../../trail/seals/merkle.ts';
import { type ConsistencyProof, consistencyProof, inclusionProof } from '../../trail/seals/proof.ts';

/** Proves that the first seal after an event covers it; null if there is no such seal yet. */
export async function proveEvent(
  models: DocumentReads,
  organizationId: string,
  position: number,
): Promise<EventProof | null> {
  const seal = await firstSealOf(models, organizationId, position);
  const [change] = await models.get(CHANGES.name, [changeId(organizationId, position)]);
  if (seal === null || change === undefined) return null;
  const { event_id, hash } = change.doc as unknown as ChangeDocument;
  const node = await nodesFor(models, organizationId, seal.data.size, [position]);
  return {
    event: { position: String(position), event_id, hash },
    seal: sealAt(seal),
    inclusion: inclusionProof(nodeCrypto, position, seal.data.size, node),
  };
}

/**
 * Returns the inclusion path of each position that a seal covers. Returns no paths if tree nodes are missing.
 * @param size the number of events that the seal covers. Paths are valid for this seal only
 */
export async function inclusionPaths(
  models: DocumentReads,
  organizationId: string,
  size: number,
  positions: readonly number[],
): Promise<ReadonlyMap<number, string[]>> {
  const coveredPositions = positions.filter((position) => position <= size);
  try {
    const node = await nodesFor(models, organizationId, size, coveredPositions);
    return new Map(
      coveredPositions.map((position) => [position, inclusionProof(nodeCrypto, position, size, node).path]),
    );
  } catch (error) {
    if (error instanceof RangeError) return new Map();
    throw error;
  }
}

/** Proves that the log of `newer` events starts with the log of `older` events. @throws RangeError if the log is shorter */
export async function proveConsistency(
  models: DocumentReads,
  organizationId: string,
  older: number,
  newer: number,
): Promise<ConsistencyProof> {
  return consistencyProof(
    nodeCrypto,
    older,
    newer,
    await readNodes(models, organizationId, consistencyPath(older, newer)),
  );
}

function nodesFor(models: DocumentReads, organizationId: string, size: number, positions: readonly number[]) {
  return readNodes(
    models,
    organizationId,
    positions.flatMap((position) => inclusionPath(position - 1, size)),
  );
}

function sealAt({ data, position, event_id }: LogSealedDocument): SealAt {
  return { ...data, position: String(position), event_id };
}
