import { invalidField, Refusal } from '../../commands/engine/refusal.ts';
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
 * Returns the figures of a trend, which `trend_figures` names by their names or labels.
 * @throws Refusal invalid_input for a word that is no figure of this report, and for a report of one owner's records
 */
export async function trendFigures(context: ReportContext): Promise<Figure[]> {
  const { owner_id, trend_figures } = context.inputs;
  if (owner_id !== undefined) {
    throw invalidField('trend', 'A trend counts the records of all owners. Leave out owner_id or trend.');
  }
  const offered = await addFrameworkCoverage(context, figuresWithValues(FAMILY_DESCRIPTIONS, new Map()));
  const figures = figuresNamed(trend_figures?.split(',') ?? DEFAULT_TREND_FIGURES, offered);
  if (figures.length <= MAX_TREND_FIGURES) return figures;
  throw invalidField('trend_figures', `${figures.length} figures are too many. Use at most ${MAX_TREND_FIGURES}.`);
}

/** Returns the figures with these names or labels. A label with a comma is several words: "Not closed", "not rated". */
function figuresNamed(words: readonly string[], offered: readonly Figure[]): Figure[] {
  const figures = new Set<Figure>();
  for (let start = 0; start < words.length; ) {
    let end = words.length;
    while (end > start + 1 && figuresCalled(words.slice(start, end), offered).length === 0) end -= 1;
    figures.add(requireOne(words.slice(start, end), offered));
    start = end;
  }
  return [...figures];
}

/** Returns the figures of a name, a label, or a label after its heading: `Risks: Critical`. */
function figuresCalled(words: readonly string[], offered: readonly Figure[]): Figure[] {
  const word = words.join(',').trim();
  const key = word.toLowerCase();
  const named = offered.filter(({ name }) => name.toLowerCase() === key);
  if (named.length > 0) return named;
  return offered.filter(({ group, label }) => [label, `${group}: ${label}`].some((text) => text.toLowerCase() === key));
}

function requireOne(words: readonly string[], offered: readonly Figure[]): Figure {
  const [figure, ...others] = figuresCalled(words, offered);
  if (figure !== undefined && others.length === 0) return figure;
  const word = words.join(',').trim();
  const message =
    figure === undefined
      ? `There is no figure "${word}" in this report. Use names of its figures, with commas between them.`
      : `Several figures have the label "${word}". Use a name instead.`;
  const allowed = (figure === undefined ? offered : [figure, ...others]).map(({ name }) => name);
  throw new Refusal('invalid_input', message, { field: 'trend_figures', allowed });
}

/**
 * Returns the section with figures at the end of each month, and at the report's moment in its last row. The months are
 * read from the daily figures, so more months cost little.
 */
export function trendSection(context: ReportContext, figures: readonly Figure[]): ReportSection {
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
