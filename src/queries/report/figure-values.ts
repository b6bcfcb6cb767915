import type { Count, Scalar } from '../../stores/read-store.ts';
import { queryOfType } from '../families.ts';
import type { Figure, ReportContext } from './report-type.ts';
import { recordsAt } from './walk.ts';

/** What a figure is called, and what it counts. */
type Named = Pick<Figure, 'name' | 'label' | 'counts'>;

/** A number of a family's records: those of some groups of a count by keys, or those that a filter of its list finds. */
export interface Counted extends Named {
  /** Of the groups of the family's `by`, which count. */
  when?(first: Scalar | null, second: Scalar | null): boolean;
  /** Or what its list would be asked for. */
  filter?: Readonly<Record<string, unknown>>;
}

/** A share of one figure in another. */
export interface Share extends Named {
  share: readonly [part: string, whole: string];
}

/** The figures of a family. All that only depend on two keys are one count in the store. */
export interface FamilyFigures {
  type: string;
  group: string;
  by: readonly string[];
  figures: readonly (Counted | Share)[];
}

export type Values = ReadonlyMap<string, number | null>;

/** Works out figures at the report's moment. */
export async function valuesOf(context: ReportContext, families: readonly FamilyFigures[]): Promise<Values> {
  const values = new Map<string, number | null>();
  for (const family of families) {
    const { type, by, figures } = family;
    const query = queryOfType(type);
    const { models } = context.reader;
    const groups = await models.count(recordsAt(context, query), by);
    for (const [name, value] of valuesOfGroups(family, groups)) values.set(name, value);
    for (const figure of figures) {
      if ('share' in figure || figure.filter === undefined) continue;
      const [counted] = await models.count(recordsAt(context, query, figure.filter));
      values.set(figure.name, counted?.total ?? 0);
    }
  }
  return values;
}

/** Of a family's figures those that follow from how many records there are of each group. */
export function valuesOfGroups({ figures }: FamilyFigures, groups: readonly Count[]): Values {
  const values = new Map<string, number | null>();
  for (const figure of figures) {
    if ('share' in figure) {
      const [part, whole] = figure.share.map((name) => values.get(name) ?? 0) as [number, number];
      values.set(figure.name, shareOf(part, whole));
    } else if (figure.filter === undefined) {
      const counting = groups.filter(({ values: keys }) => figure.when?.(keys[0] ?? null, keys[1] ?? null) ?? true);
      values.set(
        figure.name,
        counting.reduce((sum, { total }) => sum + total, 0),
      );
    }
  }
  return values;
}

/** Null where there is nothing to take a share of. */
export const shareOf = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole);

/** What figures are called, with their values. */
export function toldFigures(families: readonly FamilyFigures[], values: Values): Figure[] {
  return families.flatMap(({ group, figures }) =>
    figures.map((figure) => {
      const { name, label, counts } = figure;
      const kind = 'share' in figure ? 'SHARE' : 'COUNT';
      return { name, group, label, kind, value: values.get(name) ?? null, counts };
    }),
  );
}

/** Figures at the report's moment. */
export async function familyFigures(context: ReportContext, families: readonly FamilyFigures[]): Promise<Figure[]> {
  return toldFigures(families, await valuesOf(context, families));
}
