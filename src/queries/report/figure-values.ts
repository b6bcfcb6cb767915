import type { Count, Scalar } from '../../stores/read-store.ts';
import { familyQueryOfType } from '../family-queries.ts';
import { recordsAt } from './read-records.ts';
import type { Figure, ReportContext } from './report-type.ts';

type FigureName = Pick<Figure, 'name' | 'label' | 'counts'>;

/** The number of a family's records in some groups of its count, or of those that a list filter matches. */
export interface CountFigure extends FigureName {
  /** Returns true for groups to count, by their values of the `groupBy` keys. By default all groups count. */
  matches?(first: Scalar | null, second: Scalar | null): boolean;
  /** A filter of the family's list, instead of `matches`. */
  filter?: Readonly<Record<string, unknown>>;
}

/** The share of one figure in another. */
export interface ShareFigure extends FigureName {
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
    const { type, groupBy: by, figures } = family;
    const query = familyQueryOfType(type);
    const { models } = context.reader;
    const groups = await models.count(recordsAt(context, query), by);
    for (const [name, value] of figureValuesOfGroups(family, groups)) values.set(name, value);
    for (const figure of figures) {
      if ('share' in figure || figure.filter === undefined) continue;
      const [counted] = await models.count(recordsAt(context, query, figure.filter));
      values.set(figure.name, counted?.total ?? 0);
    }
  }
  return values;
}

/** Computes the figures that follow from the number of records in each group. */
export function figureValuesOfGroups({ figures }: FamilyFigures, groups: readonly Count[]): FigureValues {
  const values = new Map<string, number | null>();
  for (const figure of figures) {
    if ('share' in figure) {
      const [part, whole] = figure.share.map((name) => values.get(name) ?? 0) as [number, number];
      values.set(figure.name, shareOf(part, whole));
    } else if (figure.filter === undefined) {
      const counting = groups.filter(({ values: keys }) => figure.matches?.(keys[0] ?? null, keys[1] ?? null) ?? true);
      values.set(
        figure.name,
        counting.reduce((sum, { total }) => sum + total, 0),
      );
    }
  }
  return values;
}

/** Returns null for a share of nothing. */
export const shareOf = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole);

/** Returns figures with their names and wording for values computed before. */
export function figuresWithValues(families: readonly FamilyFigures[], values: FigureValues): Figure[] {
  return families.flatMap(({ group, figures }) =>
    figures.map((figure) => {
      const { name, label, counts } = figure;
      const kind = 'share' in figure ? 'SHARE' : 'COUNT';
      return { name, group, label, kind, value: values.get(name) ?? null, counts };
    }),
  );
}

/** Returns a family's figures at the report's moment. */
export async function familyFigures(context: ReportContext, families: readonly FamilyFigures[]): Promise<Figure[]> {
  return figuresWithValues(families, await figureValues(context, families));
}
