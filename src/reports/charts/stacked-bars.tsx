import { scaleBand, scaleLinear } from 'd3-scale';
import {
  CHART_WIDTH,
  ChartFigure,
  type ChartTable,
  Legend,
  partLink,
  TextureDefinitions,
  type Tone,
  TonedRect,
} from './chart.tsx';

/** One number for each bar, with a tone of its own. */
export interface BarSeries {
  name: string;
  tone: Tone;
  values: readonly number[];
  /** Returns the address of the records that a bar's part counts. Undefined if it is only drawn. */
  hrefOf: (index: number) => string | undefined;
}

export interface StackedBarsProps {
  id: string;
  title: string;
  /** The name of what the bars stand for, such as "Month". */
  categoryTitle: string;
  categories: readonly string[];
  series: readonly BarSeries[];
  isLinked: boolean;
}

const TOP = 30;
const RIGHT = 12;
const COLUMNS_HEIGHT = 290;
/** Below columns: two lines of text. */
const COLUMNS_BOTTOM = 38;
const COLUMNS_LEFT = 36;
const ROW_HEIGHT = 30;
const ROWS_BOTTOM = 22;
const MAX_COLUMN_WIDTH = 44;
/** The width of a character of a label, and the least width of a label below a column. */
const CHARACTER_WIDTH = 6.2;
const COLUMN_LABEL_WIDTH = 46;
/** A segment needs this size to have its number on it. */
const MIN_LABELLED = { height: 12, digitWidth: 7.5 };

/** A part of a bar, from one value to another. */
interface Segment {
  label: string;
  tone: Tone;
  href: string | undefined;
  value: number;
  from: number;
  to: number;
}

/** Upright bars, each with its total above. @param notes a second line below each bar */
export function StackedColumns(props: StackedBarsProps & { notes: readonly string[]; noteTitle: string }) {
  const { id, title, categories, series, notes, isLinked } = props;
  const bottom = COLUMNS_HEIGHT - COLUMNS_BOTTOM;
  const totals = totalsOf(series, categories.length);
  const y = scaleLinear()
    .domain([0, Math.max(1, ...totals)])
    .nice(4)
    .range([bottom, TOP + 16]);
  const x = scaleBand<number>()
    .domain(categories.keys())
    .range([COLUMNS_LEFT, CHART_WIDTH - RIGHT])
    .paddingInner(0.25)
    .paddingOuter(0.15);
  const width = Math.min(MAX_COLUMN_WIDTH, x.bandwidth());
  const labelEach = Math.ceil(COLUMN_LABEL_WIDTH / x.step());
  const table = tableOf(props, { title: props.noteTitle, cells: notes });
  return (
    <ChartFigure id={id} title={title} width={CHART_WIDTH} height={COLUMNS_HEIGHT} {...{ table, isLinked }}>
      <TextureDefinitions id={id} tones={series.map(({ tone }) => tone)} />
      <Legend id={id} entries={series} x={CHART_WIDTH / 2} y={4} />
      {wholeTicks(y).map((tick) => (
        <g key={tick}>
          <line class="grid" x1={COLUMNS_LEFT} x2={CHART_WIDTH - RIGHT} y1={y(tick)} y2={y(tick)} />
          <text class="quiet end" x={COLUMNS_LEFT - 6} y={y(tick) + 4}>
            {tick}
          </text>
        </g>
      ))}
      {categories.map((category, index) => {
        const middle = x(index)! + x.bandwidth() / 2;
        return (
          <g key={category}>
            {segmentsOf(series, index).map((segment) => {
              const { from, to } = segment;
              const box = { x: middle - width / 2, y: y(to), width, height: y(from) - y(to) };
              const hasNumber = box.height >= MIN_LABELLED.height;
              return <BarPart key={segment.label} id={id} category={category} {...{ segment, box, hasNumber }} />;
            })}
            <text class="quiet middle" x={middle} y={y(totals[index]!) - 5}>
              {totals[index]}
            </text>
            {index % labelEach === 0 && (
              <text class="middle" x={middle} y={bottom + 16}>
                {category}
                <tspan class="quiet" x={middle} dy={15}>
                  {notes[index]}
                </tspan>
              </text>
            )}
          </g>
        );
      })}
      <line class="axis" x1={COLUMNS_LEFT} x2={CHART_WIDTH - RIGHT} y1={bottom} y2={bottom} />
    </ChartFigure>
  );
}

/** Bars from left to right, each with its total after it. */
export function StackedRows(props: StackedBarsProps) {
  const { id, title, categories, series, isLinked } = props;
  const table = tableOf(props);
  const left = 14 + Math.max(...categories.map(({ length }) => length)) * CHARACTER_WIDTH;
  const bottom = TOP + ROW_HEIGHT * categories.length;
  const totals = totalsOf(series, categories.length);
  const x = scaleLinear()
    .domain([0, Math.max(1, ...totals)])
    .range([left, CHART_WIDTH - 40]);
  return (
    <ChartFigure id={id} title={title} width={CHART_WIDTH} height={bottom + ROWS_BOTTOM} {...{ table, isLinked }}>
      <TextureDefinitions id={id} tones={series.map(({ tone }) => tone)} />
      <Legend id={id} entries={series} x={CHART_WIDTH / 2} y={4} />
      {wholeTicks(x).map((tick) => (
        <g key={tick}>
          <line class="grid" x1={x(tick)} x2={x(tick)} y1={TOP} y2={bottom} />
          <text class="quiet middle" x={x(tick)} y={bottom + 15}>
            {tick}
          </text>
        </g>
      ))}
      {categories.map((category, index) => {
        const top = TOP + ROW_HEIGHT * index + 5;
        return (
          <g key={category}>
            <text class="end" x={left - 8} y={top + 14}>
              {category}
            </text>
            {segmentsOf(series, index).map((segment) => {
              const { value, from, to } = segment;
              const box = { x: x(from), y: top, width: x(to) - x(from), height: ROW_HEIGHT - 10 };
              const hasNumber = box.width >= MIN_LABELLED.digitWidth * (String(value).length + 1);
              return <BarPart key={segment.label} id={id} category={category} {...{ segment, box, hasNumber }} />;
            })}
            <text class="quiet" x={x(totals[index]!) + 7} y={top + 14}>
              {totals[index]}
            </text>
          </g>
        );
      })}
      <line class="axis" x1={left} x2={left} y1={TOP} y2={bottom} />
    </ChartFigure>
  );
}

interface BarPartProps {
  id: string;
  category: string;
  segment: Segment;
  box: { x: number; y: number; width: number; height: number };
  hasNumber: boolean;
}

function BarPart({ id, category, segment: { label, tone, href, value }, box, hasNumber }: BarPartProps) {
  return (
    <TonedRect id={id} tone={tone} {...box} link={partLink(href, `${category}, ${label}: ${value}`)}>
      {hasNumber && (
        <text class="value" x={box.x + box.width / 2} y={box.y + box.height / 2 + 4}>
          {value}
        </text>
      )}
    </TonedRect>
  );
}

function segmentsOf(series: readonly BarSeries[], index: number): Segment[] {
  const segments: Segment[] = [];
  let from = 0;
  for (const { name: label, tone, values, hrefOf } of series) {
    const value = values[index]!;
    if (value > 0) segments.push({ label, tone, href: hrefOf(index), value, from, to: from + value });
    from += value;
  }
  return segments;
}

function totalsOf(series: readonly BarSeries[], bars: number): number[] {
  return Array.from({ length: bars }, (_, index) => series.reduce((sum, { values }) => sum + values[index]!, 0));
}

const wholeTicks = (scale: { ticks(count: number): number[] }): number[] => scale.ticks(5).filter(Number.isInteger);

function tableOf(
  { categoryTitle, categories, series }: StackedBarsProps,
  note?: { title: string; cells: readonly string[] },
): ChartTable {
  return {
    columns: [categoryTitle, ...series.map(({ name }) => name), ...(note ? [note.title] : [])],
    rows: categories.map((category, index) => [
      category,
      ...series.map(({ values }) => values[index]!),
      ...(note ? [note.cells[index]!] : []),
    ]),
  };
}
