import type { FamilyName } from '../../register/families.ts';
import type { Field, Fields } from '../../register/field.ts';
import { familyQueryOfType } from '../family-query.ts';
import type { LinkedSummary, RecordDetails } from './record-details.ts';

type Document = Readonly<Record<string, unknown>>;

/** A field with another value than before. */
export interface FieldDifference {
  name: string;
  field: Field;
  from: unknown;
  to: unknown;
}

/** A record at the other end of a link: the link came or went, or the record itself is different. */
export interface LinkedChange {
  type: FamilyName;
  record: LinkedSummary;
  outcome: 'LINKED' | 'UNLINKED' | 'ARCHIVED' | 'RESTORED' | 'CHANGED';
  /** The states that are different, if the outcome is CHANGED. */
  fields: readonly FieldDifference[];
}

/** The differences between a record's page at a past moment and today. */
export interface ChangesSince {
  archiving: 'ARCHIVED' | 'RESTORED' | null;
  fields: readonly FieldDifference[];
  linked: readonly LinkedChange[];
  /** The numbers of links, if they differ and at least one list of links is cut. */
  totals: { from: number; to: number } | null;
  /** False if more records are linked than are read, so that the others were not compared. */
  isComplete: boolean;
}

/** Compares a record at two moments: its fields, its links and evidence, and the states of what is linked. */
export function changesSince(fields: Fields, then: RecordDetails, now: RecordDetails): ChangesSince {
  const isComplete = !isCut(then) && !isCut(now);
  const linked = linkedChanges(then, now, isComplete);
  const [from, to] = [linkTotal(then), linkTotal(now)];
  const differences = fieldDifferences(fields, then.record, now.record);
  // Fields that follow from others are named only where nothing else explains them.
  const causes = differences.filter(({ field }) => !followsFromOthers(field));
  return {
    archiving: archivingOf(then.record, now.record),
    fields: causes.length + linked.length === 0 ? differences : causes,
    linked,
    totals: isComplete || from === to ? null : { from, to },
    isComplete,
  };
}

const FOLLOWING_KINDS: ReadonlySet<Field['kind']> = new Set(['count', 'validCount', 'share', 'position']);

const followsFromOthers = ({ kind, derived, excludedFromHistory }: Field): boolean =>
  FOLLOWING_KINDS.has(kind) || (kind === 'boolean' && derived === true) || excludedFromHistory === true;

/** Returns the fields that differ. Of objects that are there at both moments, it returns the members. */
function fieldDifferences(fields: Fields, then: Document, now: Document): FieldDifference[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    const [from, to] = [then[name] ?? null, now[name] ?? null];
    if (field.kind === 'ids' || JSON.stringify(from) === JSON.stringify(to)) return [];
    const isInBoth = field.kind === 'object' && from !== null && to !== null;
    return isInBoth ? fieldDifferences(field.fields, from as Document, to as Document) : [{ name, field, from, to }];
  });
}

function archivingOf(then: Document, now: Document): 'ARCHIVED' | 'RESTORED' | null {
  const [wasArchived, isArchived] = [Boolean(then.archived_at), Boolean(now.archived_at)];
  if (wasArchived === isArchived) return null;
  return isArchived ? 'ARCHIVED' : 'RESTORED';
}

/** Returns the links that differ. Where lists are cut, a missing link may only be beyond the cut, so none came or went. */
function linkedChanges(then: RecordDetails, now: RecordDetails, isComplete: boolean): LinkedChange[] {
  const [before, after] = [linkedById(then), linkedById(now)];
  const came = [...after.values()].filter(({ id }) => isComplete && !before.has(id));
  const gone = [...before.values()].filter(({ id }) => isComplete && !after.has(id));
  const stayed = [...after.values()].flatMap((record) => {
    const earlier = before.get(record.id);
    const change = earlier === undefined ? null : linkedChange(earlier, record);
    return change === null ? [] : [change];
  });
  return [
    ...came.map((record) => ({ type: typeOf(record), record, outcome: 'LINKED' as const, fields: [] })),
    ...gone.map((record) => ({ type: typeOf(record), record, outcome: 'UNLINKED' as const, fields: [] })),
    ...stayed,
  ];
}

/** The kinds of a linked record's fields that say its state. */
const STATE_KINDS: ReadonlySet<Field['kind']> = new Set(['enum', 'score', 'past', 'date']);

function linkedChange(then: LinkedSummary, now: LinkedSummary): LinkedChange | null {
  const type = typeOf(now);
  const archiving = archivingOf(then, now);
  if (archiving !== null) return { type, record: now, outcome: archiving, fields: [] };
  const fields = fieldDifferences(familyQueryOfType(type).fields, then, now).filter(({ field }) =>
    STATE_KINDS.has(field.kind),
  );
  const isOther = then.name !== now.name || then.relation !== now.relation;
  return fields.length > 0 || isOther ? { type, record: now, outcome: 'CHANGED', fields } : null;
}

const typeOf = ({ type }: LinkedSummary): FamilyName => type as FamilyName;

function linkedById({ linked, record }: RecordDetails): Map<string, LinkedSummary> {
  const evidence = record.evidence.records.map((piece) => ({ ...piece, type: 'EVIDENCE' }) as unknown as LinkedSummary);
  return new Map([...linked.records, ...evidence].map((summary) => [summary.id, summary]));
}

const linkTotal = ({ linked, record }: RecordDetails): number => linked.total + record.evidence.total;

const isCut = ({ linked, record: { evidence } }: RecordDetails): boolean =>
  linked.total > linked.records.length || evidence.total > evidence.records.length;
