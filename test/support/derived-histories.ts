import fc from 'fast-check';

/** The day on which every history begins. */
export const BEGINNING = '2026-01-01';

export const because = { reason: 'why' };
const name = fc.constantFrom('One', 'Two', 'Three');
const rating = fc.option(fc.integer({ min: 1, max: 5 }), { freq: 5 });
/** Days on both sides of those that a history goes through. */
const day = fc.option(fc.constantFrom('2026-01-01', '2026-01-03', '2026-01-10', '2026-02-01', '2027-06-01'));

interface Kind {
  title: string;
  /** What a new one has; none where it comes with another. */
  fields?: fc.Arbitrary<object>;
  /** What an update changes; none where it is never changed. */
  changes?: fc.Arbitrary<object>;
  /** Commands of its own. */
  further?: fc.Arbitrary<{ type: string }>;
  /** A field that names a record of another kind, and which. */
  refers?: readonly [field: string, kind: string];
  /** How often it is added and changed, for the others' once. */
  often?: readonly [added: number, changed: number];
}

/** How each family's records come about and change. Only what bears on derived facts and reports needs to vary. */
export const KINDS: Readonly<Record<string, Kind>> = {
  rsk: {
    title: 'Risk',
    fields: fc.record({ name, inherent_likelihood: rating, inherent_impact: rating, next_review_due: day }),
    changes: fc.record({ name, residual_likelihood: rating, residual_impact: rating }),
    further: fc
      .constantFrom('ACCEPT', 'REVOKE', 'CLOSE', 'REOPEN')
      .map((decision) => ({ type: 'DecideRisk', decision, until: '2026-01-10', ...because })),
  },
  vnd: {
    title: 'Vendor',
    fields: fc.record({
      name,
      criticality: fc.constantFrom(null, 'LOW', 'HIGH', 'CRITICAL'),
      contract_until: day,
      next_review_due: day,
    }),
    changes: fc.oneof(
      fc.record({ name }),
      fc.constantFrom('SUSPENDED', 'OFFBOARDED').map((status) => ({ status })),
    ),
    further: fc
      .record({ outcome: fc.constantFrom('APPROVED', 'REJECTED'), old: fc.boolean() })
      .map(({ outcome, old }) => ({
        type: 'ReviewVendor',
        outcome,
        ...(old ? { reviewed_at: `${BEGINNING}T00:00:00.000Z` } : {}),
      })),
    often: [1, 3],
  },
  msr: {
    title: 'Measure',
    fields: fc.record({ name, due_date: day, state: fc.constantFrom('NOT_STARTED', 'IMPLEMENTED') }),
    changes: fc
      .constantFrom('NOT_STARTED', 'IN_PROGRESS', 'IMPLEMENTED', 'IMPLEMENTED', 'NOT_APPLICABLE')
      .map((state) => (state === 'NOT_APPLICABLE' ? { state, justification: 'not here' } : { state })),
    often: [2, 6],
  },
  obl: {
    title: 'Obligation',
    fields: fc.record({ requirement: name, due_date: day }),
    changes: fc.record(
      {
        status: fc.constantFrom('NON_COMPLIANT', 'COMPLIANT', 'COMPLIANT'),
        last_review_date: fc.constantFrom(null, '2024-12-31', '2025-01-01', '2025-01-02'),
      },
      { requiredKeys: [] },
    ),
  },
  ncf: {
    title: 'Nonconformity',
    fields: fc.record({ description: name, due_date: day, severity: fc.constantFrom(null, 'MAJOR', 'MINOR') }),
    changes: fc.oneof(
      fc.record({ root_cause: fc.option(name), corrective_action: name, effectiveness_check: name }),
      fc.record({ status: fc.constantFrom('OPEN', 'IN_PROGRESS', 'PENDING_VERIFICATION', 'CLOSED', 'CLOSED') }),
    ),
    refers: ['audit_id', 'aud'],
    often: [1, 2],
  },
  frm: { title: 'Framework', fields: fc.record({ name }), changes: fc.record({ name }) },
  ctl: {
    title: 'Control',
    changes: fc.oneof(
      fc.constantFrom('INCLUDED', 'EXCLUDED').map((status) => ({ status, exclusion_justification: 'not here' })),
      fc.record({ name }),
    ),
    often: [0, 4],
  },
  aud: {
    title: 'Audit',
    fields: fc.record({ name, starts_on: day, valid_until: day }),
    changes: fc.oneof(
      fc.record({ state: fc.constantFrom('IN_PROGRESS', 'COMPLETED', 'REJECTED', 'OUTDATED') }),
      fc.record({ name }),
    ),
    refers: ['framework_id', 'frm'],
    often: [1, 3],
  },
  evd: {
    title: 'Evidence',
    fields: fc.record({ name, url: fc.constant('https://example.org'), valid_until: day }),
    often: [6, 0],
  },
};

const kindsWith = (part: 'fields' | 'changes' | 'further') => {
  const names = Object.keys(KINDS).filter((kind) => KINDS[kind]![part]);
  const weight = (kind: string) => (part === 'further' ? 1 : (KINDS[kind]!.often?.[part === 'fields' ? 0 : 1] ?? 1));
  return fc.oneof(...names.map((kind) => ({ weight: weight(kind), arbitrary: fc.constant(kind) })));
};
/** Any number: what it chooses is found out when there is something to choose from. */
const pick = fc.nat(1_000);

/** What somebody wants done; whatever is chosen is chosen by number from what there is then. */
export type Order =
  | { do: 'add'; kind: string; fields: object; picks: number[] }
  | { do: 'update'; kind: string; changes: object; pick: number; refer: number | null }
  | { do: 'decide'; kind: string; command: { type: string }; pick: number }
  | { do: 'join'; pick: number; picks: number[] }
  | { do: 'part'; pick: number }
  | { do: 'archive'; kind: string; pick: number }
  | { do: 'restore'; pick: number };

const adding = kindsWith('fields').chain((kind) =>
  fc.record({
    do: fc.constant('add' as const),
    kind: fc.constant(kind),
    fields: KINDS[kind]!.fields!,
    picks: fc.array(pick, { minLength: 1, maxLength: 4 }),
  }),
);
const updating = kindsWith('changes').chain((kind) =>
  fc.record({
    do: fc.constant('update' as const),
    kind: fc.constant(kind),
    changes: KINDS[kind]!.changes!,
    pick,
    refer: fc.option(pick),
  }),
);
const deciding = kindsWith('further').chain((kind) =>
  fc.record({ do: fc.constant('decide' as const), kind: fc.constant(kind), command: KINDS[kind]!.further!, pick }),
);
const joining = fc.record({
  do: fc.constant('join' as const),
  pick,
  picks: fc.array(pick, { minLength: 1, maxLength: 3 }),
});
const parting = fc.record({ do: fc.constant('part' as const), pick });
const archiving = fc.record({
  do: fc.constant('archive' as const),
  kind: fc.constantFrom(...Object.keys(KINDS)),
  pick,
});
const restoring = fc.record({ do: fc.constant('restore' as const), pick });

const order: fc.Arbitrary<Order> = fc.oneof(
  { weight: 4, arbitrary: adding },
  { weight: 6, arbitrary: updating },
  { weight: 1, arbitrary: deciding },
  { weight: 8, arbitrary: joining },
  { weight: 3, arbitrary: parting },
  { weight: 4, arbitrary: archiving },
  { weight: 3, arbitrary: restoring },
);

export interface DerivedStep {
  order: Order;
  /** Milliseconds until it: some go back, some pass a day. */
  clock: number;
  /** What it names was archived by another write just after that was looked into. */
  overtaken: boolean;
}

const overtaken = fc.integer({ min: 0, max: 7 }).map((n) => n === 7);
const clock = fc.oneof(fc.integer({ min: -3_000, max: 5_000 }), fc.constant(86_400_000));

/** What people did with a whole register. */
export function derivedHistory(maxLength: number): fc.Arbitrary<DerivedStep[]> {
  const steps = fc.array(fc.record({ order, clock, overtaken }), { minLength: 1, maxLength, size: 'max' });
  return fc.noBias(steps);
}
