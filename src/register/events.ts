import { CROSSWALK_EVENTS } from './crosswalk.ts';
import type { EventSchemas } from './event-schema.ts';
import { FAMILY_DESCRIPTIONS } from './families.ts';
import { LINK_EVENTS } from './link.ts';
import { ORGANIZATION_EVENTS } from './organization.ts';
import { PROPOSAL_EVENTS } from './proposal.ts';
import { SEAL_EVENTS } from './seal.ts';

/** The events of each kind of stream. A stream's name begins with its kind: `vendor-<id>`. */
export const EVENTS_BY_STREAM: Readonly<Record<string, EventSchemas>> = {
  organization: ORGANIZATION_EVENTS,
  ...Object.fromEntries(FAMILY_DESCRIPTIONS.map(({ singular, events }) => [singular, events])),
  link: LINK_EVENTS,
  crosswalk: CROSSWALK_EVENTS,
  proposal: PROPOSAL_EVENTS,
  seal: SEAL_EVENTS,
};

/** Every event type that this version writes and reads, with the schemas of its data. */
export const EVENTS: EventSchemas = Object.assign({}, ...Object.values(EVENTS_BY_STREAM));

/** Every event type that this version writes and reads, in alphabetical order. */
export const EVENT_TYPES: readonly string[] = Object.keys(EVENTS).sort();

/** The newest readable schema version of each event type. */
export type ReadableEvents = Readonly<Record<string, number>>;

/** The newest schema version of each event type that this version of the service can read. */
export const READABLE_EVENTS: ReadableEvents = Object.fromEntries(
  EVENT_TYPES.map((type) => [type, EVENTS[type]!.length]),
);
