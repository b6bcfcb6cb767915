import { addDays, isRealDate } from '../../commands/engine/dates.ts';
import { invalidField } from '../../commands/engine/refusal.ts';
import type { Figure, ReportContext, ReportType } from '../report-type.ts';
import { dueByOwnerSection, dueRowsByOwner } from '../sections/due-by-owner.ts';
import { countDueItems, type DueKind, type DuePeriod, dueKindsOf, dueRows, overdueIn } from '../sections/due-rows.ts';
import { versionOf } from '../sections/first-version.ts';
import { column, ID, OWNER, REFERENCE } from '../sections/report-columns.ts';

const DEFAULT_DAYS_AHEAD = 30;

export const dueItems: ReportType = {
  title: 'Due items',
  acceptedInputs: ['from', 'until', 'kinds', 'owner_id', 'group_by', 'report_version'],
  groupings: ['OWNER'],
  collect: async (context) => {
    const { today } = context.moment;
    const { from, until = addDays(today, DEFAULT_DAYS_AHEAD), group_by } = context.inputs;
    if (from !== undefined && !isRealDate(from)) {
      throw invalidField('from', 'from must be a date, such as 2026-03-31.');
    }
    const bounds: DuePeriod = from === undefined ? { lte: until } : { gte: from, lte: until };
    const dueKinds = await dueKindsOf(context, bounds);
    const isNarrowed = context.inputs.kinds !== undefined;
    const columns = [
      column('due', 'Due'),
      column('overdue', 'Overdue'),
      column('what', 'What'),
      REFERENCE,
      column('name', 'Record'),
      OWNER,
      ID,
    ];
    const about = { name: 'due_items', title: 'Due items', note: noteOf(today, bounds), columns };
    return {
      ...versionOf(context),
      inputs: {
        ...(from === undefined ? {} : { from }),
        until,
        ...(isNarrowed ? { kinds: dueKinds.map(({ name }) => name).join(',') } : {}),
        ...(group_by === undefined ? {} : { group_by }),
      },
      about: [
        ...(from === undefined ? [] : [{ label: 'Due from', value: from }]),
        { label: 'Due until', value: until },
        ...(isNarrowed ? [{ label: 'Only', value: dueKinds.map(({ label }) => label).join(', ') }] : []),
      ],
      figures: () => dueFigures(context, dueKinds, bounds),
      sections:
        group_by === undefined
          ? [{ ...about, plot: 'calendar', rows: () => dueRows(context, dueKinds, bounds) }]
          : [
              dueByOwnerSection(context, dueKinds, bounds),
              { ...about, group: [OWNER], rows: () => dueRowsByOwner(context, dueKinds, bounds) },
            ],
    };
  },
};

function noteOf(today: string, { gte, lte: until }: DuePeriod): string {
  if (gte !== undefined) return `Items due from ${gte} to ${until} and not done yet.`;
  return until < today
    ? `Items due by ${until} and not done yet. Items due after that date are left out, even if they are overdue.`
    : `Items due by ${until}, including all overdue items.`;
}

/** Counts the items of each kind that are due in the period, and all of them that are overdue. */
async function dueFigures(context: ReportContext, kinds: readonly DueKind[], period: DuePeriod): Promise<Figure[]> {
  const { today } = context.moment;
  const words = period.gte === undefined ? `by ${period.lte}` : `from ${period.gte} to ${period.lte}`;
  const kindFigures: Figure[] = [];
  let all = 0;
  let overdue = 0;
  for (const kind of kinds) {
    const value = await countDueItems(context, kind, period);
    kindFigures.push(dueFigure(`due_${kind.name.toLowerCase()}`, kind.label, value, `${kind.meaning}, ${words}`));
    all += value;
    overdue += today <= period.lte ? await countDueItems(context, kind, overdueIn(period, today)) : value;
  }
  return [
    dueFigure('due', 'All due items', all, `items due ${words} and not done`),
    dueFigure('overdue', 'Overdue', overdue, `items of this list that were due before ${today}`),
    ...kindFigures,
  ];
}

const dueFigure = (name: string, label: string, value: number, counts: string): Figure => {
  return { name, group: 'Due items', label, kind: 'COUNT', value, counts };
};
