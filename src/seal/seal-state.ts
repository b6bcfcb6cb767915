import { CHANGES } from '../projections/history/change-document.ts';
import {
  type LogSealedDocument,
  newestSeal,
  newestSealEvent,
  SEALS,
  type SealDocument,
} from '../projections/transparency/seal-documents.ts';
import type { Checkpoint, ReadModels } from '../stores/read-store.ts';

/** An organization's seals as of a checkpoint, by the read models. */
export interface SealState {
  checkpoint: Checkpoint;
  /** The newest event of the seal stream. */
  newestEvent: SealDocument | null;
  newestSeal: LogSealedDocument | null;
  /** The number of unsealed events outside the seal stream. */
  unsealed: number;
}

/**
 * Reads an organization's seals as of a checkpoint. Returns null if the read models are ahead of it; the next check
 * has a newer checkpoint.
 */
export async function readSealState(models: ReadModels, checkpoint: Checkpoint): Promise<SealState | null> {
  const { organizationId, position } = checkpoint;
  const newestEvent = await newestSealEvent(models, organizationId);
  if (newestEvent !== null && newestEvent.position > position) return null;
  const seal =
    newestEvent?.type === 'LogSealed' ? newestEvent : newestEvent && (await newestSeal(models, organizationId));
  const size = seal?.data.size ?? 0;
  const afterSeal = { key: 'position', op: 'range', gt: size } as const;
  const [count] = newestEvent ? await models.count({ collection: SEALS.name, organizationId, where: [afterSeal] }) : [];
  return { checkpoint, newestEvent, newestSeal: seal, unsealed: position - size - (count?.total ?? 0) };
}

/** Returns true if an event after this position completed an audit. */
export async function hasAuditCompletion(
  models: ReadModels,
  { organizationId, position }: Checkpoint,
  after: number,
): Promise<boolean> {
  const completions = await models.find({
    collection: CHANGES.name,
    organizationId,
    where: [
      { key: 'position', op: 'range', gt: after, lte: position },
      { key: 'event_type', op: 'eq', value: 'AuditCompleted' },
    ],
    order: { key: 'position', direction: 'ASC' },
    limit: 1,
  });
  return completions.length > 0;
}
