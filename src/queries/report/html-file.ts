import type { Head, Page } from './page.ts';
import { html } from './render/html.ts';
import type { FormatOf } from './report.ts';
import type { Row } from './report-type.ts';
import { riskTrend, type TrendPoint } from './risk-scores.ts';

/** Reports that show how the risks' scores went. */
const WITH_TREND = ['POSTURE', 'RISK_REGISTER'];

/** A report as a page with its plots. What draws them is loaded when the first one is asked for. */
export const htmlOf =
  (type: string): FormatOf =>
  async (context) => {
    const trend = WITH_TREND.includes(type) ? await riskTrend(context) : [];
    const { matrixPlot } = await import('./plots/matrix.ts');
    const charts = await import('./plots/charts.ts');
    return html((head, page) => plotsOf(head, page, trend, { ...charts, matrixPlot }));
  };

type Plots = typeof import('./plots/charts.ts') & typeof import('./plots/matrix.ts');

/** By the section that each stands in. */
function plotsOf(head: Head, page: Page, trend: readonly TrendPoint[], plots: Plots): Map<string, string> {
  const drawn = new Map<string, string>();
  if (trend.length > 0) drawn.set('', plots.trendPlot(trend));
  const rows = (name: string): readonly Row[] => page.parts.find((part) => part.section.name === name)?.rows ?? [];
  const matrix = rows('matrix');
  if (matrix.length > 0) drawn.set('matrix', plots.matrixPlot(matrix));
  const controls = rows('controls');
  if (controls.length > 0) drawn.set('controls', plots.coveragePlot(controls));
  const due = rows('due_items');
  const calendar = due.length > 0 ? plots.calendarPlot(due, head.today, String(head.inputs.until)) : null;
  if (calendar !== null) drawn.set('due_items', calendar);
  return drawn;
}
