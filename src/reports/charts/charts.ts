import type { EChartsCoreOption } from 'echarts/core';
import { codeWords } from '../formats/value-text.ts';
import type { ReportRow, TrendPoint } from '../report-type.ts';
import { renderChart } from './chart.ts';
import { COLOURS, countBy, INK_COLOUR, LABEL_STYLE, LINE_COLOUR, PLOT_WIDTH } from './plot.ts';

interface Stack {
  name: string;
  colour: string;
  values: readonly number[];
}

/** Returns the options for stacked bars with a number on each part. */
function stackedBars(stacks: readonly Stack[], names: readonly string[], sideways: boolean): EChartsCoreOption {
  const categories = {
    type: 'category',
    data: names,
    axisLabel: { ...LABEL_STYLE, interval: 0 },
    axisLine: { lineStyle: { color: LINE_COLOUR } },
    axisTick: { show: false },
    inverse: sideways,
  };
  const numbers = {
    type: 'value',
    minInterval: 1,
    axisLabel: LABEL_STYLE,
    splitLine: { lineStyle: { color: '#e3e7e4' } },
  };
  return {
    legend: { data: stacks.map(({ name }) => name), top: 0, textStyle: LABEL_STYLE, selectedMode: false },
    grid: { top: 34, left: 8, right: 16, bottom: 4, outerBounds: { left: 8, right: 16, top: 34, bottom: 4 } },
    xAxis: sideways ? numbers : categories,
    yAxis: sideways ? categories : numbers,
    series: stacks.map(({ name, colour, values }) => ({
      type: 'bar',
      stack: 'all',
      silent: true,
      name,
      barMaxWidth: sideways ? 18 : 40,
      itemStyle: { color: colour, borderColor: LINE_COLOUR, borderWidth: 0.5 },
      emphasis: { disabled: true },
      label: { show: true, color: INK_COLOUR, fontSize: 11 },
      // A part of size zero has no number.
      data: values.map((value) => (value === 0 ? null : value)),
    })),
  };
}

/** Draws risks by priority at the ends of months, with their mean score below each bar. */
export function trendPlot(points: readonly TrendPoint[]): string {
  const means = points.map(({ mean }) => (mean === null ? '–' : mean.toFixed(1)));
  const names = points.map(({ day }, index) => `${day.slice(0, 7)}\n⌀ ${means[index]}`);
  const priorities = ['LOW', 'MEDIUM', 'HIGH', 'CRITICAL'] as const;
  const stacks = priorities.map((name) => ({
    name: codeWords(name),
    colour: COLOURS[name]!,
    values: points.map(({ counts }) => counts[name]),
  }));
  const descriptions = points.map(({ day, counts }, index) => {
    const byPriority = priorities.map((priority) => `${counts[priority]} ${priority.toLowerCase()}`);
    return `${day}: ${byPriority.join(', ')}, mean score ${means[index]}`;
  });
  const text = {
    name: 'trend',
    title:
      'Rated risks not closed, by priority, at each month’s end and on the day of the report; ⌀ is their mean score',
    text: `${descriptions.join('; ')}.`,
  };
  return renderChart(text, PLOT_WIDTH, 280, stackedBars(stacks, names, false));
}

/** Draws the controls of each section by implementation. @param rows controls of a statement of applicability */
export function coveragePlot(rows: readonly ReportRow[]): string {
  const states = ['FULL', 'PARTIAL', 'STARTED', 'NONE', 'EXCLUDED'];
  const sections = [...new Set(rows.map(sectionOf))];
  const counts = countBy(rows, (row) => `${stateOf(row)} ${sectionOf(row)}`);
  const countOf = (state: string, section: string) => counts.get(`${state} ${section}`) ?? 0;
  const stacks = states.map((name) => ({
    name: codeWords(name),
    colour: COLOURS[name]!,
    values: sections.map((section) => countOf(name, section)),
  }));
  const descriptions = sections.map(
    (section) => `${section}: ${states.map((state) => `${countOf(state, section)} ${state.toLowerCase()}`).join(', ')}`,
  );
  const text = {
    name: 'coverage',
    title: 'Controls by section and implementation',
    text: `${descriptions.join('; ')}.`,
  };
  return renderChart(text, PLOT_WIDTH, 60 + 30 * sections.length, stackedBars(stacks, sections, true));
}

/** Returns `A.5` for `A.5.12`. A title without numbers is a section of its own. */
function sectionOf({ section_title }: ReportRow): string {
  const title = String(section_title ?? '').trim();
  const numbered = /^((?:[\p{L}]+[.-]?)?\d+)[.-]\d/u.exec(title);
  const section = numbered?.[1] ?? title;
  return section.length > 40 ? `${section.slice(0, 39)}…` : section;
}

const stateOf = ({ status, implementation }: ReportRow): string =>
  status === 'EXCLUDED' ? 'EXCLUDED' : String(implementation);
