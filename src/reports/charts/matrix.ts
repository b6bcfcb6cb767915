import type { ReportRow } from '../report-type.ts';
import { COLOURS, INK_COLOUR, LINE_COLOUR, svgFigure } from './plot.ts';

const CELL = { width: 84, height: 44 };
const LEFT = 64;
const BELOW = 52;

/** Draws the 5 × 5 matrix of risks by likelihood and impact. @param rows of the section `matrix` */
export function matrixPlot(rows: readonly ReportRow[]): string {
  const width = LEFT + 5 * CELL.width + 8;
  const height = 5 * CELL.height + BELOW;
  const descriptions = rows
    .filter(({ risks }) => Number(risks) > 0)
    .map(({ likelihood, impact, risks }) => `${risks} at likelihood ${likelihood} and impact ${impact}`);
  const axis = (label: string, placement: string) =>
    `<text ${placement} text-anchor="middle" font-size="13" fill="${INK_COLOUR}">${label}</text>`;
  const middle = (5 * CELL.height) / 2;
  const content = [
    ...rows.map(cell),
    ...[1, 2, 3, 4, 5].flatMap((step) => [
      axis(String(step), `x="${LEFT + (step - 0.5) * CELL.width}" y="${5 * CELL.height + 20}"`),
      axis(String(step), `x="${LEFT - 16}" y="${(5.5 - step) * CELL.height + 5}"`),
    ]),
    axis('Impact', `x="${LEFT + 2.5 * CELL.width}" y="${height - 10}"`),
    axis('Likelihood', `transform="translate(18 ${middle}) rotate(-90)"`),
  ];
  const text = {
    name: 'matrix',
    title: 'Rated risks not closed, by likelihood and impact',
    text: descriptions.length === 0 ? 'No risk is rated.' : `${descriptions.join('; ')}.`,
  };
  return svgFigure(text, width, height, content.join(''));
}

function cell({ likelihood, impact, priority, risks }: ReportRow): string {
  const x = LEFT + (Number(impact) - 1) * CELL.width;
  const y = (5 - Number(likelihood)) * CELL.height;
  const count = Number(risks);
  const placement = `x="${x + CELL.width / 2}" y="${y + CELL.height / 2 + 6}"`;
  return [
    `<rect x="${x + 1}" y="${y + 1}" width="${CELL.width - 2}" height="${CELL.height - 2}" rx="4"`,
    ` fill="${COLOURS[String(priority)] ?? '#ffffff'}" stroke="${count > 0 ? INK_COLOUR : LINE_COLOUR}"/>`,
    count > 0
      ? `<text ${placement} text-anchor="middle" font-size="18" font-weight="700" fill="${INK_COLOUR}">${count}</text>`
      : '',
  ].join('');
}
