import type { ReportHead, ReportPage } from '../pages/report-page.ts';
import type { ReportRow, ReportSection } from '../report-type.ts';

/** Draws each plot of a section. The drawing code is loaded with the first plot. */
const PLOTS: Readonly<
  Record<NonNullable<ReportSection['plot']>, (rows: readonly ReportRow[], head: ReportHead) => Promise<string | null>>
> = {
  matrix: async (rows) => (await import('./matrix.ts')).matrixPlot(rows),
  coverage: async (rows) => (await import('./charts.ts')).coveragePlot(rows),
  calendar: async (rows, { today, inputs }) =>
    (await import('./calendar.ts')).calendarPlot(rows, today, String(inputs.until)),
};

/** Returns a report's plots by the name of their section. The trend belongs to no section and has the name ''. */
export async function plotsOf(head: ReportHead, page: ReportPage): Promise<ReadonlyMap<string, string>> {
  const plots = new Map<string, string>();
  const trend = (await page.trend?.()) ?? [];
  if (trend.length > 0) plots.set('', (await import('./charts.ts')).trendPlot(trend));
  for (const { section, rows } of page.parts) {
    const plot = section.plot && rows.length > 0 ? await PLOTS[section.plot](rows, head) : null;
    if (plot !== null) plots.set(section.name, plot);
  }
  return plots;
}
