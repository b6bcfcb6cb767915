import type { ComponentChildren } from 'preact';
import type { ReportName } from '../../../reports/all-reports.ts';

type Tone = 'line' | 'accent' | 'done' | 'warning' | 'danger';

/** Schematic pictures of the reports' first pages. Their numbers are made up. */
const PICTURES: Readonly<Record<ReportName, () => ComponentChildren>> = {
  POSTURE: () => (
    <>
      {[12, 48, 84].map((x) => (
        <Bar key={x} x={x} y={12} width={28} height={16} tone="line" />
      ))}
      <polyline class="stroke accent" points="12,64 30,58 46,60 64,48 82,50 112,38" />
      <Bar x={12} y={70} width={100} height={2} tone="line" />
    </>
  ),
  RISK_REGISTER: () => (
    <Grid columns={5} rows={4} width={18} height={13} tone={(column, row) => levelTone(column + (3 - row))} />
  ),
  STATEMENT_OF_APPLICABILITY: () => (
    <Grid columns={9} rows={5} width={9} height={9} tone={(column, row) => coverageTone((column * 5 + row * 3) % 11)} />
  ),
  AUDIT_PACK: () => (
    <>
      <rect class="outline" x="30" y="8" width="54" height="66" rx="3" />
      {[18, 26, 34, 42].map((y) => (
        <Bar key={y} x={38} y={y} width={y === 18 ? 24 : 38} height={3} tone="line" />
      ))}
      <circle class="done" cx="82" cy="60" r="13" />
      <polyline class="stroke check" points="76,60 81,65 89,55" />
    </>
  ),
  CHANGES_BETWEEN: () => (
    <>
      {[12, 24, 36, 48, 60].map((y, at) => (
        <>
          <Bar x={12} y={y} width={40} height={6} tone={at === 1 || at === 3 ? 'danger' : 'line'} />
          <Bar x={72} y={y} width={at === 3 ? 28 : 40} height={6} tone={at === 1 || at === 3 ? 'done' : 'line'} />
        </>
      ))}
      <polyline class="stroke accent" points="56,39 67,39 63,35 67,39 63,43" />
    </>
  ),
  DUE_ITEMS: () => (
    <>
      <Bar x={15} y={8} width={93} height={8} tone="accent" />
      <Grid columns={7} rows={4} width={9} height={9} tone={(column, row) => dueTone(row * 7 + column)} top={22} />
    </>
  ),
  VENDORS: () => <Rows tones={['danger', 'warning', 'done', 'done']} />,
  EVIDENCE: () => (
    <>
      <rect class="outline" x="24" y="14" width="76" height="54" rx="3" />
      <polyline class="stroke" points="48,42 58,52 78,30" />
    </>
  ),
  UNAPPROVED_DECISIONS: () => (
    <>
      <rect class="outline" x="24" y="14" width="76" height="54" rx="3" />
      <polyline class="stroke" points="50,29 74,53 62,41 74,29 50,53" />
    </>
  ),
  OBLIGATIONS: () => <Rows tones={['done', 'done', 'warning', 'done']} />,
  NONCONFORMITIES: () => (
    <>
      {(['danger', 'danger', 'warning', 'warning', 'done', 'done'] as const).map((tone, at) => (
        <Bar key={at} x={14 + at * 17} y={14 + at * 8} width={11} height={58 - at * 8} tone={tone} />
      ))}
      <Bar x={12} y={73} width={100} height={2} tone="line" />
    </>
  ),
};

/** A small picture of a report. It is decoration: the text beside it says the same. */
export function ReportPicture({ type }: { type: ReportName }) {
  return (
    <svg class="picture" viewBox="0 0 124 82" aria-hidden="true">
      {PICTURES[type]()}
    </svg>
  );
}

function Bar({ tone, ...box }: { x: number; y: number; width: number; height: number; tone: Tone }) {
  return <rect class={tone} rx="1.5" {...box} />;
}

function Grid(props: {
  columns: number;
  rows: number;
  width: number;
  height: number;
  tone: (column: number, row: number) => Tone;
  top?: number;
}) {
  const { columns, rows, width, height, tone, top } = props;
  const gap = 3;
  const left = (124 - columns * (width + gap) + gap) / 2;
  const start = top ?? (82 - rows * (height + gap) + gap) / 2;
  const cells = Array.from({ length: columns * rows }, (_, at) => [at % columns, Math.floor(at / columns)] as const);
  return (
    <>
      {cells.map(([column, row]) => (
        <Bar
          key={`${column},${row}`}
          x={left + column * (width + gap)}
          y={start + row * (height + gap)}
          width={width}
          height={height}
          tone={tone(column, row)}
        />
      ))}
    </>
  );
}

/** A list with a state at the end of each row. */
function Rows({ tones }: { tones: readonly Tone[] }) {
  return (
    <>
      {tones.map((tone, at) => (
        <>
          <Bar x={12} y={13 + at * 16} width={[46, 38, 52, 34][at]!} height={5} tone="line" />
          <Bar x={84} y={11 + at * 16} width={28} height={9} tone={tone} />
        </>
      ))}
    </>
  );
}

const levelTone = (level: number): Tone => (level > 5 ? 'danger' : level > 3 ? 'warning' : 'done');
const coverageTone = (number: number): Tone => (number === 0 ? 'danger' : number < 4 ? 'warning' : 'done');

function dueTone(day: number): Tone {
  if (day === 3) return 'danger';
  return [9, 12, 18].includes(day) ? 'warning' : 'line';
}
