/** @jsxRuntime automatic @jsxImportSource preact */
import type { ComponentChildren } from 'preact';

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
  /** Labels on the rectangle. */
  children?: ComponentChildren;
}

export function TonedRect({ id, tone, children, ...rectangle }: TonedRectProps) {
  const texture = TEXTURES[tone];
  return (
    <g class={`tone-${tone}`}>
      <rect class="tone" {...rectangle} />
      {texture !== null && <rect fill={`url(#${id}-${texture})`} {...rectangle} />}
      {children}
    </g>
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
