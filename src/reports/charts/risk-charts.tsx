import { PRIORITIES, type Priority, RISK_STATUSES } from '../../register/risk.ts';
import { codeWords } from '../../texts/words.ts';
import type { ReportRow, TrendPoint } from '../report-type.ts';
import { ChartFigure, Legend, type PageAddress, partLink, TextureDefinitions, TonedRect } from './chart.tsx';
import { StackedColumns } from './stacked-bars.tsx';

const CELL = { width: 88, height: 46 };
const LEFT = 58;
const TOP = 28;
const BOTTOM = 46;
const STEPS = [1, 2, 3, 4, 5];
const WIDTH = LEFT + 5 * CELL.width + 8;
const HEIGHT = TOP + 5 * CELL.height + BOTTOM;

const TONES = { LOW: 'low', MEDIUM: 'medium', HIGH: 'high', CRITICAL: 'critical' } as const;
const LEGEND = PRIORITIES.map((priority) => ({ name: codeWords(priority), tone: TONES[priority] }));

/** The charts count no others. */
const STATUS_FILTER = { status: RISK_STATUSES.filter((status) => status !== 'CLOSED') };

interface RiskMatrixProps {
  /** The rows of the section `matrix`, one for each cell. */
  rows: readonly ReportRow[];
  /** Makes each cell a link to its risks. */
  addressOf?: PageAddress | undefined;
}

/** Risks by likelihood and impact. */
export function RiskMatrix({ rows, addressOf }: RiskMatrixProps) {
  const id = 'matrix';
  const table = {
    columns: ['Likelihood and impact', 'Priority', 'Risks'],
    rows: rows.map(({ likelihood, impact, priority, risks }) => [
      `${likelihood} × ${impact}`,
      String(priority).toLowerCase(),
      Number(risks),
    ]),
  };
  const title = 'Rated risks not closed, by likelihood and impact';
  return (
    <ChartFigure id={id} title={title} width={WIDTH} height={HEIGHT} table={table} isLinked={addressOf !== undefined}>
      <TextureDefinitions id={id} tones={LEGEND.map(({ tone }) => tone)} />
      <Legend id={id} entries={LEGEND} x={LEFT + 2.5 * CELL.width} y={4} />
      {rows.map((row) => (
        <Cell key={`${row.likelihood} ${row.impact}`} id={id} row={row} addressOf={addressOf} />
      ))}
      {STEPS.map((step) => (
        <g key={step}>
          <text class="middle title" x={LEFT + (step - 0.5) * CELL.width} y={TOP + 5 * CELL.height + 18}>
            {step}
          </text>
          <text class="middle title" x={LEFT - 14} y={TOP + (5.5 - step) * CELL.height + 5}>
            {step}
          </text>
        </g>
      ))}
      <text class="middle title quiet" x={LEFT + 2.5 * CELL.width} y={HEIGHT - 8}>
        Impact
      </text>
      <text class="middle title quiet" transform={`translate(16 ${TOP + 2.5 * CELL.height}) rotate(-90)`}>
        Likelihood
      </text>
    </ChartFigure>
  );
}

/** A cell has its score in a corner, and the number of risks if there are any. */
function Cell({ id, row, addressOf }: Pick<RiskMatrixProps, 'addressOf'> & { id: string; row: ReportRow }) {
  const [likelihood, impact, risks] = [Number(row.likelihood), Number(row.impact), Number(row.risks)];
  const href = risks > 0 ? addressOf?.('/risks', { likelihood, impact, ...STATUS_FILTER }) : undefined;
  const link = partLink(href, `Likelihood ${likelihood}, impact ${impact}: ${risks} ${risks === 1 ? 'risk' : 'risks'}`);
  const x = LEFT + (impact - 1) * CELL.width + 1;
  const y = TOP + (5 - likelihood) * CELL.height + 1;
  const size = { width: CELL.width - 2, height: CELL.height - 2 };
  return (
    <TonedRect id={id} tone={TONES[row.priority as Priority]} x={x} y={y} rx={4} {...size} link={link}>
      <text class="small end" x={x + size.width - 5} y={y + 12}>
        {likelihood * impact}
      </text>
      {risks > 0 && (
        <text class="value large" x={x + size.width / 2} y={y + size.height / 2 + 7}>
          {risks}
        </text>
      )}
    </TonedRect>
  );
}

interface RiskTrendProps {
  points: readonly TrendPoint[];
  /** Makes each part a link to its risks. The last point is that of the report's moment. */
  addressOf?: PageAddress | undefined;
}

/** Risks by priority at the ends of months, with their mean score. */
export function RiskTrend({ points, addressOf }: RiskTrendProps) {
  const momentOf = (index: number) => (index === points.length - 1 ? {} : { as_of: points[index]!.day });
  return (
    <StackedColumns
      id="trend"
      title="Rated risks not closed, by priority, at each month’s end and on the day of the report; ⌀ is their mean score"
      categoryTitle="Month"
      isLinked={addressOf !== undefined}
      categories={points.map(({ day }) => day.slice(0, 7))}
      series={PRIORITIES.map((priority) => ({
        name: codeWords(priority),
        tone: TONES[priority],
        values: points.map(({ counts }) => counts[priority]),
        hrefOf: (index) => addressOf?.('/risks', { priority, ...STATUS_FILTER, ...momentOf(index) }),
      }))}
      noteTitle="Mean score"
      notes={points.map(({ mean }) => (mean === null ? '–' : `⌀ ${mean.toFixed(1)}`))}
    />
  );
}
