import { setImmediate as nextTurn } from 'node:timers/promises';
import { addDays, MIN_DATE } from '../../commands/engine/dates.ts';
import { figureConditions } from '../../projections/figures/figure-definitions.ts';
import { familyQueryOfType } from '../../queries/family-query.ts';
import type { FamilyName } from '../../register/families.ts';
import type { FigureDefinition } from '../../register/figure.ts';
import type { Condition } from '../../stores/read-store.ts';
import type { FigurePart } from '../figures/home-figures.ts';
import type { ReportContext } from '../report-type.ts';
import { recordsAtMoment } from '../sections/linked-records.ts';
import { recordName } from '../sections/records.ts';

/** The two moments of a comparison, as contexts of one organization. */
export interface ComparedMoments {
  before: ReportContext;
  after: ReportContext;
}

/** Why a record counts at one moment and not at the other. */
export const MOVEMENTS = ['added', 'entered', 'left', 'archived'] as const;
export type Movement = (typeof MOVEMENTS)[number];

/** More records are only counted. */
const MAX_LISTED_RECORDS = 500;

/** With more changed versions of records, the records that moved a figure are not even counted. */
const MAX_VERSIONS = 1_000;

export interface MovedRecord {
  id: string;
  name: string;
}

/** The records that moved a part of a figure. */
export interface MovedRecords {
  /** Null if too many versions changed. */
  total: number | null;
  /** Null if there are more than MAX_LISTED_RECORDS. */
  records: Readonly<Record<Movement, readonly MovedRecord[]>> | null;
}

const LIVE: Condition = { key: 'archived', op: 'eq', value: 0 };

/**
 * Finds the records that count at one moment only. Versions that are current at both moments are read only if the day
 * alone changes what counts, so the cost follows from the number of changes, not of records.
 * @param counts the part's value at both moments; no version is read for a 0
 */
export async function movedRecords(
  moments: ComparedMoments,
  { type, definition }: FigurePart,
  counts: { before: number; after: number },
): Promise<MovedRecords> {
  const { before, after } = moments;
  const changed = changedVersions(moments, definition);
  const byDay = versionsMovedByDay(moments, definition);
  const { owner_id } = after.inputs;
  const owned: Condition[] = owner_id === undefined ? [] : [{ key: 'owner_id', op: 'eq', value: owner_id }];
  const read = (conditions: Condition[] | null, isNone: boolean) =>
    conditions === null || isNone
      ? new Map<string, MovedRecord>()
      : namedRecords(after, type, [...conditions, ...owned]);
  const countedBefore = await read(changed.before, counts.before === 0);
  const countedAfter = await read(changed.after, counts.after === 0);
  const entered = await read(byDay.entered, counts.after === 0);
  const left = await read(byDay.left, counts.before === 0);
  if (countedBefore === null || countedAfter === null || entered === null || left === null) {
    return { total: null, records: null };
  }
  const here = [...[...countedAfter.values()].filter(({ id }) => !countedBefore.has(id)), ...entered.values()];
  const gone = [...[...countedBefore.values()].filter(({ id }) => !countedAfter.has(id)), ...left.values()];
  const total = here.length + gone.length;
  if (total > MAX_LISTED_RECORDS) return { total, records: null };
  const [liveBefore, liveAfter] = [await liveAmong(before, type, here), await liveAmong(after, type, gone)];
  const records = {
    added: here.filter(({ id }) => !liveBefore.has(id)),
    entered: here.filter(({ id }) => liveBefore.has(id)),
    left: gone.filter(({ id }) => liveAfter.has(id)),
    archived: gone.filter(({ id }) => !liveAfter.has(id)),
  };
  return { total, records };
}

/** Returns the conditions on the versions that count at one moment and are not current at the other. */
function changedVersions({ before, after }: ComparedMoments, definition: FigureDefinition) {
  const [first, last] = [before.moment.position, after.moment.position];
  const beforeConditions: Condition[] = [
    ...figureConditions(definition, before.moment.today),
    { key: 'from_position', op: 'range', lte: first },
    { key: 'until_position', op: 'range', gt: first, lte: last },
  ];
  const afterConditions: Condition[] = [
    ...figureConditions(definition, after.moment.today),
    { key: 'from_position', op: 'range', gt: first, lte: last },
    { key: 'until_position', op: 'range', gt: last },
  ];
  return { before: beforeConditions, after: afterConditions };
}

/**
 * Returns the conditions on unchanged versions that only the later day counts, and only the earlier one. Null without
 * such versions: a figure without days has none, and one whose days don't end loses none.
 */
function versionsMovedByDay({ before, after }: ComparedMoments, { where = [], days }: FigureDefinition) {
  if (days === undefined) return { entered: null, left: null };
  const { key, from, until } = days;
  const unchanged: Condition[] = [
    ...where,
    { key: 'from_position', op: 'range', lte: before.moment.position },
    { key: 'until_position', op: 'range', gt: after.moment.position },
  ];
  // On a day count the dates after `gt`, up to `lte`.
  const countedOn = (day: string) => ({
    gt: until === undefined ? MIN_DATE : addDays(day, -until),
    lte: addDays(day, -from),
  });
  const [earlier, later] = [countedOn(before.moment.today), countedOn(after.moment.today)];
  const entered: Condition = { key, op: 'range', gt: latest(earlier.lte, later.gt), lte: later.lte };
  const left: Condition = { key, op: 'range', gt: earlier.gt, lte: earliest(earlier.lte, later.gt) };
  return { entered: [...unchanged, entered], left: until === undefined ? null : [...unchanged, left] };
}

const latest = (a: string, b: string): string => (a > b ? a : b);
const earliest = (a: string, b: string): string => (a < b ? a : b);

/** Returns the live records whose stored versions meet the conditions; null if there are too many versions. */
async function namedRecords(
  { snapshot, organizationId, signal }: ReportContext,
  type: FamilyName,
  conditions: readonly Condition[],
): Promise<Map<string, MovedRecord> | null> {
  // An embedded store answers synchronously, so other calls get a turn before each read.
  await nextTurn();
  signal?.throwIfAborted();
  const { history, defaultOrder } = familyQueryOfType(type);
  const rows = await snapshot.models.find({
    collection: history,
    organizationId,
    where: [...conditions, LIVE],
    // The index of this order holds the keys of the conditions.
    order: { key: defaultOrder.field, direction: defaultOrder.direction },
    limit: MAX_VERSIONS + 1,
  });
  if (rows.length > MAX_VERSIONS) return null;
  return new Map(rows.map(({ doc }) => [String(doc.id), { id: String(doc.id), name: recordName(doc) }]));
}

async function liveAmong(context: ReportContext, type: FamilyName, records: readonly MovedRecord[]) {
  const ids = records.map(({ id }) => id);
  const live = await recordsAtMoment(context, type, ids, [LIVE]);
  return new Set(live.map(({ id }) => String(id)));
}
