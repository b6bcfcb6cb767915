import type { CollectionSpec, ReadModels } from '../../stores/read-store.ts';

/** Figures by name. Those that are 0 are absent. */
export type FigureCounts = Readonly<Record<string, number>>;

/** The figures at the end of a day, of an organization or of one framework. */
export interface DailyFiguresDocument {
  /** Null: figures of the whole organization. */
  framework_id: string | null;
  day: string;
  /** Position of the newest event that these figures include. */
  position: number;
  figures: FigureCounts;
}

/**
 * The figures of each organization and of each of its frameworks, one document for each day on which a figure changed.
 * A document's figures hold until the next one. The newest is the only one that changes: on the same day, or until
 * an effect takes place.
 */
export const DAILY_FIGURES: CollectionSpec = {
  name: 'daily_figures',
  keys: { series_id: 'text', day: 'text' },
  indexes: [{ keys: ['series_id', 'day'] }, { keys: ['day'] }],
  searchable: false,
};

/** Differences to add to the figures, by the day from which they apply. */
export interface FigureEffectsDocument {
  days: Readonly<Record<string, FigureCounts>>;
}

/**
 * Differences that an event causes on later days, in one document per series and month. A measure that is due on
 * 31 March has `{ days: { '2026-04-01': { measures_overdue: 1 } } }`. If it is done before that day, the difference is
 * taken back.
 */
export const FIGURE_EFFECTS: CollectionSpec = { name: 'figure_effects', keys: {}, indexes: [], searchable: false };

/** The figure that counts all changes of an organization since its beginning. */
export const CHANGES_FIGURE = 'changes';

/**
 * Returns the document id of a day that is not a series' newest. The newest day's document has the series' own id:
 * the organization's or framework's.
 */
export function closedDayId(seriesId: string, day: string): string {
  return `${seriesId}@${day}`;
}

/** Returns the month of a date: `2026-04`. */
export function monthOf(day: string): string {
  return day.slice(0, 7);
}

export function effectsId(seriesId: string, month: string): string {
  return `${seriesId}@${month}`;
}

/** Returns all months from the month of `first` to the month of `last`. */
export function monthsBetween(first: string, last: string): string[] {
  const months: string[] = [];
  const end = monthOf(last);
  for (let month = monthOf(first); month <= end; month = nextMonth(month)) months.push(month);
  return months;
}

function nextMonth(month: string): string {
  const [year, number] = month.split('-').map(Number) as [number, number];
  return number === 12
    ? `${String(year + 1).padStart(4, '0')}-01`
    : `${month.slice(0, 4)}-${String(number + 1).padStart(2, '0')}`;
}

const MAX_IDS_PER_READ = 500;

/** Reads the effects of a series in these months. Months without effects are absent. */
export async function readEffects(
  models: Pick<ReadModels, 'get'>,
  seriesId: string,
  months: readonly string[],
): Promise<Map<string, FigureEffectsDocument>> {
  const ids = months.map((month) => effectsId(seriesId, month));
  const effects = new Map<string, FigureEffectsDocument>();
  for (let start = 0; start < ids.length; start += MAX_IDS_PER_READ) {
    for (const { id, doc } of await models.get(FIGURE_EFFECTS.name, ids.slice(start, start + MAX_IDS_PER_READ)))
      effects.set(id.slice(seriesId.length + 1), doc as unknown as FigureEffectsDocument);
  }
  return effects;
}

/**
 * Returns the days after `after`, up to and including `last`, on which effects take place, in order, with their
 * differences.
 */
export function effectDays(
  effects: Iterable<FigureEffectsDocument>,
  after: string,
  last: string,
): [day: string, differences: FigureCounts][] {
  return [...effects]
    .flatMap(({ days }) => Object.entries(days).filter(([day]) => day > after && day <= last))
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Returns the sum of figures and differences, without those that are 0. */
export function addFigures(figures: FigureCounts, differences: FigureCounts): FigureCounts {
  const sum: Record<string, number> = { ...figures };
  for (const [name, difference] of Object.entries(differences)) {
    const value = (sum[name] ?? 0) + difference;
    if (value === 0) delete sum[name];
    else sum[name] = value;
  }
  return sum;
}
