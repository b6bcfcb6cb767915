import type { Page } from '../page.ts';
import { markupOf } from '../plots/plot.ts';
import type { Figure } from '../report-type.ts';
import { tableOf } from './html-table.ts';
import { figureCells, figureHeads, figureText, groupsOf, plainly, sinceText } from './words.ts';

/** The figures of a report, those that matter most before all others. */
export function figuresOf({ figures, summary }: Pick<Page, 'figures' | 'summary'>): string {
  if (figures.length === 0) return '';
  const heads = figureHeads(figures).map((title) => `<th scope="col" class="number">${markupOf(title)}</th>`);
  const head = `<th scope="col">Figure</th>${heads.join('')}<th scope="col">What it counts</th>`;
  const groups = groupsOf(figures);
  const bodies = groups.map(([heading, ofGroup]) => {
    const above = `<tr class="group"><th scope="colgroup" colspan="${heads.length + 2}">${markupOf(heading)}</th></tr>`;
    return `<tbody>${groups.length > 1 ? above : ''}${ofGroup.map(lineOf).join('')}</tbody>`;
  });
  return `<section class="figures"><h2>Figures</h2>${summaryOf(summary)}${tableOf('Figures', head, bodies)}</section>`;
}

/** What is nothing now and was nothing before takes no eye. */
function lineOf(figure: Figure): string {
  const nothing = [figure.value, ...Object.values(figure.change ?? {})].every((value) => value === 0 || value === null);
  const cells = figureCells(figure).map((text) => `<td class="number">${markupOf(text)}</td>`);
  const counts = `<td class="muted">${markupOf(plainly(figure.counts))}</td>`;
  return `<tr${nothing ? ' class="muted"' : ''}><th scope="row">${markupOf(figure.label)}</th>${cells.join('')}${counts}</tr>`;
}

/** Those that a reader looks for first, large, with what has changed since the nearest of the days looked at. */
function summaryOf(summary: readonly Figure[]): string {
  const tiles = summary.map((figure) => {
    const since = sinceText(figure) ?? '';
    const what = `<dt>${markupOf(`${figure.group}: ${figure.label.toLowerCase()}`)}</dt>`;
    return `<div>${what}<dd><b>${markupOf(figureText(figure))}</b> <span>${markupOf(since)}</span></dd></div>`;
  });
  return tiles.length === 0 ? '' : `<dl class="summary">${tiles.join('')}</dl>`;
}
