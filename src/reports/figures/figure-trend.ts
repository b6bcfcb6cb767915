import { Refusal } from '../../commands/engine/refusal.ts';
import type { FigureCounts } from '../../projections/figures/daily-figures.ts';
import { dailyFigures, monthEnds } from '../../queries/figures/daily-figures.ts';
import { FAMILY_DESCRIPTIONS } from '../../register/families.ts';
import type { Figure, ReportColumn, ReportContext, ReportRow, ReportSection } from '../report-type.ts';
import { figuresWithValues, figureValues, shareOf } from './figure-values.ts';
import { addFrameworkCoverage, coverageByFramework, frameworkOfCoverage } from './framework-coverage.ts';

/** The number of month ends that a trend shows before the report's day. */
const MAX_TREND_MONTHS = 36;
const MAX_TREND_FIGURES = 6;
const DEFAULT_TREND_FIGURES = [
  ...['risks_critical', 'measures_overdue', 'vendors_review_overdue', 'nonconformities_open'],
  ...['evidence_expired', 'coverage'],
];

/**
 * Returns the section with figures at the end of each month, and at the report's moment in its last row. The months are
 * read from the daily figures, so more months cost little.
 * @throws Refusal invalid_input for a name that is no figure of this report, and for a report of one owner's records
 */
export async function trendSection(context: ReportContext): Promise<ReportSection> {
  const { owner_id, trend_figures } = context.inputs;
  if (owner_id !== undefined) {
    const message = 'A trend counts the records of all owners. Leave out owner_id or trend.';
    throw new Refusal('invalid_input', message, { field: 'trend' });
  }
  const names = trend_figures?.split(',').map((name) => name.trim()) ?? DEFAULT_TREND_FIGURES;
  if (names.length > MAX_TREND_FIGURES) {
    const message = `${names.length} figures are too many. Use at most ${MAX_TREND_FIGURES}.`;
    throw new Refusal('invalid_input', message, { field: 'trend_figures' });
  }
  const offeredFigures = await addFrameworkCoverage(context, figuresWithValues(FAMILY_DESCRIPTIONS, new Map()));
  const figures = [...new Set(names)].map((name) => {
    const figure = offeredFigures.find((candidate) => candidate.name === name);
    if (figure !== undefined) return figure;
    const message = `There is no figure "${name}" in this report. Use names of its figures, with commas between them.`;
    throw new Refusal('invalid_input', message, {
      field: 'trend_figures',
      allowed: offeredFigures.map(({ name }) => name),
    });
  });
  return {
    name: 'trend',
    title: 'Trend',
    note: `At the end of each month, for at most ${MAX_TREND_MONTHS} months, and on the report’s day.`,
    columns: [{ field: 'day', title: 'Day' }, ...figures.map(columnOf)],
    plot: 'trend',
    rows: () => trendRows(context, figures),
  };
}

function columnOf({ name, group, label, kind }: Figure): ReportColumn {
  const column = { field: name, title: `${group}: ${label}` };
  return kind === 'SHARE' ? { ...column, kind } : column;
}

async function* trendRows(context: ReportContext, figures: readonly Figure[]): AsyncGenerator<ReportRow> {
  const { snapshot, organizationId, moment } = context;
  if (moment.position === 0) return;
  const days = monthEnds(moment.today, MAX_TREND_MONTHS);
  const counts = await dailyFigures(snapshot.models, { organizationId }, days);
  const frameworkCounts = new Map<string, readonly (FigureCounts | null)[]>();
  for (const { name } of figures) {
    const frameworkId = frameworkOfCoverage(name);
    if (frameworkId !== null)
      frameworkCounts.set(name, await dailyFigures(snapshot.models, { organizationId, frameworkId }, days));
  }
  for (const [index, day] of days.entries()) {
    const dayCounts = counts[index] ?? null;
    if (dayCounts === null) continue;
    yield trendRow(day, figures, (name) => {
      const countsByDay = frameworkCounts.get(name);
      return valueFromCounts(name, countsByDay === undefined ? dayCounts : (countsByDay[index] ?? {}));
    });
  }
  const currentValues = new Map([
    ...(await figureValues(context, FAMILY_DESCRIPTIONS)),
    ...(await coverageByFramework(context)),
  ]);
  yield trendRow(moment.today, figures, (name) => currentValues.get(name) ?? null);
}

/** Returns a figure from the counts of a day. Counts that are 0 are absent. */
function valueFromCounts(name: string, counts: FigureCounts): number | null {
  const isFrameworkCoverage = frameworkOfCoverage(name) !== null;
  return name === 'coverage' || isFrameworkCoverage
    ? shareOf(counts.controls_full ?? 0, counts.controls_included ?? 0)
    : (counts[name] ?? 0);
}

function trendRow(day: string, figures: readonly Figure[], valueOfName: (name: string) => number | null): ReportRow {
  const values = figures.map(({ name }) => [name, valueOfName(name)] as const).filter(([, value]) => value !== null);
  return { day, ...Object.fromEntries(values) };
}
