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
import { figure, type Said } from './plot.ts';

/*
 * ECharts on the server: https://echarts.apache.org/handbook/en/how-to/cross-platform/server. Loading it takes longer
 * than most requests, so whoever draws imports this file when a plot is first asked for.
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

/** Ids carry a number that goes up with every chart of the process: a document has the same ones each time. */
const IDS = /(id="|url\(#)zr\d+-/g;
/** What a script in a browser would look for, and styles of a pointer above it. */
const LIVE = / (?:ecmeta_\w+|class|pointer-events)="[^"]*"|<style ?>[\s\S]*?<\/style>/g;

/** Draws a chart; the same options, the same text. */
export function chart(said: Said, width: number, height: number, option: EChartsCoreOption): string {
  const drawing = init(null, null, { renderer: 'svg', ssr: true, width, height });
  try {
    const font = { fontFamily: 'system-ui, sans-serif' };
    drawing.setOption({ animation: false, textStyle: font, ...option });
    const svg = drawing.renderToSVGString({ useViewBox: true });
    const inside = svg.slice(svg.indexOf('>') + 1, svg.lastIndexOf('</svg>'));
    return figure(said, width, height, inside.replace(LIVE, '').replace(IDS, `$1${said.name}-`));
  } finally {
    drawing.dispose();
  }
}
