import { type EventOf, event, list, optional, string } from './event-schema.ts';

/** Both ids of a link, the lower one first. */
const ids = list<string, readonly [string, string]>(string());

export const LINK_EVENTS = {
  RecordsLinked: event({ ids, reason: optional(string()) }),
  RecordsUnlinked: event({ ids, reason: optional(string()) }),
};

export type LinkEvent = EventOf<typeof LINK_EVENTS>;
