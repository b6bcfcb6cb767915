import type { Row } from '../report-type.ts';
import { COLOURS, figure, INK, LINE } from './plot.ts';

const CELL = { width: 84, height: 44 };
const LEFT = 64;
const BELOW = 52;

/** The 5 × 5 matrix of risks: how many stand at each likelihood and impact. @param rows those of the section `matrix` */
export function matrixPlot(rows: readonly Row[]): string {
  const width = LEFT + 5 * CELL.width + 8;
  const height = 5 * CELL.height + BELOW;
  const told = rows.filter(({ risks }) => Number(risks) > 0);
  const text = told.map(({ likelihood, impact, risks }) => `${risks} at likelihood ${likelihood} and impact ${impact}`);
  const axis = (along: string, at: string) =>
    `<text ${at} text-anchor="middle" font-size="13" fill="${INK}">${along}</text>`;
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
  const said = {
    name: 'matrix',
    title: 'Rated risks not closed, by likelihood and impact',
    text: text.length === 0 ? 'No risk is rated.' : `${text.join('; ')}.`,
  };
  return figure(said, width, height, content.join(''));
}

function cell({ likelihood, impact, priority, risks }: Row): string {
  const x = LEFT + (Number(impact) - 1) * CELL.width;
  const y = (5 - Number(likelihood)) * CELL.height;
  const count = Number(risks);
  const at = `x="${x + CELL.width / 2}" y="${y + CELL.height / 2 + 6}"`;
  return [
    `<rect x="${x + 1}" y="${y + 1}" width="${CELL.width - 2}" height="${CELL.height - 2}" rx="4"`,
    ` fill="${COLOURS[String(priority)] ?? '#ffffff'}" stroke="${count > 0 ? INK : LINE}"/>`,
    count > 0 ? `<text ${at} text-anchor="middle" font-size="18" font-weight="700" fill="${INK}">${count}</text>` : '',
  ].join('');
}
