import { CHANGES, type ChangeDocument, changeId } from '../../projections/history/change-document.ts';
import { readNodes } from '../../projections/transparency/organization-tree.ts';
import { firstSealOf, type LogSealedDocument, newestSeal } from '../../projections/transparency/seal-documents.ts';
import type { ReadModels } from '../../stores/read-store.ts';
import { consistencyPath, inclusionPath } from '../../trail/seals/merkle.ts';
import {
  type ConsistencyProof,
  consistencyProof,
  type InclusionProof,
  inclusionProof,
} from '../../trail/seals/proof.ts';
import type { LogSealed } from '../../trail/seals/seal-events.ts';

/** An event, a seal, and the proof that the seal covers the event (docs/trail-format.md). */
export interface EventProof {
  event: { position: string; event_id: string; hash: string };
  seal: SealAt;
  inclusion: InclusionProof;
}

export type SealAt = LogSealed & { position: string; event_id: string };

/** Proves that the first seal after an event covers it; null if there is no such seal yet. */
export async function proveEvent(
  models: ReadModels,
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
    inclusion: inclusionProof(position, seal.data.size, node),
  };
}

/** Returns the newest seal, and the inclusion path of each position that it covers. */
async function inclusionPathsIn(
  models: ReadModels,
  organizationId: string,
  positions: readonly number[],
): Promise<{ seal: SealAt; paths: Map<number, string[]> } | null> {
  const seal = await newestSeal(models, organizationId);
  if (seal === null) return null;
  const { size } = seal.data;
  const covered = positions.filter((position) => position <= size);
  const node = await nodesFor(models, organizationId, size, covered);
  const paths = covered.map((position) => [position, inclusionProof(position, size, node).path] as const);
  return { seal: sealAt(seal), paths: new Map(paths) };
}

/** Returns the inclusion paths of the positions that the newest seal covers; null if there is no seal or tree nodes are missing. */
export async function inclusionPaths(models: ReadModels, organizationId: string, positions: readonly number[]) {
  try {
    return (await inclusionPathsIn(models, organizationId, positions))?.paths ?? null;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** Proves that the log of `newer` events starts with the log of `older` events. @throws RangeError if the log is shorter */
export async function proveConsistency(
  models: ReadModels,
  organizationId: string,
  older: number,
  newer: number,
): Promise<ConsistencyProof> {
  return consistencyProof(older, newer, await readNodes(models, organizationId, consistencyPath(older, newer)));
}

function nodesFor(models: ReadModels, organizationId: string, size: number, positions: readonly number[]) {
  return readNodes(
    models,
    organizationId,
    positions.flatMap((position) => inclusionPath(position - 1, size)),
  );
}

function sealAt({ data, position, event_id }: LogSealedDocument): SealAt {
  return { ...data, position: String(position), event_id };
}
