/*
 * The words in which a family's figures are described. Reports list them, and read models keep their counts for each day.
 */

/** A condition on a stored key. */
type FigureCondition =
  | { key: string; op: 'eq'; value: string | number }
  | { key: string; op: 'in'; values: readonly (string | number)[] }
  | { key: string; op: 'range'; gte: number; lte: number }
  | { key: string; op: 'present' | 'empty' };

/**
 * Days relative to the date in a stored key. `{ key: 'ends', from: -30, until: 1 }` starts 30 days before that date and
 * stops on the day after it. Without `until` it never stops.
 */
interface CountedDays {
  key: string;
  from: number;
  until?: number;
}

/** A count of a family's live records, or a sum over them, defined by their stored keys. */
export interface FigureDefinition {
  /** Permanent: digests of reports and stored figures contain it. A changed definition needs a new name. */
  name: string;
  /** Conditions that don't depend on the day. By default every record meets them. */
  where?: readonly FigureCondition[];
  /** The days on which a record counts. By default all days. */
  days?: CountedDays;
  /** A stored number to add up, instead of counting records. */
  sum?: string;
}

/** A figure's wording, which may change. */
interface FigureWording {
  label: string;
  /** Says exactly what the figure counts. */
  meaning: string;
}

export interface CountFigure extends FigureDefinition, FigureWording {}

/** The share of one figure in another. */
export interface ShareFigure extends FigureWording {
  name: string;
  share: readonly [part: string, whole: string];
}

/** The figures of a family. */
export interface FamilyFigures {
  /** Their heading in reports. */
  group: string;
  /** One count in the store, grouped by these keys, gives all figures that depend on no others. */
  groupBy: readonly string[];
  /** The wording of the figure that counts all records. Its name is the family's plural. */
  total: FigureWording;
  /** The other figures of reports, in their order. */
  listed: readonly (CountFigure | ShareFigure)[];
  /** Figures that read models keep for each day, but no report lists. */
  unlisted?: readonly FigureDefinition[];
}

/** Returns the figures of a family that reports list, in their order. */
export function listedFigures({
  plural,
  figures,
}: {
  plural: string;
  figures: FamilyFigures;
}): (CountFigure | ShareFigure)[] {
  return [{ name: plural, ...figures.total }, ...figures.listed];
}

export function isIn(key: string, values: readonly string[]): FigureCondition {
  return { key, op: 'in', values };
}

export function equals(key: string, value: string | number): FigureCondition {
  return { key, op: 'eq', value };
}

/** From the day after a date. */
export function startsAfter(key: string): CountedDays {
  return { key, from: 1 };
}

/** Returns one figure for each state. */
export function countByState(plural: string, key: 'state' | 'status', states: readonly string[]): CountFigure[] {
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
