import { type DataOf, type EventOf, eventWithReason, list, object, string } from './event-schema.ts';
import { type DirectedRelation, directedRelation, type Relation } from './link.ts';

const PAIR = {
  /** The control that supports, or partly covers, `to_id`. For EQUIVALENT, the lower id. */
  from_id: string(),
  to_id: string(),
  relation: string<Relation>(),
};

/** Two controls of two frameworks that a crosswalk links. */
export type CrosswalkPair = DataOf<typeof PAIR>;

export const CROSSWALK_EVENTS = {
  CrosswalkImported: eventWithReason({
    /** The lower id first. */
    framework_ids: list<string, readonly [string, string]>(string()),
    pairs: list(object(PAIR)),
  }),
};

export type CrosswalkEvent = EventOf<typeof CROSSWALK_EVENTS>;

/** Returns the relation of a pair's link. */
export function relationOfPair({ relation, from_id }: CrosswalkPair): DirectedRelation {
  return directedRelation(relation, from_id);
}
