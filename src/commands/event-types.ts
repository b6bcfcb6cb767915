import { EVENTS, newestVersion } from '../register/events.ts';

/** Every event type that this version writes and reads, in alphabetical order. */
export const EVENT_TYPES: readonly string[] = Object.keys(EVENTS).sort();

/** The newest readable schema version of each event type. */
export type ReadableEvents = Readonly<Record<string, number>>;

/** The event types that this version of the service reads. */
export const READABLE_EVENTS: ReadableEvents = Object.fromEntries(
  EVENT_TYPES.map((type) => [type, newestVersion(type)]),
);
