import type { Scalar } from '../../stores/read-store.ts';
import { queryOfType } from '../families.ts';
import type { Figure, ReportContext } from './report-type.ts';
import { recordsAt } from './walk.ts';

/** A number of a family's records: those of some groups of a count by keys, or those that a filter of its list finds. */
export interface Counted {
  name: string;
  counts: string;
  /** Of the groups of the family's `by`, which count. */
  when?(first: Scalar | null, second: Scalar | null): boolean;
  /** Or what its list would be asked for. */
  filter?: Readonly<Record<string, unknown>>;
}

/** A share of one figure in another. */
export interface Share {
  name: string;
  counts: string;
  share: readonly [part: string, whole: string];
}

/** The figures of a family. All that only depend on two keys are one count in the store. */
export interface FamilyFigures {
  type: string;
  by: readonly string[];
  figures: readonly (Counted | Share)[];
}

export type Values = ReadonlyMap<string, number | null>;

/** Works out figures at the report's moment, of the records that a filter finds. */
export async function valuesOf(
  context: ReportContext,
  families: readonly FamilyFigures[],
  among: Readonly<Record<string, unknown>> = {},
): Promise<Values> {
  const values = new Map<string, number | null>();
  for (const { type, by, figures } of families) {
    const family = queryOfType(type);
    const { models } = context.reader;
    const groups = await models.count(recordsAt(context, family, among), by);
    for (const figure of figures) {
      if ('share' in figure) {
        const [part, whole] = figure.share.map((name) => values.get(name) ?? 0) as [number, number];
        values.set(figure.name, whole === 0 ? null : part / whole);
      } else if (figure.filter !== undefined) {
        const [counted] = await models.count(recordsAt(context, family, { ...among, ...figure.filter }));
        values.set(figure.name, counted?.total ?? 0);
      } else {
        const counting = groups.filter(({ values: keys }) => figure.when?.(keys[0] ?? null, keys[1] ?? null) ?? true);
        values.set(
          figure.name,
          counting.reduce((sum, { total }) => sum + total, 0),
        );
      }
    }
  }
  return values;
}

/** Figures at the report's moment, of the records that a filter finds. */
export async function familyFigures(
  context: ReportContext,
  families: readonly FamilyFigures[],
  among?: Readonly<Record<string, unknown>>,
): Promise<Figure[]> {
  const values = await valuesOf(context, families, among);
  return families.flatMap(({ figures }) =>
    figures.map(({ name, counts }) => ({ name, value: values.get(name) ?? null, counts })),
  );
}
