import type { ReportRow } from '../report-type.ts';

/* A plot is inline SVG with a title and a description. It can be read without colour: each mark has its number. */

/** Colours of priorities and states: light enough for dark text, and different enough on paper. */
export const COLOURS: Readonly<Record<string, string>> = {
  LOW: '#cfe6d4',
  MEDIUM: '#f6e3a1',
  HIGH: '#f2b98a',
  CRITICAL: '#e08a80',
  FULL: '#9fcfa9',
  PARTIAL: '#f6e3a1',
  STARTED: '#f3c9a0',
  NONE: '#e5a79f',
  EXCLUDED: '#d9dcda',
};
export const INK_COLOUR = '#1c2422';
export const LINE_COLOUR = '#8a948f';
export const PLOT_WIDTH = 720;
export const LABEL_STYLE = { color: INK_COLOUR, fontSize: 11, lineHeight: 15 };

/** The words of a plot. */
export interface PlotText {
  /** The prefix of ids in the plot. Unique in a document. */
  name: string;
  title: string;
  /** Describes the plot for people who can't see it. */
  text: string;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes a text for HTML and SVG, in elements and in quoted attributes. */
export function escapeMarkup(text: string): string {
  // Characters that no document may contain are replaced by U+FFFD.
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character]!).replace(CONTROLS, '\uFFFD');
}

const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g;

/** Wraps an SVG's content in a `figure` with title, description and caption. */
export function svgFigure({ name, title, text }: PlotText, width: number, height: number, content: string): string {
  return [
    `<figure><svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"`,
    ` role="img" aria-labelledby="${name}-title ${name}-text">`,
    `<title id="${name}-title">${escapeMarkup(title)}</title><desc id="${name}-text">${escapeMarkup(text)}</desc>`,
    `${content}</svg><figcaption>${escapeMarkup(title)}</figcaption></figure>`,
  ].join('');
}

/** Counts the rows by value. */
export function countBy(rows: readonly ReportRow[], keyOf: (row: ReportRow) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const row of rows) {
    const value = keyOf(row);
    counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return counts;
}
