import { frameworkOfControl, idPrefix } from '../../commands/engine/ids.ts';
import { Refusal } from '../../commands/engine/refusal.ts';
import { organizationStream } from '../../commands/families.ts';
import type { Caller } from '../../commands/organization/caller.ts';
import { requirePermission } from '../../commands/organization/permissions.ts';
import { type ChangeDocument, changeId } from '../../projections/history/change-document.ts';
import { recordIdOf } from '../../projections/models.ts';
import type { TrailEvent } from '../../trail/event.ts';
import { nodeCrypto } from '../../trail/node/node-crypto.ts';
import { addOutOfOrder, IN_ORDER, outOfOrderText, RecordedOrder } from '../../trail/recorded-order.ts';
import type { EventProof } from '../../trail/seals/event-proof.ts';
import { presentChanges } from '../changes/list-changes.ts';
import { currentMoment } from '../moments/moment.ts';
import type { Reader, Snapshot } from '../moments/snapshot.ts';
import { differences } from './change-fault.ts';
import {
  CHANGE_PROOF_FORMAT,
  type ChangeCheck,
  type ChangeProof,
  checkChange,
  type ProvenEvent,
} from './check-change.ts';
import { readSealKey } from './check-newest-seal.ts';
import { proveEvent } from './proofs.ts';

/** Events of a stream that one proof contains at most. Longer histories are verified by an export. */
const MAX_PROOF_EVENTS = 2_000;

/** A change as the read models have it, its proof, and the outcome of the service's own check. */
export interface ProvenChange {
  change: ChangeDocument;
  /** The name of the actor at the time of the change. */
  actorName: string;
  proof: ChangeProof;
  /** The public key of the seal that covers it, as `veritrail seal-key` prints it. Null without a seal or its key. */
  sealKey: string | null;
  check: ChangeCheck;
  /** The fields in which the read models differ from the event. */
  differs: readonly string[];
  /** Says that the event was recorded out of order; null if it wasn't. */
  notice: string | null;
}

/** Returns one change with its proof; null if the organization has no such change. @throws Refusal forbidden */
export async function readChangeProof(
  reader: Reader,
  caller: Caller,
  organizationId: string,
  position: number,
): Promise<ProvenChange | null> {
  requirePermission(caller, organizationId, 'readRecords');
  const snapshot = reader.snapshot();
  const [row] = await snapshot.models.get('changes', [changeId(organizationId, position)]);
  if (row === undefined) return null;
  const change = row.doc as unknown as ChangeDocument;
  const events = await readEvents(snapshot, organizationId, change);
  if (events.length === 0) return null;
  const proof = await withSeals(snapshot, { organizationId, position, events });
  const check = checkChange(nodeCrypto, proof, snapshot.now());
  const context = { snapshot, organizationId, moment: currentMoment(snapshot) };
  const [presented] = await presentChanges(context, [change]);
  const keyId = proof.proof?.seal.key_id;
  const key = keyId === undefined ? null : await readSealKey(snapshot.models, organizationId, keyId);
  return {
    change,
    actorName: presented!.actor.name,
    proof,
    sealKey: key?.text ?? null,
    check,
    differs: differingFields(change, check),
    notice: orderNotice(change, snapshot.now()),
  };
}

function orderNotice({ position, event_type: type, recorded_at, log_time }: ChangeDocument, now: Date): string | null {
  const why = new RecordedOrder(log_time, now).take({ type, data: null, metadata: { recorded_at } });
  return why && outOfOrderText(addOutOfOrder(IN_ORDER, why, position, recorded_at, log_time).last!);
}

/** Reads a stream up to a change's event. Another organization's events are treated as missing. */
async function readEvents(
  { events }: Snapshot,
  organizationId: string,
  { stream, stream_revision: revision }: ChangeDocument,
): Promise<TrailEvent[]> {
  if (revision >= MAX_PROOF_EVENTS) {
    const message = 'The record has too many events for one proof. Verify an export with veritrail verify.';
    throw new Refusal('too_large', message);
  }
  const stored = await events.readStream(stream, 0, revision + 1);
  return stored
    .filter(({ metadata }) => metadata.organization_id === organizationId)
    .map(({ id, stream, revision, type, data, metadata }) =>
      // The check finds an unreadable event's hash wrong.
      withoutImportKey({ id, stream, revision, type, data: data ?? {}, metadata }),
    );
}

/**
 * Erases the data of the organization's first event in the copy that is sent. Its import key stays in the log: with it,
 * readers could compute the ids of records imported elsewhere.
 */
function withoutImportKey(event: TrailEvent): TrailEvent {
  const isFirst = event.stream === organizationStream(event.metadata.organization_id) && event.revision === 0;
  return isFirst ? { ...event, data: {}, metadata: { ...event.metadata, salt: '' } } : event;
}

async function withSeals(
  snapshot: Snapshot,
  { organizationId, position, events }: { organizationId: string; position: number; events: readonly TrailEvent[] },
): Promise<ChangeProof> {
  const proof = await proveEvent(snapshot.models, organizationId, position);
  const origin = await readOrigin(snapshot, organizationId, events[0]!.stream);
  return {
    format: CHANGE_PROOF_FORMAT,
    organization_id: organizationId,
    position: String(position),
    events,
    proof,
    ...(origin === null ? {} : { origin }),
    keys: await readKeys(snapshot, organizationId, [proof, origin?.proof ?? null]),
  };
}

/** Reads the adoption that a control began with; null for other streams. */
async function readOrigin(snapshot: Snapshot, organizationId: string, stream: string): Promise<ProvenEvent | null> {
  const id = recordIdOf(stream);
  if (idPrefix(id) !== 'ctl') return null;
  const where = [{ key: 'record_id', op: 'eq', value: frameworkOfControl(id) }] as const;
  const order = { key: 'position', direction: 'ASC' } as const;
  const [row] = await snapshot.models.find({ collection: 'changes', organizationId, where, order, limit: 1 });
  if (row === undefined) return null;
  const adoption = row.doc as unknown as ChangeDocument;
  const [event] = await readEvents(snapshot, organizationId, adoption);
  if (event === undefined) return null;
  return { event, proof: await proveEvent(snapshot.models, organizationId, adoption.position) };
}

async function readKeys(
  { models }: Snapshot,
  organizationId: string,
  proofs: readonly (EventProof | null)[],
): Promise<string[]> {
  const ids = new Set(proofs.flatMap((proof) => (proof === null ? [] : [proof.seal.key_id])));
  const keys = await Promise.all([...ids].map((id) => readSealKey(models, organizationId, id)));
  return keys.flatMap((key) => (key === null ? [] : [key.text]));
}

/** Fields that other streams hold, or that an event doesn't have. */
const NOT_IN_EVENTS = new Set(['position', 'log_time']);

/** Returns the fields in which a stored change differs from the one rebuilt from its events, as far as it can be rebuilt. */
function differingFields(stored: ChangeDocument, { change, erased }: ChangeCheck): string[] {
  return differences(stored, change).filter((field) => {
    if (NOT_IN_EVENTS.has(field)) return false;
    const isName = field === 'record.name' || field === 'linked.name';
    if (isName) return change.linked === undefined && erased === null;
    const isChanged = field === 'changes' || field.startsWith('changes.');
    if (erased === 'NAME') return field !== 'changes.name';
    if (erased === 'CHANGES') return !isChanged;
    return erased !== 'DATA' || !(isChanged || field === 'reason' || field === 'effective_at' || field === 'stale');
  });
}
