import type { ComponentChildren } from 'preact';

/** A chart's numbers, for people who can't see it. The first cell of each row is its heading. */
export interface ChartTable {
  columns: readonly string[];
  rows: readonly (readonly (string | number)[])[];
}

/** Returns the address of a page of the register with these parameters, such as a list with a filter. */
export type PageAddress = (page: string, parameters: Readonly<Record<string, unknown>>) => string;

/** A part of a chart that opens the records which it counts. */
export interface PartLink {
  href: string;
  label: string;
}

/** Returns the link of a part; undefined if it is only drawn. */
export function partLink(href: string | undefined, label: string): PartLink | undefined {
  return href === undefined ? undefined : { href, label };
}

interface ChartFigureProps {
  /** The prefix of ids in the chart. Unique in a document. */
  id: string;
  title: string;
  width: number;
  height: number;
  table: ChartTable;
  isLinked?: boolean;
  /** The drawing. */
  children: ComponentChildren;
}

/** The width of a chart that fills a page of A4, in pixels. */
export const CHART_WIDTH = 720;

/** A chart with its title as caption, which scrolls by itself in a narrow window. Screen readers get the table instead of the drawing. */
export function ChartFigure({ id, title, width, height, table, isLinked = false, children }: ChartFigureProps) {
  return (
    <figure class="chart" tabindex={0}>
      <svg
        xmlns="http://www.w3.org/2000/svg"
        viewBox={`0 0 ${width} ${height}`}
        width={width}
        height={height}
        role={isLinked ? 'group' : 'img'}
        aria-labelledby={`${id}-title ${id}-text`}
      >
        <title id={`${id}-title`}>{title}</title>
        <desc id={`${id}-text`}>The table after the chart has the same numbers.</desc>
        {children}
      </svg>
      <figcaption>{title}</figcaption>
      <HiddenTable title={title} table={table} />
    </figure>
  );
}

function HiddenTable({ title, table: { columns, rows } }: { title: string; table: ChartTable }) {
  return (
    <table class="chart-table">
      <caption>{title}</caption>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column} scope="col">
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(([heading, ...cells]) => (
          <tr key={heading}>
            <th scope="row">{heading}</th>
            {cells.map((cell, index) => (
              <td key={columns[index + 1]}>{cell}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** A tone is a colour with a texture, so that charts can be read without colour. CHART_CSS has the colours. */
export type Tone = 'low' | 'medium' | 'high' | 'critical' | 'full' | 'partial' | 'started' | 'none' | 'excluded';

type Texture = 'dots' | 'diagonal' | 'cross' | 'lines';

const TEXTURES: Readonly<Record<Tone, Texture | null>> = {
  low: null,
  medium: 'dots',
  high: 'diagonal',
  critical: 'cross',
  full: null,
  partial: 'diagonal',
  started: 'dots',
  none: 'cross',
  excluded: 'lines',
};

/** The strokes of each texture in a square of 6 by 6. */
const STROKES: Readonly<Record<Texture, string>> = {
  dots: 'M3 2.4v1.2',
  diagonal: 'M-1 1l2 -2M0 6l6 -6M5 7l2 -2',
  cross: 'M0 0l6 6M0 6l6 -6',
  lines: 'M0 3h6',
};

/** Defines the textures of a chart. @param id the chart's id */
export function TextureDefinitions({ id, tones }: { id: string; tones: readonly Tone[] }) {
  const textures = [...new Set(tones.map((tone) => TEXTURES[tone]))].filter((texture) => texture !== null);
  return (
    <defs>
      {textures.map((texture) => (
        <pattern key={texture} id={`${id}-${texture}`} width={6} height={6} patternUnits="userSpaceOnUse">
          <path class="texture" d={STROKES[texture]} />
        </pattern>
      ))}
    </defs>
  );
}

interface TonedRectProps {
  /** The id of the chart, which defines the textures. */
  id: string;
  tone: Tone;
  x: number;
  y: number;
  width: number;
  height: number;
  rx?: number;
  /** Makes it a link to the records that it counts, with a name. */
  link?: PartLink | undefined;
  /** Labels on the rectangle. */
  children?: ComponentChildren;
}

export function TonedRect({ id, tone, link, children, ...rectangle }: TonedRectProps) {
  const texture = TEXTURES[tone];
  return (
    <g class={`tone-${tone}`}>
      <LinkedPart link={link}>
        <rect class="tone" {...rectangle} />
        {texture !== null && <rect fill={`url(#${id}-${texture})`} {...rectangle} />}
      </LinkedPart>
      {children}
    </g>
  );
}

/** The link has no text of its own: its name says more than the number on it. */
export function LinkedPart({ link, children }: { link: PartLink | undefined; children: ComponentChildren }) {
  if (link === undefined) return <>{children}</>;
  return (
    <a href={link.href} aria-label={link.label}>
      {children}
    </a>
  );
}

/** Pixels of a legend's sample, and of a character of its text. */
const SAMPLE = { width: 22, height: 13 };
const CHARACTER_WIDTH = 6.4;
const ENTRY_GAP = 34;

/** A legend in one line, centred. */
export function Legend(props: {
  id: string;
  entries: readonly { name: string; tone: Tone }[];
  /** The middle of the line, and its upper edge. */
  x: number;
  y: number;
}) {
  const { id, entries, x, y } = props;
  const widths = entries.map(({ name }) => SAMPLE.width + ENTRY_GAP + name.length * CHARACTER_WIDTH);
  let left = x - (widths.reduce((sum, width) => sum + width, 0) - ENTRY_GAP) / 2;
  return entries.map(({ name, tone }, index) => {
    const rectangle = { x: left, y, ...SAMPLE };
    left += widths[index]!;
    return (
      <TonedRect key={name} id={id} tone={tone} rx={3} {...rectangle}>
        <text class="legend" x={rectangle.x + SAMPLE.width + 6} y={y + 10.5}>
          {name}
        </text>
      </TonedRect>
    );
  });
}

/** Counts rows by key. */
export function countBy<Row>(rows: readonly Row[], keyOf: (row: Row) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const row of rows) {
    const key = keyOf(row);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

/**
 * The style sheet of charts. The page defines the colours `--ink`, `--muted` and `--line`. Paper is always white, so the
 * dark colours are for screens alone.
 */
export const CHART_CSS = `
.chart { position: relative; margin: 1rem 0; overflow: hidden; break-inside: avoid; }
.chart svg { display: block; max-width: 100%; height: auto; font: 11px system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif; }
.chart figcaption { margin-top: 0.3rem; color: var(--muted); font-size: 0.9em; }
.chart text { fill: var(--ink); pointer-events: none; }
.chart .quiet { fill: var(--muted); }
.chart .middle { text-anchor: middle; }
.chart .end { text-anchor: end; }
.chart .axis { stroke: var(--muted); stroke-width: 1; }
.chart .grid { stroke: var(--line); stroke-width: 1; stroke-dasharray: 2 3; }
.chart .line { fill: none; stroke: var(--ink); stroke-width: 1.6; stroke-linejoin: round; }
.chart .point { fill: var(--ink); }
.chart a:is(:hover, :focus-visible) .tone { stroke: var(--ink); stroke-width: 2; }
.chart .border { fill: none; stroke: var(--ink); stroke-width: 1.4; }
.chart .tone { fill: var(--tone); stroke: var(--muted); stroke-width: 0.6; }
.chart .tone.marked { stroke: var(--ink); stroke-width: 1.4; }
.chart .texture { fill: none; stroke: var(--ink); stroke-width: 0.9; stroke-opacity: 0.28; stroke-linecap: round; }
.chart .value { text-anchor: middle; font-weight: 600; paint-order: stroke; stroke: var(--tone); stroke-width: 3.5px; stroke-linejoin: round; }
.chart .large { font-size: 18px; }
.chart .title { font-size: 13px; }
.chart .small { font-size: 10px; }
.chart-table { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.tone-low { --tone: #cfe6d4; } .tone-medium { --tone: #f6e3a1; } .tone-high { --tone: #f2b98a; } .tone-critical { --tone: #e08a80; }
.tone-full { --tone: #9fcfa9; } .tone-partial { --tone: #f6e3a1; } .tone-started { --tone: #f3c9a0; } .tone-none { --tone: #e5a79f; } .tone-excluded { --tone: #d9dcda; }
.tone-empty { --tone: transparent; } .tone-few { --tone: #d8ebe8; } .tone-many { --tone: #a9d6cf; }
@media screen and (max-width: 40rem) { .chart { overflow-x: auto; } .chart svg { max-width: none; } }
@media screen and (prefers-color-scheme: dark) {
.tone-low { --tone: #2b5537; } .tone-medium { --tone: #66561a; } .tone-high { --tone: #7b481d; } .tone-critical { --tone: #8c342c; }
.tone-full { --tone: #2f6b3f; } .tone-partial { --tone: #66561a; } .tone-started { --tone: #744519; } .tone-none { --tone: #7d3a33; } .tone-excluded { --tone: #48524e; }
.tone-few { --tone: #1d4743; } .tone-many { --tone: #2b6f68; }
}
`;
