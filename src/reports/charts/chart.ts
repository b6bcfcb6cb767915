import { BarChart, HeatmapChart } from 'echarts/charts';
import {
  CalendarComponent,
  GraphicComponent,
  GridComponent,
  LegendComponent,
  VisualMapComponent,
} from 'echarts/components';
import { type EChartsCoreOption, init, use } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';
import { type PlotText, svgFigure } from './plot.ts';

/*
 * Runs ECharts on the server: https://echarts.apache.org/handbook/en/how-to/cross-platform/server. Loading it takes longer
 * than most requests, so plots.ts imports this file only for the first plot.
 */
use([
  BarChart,
  HeatmapChart,
  CalendarComponent,
  GraphicComponent,
  GridComponent,
  LegendComponent,
  VisualMapComponent,
  SVGRenderer,
]);

/** Ids contain a counter of the process. It is replaced, so that a document always has the same ids. */
const CHART_IDS = /(id="|url\(#)zr\d+-/g;
/** Attributes for scripts, and styles for a pointer above the chart. */
const INTERACTIVE = / (?:ecmeta_\w+|class|pointer-events)="[^"]*"|<style ?>[\s\S]*?<\/style>/g;

/** Returns a chart as SVG. The same options always give the same text. */
export function renderChart(text: PlotText, width: number, height: number, option: EChartsCoreOption): string {
  const drawing = init(null, null, { renderer: 'svg', ssr: true, width, height });
  try {
    const font = { fontFamily: 'system-ui, sans-serif' };
    drawing.setOption({ animation: false, textStyle: font, ...option });
    const svg = drawing.renderToSVGString({ useViewBox: true });
    const inside = svg.slice(svg.indexOf('>') + 1, svg.lastIndexOf('</svg>'));
    return svgFigure(text, width, height, inside.replace(INTERACTIVE, '').replace(CHART_IDS, `$1${text.name}-`));
  } finally {
    drawing.dispose();
  }
}
