import type { EnumValueOf, Fields, MemberName } from './field.ts';

/*
 * The words in which a family's figures are described. Reports list them, and read models keep their counts for each day.
 */

/** The keys by which the filter `missing` finds records without linked ones. */
type LinkedRecordsKey = 'measures' | 'controls' | 'risks' | 'evidence_until';

/** The keys of a family by which figures count: those of fields, of linked records, and computed ones. */
type FigureKey<F, Keys extends readonly string[]> = MemberName<F> | Keys[number] | LinkedRecordsKey;

/** A condition on a stored key. The key of an enum by which lists are sorted holds the value's index. */
type FigureCondition<F extends Fields, Keys extends readonly string[]> =
  | { [Key in FigureKey<F, Keys>]: EqualityCondition<Key, Key extends keyof F ? F[Key] : unknown> }[FigureKey<F, Keys>]
  | { key: FigureKey<F, Keys>; op: 'range'; gte: number; lte: number }
  | { key: FigureKey<F, Keys>; op: 'present' | 'empty' };

type EqualityCondition<Key, F> =
  | { key: Key; op: 'eq'; value: KeyValueOf<F> }
  | { key: Key; op: 'in'; values: readonly KeyValueOf<F>[] };
type KeyValueOf<F> = F extends { kind: 'enum' } ? EnumValueOf<F> | number : string | number;

/**
 * Days relative to the date in a stored key. `{ key: 'ends', from: -30, until: 1 }` starts 30 days before that date and
 * stops on the day after it. Without `until` it never stops.
 */
interface CountedDays<Key> {
  key: Key;
  from: number;
  until?: number;
}

/** A count of a family's live records, or a sum over them, defined by their stored keys. */
export interface FigureDefinition<F extends Fields = Fields, Keys extends readonly string[] = readonly string[]> {
  /** Permanent: digests of reports and stored figures contain it. A changed definition needs a new name. */
  name: string;
  /** Conditions that don't depend on the day. By default every record meets them. */
  where?: readonly FigureCondition<F, Keys>[];
  /** The days on which a record counts. By default all days. */
  days?: CountedDays<FigureKey<F, Keys>>;
  /** A stored number to add up, instead of counting records. */
  sum?: FigureKey<F, Keys>;
}

/** A figure's wording, which may change. */
interface FigureWording {
  label: string;
  /** Says exactly what the figure counts. */
  meaning: string;
}

export interface CountFigure<F extends Fields = Fields, Keys extends readonly string[] = readonly string[]>
  extends FigureDefinition<F, Keys>,
    FigureWording {}

export interface ShareFigure extends FigureWording {
  name: string;
  share: readonly [part: string, whole: string];
}

export interface FamilyFigures<F extends Fields = Fields, Keys extends readonly string[] = readonly string[]> {
  /** Their heading in reports. */
  group: string;
  /** One count in the store, grouped by these keys, gives all figures that depend on no others. */
  groupBy: readonly FigureKey<F, Keys>[];
  /** The wording of the figure that counts all records. Its name is the family's plural. */
  total: FigureWording;
  /** The other figures of reports, in their order. The compiler finds a wrong name in lists, not in spread ones. */
  listed: readonly (readonly (CountFigure<F, Keys> | ShareFigure)[])[];
  /** Figures that read models keep for each day, but no report lists. */
  unlisted?: readonly FigureDefinition<F, Keys>[];
}

/** Returns the figures of a family that reports list, in their order. */
export function listedFigures({
  plural,
  figures,
}: {
  plural: string;
  figures: FamilyFigures;
}): (CountFigure | ShareFigure)[] {
  return [{ name: plural, ...figures.total }, ...figures.listed.flat()];
}

export function isIn<const Key extends string, const Value extends string | number>(
  key: Key,
  values: readonly Value[],
) {
  return { key, op: 'in', values } as const;
}

export function equals<const Key extends string, const Value extends string | number>(key: Key, value: Value) {
  return { key, op: 'eq', value } as const;
}

/** From the day after a date. */
export function startsAfter<const Key extends string>(key: Key) {
  return { key, from: 1 } as const;
}

/** Returns one figure for each state. */
export function countByState<const Key extends 'state' | 'status', const State extends string>(
  plural: string,
  key: Key,
  states: readonly State[],
) {
  return states.map((state) => ({
    name: `${plural}_${state.toLowerCase()}`,
    label: stateWords(state),
    meaning: `${plural} that are ${state}`,
    where: [equals(key, state)],
  }));
}

/** Returns `Partially compliant` for PARTIALLY_COMPLIANT. */
function stateWords(state: string): string {
  const words = state.toLowerCase().replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
