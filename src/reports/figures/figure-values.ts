import { figureConditions, figureDefinition } from '../../projections/figures/figure-definitions.ts';
import { matchesConditions } from '../../projections/read-models/read-model.ts';
import { familyQueryOfType } from '../../queries/family-query.ts';
import type { Count } from '../../stores/read-store.ts';
import type { Figure, ReportContext } from '../report-type.ts';
import { recordsAt } from '../sections/records.ts';

/** A figure's wording. The definition of a count is in `figure-definitions.ts`. */
export type FigureHead = Pick<Figure, 'name' | 'label' | 'counts'>;

/** The share of one figure in another. */
export interface ShareFigure extends FigureHead {
  share: readonly [part: string, whole: string];
}

/** The figures of a family. One count in the store, grouped by the keys `groupBy`, gives all that depend on those keys. */
export interface FamilyFigures {
  type: string;
  group: string;
  groupBy: readonly string[];
  figures: readonly (FigureHead | ShareFigure)[];
}

export type FigureValues = ReadonlyMap<string, number | null>;

/** Computes figures at the report's moment. */
export async function figureValues(context: ReportContext, families: readonly FamilyFigures[]): Promise<FigureValues> {
  const values = new Map<string, number | null>();
  for (const family of families) {
    const { type, groupBy, figures } = family;
    const query = familyQueryOfType(type);
    const { models } = context.snapshot;
    const groups = await models.count(recordsAt(context, query), groupBy);
    for (const [name, value] of figureValuesOfGroups(family, groups)) values.set(name, value);
    for (const figure of figures) {
      if (values.has(figure.name)) continue;
      const source = recordsAt(context, query);
      const where = figureConditions(figureDefinition(type, figure.name), context.moment.today);
      const [countedGroups] = await models.count({ ...source, where: [...where, ...source.where] });
      values.set(figure.name, countedGroups?.total ?? 0);
    }
  }
  return values;
}

/** Computes the figures that follow from the number of records in each group: those with no other conditions, and shares. */
export function figureValuesOfGroups(
  { type, groupBy, figures }: FamilyFigures,
  groups: readonly Count[],
): FigureValues {
  const values = new Map<string, number | null>();
  for (const figure of figures) {
    if ('share' in figure) {
      const [part, whole] = figure.share.map((name) => values.get(name) ?? 0) as [number, number];
      values.set(figure.name, shareOf(part, whole));
      continue;
    }
    const { where = [], days } = figureDefinition(type, figure.name);
    if (days !== undefined || !where.every((condition) => 'key' in condition && groupBy.includes(condition.key)))
      continue;
    const countedGroups = groups.filter(({ values: keys }) =>
      matchesConditions(where, Object.fromEntries(groupBy.map((key, index) => [key, keys[index] ?? null]))),
    );
    values.set(
      figure.name,
      countedGroups.reduce((sum, { total }) => sum + total, 0),
    );
  }
  return values;
}

/** Returns null if `whole` is 0. */
export const shareOf = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole);

/** Combines figures with the values that `figureValues` computed. */
export function figuresWithValues(families: readonly FamilyFigures[], values: FigureValues): Figure[] {
  return families.flatMap(({ group, figures }) =>
    figures.map((figure) => {
      const { name, label, counts } = figure;
      const kind = 'share' in figure ? 'SHARE' : 'COUNT';
      return { name, group, label, kind, value: values.get(name) ?? null, counts };
    }),
  );
}

/** Returns the figures of these families at the report's moment. */
export async function familyFigures(context: ReportContext, families: readonly FamilyFigures[]): Promise<Figure[]> {
  return figuresWithValues(families, await figureValues(context, families));
}
