/** @jsxRuntime automatic @jsxImportSource preact */
import type { VNode } from 'preact';
import type { ReportHead, SectionPart } from '../pages/report-page.ts';
import { ControlCoverage } from './control-coverage.tsx';
import { DueCalendar } from './due-calendar.tsx';
import { FigureTrendChart } from './figure-trend-chart.tsx';
import { RiskMatrix } from './risk-matrix.tsx';

/** Returns the chart of a section's rows. Returns null if it has none. */
export function sectionChart({ section, rows }: SectionPart, { today, inputs }: ReportHead): VNode | null {
  if (rows.length === 0) return null;
  switch (section.plot) {
    case 'matrix':
      return <RiskMatrix rows={rows} />;
    case 'coverage':
      return <ControlCoverage rows={rows} />;
    case 'calendar':
      return <DueCalendar rows={rows} today={today} until={String(inputs.until)} />;
    case 'trend':
      return <FigureTrendChart columns={section.columns} rows={rows} />;
    default:
      return null;
  }
}
