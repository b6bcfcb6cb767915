import type { TrailEvent } from '../../trail/event.ts';

/** Turns `data` of one schema version into the next version's. */
type Upcaster = (data: Record<string, unknown>) => Record<string, unknown>;

/**
 * Upcasters by event type. Index 0 turns schema version 1 into 2, index 1 turns 2 into 3. Events in the log never
 * change: they are upcast when read. test/fixtures/events-*.jsonl hold events of every version ever written.
 */
export const UPCASTERS: Readonly<Record<string, readonly Upcaster[]>> = {};

/**
 * Returns an event's data in the current schema version.
 * @throws Error if a newer version of the service wrote the event
 */
export function upcast({ type, data, metadata }: TrailEvent, upcasters = UPCASTERS): Record<string, unknown> {
  const { schema_version } = metadata;
  const steps = upcasters[type] ?? [];
  if (schema_version > steps.length + 1) {
    throw new Error(`${type} of schema version ${schema_version} is not known to this version`);
  }
  return steps.slice(schema_version - 1).reduce((older, step) => step(older), data);
}
