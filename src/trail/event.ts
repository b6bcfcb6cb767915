/** An event's actor, credential, command and hashes. The names are the wire's. */
export interface EventMetadata {
  organization_id: string;
  /** `acc_…` of the person who acted, or whose assistant acted, or `SYSTEM`. */
  actor_id: string;
  /** The credential that was used: `tok_…`, or null for the service itself. */
  token_id: string | null;
  /** The MCP client's own name and version. */
  client: { name: string; version: string } | null;
  /** UUID of the command, or of one item of a command on many records. */
  command_id: string;
  /** SHA-256(salt ‖ canonical input) in hex. Shows that a repeated command has the same input. */
  input_hash: string;
  correlation_id: string;
  causation_id: string | null;
  /** Version of the shape of `data` for this event type. */
  schema_version: number;
  /** The service's clock, RFC 3339 UTC with milliseconds. */
  recorded_at: string;
  /** Only on events written under an injected clock (demo, tests). */
  simulated?: true;
  /** 16 random bytes, hex. Erased together with `data`. */
  salt: string;
  data_hash: string;
  /** `hash` of the stream's preceding event, null on the first. */
  previous_hash: string | null;
  hash: string;
}

/** An event as it is stored. `revision` counts from 0 within its stream. */
export interface TrailEvent<Type extends string = string, Data = Record<string, unknown>> {
  id: string;
  stream: string;
  revision: number;
  type: Type;
  data: Data;
  metadata: EventMetadata;
}

/**
 * Names an event's place in its stream for readers. Not called a revision, because a record's revision counts from 1, and
 * an auditor notes such numbers down.
 */
export function placeInStream({ stream, revision }: Pick<TrailEvent, 'stream' | 'revision'>): string {
  return `place ${revision} (from 0) in its stream ${stream}`;
}

/** Metadata before the event is chained, without the members that `chainEvents` computes. */
export type MetadataInput = Omit<
  EventMetadata,
  'schema_version' | 'salt' | 'data_hash' | 'previous_hash' | 'hash' | 'input_hash'
>;
