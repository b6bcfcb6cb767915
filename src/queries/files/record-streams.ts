import { crosswalkAggregate } from '../../commands/crosswalk.ts';
import { frameworkOfControl, idPrefix } from '../../commands/engine/ids.ts';
import { linkAggregate } from '../../commands/link.ts';
import { changeId } from '../../projections/history/change-document.ts';
import type { RecomputedStream } from '../../projections/history/recomputed-changes.ts';
import { modelOfId } from '../../projections/models.ts';
import { EVIDENCE } from '../../register/evidence.ts';
import { linkablePrefixes } from '../../register/families.ts';
import { FRAMEWORK } from '../../register/framework.ts';
import type { StorePosition } from '../../stores/event-store.ts';
import { readKeysetPages } from '../lists/keyset-page.ts';
import type { Snapshot } from '../moments/snapshot.ts';
import type { ChangeVerifier, VerifyRequest } from '../proofs/change-verifier.ts';
import { readLinkPages } from '../records/link-pages.ts';

const FRAMEWORKS_PER_READ = 100;

/**
 * The streams of some records, and of their links and evidence. Each of their events must have a row among the records'
 * changes.
 */
export class RecordStreams {
  private constructor(
    private readonly snapshot: Snapshot,
    private readonly request: VerifyRequest,
    private readonly streams: readonly RecomputedStream[],
    private readonly newest: StorePosition,
  ) {}

  /** Reads the streams up to the request's newest position; null if that position's event can't be found in the log. */
  static async read(snapshot: Snapshot, request: VerifyRequest, verifier: ChangeVerifier, ids: readonly string[]) {
    const newest = await storePositionAt(snapshot, request.organizationId, request.to);
    if (newest === null) {
      verifier.addFault({ why: 'HIDDEN', position: String(request.to) });
      return null;
    }
    const streams = await verifier.readUpToPosition(await streamsOf(snapshot, request.organizationId, ids), newest);
    return new RecordStreams(snapshot, request, streams, newest);
  }

  /** Reports events from position `coveredFrom` on that have no checked row. */
  async reportHidden(verifier: ChangeVerifier, coveredFrom: number): Promise<void> {
    const { snapshot, request, newest } = this;
    const oldest = coveredFrom === 1 ? null : await storePositionAt(snapshot, request.organizationId, coveredFrom);
    if (oldest === null && coveredFrom !== 1)
      return verifier.addFault({ why: 'HIDDEN', position: String(coveredFrom) });
    const compare = (a: StorePosition, b: StorePosition) => snapshot.events.compareStorePositions(a, b);
    for (const { stream, events } of this.streams) {
      for (const [revision, { id: event_id, storePosition, rows }] of events.entries()) {
        const isCovered =
          compare(storePosition, newest) <= 0 && (oldest === null || compare(storePosition, oldest) >= 0);
        const isRequested = rows.some(({ recordId }) => request.recordKeys!.has(recordId));
        if (!isCovered || !isRequested || verifier.checkedEvents.has(`${stream}@${revision}`)) continue;
        verifier.addFault({ why: 'HIDDEN', position: null, stream, revision, event_id });
      }
    }
  }
}

async function streamsOf(snapshot: Snapshot, organizationId: string, ids: readonly string[]): Promise<Set<string>> {
  const streams = new Set<string>();
  for (const id of ids) {
    if (!(await belongsTo(snapshot, organizationId, id))) continue;
    streams.add(streamOf(id));
    for (const stream of await crosswalksOf(snapshot, organizationId, id)) streams.add(stream);
    const prefixes = linkablePrefixes(idPrefix(id) ?? '');
    for await (const otherId of linkedWith(snapshot, organizationId, id)) {
      if (!prefixes.includes(idPrefix(otherId) ?? '')) continue;
      for (const stream of streamsOfLink(id, otherId)) streams.add(stream);
    }
  }
  return streams;
}

/** Returns the streams that a link can come from: its own, that of evidence, and a crosswalk of two controls' frameworks. */
function streamsOfLink(id: string, otherId: string): string[] {
  const { stream, companion } = linkAggregate(id, otherId);
  const evidence = idPrefix(otherId) === EVIDENCE.prefix ? [streamOf(otherId)] : [];
  return [stream, ...evidence, ...(companion === undefined ? [] : [companion.aggregate.stream])];
}

/** Returns the streams that crosswalks of a framework have, most of which don't exist. Empty for other records. */
async function crosswalksOf({ models }: Snapshot, organizationId: string, id: string): Promise<string[]> {
  if (idPrefix(id) !== FRAMEWORK.prefix) return [];
  const order = { key: 'created_at', direction: 'ASC' } as const;
  const query = { collection: FRAMEWORK.plural, organizationId, where: [], order, size: FRAMEWORKS_PER_READ };
  const streams: string[] = [];
  for await (const page of readKeysetPages(() => models, { ...query, after: null })) {
    for (const other of page) if (other.id !== id) streams.push(crosswalkAggregate(id, other.id).stream);
  }
  return streams;
}

/** Returns true if a record belongs to the organization. Reads only the first event, so that another organization's record costs as much as an unknown one. */
async function belongsTo({ events }: Snapshot, organizationId: string, id: string): Promise<boolean> {
  const [first] = await events.readStream(streamOf(idPrefix(id) === 'ctl' ? frameworkOfControl(id) : id), 0, 1);
  return first?.metadata.organization_id === organizationId;
}

const streamOf = (id: string): string => `${modelOfId(id)!.family.singular}-${id}`;

/** Returns the ids of all records that are or were linked with a record. */
async function* linkedWith({ models }: Snapshot, organizationId: string, id: string): AsyncGenerator<string> {
  const where = [{ key: 'record_id', op: 'eq', value: id }] as const;
  for await (const rows of readLinkPages(models, { organizationId, where })) {
    for (const { doc } of rows) yield String(doc.other_id);
  }
}

/** Returns the store position of the event at a position; null if it can't be found. */
async function storePositionAt(
  snapshot: Snapshot,
  organizationId: string,
  position: number,
): Promise<StorePosition | null> {
  const checkpoint = snapshot.progress.checkpoint(organizationId);
  if (checkpoint?.position === position) return checkpoint.storePosition;
  const [row] = await snapshot.models.get('changes', [changeId(organizationId, position)]);
  if (row === undefined) return null;
  const { stream, stream_revision, event_id } = row.doc;
  const [event] = await snapshot.events.readStream(String(stream), Number(stream_revision) || 0, 1);
  return event?.id === event_id ? event!.storePosition : null;
}
