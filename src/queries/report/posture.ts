import { addDays, endOfDay } from '../../commands/dates.ts';
import { ordinalAt } from '../moment.ts';
import { addCoverage, coverageOfEach } from './coverage.ts';
import { ALL_FIGURES } from './family-figures.ts';
import { familyFigures, type Values, valuesOf } from './figures.ts';
import type { Figure, ReportContext, ReportType } from './report-type.ts';
import { riskTrend } from './risk-scores.ts';

/** How many days before the report's day each figure is looked at again. */
const BEFORE = [30, 90, 365] as const;

/** What a board asks for. */
const SUMMARY = [
  ...['risks_not_closed', 'risks_critical', 'risk_acceptances_expired', 'vendors_review_overdue', 'coverage'],
  ...['measures_overdue', 'obligations_overdue', 'nonconformities_open', 'evidence_expired'],
];

export const posture: ReportType = {
  title: 'Posture',
  takes: ['owner_id'],
  draw: async (context) => ({
    inputs: {},
    figures: () => figuresWithChanges(context),
    summary: SUMMARY,
    sections: [],
    trend: () => riskTrend(context),
  }),
};

async function figuresWithChanges(context: ReportContext): Promise<Figure[]> {
  const now = await addCoverage(context, await familyFigures(context, ALL_FIGURES));
  const before: [number, Values | null][] = [];
  for (const days of BEFORE) before.push([days, await valuesBefore(context, days)]);
  return now.map((figure) => changed(figure, before));
}

/** What the figures were at the end of the day so many days before; null where the organization was not there yet. */
async function valuesBefore(context: ReportContext, days: number): Promise<Values | null> {
  const { reader, organizationId, moment } = context;
  if (moment.ordinal === 0) return null;
  const today = addDays(moment.today, -days);
  const ordinal = await ordinalAt(reader, organizationId, endOfDay(today));
  if (ordinal === 0) return null;
  const then = { ...context, moment: { today, ordinal } };
  return new Map([...(await valuesOf(then, ALL_FIGURES)), ...(await coverageOfEach(then))]);
}

function changed(figure: Figure, before: readonly [number, Values | null][]): Figure {
  const change = before.map(([days, values]) => [`days_${days}`, difference(figure, values)] as const);
  return { ...figure, change: Object.fromEntries(change) };
}

function difference({ name, value }: Figure, before: Values | null): number | null {
  const then = before?.get(name) ?? null;
  return value === null || then === null ? null : value - then;
}
