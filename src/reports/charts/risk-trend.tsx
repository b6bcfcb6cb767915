/** @jsxRuntime automatic @jsxImportSource preact */
import { PRIORITIES } from '../../register/risk.ts';
import { codeWords } from '../formats/value-text.ts';
import type { TrendPoint } from '../report-type.ts';
import { StackedColumns } from './stacked-bars.tsx';

const TONES = { LOW: 'low', MEDIUM: 'medium', HIGH: 'high', CRITICAL: 'critical' } as const;

/** Risks by priority at the ends of months, with their mean score. */
export function RiskTrend({ points }: { points: readonly TrendPoint[] }) {
  return (
    <StackedColumns
      id="trend"
      title="Rated risks not closed, by priority, at each month’s end and on the day of the report; ⌀ is their mean score"
      categoryTitle="Month"
      categories={points.map(({ day }) => day.slice(0, 7))}
      series={PRIORITIES.map((priority) => ({
        name: codeWords(priority),
        tone: TONES[priority],
        values: points.map(({ counts }) => counts[priority]),
      }))}
      noteTitle="Mean score"
      notes={points.map(({ mean }) => (mean === null ? '–' : `⌀ ${mean.toFixed(1)}`))}
    />
  );
}
