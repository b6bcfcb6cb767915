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
  label: string;
  counts: string;
  type: string;
  key: string;
  filter?: Readonly<Record<string, unknown>>;
  of(document: Row): unknown;
}

const KINDS: readonly Kind[] = [
  {
    what: 'RISK_REVIEW',
    label: 'Reviews of risks',
    counts: 'next reviews of risks that are not CLOSED',
    type: 'RISK',
    key: 'review_due',
    of: ({ next_review_due }) => next_review_due,
  },
  {
    what: 'RISK_ACCEPTANCE_ENDS',
    label: 'Acceptances of risks that end',
    counts: 'ends of acceptances of risks',
    type: 'RISK',
    key: 'accepted_until',
    of: ({ acceptance }) => (acceptance as { until: string } | null)?.until,
  },
  {
    what: 'VENDOR_REVIEW',
    label: 'Reviews of vendors',
    counts: 'next reviews of vendors that are not OFFBOARDED',
    type: 'VENDOR',
    key: 'next_review_due',
    filter: { status: STILL_HERE },
    of: ({ next_review_due }) => next_review_due,
  },
  {
    what: 'VENDOR_CONTRACT_ENDS',
    label: 'Contracts of vendors that end',
    counts: 'ends of contracts of vendors that are not OFFBOARDED',
    type: 'VENDOR',
    key: 'contract_until',
    filter: { status: STILL_HERE },
    of: ({ contract_until }) => contract_until,
  },
  {
    what: 'MEASURE',
    label: 'Measures',
    counts: 'due dates of measures neither IMPLEMENTED nor NOT_APPLICABLE',
    type: 'MEASURE',
    key: 'open_until',
    of: ({ due_date }) => due_date,
  },
  {
    what: 'OBLIGATION',
    label: 'Obligations',
    counts:
      'due dates of obligations that were not found met: not COMPLIANT, or not reviewed in the year before that day',
    type: 'OBLIGATION',
    key: 'unmet_until',
    of: ({ due_date }) => due_date,
  },
  {
    what: 'NONCONFORMITY',
    label: 'Nonconformities',
    counts: 'due dates of nonconformities that are not CLOSED',
    type: 'NONCONFORMITY',
    key: 'open_until',
    of: ({ due_date }) => due_date,
  },
  {
    what: 'AUDIT_STARTS',
    label: 'Audits that start',
    counts: 'starts of audits that are NOT_STARTED',
    type: 'AUDIT',
    key: 'starts_on',
    filter: { state: ['NOT_STARTED'] },
    of: ({ starts_on }) => starts_on,
  },
  {
    what: 'CERTIFICATE_ENDS',
    label: 'Certificates that end',
    counts: 'ends of certificates of audits that are COMPLETED',
    type: 'AUDIT',
    key: 'valid_until',
    filter: { state: ['COMPLETED'] },
    of: ({ valid_until }) => valid_until,
  },
  {
    what: 'EVIDENCE_ENDS',
    label: 'Evidence that ends',
    counts: 'last days on which evidence is valid',
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
      OWNER,
      ID,
    ];
    const about = { name: 'due_items', title: 'Due items', note: noteOf(today, until) };
    return {
      inputs: { until },
      about: [{ label: 'Due until', value: until }],
      figures: () => figures(context, until),
      sections: [{ ...about, columns, plot: 'calendar', rows: () => items(context, until) }],
    };
  },
};

function noteOf(today: string, until: string): string {
  return until < today
    ? `What was due until ${until} and is not done yet. What fell due after that day is left out, though it may be overdue.`
    : `What falls due until ${until}, and all that is overdue.`;
}

/** How many of each kind are due by then, and how many in all are overdue. */
async function figures(context: ReportContext, until: string): Promise<Figure[]> {
  const { models } = context.reader;
  const total = async (kind: Kind, bounds: object) => (await models.count(due(context, kind, bounds)))[0]?.total ?? 0;
  const { today } = context.moment;
  const found: Figure[] = [];
  let all = 0;
  let overdue = 0;
  for (const kind of KINDS) {
    const value = await total(kind, { lte: until });
    found.push(figure(`due_${kind.what.toLowerCase()}`, kind.label, value, `${kind.counts}, by ${until}`));
    all += value;
    overdue += today <= until ? await total(kind, { lt: today }) : value;
  }
  return [
    figure('due', 'All due items', all, `items of the list: what is due by ${until} and not done`),
    figure('overdue', 'Overdue', overdue, `items of the list whose day is before ${today}`),
    ...found,
  ];
}

const figure = (name: string, label: string, value: number, counts: string): Figure => {
  return { name, group: 'Due items', label, kind: 'COUNT', value, counts };
};

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

/** What it is called beside its reference, which some names begin with. */
function titleOf(document: Row): string {
  const { reference_id } = document;
  const name = nameOf(document);
  return reference_id && name.startsWith(`${reference_id}: `) ? name.slice(String(reference_id).length + 2) : name;
}

function itemOf({ moment }: ReportContext, { what, type, of }: Kind, document: Row): Row {
  const day = String(of(document));
  const { id, reference_id, owner_id } = document;
  return {
    due: day,
    overdue: day < moment.today,
    what,
    ...(reference_id ? { reference_id } : {}),
    name: titleOf(document),
    type,
    ...(owner_id ? { owner_id } : {}),
    id,
    ...(document.stale ? { stale: true } : {}),
  };
}
