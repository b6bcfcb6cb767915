import { addDays } from '../../commands/engine/dates.ts';
import {
  addFigures,
  DAILY_FIGURES,
  type DailyFiguresDocument,
  effectDays,
  type FigureCounts,
  monthsBetween,
  readEffects,
} from '../../projections/figures/daily-figures.ts';
import type { Condition, ReadModels } from '../../stores/read-store.ts';

/** Days per call. */
const MAX_DAYS = 130;

/** The figures of an organization, or of one of its frameworks. */
interface FigureSource {
  organizationId: string;
  frameworkId?: string | undefined;
}

/**
 * Returns the figures at the end of each day: 90 days for a sparkline, 36 ends of months for a trend. For today they are
 * the figures now. Changes per day are the differences of the figure `changes`.
 * @param days in ascending order, at most 130
 * @returns one entry per day: figures by name, without those that are 0; null before the first event
 */
export async function dailyFigures(
  models: Pick<ReadModels, 'get' | 'find'>,
  { organizationId, frameworkId }: FigureSource,
  days: readonly string[],
): Promise<(FigureCounts | null)[]> {
  if (days.length > MAX_DAYS) throw new RangeError(`${days.length} days are more than ${MAX_DAYS}`);
  const seriesId = frameworkId ?? organizationId;
  const read = async (conditions: readonly Condition[], limit: number): Promise<DailyFiguresDocument[]> => {
    const order = { key: 'day', direction: 'DESC' } as const;
    const query = { collection: DAILY_FIGURES.name, organizationId, where: conditions, order, limit };
    return (await models.find(query)).map(({ doc }) => doc as unknown as DailyFiguresDocument);
  };
  const [newest] = await read([{ op: 'ids', ids: [seriesId] }], 1);
  if (newest === undefined) return days.map(() => null);
  const endedDays = days.filter((day) => day < newest.day);
  const ofSeries = { key: 'series_id', op: 'eq', value: seriesId } as const;
  const closed = await closedFigures((condition, limit) => read([ofSeries, condition], limit), endedDays);
  return [...closed, ...(await newestFigures(models, seriesId, newest, days.slice(endedDays.length)))];
}

/** Reads the days before the newest one. Their figures don't change any more. */
async function closedFigures(
  read: (condition: Condition, limit: number) => Promise<DailyFiguresDocument[]>,
  days: readonly string[],
): Promise<(FigureCounts | null)[]> {
  if (days.length === 0) return [];
  const onDays = await read({ key: 'day', op: 'in', values: days }, days.length);
  const figures = new Map(onDays.map((document) => [document.day, document.figures]));
  // A day without a document has the figures of the last one before it.
  const unknown = days.filter((day, index) => !figures.has(day) && days[index - 1] !== addDays(day, -1));
  const before = await Promise.all(unknown.map((day) => read({ key: 'day', op: 'range', lt: day }, 1)));
  for (const [index, [document]] of before.entries())
    if (document !== undefined) figures.set(unknown[index]!, document.figures);
  let last: FigureCounts | null = null;
  return days.map((day, index) => {
    const isNextDay = days[index - 1] === addDays(day, -1);
    last = figures.get(day) ?? (isNextDay ? last : null);
    return last;
  });
}

/** Adds the effects that have taken place since the newest day. */
async function newestFigures(
  models: Pick<ReadModels, 'get'>,
  seriesId: string,
  newest: DailyFiguresDocument,
  days: readonly string[],
): Promise<FigureCounts[]> {
  const last = days.at(-1);
  if (last === undefined) return [];
  const effects = await readEffects(models, seriesId, monthsBetween(newest.day, last));
  const differences = effectDays(effects.values(), newest.day, last);
  let figures = newest.figures;
  let index = 0;
  return days.map((day) => {
    for (; index < differences.length && differences[index]![0] <= day; index += 1)
      figures = addFigures(figures, differences[index]![1]);
    return figures;
  });
}

/** Returns the last days of the months before that of `today`, the earliest first. */
export function monthEnds(today: string, months: number): string[] {
  const [year, month] = today.split('-').map(Number) as [number, number];
  return Array.from({ length: months }, (_, index) => {
    const end = new Date(0);
    end.setUTCFullYear(year, month - months + index, 0);
    return end.toISOString().slice(0, 10);
  }).filter((day) => !day.startsWith('-'));
}
