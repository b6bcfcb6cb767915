import type { Head, Page } from '../page.ts';
import type { Row, Section } from '../report-type.ts';

/** How each plot of a section is drawn; what draws is loaded when the first one is asked for. */
const PLOTS: Readonly<
  Record<NonNullable<Section['plot']>, (rows: readonly Row[], head: Head) => Promise<string | null>>
> = {
  matrix: async (rows) => (await import('./matrix.ts')).matrixPlot(rows),
  coverage: async (rows) => (await import('./charts.ts')).coveragePlot(rows),
  calendar: async (rows, { today, inputs }) =>
    (await import('./calendar.ts')).calendarPlot(rows, today, String(inputs.until)),
};

/** The plots of a report, each by the name of the section that it stands in; '' is before the first. */
export async function plotsOf(head: Head, page: Page): Promise<ReadonlyMap<string, string>> {
  const drawn = new Map<string, string>();
  const trend = (await page.trend?.()) ?? [];
  if (trend.length > 0) drawn.set('', (await import('./charts.ts')).trendPlot(trend));
  for (const { section, rows } of page.parts) {
    const plot = section.plot && rows.length > 0 ? await PLOTS[section.plot](rows, head) : null;
    if (plot !== null) drawn.set(section.name, plot);
  }
  return drawn;
}
