import { escapeMarkup } from '../charts/plot.ts';
import type { ReportPage } from '../pages/report-page.ts';
import type { Figure } from '../report-type.ts';
import { tableHtml } from './html-table.ts';
import { codesAsWords, figureCells, figureGroups, figureHeadings, figureText, recentChangeText } from './value-text.ts';

/** Returns the figures of a report, the most important ones first. */
export function figuresHtml({ figures, summary }: Pick<ReportPage, 'figures' | 'summary'>): string {
  if (figures.length === 0) return '';
  const heads = figureHeadings(figures).map((title) => `<th scope="col" class="number">${escapeMarkup(title)}</th>`);
  const head = `<th scope="col">Figure</th>${heads.join('')}<th scope="col">What it counts</th>`;
  const groups = figureGroups(figures);
  const bodies = groups.map(([heading, groupFigures]) => {
    const headingRow = `<tr class="group"><th scope="colgroup" colspan="${heads.length + 2}">${escapeMarkup(heading)}</th></tr>`;
    return `<tbody>${groups.length > 1 ? headingRow : ''}${groupFigures.map(figureRow).join('')}</tbody>`;
  });
  return `<section class="figures"><h2>Figures</h2>${summaryHtml(summary)}${tableHtml('Figures', head, bodies)}</section>`;
}

/** Returns a row of the table. A figure that is and was zero is greyed out. */
function figureRow(figure: Figure): string {
  const isZero = [figure.value, ...Object.values(figure.change ?? {})].every((value) => value === 0 || value === null);
  const cells = figureCells(figure).map((text) => `<td class="number">${escapeMarkup(text)}</td>`);
  const counts = `<td class="muted">${escapeMarkup(codesAsWords(figure.counts))}</td>`;
  return `<tr${isZero ? ' class="muted"' : ''}><th scope="row">${escapeMarkup(figure.label)}</th>${cells.join('')}${counts}</tr>`;
}

/** Returns the most important figures in large type, with their most recent change. */
function summaryHtml(summary: readonly Figure[]): string {
  const tiles = summary.map((figure) => {
    const change = recentChangeText(figure) ?? '';
    const term = `<dt>${escapeMarkup(`${figure.group}: ${figure.label.toLowerCase()}`)}</dt>`;
    return `<div>${term}<dd><b>${escapeMarkup(figureText(figure))}</b> <span>${escapeMarkup(change)}</span></dd></div>`;
  });
  return tiles.length === 0 ? '' : `<dl class="summary">${tiles.join('')}</dl>`;
}
