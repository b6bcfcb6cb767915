import { familyQueryOfType } from '../../queries/family-queries.ts';
import type { Count, Scalar } from '../../stores/read-store.ts';
import type { Figure, ReportContext } from '../report-type.ts';
import { recordsAt } from '../sections/read-records.ts';

type FigureHead = Pick<Figure, 'name' | 'label' | 'counts'>;

/** A count of a family's records: those in the groups that `matches` accepts, or those that `filter` matches. */
export interface CountFigure extends FigureHead {
  /** Returns true for groups to count, by their values of the `groupBy` keys. By default all groups count. */
  matches?(first: Scalar | null, second: Scalar | null): boolean;
  /** A filter of the family's list, instead of `matches`. */
  filter?: Readonly<Record<string, unknown>>;
}

/** The share of one figure in another. */
export interface ShareFigure extends FigureHead {
  share: readonly [part: string, whole: string];
}

/** The figures of a family. One count in the store, grouped by the keys `groupBy`, gives all that depend on those keys. */
export interface FamilyFigures {
  type: string;
  group: string;
  groupBy: readonly string[];
  figures: readonly (CountFigure | ShareFigure)[];
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
      if ('share' in figure || figure.filter === undefined) continue;
      const [counted] = await models.count(recordsAt(context, query, figure.filter));
      values.set(figure.name, counted?.total ?? 0);
    }
  }
  return values;
}

/** Computes the figures that follow from the number of records in each group: all except those with a `filter`. */
export function figureValuesOfGroups({ figures }: FamilyFigures, groups: readonly Count[]): FigureValues {
  const values = new Map<string, number | null>();
  for (const figure of figures) {
    if ('share' in figure) {
      const [part, whole] = figure.share.map((name) => values.get(name) ?? 0) as [number, number];
      values.set(figure.name, shareOf(part, whole));
    } else if (figure.filter === undefined) {
      const matchingGroups = groups.filter(
        ({ values: keys }) => figure.matches?.(keys[0] ?? null, keys[1] ?? null) ?? true,
      );
      values.set(
        figure.name,
        matchingGroups.reduce((sum, { total }) => sum + total, 0),
      );
    }
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
