import { addDays, endOfDay } from '../../commands/engine/dates.ts';
import { invalidField } from '../../commands/engine/refusal.ts';
import { positionAt } from '../../queries/moments/moment.ts';
import { FAMILY_DESCRIPTIONS } from '../../register/families.ts';
import { trendFigures, trendSection } from '../figures/figure-trend.ts';
import { type FigureValues, figuresOfFamilies, figureValues } from '../figures/figure-values.ts';
import { figuresByOwnerSection } from '../figures/figures-by-owner.ts';
import { addFrameworkCoverage, coverageByFramework } from '../figures/framework-coverage.ts';
import { riskTrend } from '../figures/risk-scores.ts';
import type { Figure, ReportContext, ReportType } from '../report-type.ts';

/** Each figure is compared with its values this many days before the report's day. */
const COMPARISON_DAYS = [30, 90, 365] as const;

/** Names of the figures that a board asks for first. */
const SUMMARY_FIGURES = [
  ...['risks_not_closed', 'risks_critical', 'risk_acceptances_expired', 'vendors_review_overdue', 'coverage'],
  ...['measures_overdue', 'obligations_overdue', 'nonconformities_open', 'evidence_expired'],
];

export const postureReport: ReportType = {
  title: 'Posture',
  acceptedInputs: ['owner_id', 'trend', 'trend_figures', 'only', 'group_by'],
  groupings: ['OWNER'],
  collect: async (context) => {
    const { only, trend = only && 'MONTH', trend_figures, group_by } = context.inputs;
    if (trend === undefined && trend_figures !== undefined) {
      throw invalidField('trend', 'trend_figures needs trend. Give trend MONTH too.');
    }
    if (only !== undefined && group_by !== undefined) {
      throw invalidField('only', 'A trend alone has no owners. Leave out only or group_by.');
    }
    const figuresOfTrend = trend === undefined ? [] : await trendFigures(context);
    return {
      inputs: {
        ...(trend === undefined ? {} : { trend }),
        ...(trend_figures === undefined ? {} : { trend_figures: namesIn(trend_figures, figuresOfTrend) }),
        ...(only === undefined ? {} : { only }),
        ...(group_by === undefined ? {} : { group_by }),
      },
      figures: async () => (only === undefined ? figuresWithChanges(context) : []),
      summary: SUMMARY_FIGURES,
      sections: [
        ...(trend === undefined ? [] : [trendSection(context, figuresOfTrend)]),
        ...(group_by === undefined ? [] : [figuresByOwnerSection(context)]),
      ],
      trend: () => riskTrend(context),
    };
  },
};

/** Returns the names of figures as the caller wrote them, because the digest covers it. Labels become names. */
function namesIn(text: string, figures: readonly Figure[]): string {
  const names = figures.map(({ name }) => name);
  return text.split(',').every((word) => names.includes(word.trim())) ? text : names.join(',');
}

async function figuresWithChanges(context: ReportContext): Promise<Figure[]> {
  const figures = await addFrameworkCoverage(context, await figuresOfFamilies(context, FAMILY_DESCRIPTIONS));
  const earlierValues: [number, FigureValues | null][] = [];
  for (const days of COMPARISON_DAYS) earlierValues.push([days, await valuesBefore(context, days)]);
  return figures.map((figure) => withChange(figure, earlierValues));
}

/** Returns the figures at the end of an earlier day. Returns null if the organization did not exist then. */
async function valuesBefore(context: ReportContext, days: number): Promise<FigureValues | null> {
  const { snapshot, organizationId, moment } = context;
  if (moment.position === 0) return null;
  const earlierDay = addDays(moment.today, -days);
  const position = await positionAt(snapshot, organizationId, endOfDay(earlierDay));
  if (position === 0) return null;
  const earlierContext = { ...context, moment: { today: earlierDay, position } };
  return new Map([
    ...(await figureValues(earlierContext, FAMILY_DESCRIPTIONS)),
    ...(await coverageByFramework(earlierContext)),
  ]);
}

function withChange(figure: Figure, earlierValues: readonly [number, FigureValues | null][]): Figure {
  const change = earlierValues.map(([days, values]) => [`days_${days}`, differenceOf(figure, values)] as const);
  return { ...figure, change: Object.fromEntries(change) };
}

function differenceOf({ name, value }: Figure, before: FigureValues | null): number | null {
  const earlierValue = before?.get(name) ?? null;
  return value === null || earlierValue === null ? null : value - earlierValue;
}
