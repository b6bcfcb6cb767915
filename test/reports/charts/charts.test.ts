import { type ComponentChild, h, type VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ControlCoverage } from '../../../src/reports/charts/control-coverage.tsx';
import { DueCalendar } from '../../../src/reports/charts/due-calendar.tsx';
import { FigureTrendChart } from '../../../src/reports/charts/figure-trend-chart.tsx';
import { RiskMatrix, RiskTrend } from '../../../src/reports/charts/risk-charts.tsx';
import type { TrendPoint } from '../../../src/reports/report-type.ts';

const test = suite('charts');

const render = (chart: ComponentChild): string => renderToString(chart as VNode);

/** Returns the texts of the hidden table's cells, row by row. */
function tableOf(markup: string): string[][] {
  const table = markup.slice(markup.indexOf('<table'));
  const rows = [...table.matchAll(/<tr>(.*?)<\/tr>/g)].map(([, row]) => row!);
  return rows.map((row) => [...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/g)].map(([, cell]) => cell!));
}

/** Checks that each texture that is used is defined, so that tones differ without colour too. */
function assertTextures(markup: string): void {
  const used = [...markup.matchAll(/url\(#([\w-]+)\)/g)].map(([, id]) => id);
  assert.ok(used.length > 0);
  for (const id of used) assert.match(markup, `<pattern id="${id}"`);
}

const matrixRows = [5, 4, 3, 2, 1].flatMap((likelihood) =>
  [1, 2, 3, 4, 5].map((impact) => ({
    likelihood,
    impact,
    priority: ['LOW', 'MEDIUM', 'HIGH', 'CRITICAL'][Math.floor((likelihood * impact) / 7)],
    risks: likelihood === 4 && impact === 3 ? 17 : 0,
  })),
);

test('each cell of the matrix has its score, and the number of its risks if it has any', () => {
  const markup = render(h(RiskMatrix, { rows: matrixRows }));
  assert.is(markup.match(/class="small end"/g)?.length, 25);
  assert.equal(
    [...markup.matchAll(/class="value large"[^>]*>(\d+)</g)].map(([, count]) => count),
    ['17'],
  );
  assert.equal(tableOf(markup)[8], ['4 × 3', 'medium', '17']);
  assertTextures(markup);
});

const trendPoint = (day: string, counts: Partial<TrendPoint['counts']>, mean: number | null): TrendPoint => ({
  day,
  counts: { LOW: 0, MEDIUM: 0, HIGH: 0, CRITICAL: 0, ...counts },
  mean,
  unrated: 0,
});

test('a trend has a column of each month, with its parts, total and mean', () => {
  const points = [trendPoint('2026-10-31', { LOW: 3, CRITICAL: 9 }, 8.25), trendPoint('2026-11-22', {}, null)];
  const markup = render(h(RiskTrend, { points }));
  assert.equal(tableOf(markup), [
    ['Month', 'Low', 'Medium', 'High', 'Critical', 'Mean score'],
    ['2026-10', '3', '0', '0', '9', '⌀ 8.3'],
    ['2026-11', '0', '0', '0', '0', '–'],
  ]);
  assert.equal(
    [...markup.matchAll(/class="value"[^>]*>(\d+)</g)].map(([, count]) => count),
    ['3', '9'],
  );
  assert.match(markup, /class="quiet middle"[^>]*>12</);
  assertTextures(markup);
});

test('a trend of three years leaves out labels that would overlap, but no column', () => {
  const points = Array.from({ length: 36 }, (_, index) =>
    trendPoint(`${2024 + Math.floor(index / 12)}-${String((index % 12) + 1).padStart(2, '0')}-28`, { HIGH: 5 }, 12),
  );
  const markup = render(h(RiskTrend, { points }));
  assert.is(markup.match(/<tspan/g)?.length, 12);
  assert.is(tableOf(markup).length, 37);
  assert.is(markup.match(/<g class="tone-high"><rect class="tone" x=/g)?.length, 36);
});

test('a trend of figures has a panel for each, with its last value, and a gap for a missing share', () => {
  const columns = [
    { field: 'day', title: 'Day' },
    { field: 'risks', title: 'Risks: All' },
    { field: 'coverage', title: 'Coverage', kind: 'SHARE' as const },
  ];
  const rows = [
    { day: '2026-08-31', risks: 4, coverage: 0.5 },
    { day: '2026-09-30', risks: 0 },
    { day: '2026-10-31', risks: 2, coverage: 0.25 },
  ];
  const markup = render(h(FigureTrendChart, { columns, rows }));
  assert.equal(tableOf(markup), [
    ['Day', 'Risks: All', 'Coverage'],
    ['2026-08-31', '4', '50.0 %'],
    ['2026-09-30', '0', '–'],
    ['2026-10-31', '2', '25.0 %'],
  ]);
  assert.equal(
    [...markup.matchAll(/class="line" d="([^"]*)"/g)].map(([, path]) => path),
    ['M8.0 40.0L145.0 88.0L282.0 64.0', 'M8.0 40.0M282.0 64.0'],
  );
  assert.match(markup, />25.0 %<\/text>/);
});

test('coverage has a bar of each section, and an excluded control counts as excluded', () => {
  const rows = [
    { section_title: 'A.5.1', status: 'INCLUDED', implementation: 'FULL' },
    { section_title: 'A.5.2', status: 'EXCLUDED', implementation: 'NONE' },
    { section_title: 'Safety <b>', status: 'INCLUDED', implementation: 'STARTED' },
  ];
  const markup = render(h(ControlCoverage, { rows }));
  assert.equal(tableOf(markup).slice(1), [
    ['A.5', '1', '0', '0', '0', '1'],
    ['Safety &lt;b>', '0', '0', '1', '0', '0'],
  ]);
  assertTextures(markup);
});

test('a calendar has all days until the last one, counts overdue items in its title, and ends at 400 days', () => {
  const rows = [{ due: '2026-11-01', overdue: true }, { due: '2026-11-30' }, { due: '2026-11-30' }];
  const markup = render(h(DueCalendar, { rows, today: '2026-11-22', until: '2026-12-05' }));
  assert.is(markup.match(/<rect/g)?.length, 14);
  assert.match(markup, '<figcaption>Due from 2026-11-22 to 2026-12-05, plus 1 overdue</figcaption>');
  assert.equal(tableOf(markup), [
    ['Day', 'Items due'],
    ['2026-11-30', '2'],
  ]);
  assert.is(render(h(DueCalendar, { rows, today: '2026-11-22', until: '2027-12-28' })), '');
  assert.is(render(h(DueCalendar, { rows, today: '2026-11-22', until: '2026-11-21' })), '');
});

test.run();
