import type { EChartsCoreOption } from 'echarts/core';
import { wordsOf } from '../render/words.ts';
import type { Row, TrendPoint } from '../report-type.ts';
import { chart } from './chart.ts';
import { COLOURS, countBy, INK, LABEL, LINE, WIDTH } from './plot.ts';

interface Stack {
  name: string;
  colour: string;
  values: readonly number[];
}

/** Bars of several parts each, with the number of each part on it. */
function stacked(stacks: readonly Stack[], names: readonly string[], sideways: boolean): EChartsCoreOption {
  const categories = {
    type: 'category',
    data: names,
    axisLabel: { ...LABEL, interval: 0 },
    axisLine: { lineStyle: { color: LINE } },
    axisTick: { show: false },
    inverse: sideways,
  };
  const numbers = { type: 'value', minInterval: 1, axisLabel: LABEL, splitLine: { lineStyle: { color: '#e3e7e4' } } };
  return {
    legend: { data: stacks.map(({ name }) => name), top: 0, textStyle: LABEL, selectedMode: false },
    grid: { top: 34, left: 8, right: 16, bottom: 4, outerBounds: { left: 8, right: 16, top: 34, bottom: 4 } },
    xAxis: sideways ? numbers : categories,
    yAxis: sideways ? categories : numbers,
    series: stacks.map(({ name, colour, values }) => ({
      type: 'bar',
      stack: 'all',
      silent: true,
      name,
      barMaxWidth: sideways ? 18 : 40,
      itemStyle: { color: colour, borderColor: LINE, borderWidth: 0.5 },
      emphasis: { disabled: true },
      label: { show: true, color: INK, fontSize: 11 },
      // A part of nothing has no number.
      data: values.map((value) => (value === 0 ? null : value)),
    })),
  };
}

/** Risks by priority at the ends of months, with the mean of their scores below each. */
export function trendPlot(points: readonly TrendPoint[]): string {
  const means = points.map(({ mean }) => (mean === null ? '–' : mean.toFixed(1)));
  const names = points.map(({ day }, at) => `${day.slice(0, 7)}\n⌀ ${means[at]}`);
  const priorities = ['LOW', 'MEDIUM', 'HIGH', 'CRITICAL'] as const;
  const stacks = priorities.map((name) => ({
    name: wordsOf(name),
    colour: COLOURS[name]!,
    values: points.map(({ counts }) => counts[name]),
  }));
  const text = points.map(({ day, counts }, at) => {
    const told = priorities.map((priority) => `${counts[priority]} ${priority.toLowerCase()}`);
    return `${day}: ${told.join(', ')}, mean score ${means[at]}`;
  });
  const said = {
    name: 'trend',
    title:
      'Rated risks not closed at the end of each month and on the day of the report, by priority; ⌀ is the mean of their scores',
    text: `${text.join('; ')}.`,
  };
  return chart(said, WIDTH, 280, stacked(stacks, names, false));
}

/** How far the controls of each section are. @param rows controls, as the statement of applicability has them */
export function coveragePlot(rows: readonly Row[]): string {
  const states = ['FULL', 'PARTIAL', 'STARTED', 'NONE', 'EXCLUDED'];
  const sections = [...new Set(rows.map(sectionOf))];
  const counts = countBy(rows, (row) => `${stateOf(row)} ${sectionOf(row)}`);
  const at = (state: string, section: string) => counts.get(`${state} ${section}`) ?? 0;
  const stacks = states.map((name) => ({
    name: wordsOf(name),
    colour: COLOURS[name]!,
    values: sections.map((section) => at(name, section)),
  }));
  const text = sections.map(
    (section) => `${section}: ${states.map((state) => `${at(state, section)} ${state.toLowerCase()}`).join(', ')}`,
  );
  const said = {
    name: 'coverage',
    title: 'Controls of each section, by implementation',
    text: `${text.join('; ')}.`,
  };
  return chart(said, WIDTH, 60 + 30 * sections.length, stacked(stacks, sections, true));
}

/** `A.5` of `A.5.12`; a title without numbers is a section of its own. */
function sectionOf({ section_title }: Row): string {
  const title = String(section_title ?? '').trim();
  const numbered = /^((?:[\p{L}]+[.-]?)?\d+)[.-]\d/u.exec(title);
  const section = numbered?.[1] ?? title;
  return section.length > 40 ? `${section.slice(0, 39)}…` : section;
}

const stateOf = ({ status, implementation }: Row): string =>
  status === 'EXCLUDED' ? 'EXCLUDED' : String(implementation);
