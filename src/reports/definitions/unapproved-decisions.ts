import { DECISION_EVENTS, firstDecisionsOf, MAX_UNSELECTED_RECORDS } from '../../commands/autonomy.ts';
import { CHANGES, type ChangeDocument, UNDO_ROW_INDEX } from '../../projections/history/change-document.ts';
import { isMadeByAssistant } from '../../queries/changes/refined-changes.ts';
import { keyIn } from '../../queries/lists/filters.ts';
import { FAMILY_DESCRIPTIONS, familyOfType } from '../../register/families.ts';
import type { FamilyDescription } from '../../register/family-description.ts';
import type { Condition } from '../../stores/read-store.ts';
import type { Figure, ReportColumn, ReportContext, ReportRow, ReportType } from '../report-type.ts';
import { changeRowOf } from '../sections/changes-section.ts';
import { type Period, periodBetween, periodFacts, periodInputs } from '../sections/period.ts';
import { type RecordSource, readInBatches } from '../sections/records.ts';
import { column, detail } from '../sections/report-columns.ts';

const ACT_COLUMNS: readonly ReportColumn[] = [
  column('recorded_at', 'When'),
  { field: 'actor_id', title: 'For whom', person: true, timeField: 'recorded_at' },
  column('client', 'Through'),
  column('reason', 'Why'),
];

const DECISION_COLUMNS: readonly ReportColumn[] = [
  ...ACT_COLUMNS,
  column('event_type', 'What'),
  column('record_type', 'Type'),
  column('record_name', 'Record'),
  { field: 'changes', title: 'Changes', prose: true, timeField: 'recorded_at' },
  column('position', 'Position'),
  detail('record_id', 'Record id'),
];

const CALL_COLUMNS: readonly ReportColumn[] = [
  ...ACT_COLUMNS,
  column('records', 'Records changed'),
  detail('call_id', 'Call'),
];

const FAMILIES: readonly FamilyDescription[] = FAMILY_DESCRIPTIONS.map(
  (family) => family as unknown as FamilyDescription,
);

/** The events that can be decisions. The first event of a record is one only in some states: see `isDecision`. */
const EVENT_TYPES = [
  ...DECISION_EVENTS,
  ...FAMILIES.flatMap((family) => {
    const { added, undone } = family.commonEvents;
    return added !== undefined && firstDecisionsOf(family).states.length > 0 ? [undone, added] : [undone];
  }),
];

/**
 * Lists the decisions of credentials that nobody approved. What a person approved, or did in the browser or at the command
 * line, was written without a credential.
 */
export const unapprovedDecisions: ReportType = {
  title: 'Decisions without a person',
  acceptedInputs: ['from', 'to'],
  collect: async (context) => {
    const { from = '1', to } = context.inputs;
    const period = await periodBetween(context, from, to);
    let read: Promise<ReportRow[]> | undefined;
    const calls = () => (read ??= readCalls(context, period));
    return {
      inputs: periodInputs(period),
      about: periodFacts(period),
      figures: async () => countAll(decisionRows(context, period), await calls()),
      sections: [
        {
          name: 'decisions',
          title: 'Decisions',
          note: 'Decisions that a token or a connected assistant made, and that no person approved.',
          columns: DECISION_COLUMNS,
          rows: () => decisionRows(context, period),
        },
        {
          name: 'calls',
          title: 'Calls on many records',
          note: `Calls of a token or a connected assistant that changed more than ${MAX_UNSELECTED_RECORDS} existing records, and that no person approved.`,
          columns: CALL_COLUMNS,
          rows: async function* () {
            yield* await calls();
          },
        },
      ],
    };
  },
};

/** Selects what credentials wrote. The early events of assistants, which have no credential, are decisions one by one. */
const BY_TOKEN: Condition = { key: 'token_id', op: 'present' };

/** Selects changes of the period. @param where further conditions */
function changesOfPeriod(
  { organizationId }: ReportContext,
  { first, last }: Period,
  where: readonly Condition[],
): RecordSource {
  const inPeriod: Condition = { key: 'position', op: 'range', gte: first, lte: last };
  return { collection: CHANGES.name, organizationId, where: [...where, inPeriod] };
}

/** Returns true if a credential wrote a change. Early events have no credential, but the assistant's name. */
function isByCredential({ token_id, client }: ChangeDocument): boolean {
  return token_id !== null || isMadeByAssistant({ client: client?.name ?? null });
}

/** Yields the decisions in the order of the log, with the undos of links among them. */
async function* decisionRows(context: ReportContext, period: Period): AsyncGenerator<ReportRow> {
  const undos = await undosOfLinks(context, period);
  for await (const change of changesIn(context, period, [
    { key: 'row_index', op: 'eq', value: 0 },
    keyIn('event_type', EVENT_TYPES),
  ])) {
    if (!isDecision(change)) continue;
    while (undos.length > 0 && undos[0]!.position < change.position) yield changeRowOf(undos.shift()!);
    yield changeRowOf(change);
  }
  yield* undos.map((undo) => changeRowOf(undo));
}

/** An undo of a record has an event of its own. That of a link is an ordinary event with a cause. */
async function undosOfLinks(context: ReportContext, period: Period): Promise<ChangeDocument[]> {
  const undos: ChangeDocument[] = [];
  const where: Condition[] = [{ key: 'row_index', op: 'eq', value: UNDO_ROW_INDEX }, BY_TOKEN];
  for await (const undo of changesIn(context, period, where)) if (undo.linked !== undefined) undos.push(undo);
  return undos;
}

async function* changesIn(
  context: ReportContext,
  period: Period,
  where: readonly Condition[],
): AsyncGenerator<ChangeDocument> {
  const source = changesOfPeriod(context, period, where);
  for await (const rows of readInBatches(context, source, { key: 'position', direction: 'ASC', isNeverEmpty: true })) {
    for (const { doc } of rows) {
      const change = doc as unknown as ChangeDocument;
      if (isByCredential(change)) yield change;
    }
  }
}

function isDecision({ event_type, record, changes }: ChangeDocument): boolean {
  const family = familyOfType(record.type) as FamilyDescription | undefined;
  if (family === undefined || event_type !== family.commonEvents.added || DECISION_EVENTS.has(event_type)) return true;
  const { field, states } = firstDecisionsOf(family);
  return changes.some((change) => change.field === field && states.includes(String(change.to)));
}

/** Returns the calls of credentials that changed many existing records, in the order of the log. */
async function readCalls(context: ReportContext, period: Period): Promise<ReportRow[]> {
  const { models } = context.snapshot;
  const existing: Condition[] = [
    { key: 'row_index', op: 'eq', value: 0 },
    { key: 'revision', op: 'range', gt: 1 },
    BY_TOKEN,
  ];
  const source = changesOfPeriod(context, period, existing);
  const calls = (await models.count(source, ['call_id'])).filter(({ total }) => total > MAX_UNSELECTED_RECORDS);
  const rows: (ReportRow & { position: number })[] = [];
  for (const { values } of calls) {
    context.signal?.throwIfAborted();
    const ofCall = { ...source, where: [{ key: 'call_id', op: 'eq', value: values[0]! } as const, ...source.where] };
    const records = await models.countDistinct(ofCall, 'record_id');
    if (records <= MAX_UNSELECTED_RECORDS) continue;
    const order = { key: 'position', direction: 'ASC' } as const;
    const [found] = await models.find({ ...ofCall, order, limit: 1 });
    const change = found!.doc as unknown as ChangeDocument;
    const { recorded_at, actor_id, reason, client } = changeRowOf(change);
    const act = { recorded_at, actor_id, ...(client ? { client } : {}), ...(reason ? { reason } : {}) };
    rows.push({ ...act, records, call_id: change.call_id, position: change.position });
  }
  return rows.sort((a, b) => a.position - b.position).map(({ position: _, ...row }) => row);
}

async function countAll(decisions: AsyncIterable<ReportRow>, calls: readonly ReportRow[]): Promise<Figure[]> {
  let total = 0;
  for await (const _ of decisions) total += 1;
  return [
    figure(
      'unapproved_decisions',
      'Decisions',
      total,
      'decisions of tokens and connected assistants that no person approved',
    ),
    figure(
      'unapproved_calls',
      'Calls on many records',
      calls.length,
      `their calls that changed more than ${MAX_UNSELECTED_RECORDS} existing records`,
    ),
  ];
}

const figure = (name: string, label: string, value: number, counts: string): Figure => {
  return { name, group: 'Without a person', label, kind: 'COUNT', value, counts };
};
