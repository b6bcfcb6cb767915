import { addDays } from '../../commands/dates.ts';
import { FAR } from '../../projections/tally.ts';
import type { Condition } from '../../stores/read-store.ts';
import { queryOfType } from '../families.ts';
import { STILL_HERE } from '../vendors.ts';
import { column, ID, OWNER, REFERENCE } from './columns.ts';
import type { Figure, ReportContext, ReportType, Row } from './report-type.ts';
import { nameOf, recordsAt, walk } from './walk.ts';

/** How many days ahead is looked unless told otherwise. */
const DAYS_AHEAD = 30;

/** What can fall due: of which records, by which stored key, and where the day stands in a record. */
interface Kind {
  what: string;
  counts: string;
  type: string;
  key: string;
  filter?: Readonly<Record<string, unknown>>;
  of(document: Row): unknown;
}

const KINDS: readonly Kind[] = [
  {
    what: 'RISK_REVIEW',
    counts: 'reviews of risks not closed',
    type: 'RISK',
    key: 'review_due',
    of: ({ next_review_due }) => next_review_due,
  },
  {
    what: 'RISK_ACCEPTANCE_ENDS',
    counts: 'acceptances of risks that run out',
    type: 'RISK',
    key: 'accepted_until',
    of: ({ acceptance }) => (acceptance as { until: string } | null)?.until,
  },
  {
    what: 'VENDOR_REVIEW',
    counts: 'reviews of vendors that have not left',
    type: 'VENDOR',
    key: 'next_review_due',
    filter: { status: STILL_HERE },
    of: ({ next_review_due }) => next_review_due,
  },
  {
    what: 'VENDOR_CONTRACT_ENDS',
    counts: 'contracts of vendors that have not left',
    type: 'VENDOR',
    key: 'contract_until',
    filter: { status: STILL_HERE },
    of: ({ contract_until }) => contract_until,
  },
  {
    what: 'MEASURE',
    counts: 'measures to be done',
    type: 'MEASURE',
    key: 'open_until',
    of: ({ due_date }) => due_date,
  },
  {
    what: 'OBLIGATION',
    counts: 'obligations not found met',
    type: 'OBLIGATION',
    key: 'unmet_until',
    of: ({ due_date }) => due_date,
  },
  {
    what: 'NONCONFORMITY',
    counts: 'nonconformities not CLOSED',
    type: 'NONCONFORMITY',
    key: 'open_until',
    of: ({ due_date }) => due_date,
  },
  {
    what: 'AUDIT_STARTS',
    counts: 'audits that are NOT_STARTED',
    type: 'AUDIT',
    key: 'starts_on',
    filter: { state: ['NOT_STARTED'] },
    of: ({ starts_on }) => starts_on,
  },
  {
    what: 'CERTIFICATE_ENDS',
    counts: 'certificates of audits COMPLETED',
    type: 'AUDIT',
    key: 'valid_until',
    filter: { state: ['COMPLETED'] },
    of: ({ valid_until }) => valid_until,
  },
  {
    what: 'EVIDENCE_ENDS',
    counts: 'pieces of evidence',
    type: 'EVIDENCE',
    key: 'ends',
    of: ({ valid_until }) => valid_until,
  },
];

export const dueItems: ReportType = {
  title: 'Due items',
  takes: ['until', 'owner_id'],
  draw: async (context) => {
    const { today } = context.moment;
    const until = context.inputs.until ?? addDays(today, DAYS_AHEAD);
    const columns = [
      column('due', 'Due'),
      column('overdue', 'Overdue'),
      column('what', 'What'),
      REFERENCE,
      column('name', 'Record'),
      column('type', 'Type'),
      OWNER,
      ID,
    ];
    return {
      inputs: { until },
      figures: () => figures(context, until),
      sections: [
        { name: 'due_items', title: 'Due items', columns, plot: 'calendar', rows: () => items(context, until) },
      ],
    };
  },
};

/** How many of each kind are due by then, and how many in all are overdue. */
async function figures(context: ReportContext, until: string): Promise<Figure[]> {
  const { models } = context.reader;
  const total = async (kind: Kind, bounds: object) => (await models.count(due(context, kind, bounds)))[0]?.total ?? 0;
  const { today } = context.moment;
  const found: Figure[] = [];
  let overdue = 0;
  for (const kind of KINDS) {
    const counts = `${kind.counts}, due until the day asked for, or overdue`;
    found.push({ name: `due_${kind.what.toLowerCase()}`, value: await total(kind, { lte: until }), counts });
    overdue += await total(kind, { lt: today < until ? today : addDays(until, 1) });
  }
  return [{ name: 'overdue', value: overdue, counts: 'items of the list that are overdue' }, ...found];
}

function due(context: ReportContext, { type, key, filter }: Kind, bounds: object) {
  const source = recordsAt(context, queryOfType(type), filter);
  // Days that never come stand for none.
  const asked = { key, op: 'range', ...bounds } as Condition;
  return { ...source, where: [asked, { key, op: 'range', lt: FAR } as Condition, ...source.where] };
}

/** All kinds in one list, by day. Each is walked in its own order; the earliest of them comes next. */
async function* items(context: ReportContext, until: string): AsyncGenerator<Row> {
  const walks = KINDS.map((kind) => itemsOf(context, kind, until));
  const heads = await Promise.all(walks.map(async (one) => (await one.next()).value));
  for (;;) {
    let first = -1;
    for (const [index, head] of heads.entries()) {
      if (head && (first < 0 || String(head.due) < String(heads[first]!.due))) first = index;
    }
    if (first < 0) return;
    yield heads[first]!;
    heads[first] = (await walks[first]!.next()).value;
  }
}

async function* itemsOf(context: ReportContext, kind: Kind, until: string): AsyncGenerator<Row, undefined> {
  const order = { key: kind.key, direction: 'ASC' } as const;
  for await (const batch of walk(context, due(context, kind, { lte: until }), order)) {
    for (const { doc } of batch) yield itemOf(context, kind, doc);
  }
  return undefined;
}

function itemOf({ moment }: ReportContext, { what, type, of }: Kind, document: Row): Row {
  const day = String(of(document));
  const { id, reference_id, owner_id } = document;
  return {
    due: day,
    overdue: day < moment.today,
    what,
    ...(reference_id ? { reference_id } : {}),
    name: nameOf(document),
    type,
    ...(owner_id ? { owner_id } : {}),
    id,
    ...(document.stale ? { stale: true } : {}),
  };
}
