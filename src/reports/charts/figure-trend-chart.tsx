import { scaleLinear } from 'd3-scale';
import { cellText } from '../formats/report-text.ts';
import type { ReportColumn, ReportRow } from '../report-type.ts';
import { CHART_WIDTH, ChartFigure } from './chart.tsx';

const PANELS_PER_ROW = 2;
const PANEL = { width: CHART_WIDTH / PANELS_PER_ROW, height: 116 };
/** The line's place in its panel. Values are to its right, the title above, the months below. */
const LINE = { left: 8, right: 282, top: 40, bottom: 88 };
const NO_NAMES = { people: new Map<string, string>() };

interface FigureTrendChartProps {
  /** The day, then a column for each figure. */
  columns: readonly ReportColumn[];
  /** One for each end of a month, then the day of the report. */
  rows: readonly ReportRow[];
}

/** The figures of a trend, each in a panel of its own with a scale from 0 to its largest value. */
export function FigureTrendChart({ columns: [day, ...figures], rows }: FigureTrendChartProps) {
  const cells = (row: ReportRow) => figures.map((column) => cellText(row, column, NO_NAMES) || '–');
  const table = {
    columns: [day!.title, ...figures.map(({ title }) => title)],
    rows: rows.map((row) => [String(row.day), ...cells(row)]),
  };
  const height = PANEL.height * Math.ceil(figures.length / PANELS_PER_ROW);
  return (
    <ChartFigure id="figures" title="Figures at the ends of months" width={CHART_WIDTH} height={height} table={table}>
      {figures.map((column, index) => (
        <g
          key={column.field}
          transform={`translate(${PANEL.width * (index % PANELS_PER_ROW)} ${PANEL.height * Math.floor(index / PANELS_PER_ROW)})`}
        >
          <Panel column={column} rows={rows} />
        </g>
      ))}
    </ChartFigure>
  );
}

function Panel({ column, rows }: { column: ReportColumn; rows: readonly ReportRow[] }) {
  const values = rows.map((row) => (row[column.field] ?? null) as number | null);
  const x = scaleLinear()
    .domain([0, Math.max(1, rows.length - 1)])
    .range([LINE.left, LINE.right]);
  const y = scaleLinear()
    .domain([0, Math.max(...values.map((value) => value ?? 0)) || 1])
    .range([LINE.bottom, LINE.top]);
  const last = values.length - 1;
  const lastValue = values[last] ?? null;
  return (
    <>
      <text class="title" x={LINE.left} y={22}>
        {column.title}
      </text>
      <line class="axis" x1={LINE.left} x2={LINE.right} y1={LINE.bottom} y2={LINE.bottom} />
      <path class="line" d={linePath(values, x, y)} />
      {lastValue !== null && <circle class="point" cx={x(last)} cy={y(lastValue)} r={3} />}
      <text class="title" x={LINE.right + 10} y={y(lastValue ?? 0) + 5}>
        {cellText(rows[last]!, column, NO_NAMES) || '–'}
      </text>
      <text class="quiet small" x={LINE.left} y={LINE.bottom + 14}>
        {String(rows[0]!.day)}
      </text>
      <text class="quiet small end" x={LINE.right} y={LINE.bottom + 14}>
        {String(rows[last]!.day)}
      </text>
    </>
  );
}

/** Returns a line through the values. It has a gap where there is none. */
function linePath(
  values: readonly (number | null)[],
  x: (index: number) => number,
  y: (value: number) => number,
): string {
  return values
    .map((value, index) => {
      if (value === null) return '';
      const move = index === 0 || values[index - 1] === null ? 'M' : 'L';
      return `${move}${x(index).toFixed(1)} ${y(value).toFixed(1)}`;
    })
    .join('');
}
