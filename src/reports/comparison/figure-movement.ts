import { setImmediate as nextTurn } from 'node:timers/promises';
import { addDays } from '../../commands/engine/dates.ts';
import { figureConditions } from '../../projections/figures/figure-definitions.ts';
import { historyOf } from '../../projections/read-models/read-model.ts';
import { FAMILY_DESCRIPTIONS, type FamilyName } from '../../register/families.ts';
import type { FamilyDescription } from '../../register/field.ts';
import type { CountFigure } from '../../register/figure.ts';
import type { Condition } from '../../stores/read-store.ts';
import { figureValues } from '../figures/figure-values.ts';
import type { ReportContext } from '../report-type.ts';
import { recordsAtMoment } from '../sections/linked-records.ts';

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

/** The number of records that moved a figure, and their ids; null if there are more than MAX_LISTED_RECORDS. */
export interface MovedRecords {
  total: number;
  ids: Readonly<Record<Movement, readonly string[]>> | null;
}

/**
 * A figure at two moments, and the records that moved it: `after` is `before`, plus added and entered records, minus
 * those that left and archived ones. A restored record counts as added.
 */
export interface FigureMovement {
  family: FamilyDescription & { type: FamilyName };
  figure: CountFigure;
  before: number;
  after: number;
  moved: MovedRecords;
}

/** The figures that a comparison shows, in this order within each family. */
const COMPARED_FIGURES = new Set([
  ...['risks', 'risks_not_closed', 'risks_critical', 'risk_acceptances_expired'],
  ...['vendors_active', 'vendors_review_overdue', 'controls_full', 'measures_overdue', 'obligations_overdue'],
  ...['nonconformities_open', 'evidence', 'evidence_expired'],
]);

const RECORDS_PER_READ = 1_000;
const LIVE: Condition = { key: 'archived', op: 'eq', value: 0 };

/** Returns each compared figure with the records that moved it. */
export async function figureMovements(moments: ComparedMoments): Promise<FigureMovement[]> {
  const [valuesBefore, valuesAfter] = [
    await figureValues(moments.before, FAMILY_DESCRIPTIONS),
    await figureValues(moments.after, FAMILY_DESCRIPTIONS),
  ];
  const movements: FigureMovement[] = [];
  for (const family of FAMILY_DESCRIPTIONS) {
    for (const figure of family.figures.listed) {
      if ('share' in figure || !COMPARED_FIGURES.has(figure.name)) continue;
      const [before, after] = [valuesBefore.get(figure.name) ?? 0, valuesAfter.get(figure.name) ?? 0];
      movements.push({ family, figure, before, after, moved: await movedRecords(moments, family, figure) });
    }
  }
  return movements;
}

/**
 * Finds the records that count at one moment only. Versions that are current at both moments are read only if the day
 * alone changes what counts, so the cost follows from the number of changes, not of records.
 */
async function movedRecords(
  moments: ComparedMoments,
  family: FamilyDescription,
  figure: CountFigure,
): Promise<MovedRecords> {
  const { before, after } = moments;
  const [first, last] = [before.moment.position, after.moment.position];
  const readIds = (conditions: readonly Condition[]) => recordIds(after, family, [...conditions, LIVE]);
  const countedBefore = await readIds([
    ...figureConditions(figure, before.moment.today),
    { key: 'from_position', op: 'range', lte: first },
    { key: 'until_position', op: 'range', gt: first, lte: last },
  ]);
  const countedAfter = await readIds([
    ...figureConditions(figure, after.moment.today),
    { key: 'from_position', op: 'range', gt: first, lte: last },
    { key: 'until_position', op: 'range', gt: last },
  ]);
  const byDay = figure.days === undefined ? [] : await readIds(dayConditions(moments, figure, figure.days));
  const here = [...countedAfter].filter((id) => !countedBefore.has(id)).concat([...byDay]);
  const gone = [...countedBefore].filter((id) => !countedAfter.has(id));
  const total = here.length + gone.length;
  if (total > MAX_LISTED_RECORDS) return { total, ids: null };
  const [liveBefore, liveAfter] = [await liveAmong(before, family, here), await liveAmong(after, family, gone)];
  const ids = {
    added: here.filter((id) => !liveBefore.has(id)),
    entered: here.filter((id) => liveBefore.has(id)),
    left: gone.filter((id) => liveAfter.has(id)),
    archived: gone.filter((id) => !liveAfter.has(id)),
  };
  return { total, ids };
}

/** Returns the conditions on unchanged versions that count only since a day between the two moments. */
function dayConditions(
  { before, after }: ComparedMoments,
  { where = [] }: CountFigure,
  { key, from }: NonNullable<CountFigure['days']>,
): Condition[] {
  return [
    ...where,
    { key, op: 'range', gt: addDays(before.moment.today, -from), lte: addDays(after.moment.today, -from) },
    { key: 'from_position', op: 'range', lte: before.moment.position },
    { key: 'until_position', op: 'range', gt: after.moment.position },
  ];
}

/** Returns the ids of the records whose stored versions meet the conditions. */
async function recordIds(
  { snapshot, organizationId, signal }: ReportContext,
  { plural }: FamilyDescription,
  where: readonly Condition[],
): Promise<Set<string>> {
  const ids = new Set<string>();
  const order = { key: null, direction: 'ASC' } as const;
  let after: { key: null; id: string } | undefined;
  for (;;) {
    // An embedded store answers synchronously, so other calls get a turn before each read.
    await nextTurn();
    signal?.throwIfAborted();
    const query = { collection: historyOf(plural), organizationId, where, order, limit: RECORDS_PER_READ };
    const rows = await snapshot.models.find(after === undefined ? query : { ...query, after });
    for (const { doc } of rows) ids.add(String(doc.id));
    if (rows.length < RECORDS_PER_READ) return ids;
    after = { key: null, id: rows.at(-1)!.id };
  }
}

async function liveAmong(context: ReportContext, { type }: FamilyDescription, ids: readonly string[]) {
  const live = await recordsAtMoment(context, type, ids, [LIVE]);
  return new Set(live.map(({ id }) => String(id)));
}
