import type { TrailEvent } from '../trail/event.ts';

/** Turns `data` of one schema version into the next one's. */
type Upcaster = (data: Record<string, unknown>) => Record<string, unknown>;

/**
 * Upcasters by event type; the n-th turns schema version n+1 into n+2. Old events never change in the log: they are
 * read as if they had been written today. test/fixtures/events-*.jsonl hold events of every version ever written.
 */
const UPCASTERS: Readonly<Record<string, readonly Upcaster[]>> = {};

/** The version that events of a type are written in now. */
export function schemaVersion(type: string, upcasters = UPCASTERS): number {
  return (upcasters[type]?.length ?? 0) + 1;
}

/**
 * The event's data in today's shape.
 * @throws Error when it was written in a shape that this version does not know
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
