import { addDays, MAX_DATE } from '../../commands/engine/dates.ts';
import { familyQueryOfType } from '../../queries/family-query.ts';
import { FAMILY_DESCRIPTIONS } from '../../register/families.ts';
import type { DueItem } from '../../register/field.ts';
import type { Condition } from '../../stores/read-store.ts';
import type { Figure, ReportContext, ReportRow, ReportType } from '../report-type.ts';
import { readInBatches, recordsAt, recordTitle } from '../sections/records.ts';
import { column, ID, OWNER, REFERENCE, valueAt } from '../sections/report-columns.ts';

/** The default of `until`, in days after today. */
const DEFAULT_DAYS_AHEAD = 30;

/** Something that falls due, with its family's type. */
type DueKind = DueItem & { type: string };

/** Everything that falls due, in the order of the families. */
const DUE_KINDS: readonly DueKind[] = FAMILY_DESCRIPTIONS.flatMap(({ type, dueItems = [] }) =>
  dueItems.map((item) => ({ ...item, type })),
);

/** Returns the stored key that holds the item's date as long as it matters. */
const keyOf = ({ key, date }: DueKind): string => key ?? date;

export const dueItems: ReportType = {
  title: 'Due items',
  acceptedInputs: ['until', 'owner_id'],
  collect: async (context) => {
    const { today } = context.moment;
    const until = context.inputs.until ?? addDays(today, DEFAULT_DAYS_AHEAD);
    const columns = [
      column('due', 'Due'),
      column('overdue', 'Overdue'),
      column('what', 'What'),
      REFERENCE,
      column('name', 'Record'),
      OWNER,
      ID,
    ];
    const about = { name: 'due_items', title: 'Due items', note: noteOf(today, until) };
    return {
      inputs: { until },
      about: [{ label: 'Due until', value: until }],
      figures: () => dueFigures(context, until),
      sections: [{ ...about, columns, plot: 'calendar', rows: () => dueRows(context, until) }],
    };
  },
};

function noteOf(today: string, until: string): string {
  return until < today
    ? `Items due by ${until} and not done yet. Items due after that date are left out, even if they are overdue.`
    : `Items due by ${until}, including all overdue items.`;
}

/** Counts the items of each kind that are due by `until`, and all overdue ones. */
async function dueFigures(context: ReportContext, until: string): Promise<Figure[]> {
  const { models } = context.snapshot;
  const total = async (kind: DueKind, bounds: object) =>
    (await models.count(dueSource(context, kind, bounds)))[0]?.total ?? 0;
  const { today } = context.moment;
  const kindFigures: Figure[] = [];
  let all = 0;
  let overdue = 0;
  for (const kind of DUE_KINDS) {
    const value = await total(kind, { lte: until });
    kindFigures.push(dueFigure(`due_${kind.name.toLowerCase()}`, kind.label, value, `${kind.meaning}, by ${until}`));
    all += value;
    overdue += today <= until ? await total(kind, { lt: today }) : value;
  }
  return [
    dueFigure('due', 'All due items', all, `items due by ${until} and not done`),
    dueFigure('overdue', 'Overdue', overdue, `items of this list that were due before ${today}`),
    ...kindFigures,
  ];
}

const dueFigure = (name: string, label: string, value: number, counts: string): Figure => {
  return { name, group: 'Due items', label, kind: 'COUNT', value, counts };
};

function dueSource(context: ReportContext, kind: DueKind, bounds: object) {
  const source = recordsAt(context, familyQueryOfType(kind.type), kind.filter);
  const key = keyOf(kind);
  // MAX_DATE stands for an absent date.
  const withinBounds = { key, op: 'range', ...bounds } as Condition;
  return { ...source, where: [withinBounds, { key, op: 'range', lt: MAX_DATE } as Condition, ...source.where] };
}

/** Merges the items of all kinds in order of due date. */
async function* dueRows(context: ReportContext, until: string): AsyncGenerator<ReportRow> {
  const iterators = DUE_KINDS.map((kind) => dueRowsOfKind(context, kind, until));
  const nextRows = await Promise.all(iterators.map(async (iterator) => (await iterator.next()).value));
  for (;;) {
    let first = -1;
    for (const [index, head] of nextRows.entries()) {
      if (head && (first < 0 || String(head.due) < String(nextRows[first]!.due))) first = index;
    }
    if (first < 0) return;
    yield nextRows[first]!;
    nextRows[first] = (await iterators[first]!.next()).value;
  }
}

async function* dueRowsOfKind(
  context: ReportContext,
  kind: DueKind,
  until: string,
): AsyncGenerator<ReportRow, undefined> {
  const order = { key: keyOf(kind), direction: 'ASC' } as const;
  for await (const batch of readInBatches(context, dueSource(context, kind, { lte: until }), order)) {
    for (const { doc } of batch) yield dueRow(context, kind, doc);
  }
  return undefined;
}

/** Returns the record's name without its reference id, which has a column of its own. */
function nameWithoutReference(document: ReportRow): string {
  const { reference_id } = document;
  const name = recordTitle(document);
  return reference_id && name.startsWith(`${reference_id}: `) ? name.slice(String(reference_id).length + 2) : name;
}

function dueRow({ moment }: ReportContext, { name, type, date }: DueKind, document: ReportRow): ReportRow {
  const day = String(valueAt(document, date));
  const { id, reference_id, owner_id } = document;
  return {
    due: day,
    overdue: day < moment.today,
    what: name,
    ...(reference_id ? { reference_id } : {}),
    name: nameWithoutReference(document),
    type,
    ...(owner_id ? { owner_id } : {}),
    id,
    ...(document.stale ? { stale: true } : {}),
  };
}
