import {
  addFigures,
  CHANGES_FIGURE,
  type DailyFiguresDocument,
  effectDays,
  type FigureCounts,
  monthsBetween,
  readEffects,
} from '../projections/figures/daily-figures.ts';
import { FAMILY_WITH_FRAMEWORK_FIGURES, FIGURE_DEFINITIONS } from '../projections/figures/figure-definitions.ts';
import { FAMILY_DESCRIPTIONS } from '../register/families.ts';
import { listedFigures, type ShareFigure } from '../register/figure.ts';
import type { ReadModels } from '../stores/read-store.ts';
import type { ReportingValue, RowChange } from '../stores/reporting-store.ts';

/** The figures of some families, as rows list them. */
interface FigureNames {
  counts: readonly string[];
  shares: readonly ShareFigure[];
}

function figureNames(types: readonly string[]): FigureNames {
  const families = FAMILY_DESCRIPTIONS.filter(({ type }) => types.includes(type));
  const counts = families.flatMap(({ type }) => FIGURE_DEFINITIONS[type]!.map(({ name }) => name));
  const shares = families.flatMap((family) => listedFigures(family).filter((figure) => 'share' in figure));
  return { counts: [...new Set(counts)], shares };
}

const ALL = figureNames(FAMILY_DESCRIPTIONS.map(({ type }) => type));
const OF_ORGANIZATION: FigureNames = { ...ALL, counts: [CHANGES_FIGURE, ...ALL.counts] };
const OF_FRAMEWORK = figureNames([FAMILY_WITH_FRAMEWORK_FIGURES]);

/** Returns the rows of a day's figures. A figure that the document doesn't have is 0. */
export function figurePuts(
  organization_id: string,
  { framework_id, day, position, figures }: DailyFiguresDocument,
): RowChange[] {
  const { counts, shares } = framework_id === null ? OF_ORGANIZATION : OF_FRAMEWORK;
  const put = (figure: string, value: ReportingValue): RowChange => {
    const row = { organization_id, day, figure, value, position };
    return { put: framework_id === null ? row : { ...row, framework_id } };
  };
  return [
    ...counts.map((name) => put(name, figures[name] ?? 0)),
    ...shares.map(({ name, share: [part, whole] }) => put(name, shareOf(figures, part, whole))),
  ];
}

function shareOf(figures: FigureCounts, part: string, whole: string): number | null {
  const all = figures[whole] ?? 0;
  return all === 0 ? null : (figures[part] ?? 0) / all;
}

/** Returns the figures of the days since the newest document on which a date has passed, up to today. */
export async function figuresSince(
  models: Pick<ReadModels, 'get'>,
  seriesId: string,
  newest: DailyFiguresDocument,
  today: string,
): Promise<DailyFiguresDocument[]> {
  if (newest.day >= today) return [];
  const effects = await readEffects(models, seriesId, monthsBetween(newest.day, today));
  let { figures } = newest;
  return effectDays(effects.values(), newest.day, today).map(([day, differences]) => {
    figures = addFigures(figures, differences);
    return { ...newest, day, figures };
  });
}
