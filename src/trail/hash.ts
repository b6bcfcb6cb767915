import { createHash, hash as digestOf } from 'node:crypto';
import { canonical } from './canonical.ts';
import type { MetadataInput, TrailEvent } from './event.ts';
import { randomHex } from './random.ts';
import { uuidV5 } from './uuid.ts';

/** Namespace of event ids: UUIDv5(DNS, "events.veritrail"). Part of the trail format; never change it. */
const EVENT_NAMESPACE = 'ad1ca958-26af-54f5-8faa-45afc7a58025';

/** SHA-256 of UTF-8 text, in lower-case hex. */
export function sha256(text: string): string {
  return digestOf('sha256', text, 'hex');
}

/** SHA-256(salt ‖ canonical form), hex. `salt` is hex; its bytes are hashed, not its letters. */
export function saltedHash(salt: string, value: unknown): string {
  return saltedTextHash(salt, canonical(value));
}

function saltedTextHash(salt: string, text: string): string {
  return createHash('sha256').update(salt, 'hex').update(text, 'utf8').digest('hex');
}

/**
 * The event's own hash: SHA-256 of the canonical form of `{stream, revision, type, metadata}`, metadata without `hash`
 * and `salt`. Data enters by `metadata.data_hash`, so data and salt can be erased while the chain still verifies.
 */
export function eventHash(event: Pick<TrailEvent, 'stream' | 'revision' | 'type' | 'metadata'>): string {
  const { hash: _hash, salt: _salt, ...metadata } = event.metadata;
  return sha256(canonical({ stream: event.stream, revision: event.revision, type: event.type, metadata }));
}

/** The id that belongs to an event with this hash. */
export function eventId(hash: string): string {
  return uuidV5(EVENT_NAMESPACE, hash);
}

export interface NewEvent {
  type: string;
  data: Record<string, unknown>;
}

interface ChainInput {
  stream: string;
  /** Revision of the stream's last event (-1 when there is none) and its hash. */
  revision: number;
  previousHash: string | null;
  metadata: MetadataInput;
  /** The command's normalised input, hashed under each event's salt. */
  input: unknown;
  newEvents: readonly NewEvent[];
  /** The version that events of a type are written in. */
  schemaVersion: (type: string) => number;
}

/** Makes drafts into chained events: salt, data hash, input hash, previous hash, hash and id. */
export function chainEvents(input: ChainInput): TrailEvent[] {
  let previous_hash = input.previousHash;
  return input.newEvents.map((draft, index) => {
    const salt = randomHex(16);
    const event: TrailEvent = {
      id: '',
      stream: input.stream,
      revision: input.revision + 1 + index,
      type: draft.type,
      data: draft.data,
      metadata: {
        ...input.metadata,
        schema_version: input.schemaVersion(draft.type),
        input_hash: saltedHash(salt, input.input),
        salt,
        data_hash: saltedHash(salt, draft.data),
        previous_hash,
        hash: '',
      },
    };
    event.metadata.hash = eventHash(event);
    event.id = eventId(event.metadata.hash);
    previous_hash = event.metadata.hash;
    return event;
  });
}

/** An event's canonical texts: whole, and the two parts of it that are hashed. */
export interface EventTexts {
  event: string;
  /** What `hash` is of. */
  hashInput: string;
  /** What, behind the salt, `data_hash` is of. */
  data: string;
}

/** The members that metadata have as a rule, in order. Not to sort them for each event is a third of its whole text. */
const USUAL_MEMBERS = (
  'actor_id causation_id client command_id correlation_id data_hash hash input_hash organization_id previous_hash ' +
  'recorded_at salt schema_version token_id'
).split(' ');
const USUAL_MEMBER_SET = new Set(USUAL_MEMBERS);

/** Whether metadata have the members that they have as a rule, and no others. */
function hasUsualMembers(metadata: object): boolean {
  let count = 0;
  for (const name in metadata) {
    if (!USUAL_MEMBER_SET.has(name)) return false;
    count += 1;
  }
  return count === USUAL_MEMBERS.length;
}

function sortedNames(metadata: object): readonly string[] {
  return hasUsualMembers(metadata) ? USUAL_MEMBERS : Object.keys(metadata).sort();
}

/** Makes an event's canonical texts in one walk. @throws TypeError where it has none */
export function eventTexts({ id, stream, revision, type, data, metadata }: TrailEvent): EventTexts {
  let all = '';
  let hashed = '';
  for (const name of sortedNames(metadata)) {
    const value = metadata[name as keyof TrailEvent['metadata']];
    if (value === undefined) continue;
    const member = `${canonical(name)}:${canonical(value)}`;
    all += all === '' ? member : `,${member}`;
    if (name !== 'hash' && name !== 'salt') hashed += hashed === '' ? member : `,${member}`;
  }
  const rest = `"revision":${canonical(revision)},"stream":${canonical(stream)},"type":${canonical(type)}}`;
  const dataText = canonical(data);
  return {
    event: `{"data":${dataText},"id":${canonical(id)},"metadata":{${all}},${rest}`,
    hashInput: `{"metadata":{${hashed}},${rest}`,
    data: dataText,
  };
}

/**
 * Whether the event's id and hash are the ones its content gives. Erased data (none, and an empty salt) is not checked;
 * data beside an empty salt is forged.
 * @param texts its own, where they have been made already
 */
export function isAuthentic(event: TrailEvent, texts?: EventTexts): boolean {
  try {
    const { hashInput: hashed, data } = texts ?? eventTexts(event);
    const { hash } = event.metadata;
    return hash === sha256(hashed) && event.id === eventId(hash) && isDataAuthentic(event, data);
  } catch {
    // What has no canonical form was never hashed.
    return false;
  }
}

function isDataAuthentic({ data, metadata: { salt, data_hash } }: TrailEvent, text: string): boolean {
  if (salt === '') return isErased(data);
  return /^[0-9a-f]{32}$/.test(salt) && data_hash === saltedTextHash(salt, text);
}

function isErased(data: object): boolean {
  return Object.keys(data).length === 0;
}
