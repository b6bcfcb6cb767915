import { addDays } from '../../commands/engine/dates.ts';
import { FAMILY_DESCRIPTIONS } from '../../register/families.ts';
import type { FamilyDescription } from '../../register/family-description.ts';
import { type FigureDefinition, isIn, listedFigures, startsAfter } from '../../register/figure.ts';
import type { Condition } from '../../stores/read-store.ts';

/** Returns the counts that reports list, and those that are only stored. Shares follow from counts. */
function storedFigures(family: FamilyDescription): FigureDefinition[] {
  const { unlisted = [] } = family.figures;
  return [...listedFigures(family).filter((figure) => !('share' in figure)), ...unlisted];
}

/** Counts each due item that is past its date. A record may count several times: a risk for review and acceptance. */
function overdueFigures({ dueItems = [] }: FamilyDescription): FigureDefinition[] {
  return dueItems.map(({ date, key = date, filter = {} }) => ({
    name: 'overdue',
    where: Object.entries(filter).map(([name, values]) => isIn(name, values)),
    days: startsAfter(key),
  }));
}

/** The figures of each family, and the figure `overdue` of all. */
export const FIGURE_DEFINITIONS: Readonly<Record<string, readonly FigureDefinition[]>> = Object.fromEntries(
  FAMILY_DESCRIPTIONS.map((family) => [family.type, [...storedFigures(family), ...overdueFigures(family)]]),
);

/** Returns the conditions on the records that count on a day. */
export function figureConditions({ where = [], days }: FigureDefinition, today: string): Condition[] {
  if (days === undefined) return [...where];
  const { key, from, until } = days;
  const started: Condition = { key, op: 'range', lte: addDays(today, -from) };
  return [...where, until === undefined ? started : { ...started, gt: addDays(today, -until) }];
}

/** The family whose figures are also counted for each framework. */
export const FAMILY_WITH_FRAMEWORK_FIGURES = 'CONTROL';
