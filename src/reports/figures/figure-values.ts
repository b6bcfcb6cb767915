import { figureConditions } from '../../projections/figures/figure-definitions.ts';
import { matchesConditions } from '../../projections/read-models/read-model.ts';
import { type FamilyQuery, familyQueryOfType } from '../../queries/family-query.ts';
import type { FamilyDescription } from '../../register/family-description.ts';
import { type FigureDefinition, listedFigures } from '../../register/figure.ts';
import type { Count } from '../../stores/read-store.ts';
import type { Figure, ReportContext } from '../report-type.ts';
import { type RecordSource, recordsAt } from '../sections/records.ts';

export type FigureValues = ReadonlyMap<string, number | null>;

/** Computes figures at the report's moment. */
export async function figureValues(
  context: ReportContext,
  families: readonly FamilyDescription[],
): Promise<FigureValues> {
  const values = new Map<string, number | null>();
  for (const family of families) {
    const source = recordsAt(context, familyQueryOfType(family.type));
    for (const [name, value] of await valuesOfRecords(context, family, source)) values.set(name, value);
  }
  return values;
}

/** Computes a family's figures for the records of a query. */
async function valuesOfRecords(
  context: ReportContext,
  family: FamilyDescription,
  source: RecordSource,
): Promise<FigureValues> {
  const groups = await context.snapshot.models.count(source, family.figures.groupBy);
  const values = new Map(figureValuesOfGroups(family, groups));
  for (const figure of listedFigures(family)) {
    if ('share' in figure || values.has(figure.name)) continue;
    values.set(figure.name, await countInSource(context, source, figure));
  }
  return values;
}

/** Counts the records of one figure at the report's moment. */
export async function countFigure(
  context: ReportContext,
  family: FamilyQuery,
  figure: FigureDefinition,
): Promise<number> {
  return countInSource(context, recordsAt(context, family), figure);
}

async function countInSource(context: ReportContext, source: RecordSource, figure: FigureDefinition): Promise<number> {
  const where = figureConditions(figure, context.moment.today);
  const [count] = await context.snapshot.models.count({ ...source, where: [...where, ...source.where] });
  return count?.total ?? 0;
}

/** Computes the figures that need no more than the number of records in each group: counts by group, and shares. */
export function figureValuesOfGroups(family: FamilyDescription, groups: readonly Count[]): FigureValues {
  const { groupBy } = family.figures;
  const values = new Map<string, number | null>();
  for (const figure of listedFigures(family)) {
    if ('share' in figure) {
      const [part, whole] = figure.share.map((name) => values.get(name) ?? 0) as [number, number];
      values.set(figure.name, shareOf(part, whole));
      continue;
    }
    const { where = [], days } = figure;
    if (days !== undefined || !where.every((condition) => 'key' in condition && groupBy.includes(condition.key)))
      continue;
    const matchingGroups = groups.filter(({ values: keys }) =>
      matchesConditions(where, Object.fromEntries(groupBy.map((key, index) => [key, keys[index] ?? null]))),
    );
    values.set(
      figure.name,
      matchingGroups.reduce((sum, { total }) => sum + total, 0),
    );
  }
  return values;
}

/** Returns `part / whole`, or null if `whole` is 0. */
export const shareOf = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole);

/** Combines figures with the values that `figureValues` computed. */
export function figuresWithValues(families: readonly FamilyDescription[], values: FigureValues): Figure[] {
  return families.flatMap((family) =>
    listedFigures(family).map((figure) => {
      const { name, label, meaning: counts } = figure;
      const kind = 'share' in figure ? 'SHARE' : 'COUNT';
      return { name, group: family.figures.group, label, kind, value: values.get(name) ?? null, counts };
    }),
  );
}

/** Returns the figures of these families at the report's moment. */
export async function figuresOfFamilies(
  context: ReportContext,
  families: readonly FamilyDescription[],
): Promise<Figure[]> {
  return figuresWithValues(families, await figureValues(context, families));
}

/** Returns a family's figures for the records of a query. */
export async function figuresOfRecords(
  context: ReportContext,
  family: FamilyDescription,
  source: RecordSource,
): Promise<Figure[]> {
  return figuresWithValues([family], await valuesOfRecords(context, family, source));
}
