/** Who did it, with what, on whose behalf, and what binds the event to those before it. All names are the wire's. */
export interface EventMetadata {
  organization_id: string;
  /** `acc_…` of the person (or of the assistant's owner) who acted, or `SYSTEM`. */
  actor_id: string;
  /** The credential it was done with: `tok_…`, or null for the service itself. */
  token_id: string | null;
  /** The MCP client as it named itself. */
  client: { name: string; version: string } | null;
  /** UUID: one command (or one item of a command on many records) has one. */
  command_id: string;
  /** SHA-256(salt ‖ canonical input) in hex: shows that a repeated command is the same one. */
  input_hash: string;
  correlation_id: string;
  causation_id: string | null;
  /** Version of the shape of `data` for this event type; see upcasters. */
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

/** A fact as it is kept for ever. `revision` counts from 0 within its stream. */
export interface TrailEvent<Type extends string = string, Data = Record<string, unknown>> {
  id: string;
  stream: string;
  revision: number;
  type: Type;
  data: Data;
  metadata: EventMetadata;
}

/** Metadata before the event is chained: what the trail itself computes is absent. */
export type MetadataInput = Omit<
  EventMetadata,
  'schema_version' | 'salt' | 'data_hash' | 'previous_hash' | 'hash' | 'input_hash'
>;
