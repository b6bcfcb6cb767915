import type { ReadModels } from '../../stores/read-store.ts';
import { CHANGES, type ChangeDocument, changeId } from '../history/change-document.ts';

/** An organization's newest event in read models. */
export interface NewestEvent {
  organizationId: string;
  position: number;
  /** Null for an event that the change history doesn't have. */
  eventId: string | null;
}

/** Shows that the log no longer has an event that earlier read models were built from. */
export interface LogLoss {
  organizationId: string;
  /** Position of the newest event in the earlier read models. */
  readModelsEnd: number;
  /** Position of the organization's last event in the log, 0 if it has none. */
  logEnd: number;
}

/** Returns the newest event of each organization in a generation. */
export async function newestEvents(models: ReadModels): Promise<NewestEvent[]> {
  const checkpoints = await models.checkpoints();
  const eventIds = await eventIdsAt(models, checkpoints);
  return checkpoints.map(({ organizationId, position }) => ({
    organizationId,
    position,
    eventId: eventIds.get(changeId(organizationId, position)) ?? null,
  }));
}

/** Compares the newest events of earlier read models with a generation that was just built from the log. */
export async function findLogLosses(earlier: readonly NewestEvent[], built: ReadModels): Promise<LogLoss[]> {
  const logEnds = new Map(
    (await built.checkpoints()).map(({ organizationId, position }) => [organizationId, position]),
  );
  const eventIds = await eventIdsAt(built, earlier);
  return earlier.flatMap(({ organizationId, position, eventId }) => {
    const logEnd = logEnds.get(organizationId) ?? 0;
    const isReplaced = eventId !== null && eventIds.get(changeId(organizationId, position)) !== eventId;
    return logEnd < position || isReplaced ? [{ organizationId, readModelsEnd: position, logEnd }] : [];
  });
}

/**
 * Refuses a log without any of the events of earlier read models. That is no older copy: it is another log, or the read
 * of it went wrong. Read models of it would show an empty register.
 */
export function refuseEmptyLog(earlier: readonly NewestEvent[], losses: readonly LogLoss[]): void {
  if (earlier.length === 0 || losses.length < earlier.length || losses.some(({ logEnd }) => logEnd > 0)) return;
  throw new Error(
    'The log has none of the events that the read models were built from, so no read models are built from it. Stop the ' +
      'service, keep a copy of the stores, and restore your newest backup. See docs/operations.md, "The log has lost events".',
  );
}

async function eventIdsAt(
  models: ReadModels,
  events: readonly { organizationId: string; position: number }[],
): Promise<Map<string, string>> {
  const ids = events.map(({ organizationId, position }) => changeId(organizationId, position));
  const changes = ids.length === 0 ? [] : await models.get(CHANGES.name, ids);
  return new Map(changes.map(({ id, doc }) => [id, (doc as unknown as ChangeDocument).event_id]));
}

/** Tells the operator what was seen, what it may mean, and what to do. */
export function logLossText({ organizationId, readModelsEnd, logEnd }: LogLoss): string {
  const seen =
    logEnd < readModelsEnd
      ? `the log ends at position ${logEnd}`
      : `the log, which ends at position ${logEnd}, has another event there`;
  return (
    `The log has lost events of ${organizationId}: the read models were at position ${readModelsEnd}, ${seen}. ` +
    'Somebody removed the end of the log, or put an older copy of it back. ' +
    'If you did that, it is expected. Otherwise stop the service, keep a copy of the stores, and restore your newest ' +
    'backup. ' +
    'To see what is missing, compare the log with a kept seal: "veritrail export --to FILE", then ' +
    '"veritrail verify FILE --key KEY --seal SEAL". See docs/operations.md, "The log has lost events".'
  );
}
