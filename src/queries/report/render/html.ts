import type { Format, Head, Page, Part, People } from '../page.ts';
import { markupOf } from '../plots/plot.ts';
import { plotsOf } from '../plots/plots.ts';
import type { Column, Figure, Row } from '../report-type.ts';
import { cellOf, figureCells, figureHeads } from './cells.ts';
import { styleOf } from './html-style.ts';

/** Held by the file too: it says the same wherever it is opened from. */
export const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";
/** A table of more columns is printed across the paper. */
const COLUMNS_UPRIGHT = 7;
/** What is not broken at the end of a line: dates, states, short names. */
const WORD = /^[\p{L}\p{N}_.-]{1,20}$/u;

/** A report as one HTML file, to be read in a browser and to be printed. It loads nothing and runs nothing. */
export const html: Format = {
  write: async (head, page) => ({ content: write(head, page, await plotsOf(head, page)) }),
};

function write(head: Head, page: Page, plots: ReadonlyMap<string, string>): string {
  const wide = page.parts.some((part) => !part.section.grid && shownOf(part, page.people).length > COLUMNS_UPRIGHT);
  const name = markupOf(head.organization.name ?? head.organization.id);
  return [
    '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${markupOf(POLICY)}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex">',
    `<meta name="referrer" content="no-referrer"><title>${markupOf(head.title)} · ${name}</title>`,
    `<style>${styleOf(wide)}</style></head><body><main>`,
    `<header><h1>${markupOf(head.title)}</h1><p class="organization">${name}</p>${factsOf(head, page.people)}</header>`,
    plots.get('') ?? '',
    page.figures.length > 0 ? figuresOf(page.figures) : '',
    ...page.parts.map((part) => sectionOf(part, page.people, plots.get(part.section.name))),
    '</main></body></html>\n',
  ].join('\n');
}

function factsOf(head: Head, people: People): string {
  const { inputs, as_of, position, today, generated_at, digest, incomplete, proof, pending_seal } = head;
  const facts: (readonly [string, string])[] = [
    ['Position', `${position} of its history${as_of === null ? '' : `, ${as_of}`}`],
    ['Today is', today],
    ...Object.entries(inputs).map(([name, value]) => [name, people.get(String(value)) ?? String(value)] as const),
    ['Drawn', generated_at],
    ['Digest', digest],
    ...(pending_seal ? [['Seal', 'none covers this position yet; draw it again later for the proof'] as const] : []),
    ...(proof ? [['Seal', 'covers this position; the JSON form has the proof'] as const] : []),
  ];
  const list = facts.map(([name, value]) => `<dt>${markupOf(name)}</dt><dd>${markupOf(value)}</dd>`).join('');
  const note = incomplete
    ? '<p class="incomplete">Incomplete: an event of the organization could not be read, so something may lack.</p>'
    : '';
  return `<dl>${list}</dl>${note}`;
}

function figuresOf(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => {
    const cells = figureCells(figure).map((text) => `<td class="number">${markupOf(text)}</td>`);
    return `<tr><th scope="row">${markupOf(figure.counts)}</th>${cells.join('')}</tr>`;
  });
  const heads = figureHeads(figures).map((title) => `<th scope="col" class="number">${markupOf(title)}</th>`);
  return `<section><h2>Figures</h2>${table('Figures', `<th scope="col">Figure</th>${heads.join('')}`, rows)}</section>`;
}

function sectionOf(part: Part, people: People, plot = ''): string {
  const { section, rows } = part;
  const title = markupOf(section.title);
  if (rows.length === 0) return `<section><h2>${title}</h2><p class="muted">None.</p></section>`;
  // A grid is told by its plot, which says its numbers in words too.
  const content = section.grid && plot ? '' : rowsOf(part, people);
  return `<section><h2>${title}</h2>${plot}${content}</section>`;
}

function rowsOf(part: Part, people: People): string {
  const columns = shownOf(part, people);
  const head = columns.map((column) => `<th scope="col"${classOf(column)}>${markupOf(column.title)}</th>`).join('');
  const lines = part.rows.map((row) => lineOf(columns, row, people));
  return table(part.section.title, head, lines);
}

function lineOf(columns: readonly Column[], row: Row, people: People): string {
  const cells = columns.map((column, at) => {
    const text = cellOf(row, column, people);
    const tag = at === 0 ? 'th scope="row"' : 'td';
    return `<${tag}${classOf(column, text)}>${markupOf(text)}</${tag.slice(0, 2)}>`;
  });
  return `<tr>${cells.join('')}</tr>`;
}

function classOf({ field, prose }: Column, text = ''): string {
  if (prose) return ' class="prose"';
  if (WORD.test(text)) return ' class="word"';
  if (field === 'id') return ' class="id"';
  return field.endsWith('name') ? ' class="name"' : '';
}

/** Columns for reading: details, and what is empty in all rows, are in other formats. */
function shownOf({ section, rows }: Part, people: People): Column[] {
  const shown = section.columns.filter(({ detail }) => !detail);
  return shown.filter((column) => rows.some((row) => cellOf(row, column, people) !== ''));
}

function table(caption: string, head: string, rows: readonly string[]): string {
  return [
    `<div class="scroll" role="region" aria-label="${markupOf(caption)}" tabindex="0"><table><caption>${markupOf(caption)}</caption><thead><tr>${head}</tr></thead>`,
    `<tbody>${rows.join('\n')}</tbody></table></div>`,
  ].join('');
}
