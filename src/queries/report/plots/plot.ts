import type { Row } from '../report-type.ts';

/* A plot is inline SVG with a title and a description, and needs no colour to be read: each mark has its number. */

/** Colours of priorities and states, light enough for dark text and dark enough to be told apart on paper. */
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
export const INK = '#1c2422';
export const LINE = '#8a948f';
export const WIDTH = 720;
export const LABEL = { color: INK, fontSize: 11, lineHeight: 15 };

/** What a plot says in words. */
export interface Said {
  /** Begins the ids of its parts: once in a document. */
  name: string;
  title: string;
  /** What can be read from it, for those who do not see it. */
  text: string;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A text as HTML and SVG show it literally, in elements and in quoted attributes. */
export function markupOf(text: string): string {
  // What no document may hold is shown as such.
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character]!).replace(CONTROLS, '\uFFFD');
}

const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g;

/** A figure of the document around an SVG's content. */
export function figure({ name, title, text }: Said, width: number, height: number, content: string): string {
  return [
    `<figure><svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"`,
    ` role="img" aria-labelledby="${name}-title ${name}-text">`,
    `<title id="${name}-title">${markupOf(title)}</title><desc id="${name}-text">${markupOf(text)}</desc>`,
    `${content}</svg><figcaption>${markupOf(title)}</figcaption></figure>`,
  ].join('');
}

/** How many rows there are of each value. */
export function countBy(rows: readonly Row[], keyOf: (row: Row) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const row of rows) {
    const value = keyOf(row);
    counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return counts;
}
