import { escapeMarkup } from '../charts/plot.ts';
import { plotsOf } from '../charts/plots.ts';
import type { ReportHead, ReportPage, ReportWriter, SectionPart } from '../pages/report-page.ts';
import { headFacts, INCOMPLETE_NOTE } from './head.ts';
import { figuresHtml } from './html-figures.ts';
import { cssString, reportCss } from './html-style.ts';
import { columnCount, sectionHtml } from './html-table.ts';
import { textMarkup } from './html-text.ts';

/** The file carries its own policy, so it holds wherever the file is opened. */
export const REPORT_CONTENT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";
/** A report with a wider table is printed in landscape. */
const MAX_PORTRAIT_COLUMNS = 6;
/** A document with fewer sections has no table of contents. */
const MIN_SECTIONS_FOR_CONTENTS = 4;
/** Characters of the digest in the footer, enough to tell printed reports apart. */
const FOOTER_DIGEST_LENGTH = 12;

/** Writes a report as one HTML file for a browser and for paper. The file loads nothing and runs no script. */
export const reportHtml: ReportWriter = {
  write: async (head, page) => ({ content: write(head, page, await plotsOf(head, page)) }),
};

function write(head: ReportHead, page: ReportPage, plots: ReadonlyMap<string, string>): string {
  const wide = page.parts.some((part) => !isGrid(part) && columnCount(part, page.people) > MAX_PORTRAIT_COLUMNS);
  const name = head.organization.name ?? head.organization.id;
  const foot = cssString(
    `${head.title} · ${name} · position ${head.position} · ${head.digest.slice(0, FOOTER_DIGEST_LENGTH)}`,
  );
  // One plot leads the document. In landscape it is placed next to the figures, unless their table is wide.
  const plotted = page.parts.find((part) => !isGrid(part) && plots.has(part.section.name));
  const leadSection = plots.has('') ? '' : (plotted?.section.name ?? '');
  const leadPlot = plots.get(leadSection) ?? '';
  const isTwoColumns = wide && !page.figures.some(({ change }) => change);
  const figures = figuresHtml(page);
  const plotIn = (section: string) => (section === leadSection ? '' : (plots.get(section) ?? ''));
  const sections = page.parts.map((part, index) => sectionHtml(part, index, page.people, plotIn(part.section.name)));
  const grids = sections.filter((_, index) => isGrid(page.parts[index]!));
  return [
    '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${escapeMarkup(REPORT_CONTENT_POLICY)}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex">',
    `<meta name="referrer" content="no-referrer"><title>${escapeMarkup(`${head.title} · ${name}`)}</title>`,
    `<style>${reportCss(wide, foot)}</style></head><body><main>`,
    headerOf(head, page, name),
    contentsOf(page),
    isTwoColumns ? twoColumns(figures, [leadPlot, ...grids].join('')) : [leadPlot, figures, ...grids].join(''),
    ...sections.filter((_, index) => !isGrid(page.parts[index]!)),
    '</main></body></html>\n',
  ].join('\n');
}

const isGrid = ({ section }: SectionPart): boolean => section.grid !== undefined;

function twoColumns(left: string, right: string): string {
  return `<div class="front"><div>${left}</div><div>${right}</div></div>`;
}

function headerOf(head: ReportHead, page: ReportPage, name: string): string {
  const facts = headFacts(head, page.people).map(({ label, value }) => {
    return `<div><dt>${escapeMarkup(label)}</dt><dd>${textMarkup(value)}</dd></div>`;
  });
  const note = head.incomplete ? `<p class="incomplete">${INCOMPLETE_NOTE}</p>` : '';
  const title = `<h1>${escapeMarkup(head.title)}</h1><p class="organization">${escapeMarkup(name)}</p>`;
  return `<header>${title}<dl>${facts.join('')}</dl>${note}</header>`;
}

function contentsOf({ parts }: ReportPage): string {
  if (parts.length < MIN_SECTIONS_FOR_CONTENTS) return '';
  const items = parts.map(({ section, rows }, index) => {
    const count = rows.length > 1 ? ` <span class="muted">${rows.length}</span>` : '';
    return `<li><a href="#section-${index}">${escapeMarkup(section.title)}</a>${count}</li>`;
  });
  return `<nav aria-label="Contents"><ol>${items.join('')}</ol></nav>`;
}
