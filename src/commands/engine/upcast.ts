import type { TrailEvent } from '../../trail/event.ts';

/** Turns `data` of one schema version into the next version's. */
type Upcaster = (data: Record<string, unknown>) => Record<string, unknown>;

/**
 * Upcasters by event type. Index 0 turns schema version 1 into 2, index 1 turns 2 into 3. Events in the log never
 * change: they are upcast when read. test/fixtures/events-*.jsonl hold events of every version ever written.
 */
const UPCASTERS: Readonly<Record<string, readonly Upcaster[]>> = {};

/** Returns the schema version that new events of a type are written in. */
export function schemaVersion(type: string, upcasters = UPCASTERS): number {
  return (upcasters[type]?.length ?? 0) + 1;
}

/**
 * Returns an event's data in the current schema version.
 * @throws Error if a newer version of the service wrote the event
 */
export function upcast(event: TrailEvent, upcasters = UPCASTERS): Record<string, unknown> {
  const { schema_version } = event.metadata;
  if (schema_version > schemaVersion(event.type, upcasters)) {
    throw new Error(`${event.type} of schema version ${schema_version} is not known to this version`);
  }
  const steps = upcasters[event.type];
  if (steps === undefined) return event.data;
  return steps.slice(schema_version - 1).reduce((data, step) => step(data), event.data);
}
