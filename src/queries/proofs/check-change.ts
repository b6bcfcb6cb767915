import { readCrosswalk } from '../../commands/crosswalk.ts';
import { applyStoredEvent } from '../../commands/engine/stream-state.ts';
import { recordAggregate } from '../../commands/families.ts';
import { readLinkTransition } from '../../commands/link.ts';
import type { ChangeDocument, FieldChange } from '../../projections/history/change-document.ts';
import { linkFieldChanges, recordChangeRows, sealChangeRow } from '../../projections/history/change-rows.ts';
import { pairCounts } from '../../projections/history/crosswalk-change-rows.ts';
import {
  idsOfPairStream,
  isCrosswalkStream,
  isPairStream,
  modelOfId,
  modelOfStream,
  recordIdOf,
} from '../../projections/models.ts';
import { ReplayedEntries } from '../../projections/read-models/map-entries.ts';
import { type RecordDocument, revisionAfter } from '../../projections/read-models/read-model.ts';
import { verifyChain } from '../../trail/chain.ts';
import type { TrailCrypto } from '../../trail/crypto.ts';
import { placeInStream, type TrailEvent } from '../../trail/event.ts';
import { addOutOfOrder, IN_ORDER, outOfOrderText, RecordedOrder } from '../../trail/recorded-order.ts';
import { type EventProof, type ProofVerdict, verifyProof } from '../../trail/seals/event-proof.ts';
import { readPublicKey } from '../../trail/seals/key.ts';
import { sealStream } from '../../trail/seals/seal-events.ts';

export const CHANGE_PROOF_FORMAT = 'veritrail-change-proof-1';

/** An event with the proof that a seal covers it; null until one does. */
export interface ProvenEvent {
  event: TrailEvent;
  proof: EventProof | null;
}

/** Everything that a check of one change needs: the events that it follows from, and the proof of its seal. */
export interface ChangeProof {
  format: typeof CHANGE_PROOF_FORMAT;
  organization_id: string;
  position: string;
  /** The change's stream as stored, from its first event to the change. */
  events: readonly TrailEvent[];
  /** Proves that a seal covers the change; null until one does. */
  proof: EventProof | null;
  /** For a control: the adoption of its framework, which has the control's first state. */
  origin?: ProvenEvent;
  /** The public keys of the seals, in base64. */
  keys: readonly string[];
}

/**
 * The part of a change that can't be rebuilt, because data was erased.
 *
 * - `DATA`: the event's own data. Its actor and time can still be compared.
 * - `CHANGES`: data of an earlier event, so the values before the change are unknown.
 * - `NAME`: the first event of the organization, which proofs never contain. It has the organization's name.
 */
export type ErasedPart = 'DATA' | 'CHANGES' | 'NAME' | null;

/** The outcome of checking a change's events, before it is compared with what a page shows. */
export interface ChangeCheck {
  /** Names the first fault; null if the events are as they were recorded. */
  fault: 'ALTERED' | 'BROKEN_LINK' | 'OUT_OF_ORDER' | NonNullable<ProofVerdict['fault']> | null;
  /** The event at fault, or else the change's own. */
  event: TrailEvent;
  /** The change as its events have it. */
  change: ChangeDocument;
  erased: ErasedPart;
  /** Says that the change was recorded out of order, as far as its own events show it: a notice, not a fault. */
  outOfOrder: string | null;
}

/** The meaning of each fault of a change's events. Only a signed seal says anything about an event. */
export const CHANGE_FAULT_TEXTS: Readonly<Record<NonNullable<ChangeCheck['fault']>, string>> = {
  ALTERED: 'This event was altered after it was recorded.',
  BROKEN_LINK: 'This event doesn’t follow the event before it.',
  OUT_OF_ORDER: 'An event is missing before this one.',
  KEY: 'The key of the seal is missing.',
  SIGNATURE: 'The key didn’t sign the seal.',
  EVENT: 'This is not the event that was sealed.',
  PATH: 'The seal doesn’t cover this event.',
};

/** Names an event for readers: its type, and its place in its stream. */
export function eventName(event: Pick<TrailEvent, 'type' | 'stream' | 'revision'>): string {
  return `${event.type}, ${placeInStream(event)}`;
}

/**
 * Checks hashes, chain, seal and signature of a change's events, and rebuilds the change from them alone.
 * @param now the reader's clock
 */
export function checkChange(crypto: TrailCrypto, proof: ChangeProof, now: Date): ChangeCheck {
  const event = proof.events.at(-1);
  if (event === undefined) throw new TypeError('the proof has no event');
  const outOfOrder = orderNotice(proof, now);
  const check = { event, change: rebuildChange(proof), erased: erasedPart(proof.events), outOfOrder };
  const chainFault = verifyChain(crypto, proof.events);
  if (chainFault !== null) {
    return { ...check, fault: chainFault.why, event: proof.events[chainFault.revision] ?? event };
  }
  const fault = originFault(crypto, proof);
  if (fault !== null) return { ...check, fault, event: proof.origin?.event ?? event };
  return { ...check, fault: sealFault(crypto, proof, { event, proof: proof.proof }, proof.position) };
}

/**
 * Returns the fault of a control's adoption: missing, another framework's, altered, or not sealed at its position. The
 * adoption comes before the change, so the seal of a sealed change covers it too.
 */
function originFault(crypto: TrailCrypto, proof: ChangeProof): ChangeCheck['fault'] {
  const { events, origin } = proof;
  const { stream } = events[0]!;
  const hasOrigin = modelOfStream(stream)?.family.origin !== undefined;
  const isSealed = proof.proof !== null;
  if (origin === undefined) return hasOrigin && isSealed ? 'OUT_OF_ORDER' : null;
  const originStream = hasOrigin ? recordAggregate(recordIdOf(stream)).origin?.aggregate.stream : undefined;
  if (origin.event.stream !== originStream) return 'EVENT';
  const chainFault = verifyChain(crypto, [origin.event]);
  if (chainFault !== null) return chainFault.why;
  return isSealed && origin.proof === null ? 'PATH' : sealFault(crypto, proof, origin);
}

/** Returns the fault of an event's seal; null also if no seal covers the event yet. */
function sealFault(
  crypto: TrailCrypto,
  { organization_id, keys }: ChangeProof,
  { event, proof }: ProvenEvent,
  position = proof?.event.position,
): ChangeCheck['fault'] {
  if (event.metadata.organization_id !== organization_id) return 'EVENT';
  if (proof === null) return null;
  const publicKeys = keys.map((key) => readPublicKey(crypto, key));
  const { fault } = verifyProof(crypto, proof, organization_id, publicKeys);
  // The signature comes first: without it, the proof says nothing about the event.
  if (fault === 'KEY' || fault === 'SIGNATURE') return fault;
  const isOfEvent = proof.event.hash === event.metadata.hash && proof.event.position === position;
  return isOfEvent ? fault : 'EVENT';
}

/** Compares the change's time with those of the earlier events of its record. Only the whole history has all others. */
function orderNotice({ events, origin, position }: ChangeProof, now: Date): string | null {
  const order = new RecordedOrder('', now);
  let notice: string | null = null;
  for (const event of origin === undefined ? events : [origin.event, ...events]) {
    const { logTime } = order;
    const why = order.take(event);
    const { last } = addOutOfOrder(IN_ORDER, why ?? 'BEFORE', Number(position), event.metadata.recorded_at, logTime);
    notice = why === null ? null : outOfOrderText(last!);
  }
  return notice;
}

/** Returns true if an event's data and salt were erased together. */
export const isErased = ({ metadata }: TrailEvent): boolean => metadata.salt === '';

function erasedPart(events: readonly TrailEvent[]): ErasedPart {
  if (isErased(events.at(-1)!)) return 'DATA';
  const erasedEvents = events.filter(isErased);
  if (erasedEvents.length === 0) return null;
  return erasedEvents.every(({ type }) => type === 'OrganizationCreated') ? 'NAME' : 'CHANGES';
}

/** Rebuilds a change from its events with the projections' own code. */
function rebuildChange({ events, origin, position, organization_id }: ChangeProof): ChangeDocument {
  const event = events.at(-1)!;
  const positioned = { event, position: Number(position), logTime: '' };
  if (event.stream === sealStream(organization_id)) return documentOf(sealChangeRow(positioned));
  const model = modelOfStream(event.stream);
  // A link and a crosswalk have the same fields as a seal, and two records.
  if (isPairStream(event.stream)) return { ...documentOf(sealChangeRow(positioned)), ...pairDetails(event) };
  if (model === null) return documentOf(recordChangeRows(positioned, null, null, null)[0]!);
  const id = recordIdOf(event.stream);
  let state = origin === undefined ? null : firstState(origin.event, id);
  let before: RecordDocument | null = null;
  let after = state === null ? null : ({ ...state, id, revision: 1 } as RecordDocument);
  const entries = new ReplayedEntries(model);
  try {
    for (const next of events) {
      before = entries.select(after, next);
      state = applyStoredEvent(model.family, entries.select(state, next), next);
      entries.keep(state, next);
      after = {
        owner_id: null,
        archived_at: null,
        ...state,
        id,
        revision: revisionAfter(model, next),
      } as RecordDocument;
    }
  } catch {
    // This version can't apply the event. The projections park it then, and list no fields.
    after = null;
  }
  return documentOf(recordChangeRows(positioned, model, before, after)[0]!);
}

const documentOf = (row: ReturnType<typeof sealChangeRow>): ChangeDocument =>
  row.document.doc as unknown as ChangeDocument;

/** Returns the state in which a record begins with an event of another stream: a control with its framework's adoption. */
function firstState({ stream, type, data }: TrailEvent, id: string): object | null {
  const frameworkId = recordIdOf(stream);
  const children = isEmpty(data) ? [] : (modelOfId(frameworkId)?.childRecords?.(type, data, frameworkId) ?? []);
  return children.find((child) => child.id === id)?.state ?? null;
}

const isEmpty = (data: object): boolean => Object.keys(data).length === 0;

/** Returns the fields of a link's or crosswalk's change, without the names of its records: those have their own streams. */
function pairDetails(event: TrailEvent): Partial<ChangeDocument> {
  const [id, linkedId] = idsOfPairStream(event.stream);
  const reference = (recordId: string) => ({
    id: recordId,
    type: modelOfId(recordId)?.family.type ?? 'UNKNOWN',
    name: '',
  });
  return { record: reference(id), linked: reference(linkedId), revision: null, changes: pairChanges(event) };
}

function pairChanges(event: TrailEvent): FieldChange[] {
  if (isCrosswalkStream(event.stream)) return pairCounts(readCrosswalk(event)?.pairs ?? []);
  const transition = readLinkTransition(event);
  return transition === null ? [] : linkFieldChanges(transition, ...idsOfPairStream(event.stream));
}
