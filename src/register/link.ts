import {
  type DataOf,
  type EventOf,
  event,
  eventWithReason,
  list,
  nullable,
  object,
  optional,
  string,
} from './event-schema.ts';

/** The relations of two linked controls. Other linked records have none. */
export const RELATIONS = ['EQUIVALENT', 'SUPPORTS', 'PARTLY'] as const;
export type Relation = (typeof RELATIONS)[number];

const DIRECTED_RELATION = {
  relation: string<Relation>(),
  /** The control that supports, or partly covers, the other. Null for EQUIVALENT, which holds both ways. */
  from_id: nullable(string()),
};

export type DirectedRelation = DataOf<typeof DIRECTED_RELATION>;

/** Returns two ids in the order in which their link's stream has them. */
export function sortedPair(a: string, b: string): readonly [string, string] {
  return a < b ? [a, b] : [b, a];
}

/** Returns the relation of a directed pair of controls. EQUIVALENT has no direction. */
export function directedRelation(relation: Relation, from_id: string): DirectedRelation {
  return { relation, from_id: relation === 'EQUIVALENT' ? null : from_id };
}

export function isSameRelation(a: DirectedRelation, b: DirectedRelation): boolean {
  return a.relation === b.relation && a.from_id === b.from_id;
}

/** Both ids of a link, the lower one first. */
const ids = list<string, readonly [string, string]>(string());
const relation = object(DIRECTED_RELATION);

export const LINK_EVENTS = {
  RecordsLinked: event(
    { ids, reason: optional(string()) },
    { ids, relation: nullable(relation), reason: optional(string()) },
  ),
  LinkRelationChanged: eventWithReason({ ids, from: relation, to: relation }),
  RecordsUnlinked: event(
    { ids, reason: optional(string()) },
    { ids, relation: nullable(relation), reason: optional(string()) },
  ),
};

export type LinkEvent = EventOf<typeof LINK_EVENTS>;

/** A relation as seen from one of the two controls, with the words that come before the other. */
export const RELATION_LABELS = {
  EQUIVALENT: 'Equivalent to',
  SUPPORTS: 'Supports',
  SUPPORTED_BY: 'Supported by',
  PARTLY: 'Covers a part of',
  PARTLY_COVERED_BY: 'Partly covered by',
} as const;

export type RelationOfRecord = keyof typeof RELATION_LABELS;

const REVERSED: Readonly<Record<Relation, RelationOfRecord>> = {
  EQUIVALENT: 'EQUIVALENT',
  SUPPORTS: 'SUPPORTED_BY',
  PARTLY: 'PARTLY_COVERED_BY',
};

/** Returns the relation as a control's own page and history say it. */
export function relationOfRecord(id: string, { relation, from_id }: DirectedRelation): RelationOfRecord {
  return from_id === null || from_id === id ? relation : REVERSED[relation];
}

/** Returns the relation that a control has to another. The opposite of `relationOfRecord`. */
export function relationBetween(id: string, otherId: string, seen: RelationOfRecord): DirectedRelation {
  const relation = RELATIONS.find((candidate) => candidate === seen);
  if (relation !== undefined) return directedRelation(relation, id);
  return directedRelation(RELATIONS.find((candidate) => REVERSED[candidate] === seen)!, otherId);
}

/** Returns these relations as seen from either control. */
export function relationsOfRecords(relations: readonly Relation[]): RelationOfRecord[] {
  return relations.flatMap((relation) => [relation, REVERSED[relation]]);
}

/** Returns the words for a relation in an answer, such as "Supported by"; null for a link without one. */
export function relationLabel(relation: unknown): string | null {
  return RELATION_LABELS[relation as RelationOfRecord] ?? null;
}
