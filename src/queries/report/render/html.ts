import type { Format, Head, Page, Part } from '../page.ts';
import { markupOf } from '../plots/plot.ts';
import { plotsOf } from '../plots/plots.ts';
import { factsOf, INCOMPLETE } from './head.ts';
import { figuresOf } from './html-figures.ts';
import { footOf, styleOf } from './html-style.ts';
import { sectionOf, widthOf } from './html-table.ts';
import { textMarkup } from './html-text.ts';

/** Held by the file too: it says the same wherever it is opened from. */
export const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";
/** A table of more columns is printed across the paper. */
const COLUMNS_UPRIGHT = 6;
/** A document of so many sections begins with a list of them. */
const SECTIONS_LISTED = 4;
/** Of a digest what tells sheets of one report from those of another. */
const DIGEST_SHOWN = 12;

/** A report as one HTML file, to be read in a browser and to be printed. It loads nothing and runs nothing. */
export const html: Format = {
  write: async (head, page) => ({ content: write(head, page, await plotsOf(head, page)) }),
};

function write(head: Head, page: Page, plots: ReadonlyMap<string, string>): string {
  const wide = page.parts.some((part) => !isGrid(part) && widthOf(part, page.people) > COLUMNS_UPRIGHT);
  const name = head.organization.name ?? head.organization.id;
  const foot = footOf(`${head.title} · ${name} · position ${head.position} · ${head.digest.slice(0, DIGEST_SHOWN)}`);
  // What is drawn is the first thing to be seen; across the paper it stands beside the figures, where those have few columns.
  const drawn = page.parts.find((part) => !isGrid(part) && plots.has(part.section.name));
  const lead = plots.has('') ? '' : (drawn?.section.name ?? '');
  const first = plots.get(lead) ?? '';
  const beside = wide && !page.figures.some(({ change }) => change);
  const figures = figuresOf(page);
  const plotIn = (section: string) => (section === lead ? '' : (plots.get(section) ?? ''));
  const sections = page.parts.map((part, at) => sectionOf(part, at, page.people, plotIn(part.section.name)));
  const grids = sections.filter((_, at) => isGrid(page.parts[at]!));
  return [
    '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${markupOf(POLICY)}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex">',
    `<meta name="referrer" content="no-referrer"><title>${markupOf(`${head.title} · ${name}`)}</title>`,
    `<style>${styleOf(wide, foot)}</style></head><body><main>`,
    headerOf(head, page, name),
    contentsOf(page),
    beside ? frontOf([figures, [first, ...grids].join('')]) : [first, figures, ...grids].join(''),
    ...sections.filter((_, at) => !isGrid(page.parts[at]!)),
    '</main></body></html>\n',
  ].join('\n');
}

const isGrid = ({ section }: Part): boolean => section.grid !== undefined;

/** Two columns. */
function frontOf(columns: readonly string[]): string {
  return `<div class="front">${columns.map((column) => `<div>${column}</div>`).join('')}</div>`;
}

function headerOf(head: Head, page: Page, name: string): string {
  const facts = factsOf(head, page.people).map(({ label, value }) => {
    return `<div><dt>${markupOf(label)}</dt><dd>${textMarkup(value)}</dd></div>`;
  });
  const note = head.incomplete ? `<p class="incomplete">${INCOMPLETE}</p>` : '';
  const title = `<h1>${markupOf(head.title)}</h1><p class="organization">${markupOf(name)}</p>`;
  return `<header>${title}<dl>${facts.join('')}</dl>${note}</header>`;
}

function contentsOf({ parts }: Page): string {
  if (parts.length < SECTIONS_LISTED) return '';
  const items = parts.map(({ section, rows }, at) => {
    const count = rows.length > 1 ? ` <span class="muted">${rows.length}</span>` : '';
    return `<li><a href="#section-${at}">${markupOf(section.title)}</a>${count}</li>`;
  });
  return `<nav aria-label="Contents"><ol>${items.join('')}</ol></nav>`;
}
