import fc from 'fast-check';

/** The day on which every history begins. */
export const FIRST_DAY = '2026-01-01';

export const withReason = { reason: 'why' };
const name = fc.constantFrom('One', 'Two', 'Three');
const rating = fc.option(fc.integer({ min: 1, max: 5 }), { freq: 5 });
/** Days before, within and after a history. */
const day = fc.option(fc.constantFrom('2026-01-01', '2026-01-03', '2026-01-10', '2026-02-01', '2027-06-01'));

/** Where every new record comes from, so that its row can bring a past decision. */
export const ORIGIN = { name_id: null, source: 'row 2 of register.csv' };

/** Returns the fields of new records. Some of them have a past decision. */
function maybeDecided(fields: Record<string, fc.Arbitrary<unknown>>, decision: object): fc.Arbitrary<object> {
  const undecided = fc.record(fields);
  return fc.oneof(
    { arbitrary: undecided, weight: 3 },
    { arbitrary: undecided.map((values) => ({ ...values, ...decision })), weight: 1 },
  );
}

/** Returns the update that says that a record was reviewed, with an interval or without. */
const reviewed = (title: string) =>
  fc.constantFrom(undefined, null, 1, 12).map((review_interval_months) => ({
    type: `Update${title}`,
    changes: review_interval_months === undefined ? {} : { review_interval_months },
    reviewed: true,
  }));

interface Kind {
  title: string;
  /** Fields of a new record. Missing for a kind that comes with another record. */
  fields?: fc.Arbitrary<object>;
  /** Fields that an update changes. Missing for a kind that never changes. */
  changes?: fc.Arbitrary<object>;
  /** The family's own commands. */
  further?: fc.Arbitrary<{ type: string }>;
  /** A field that refers to a record of another kind, and that kind. */
  refers?: readonly [field: string, kind: string];
  /** Weights of adding and changing it. The default is 1. */
  often?: readonly [added: number, changed: number];
}

/** Commands by kind of record. Only fields that affect derived facts and reports vary. */
export const COMMANDS_BY_KIND: Readonly<Record<string, Kind>> = {
  rsk: {
    title: 'Risk',
    fields: maybeDecided(
      { name, inherent_likelihood: rating, inherent_impact: rating, next_review_due: day },
      { status: 'ACCEPTED', accepted_until: '2026-01-10', acceptance_reason: 'why' },
    ),
    changes: fc.oneof(
      fc.record({ name, residual_likelihood: rating, residual_impact: rating }),
      fc.record({ next_review_due: day }),
    ),
    further: fc
      .constantFrom('ACCEPT', 'REVOKE', 'CLOSE', 'REOPEN')
      .map((decision) => ({ type: 'DecideRisk', decision, until: '2026-01-10', ...withReason })),
  },
  vnd: {
    title: 'Vendor',
    fields: maybeDecided(
      {
        name,
        criticality: fc.constantFrom(null, 'LOW', 'HIGH', 'CRITICAL'),
        contract_until: day,
        next_review_due: day,
      },
      { status: 'APPROVED', last_reviewed: '2025-06-01T00:00:00.000Z' },
    ),
    changes: fc.oneof(
      fc.record({ name, contract_until: day, next_review_due: day }),
      fc.constantFrom('SUSPENDED', 'OFFBOARDED').map((status) => ({ status })),
    ),
    further: fc
      .record({ outcome: fc.constantFrom('APPROVED', 'REJECTED'), old: fc.boolean() })
      .map(({ outcome, old }) => ({
        type: 'ReviewVendor',
        outcome,
        ...(old ? { reviewed_at: `${FIRST_DAY}T00:00:00.000Z` } : {}),
      })),
    often: [1, 3],
  },
  msr: {
    title: 'Measure',
    fields: fc.record({ name, due_date: day, state: fc.constantFrom('NOT_STARTED', 'IMPLEMENTED') }),
    changes: fc.oneof(
      {
        weight: 3,
        arbitrary: fc
          .constantFrom('NOT_STARTED', 'IN_PROGRESS', 'IMPLEMENTED', 'IMPLEMENTED', 'NOT_APPLICABLE')
          .map((state) => (state === 'NOT_APPLICABLE' ? { state, justification: 'not here' } : { state })),
      },
      fc.record({ due_date: day, next_review_due: day }),
    ),
    further: reviewed('Measure'),
    often: [2, 6],
  },
  obl: {
    title: 'Obligation',
    fields: fc.record({ requirement: name, due_date: day }),
    changes: fc.record(
      {
        status: fc.constantFrom('NON_COMPLIANT', 'COMPLIANT', 'COMPLIANT'),
        last_review_date: fc.constantFrom(null, '2024-12-31', '2025-01-01', '2025-01-02'),
        due_date: day,
      },
      { requiredKeys: [] },
    ),
  },
  ncf: {
    title: 'Nonconformity',
    fields: fc.record({ description: name, due_date: day, severity: fc.constantFrom(null, 'MAJOR', 'MINOR') }),
    changes: fc.oneof(
      fc.record({ root_cause: fc.option(name), corrective_action: name, effectiveness_check: name }),
      fc.record({ due_date: day }),
      fc.record({ status: fc.constantFrom('OPEN', 'IN_PROGRESS', 'PENDING_VERIFICATION', 'CLOSED', 'CLOSED') }),
    ),
    refers: ['audit_id', 'aud'],
    often: [1, 2],
  },
  frm: { title: 'Framework', fields: fc.record({ name }) },
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
      fc.record({ name, starts_on: day }),
    ),
    refers: ['framework_id', 'frm'],
    often: [1, 3],
  },
  evd: {
    title: 'Evidence',
    fields: fc.record({
      name,
      url: fc.constant('https://example.org'),
      collected_at: fc.option(fc.constantFrom('2025-06-01T00:00:00.000Z', '2025-09-01T00:00:00.000Z')),
      valid_until: day,
    }),
    often: [6, 0],
  },
};

const kindsWith = (part: 'fields' | 'changes' | 'further') => {
  const names = Object.keys(COMMANDS_BY_KIND).filter((kind) => COMMANDS_BY_KIND[kind]![part]);
  const weight = (kind: string) =>
    part === 'further' ? 1 : (COMMANDS_BY_KIND[kind]!.often?.[part === 'fields' ? 0 : 1] ?? 1);
  return fc.oneof(...names.map((kind) => ({ weight: weight(kind), arbitrary: fc.constant(kind) })));
};
/** A random number. It becomes a choice once the choices exist. */
const pick = fc.nat(1_000);

/** An action. Numbers choose among the records that exist when it is carried out. */
export type Action =
  | { do: 'add'; kind: string; fields: object; picks: number[] }
  | { do: 'update'; kind: string; changes: object; pick: number; refer: number | null }
  | { do: 'decide'; kind: string; command: { type: string }; pick: number }
  | { do: 'join'; pick: number; picks: number[] }
  | { do: 'part'; pick: number }
  | { do: 'import crosswalk'; picks: number[] }
  | { do: 'archive'; kind: string; pick: number }
  | { do: 'restore'; pick: number };

const adding = kindsWith('fields').chain((kind) =>
  fc.record({
    do: fc.constant('add' as const),
    kind: fc.constant(kind),
    fields: COMMANDS_BY_KIND[kind]!.fields!,
    picks: fc.array(pick, { minLength: 1, maxLength: 4 }),
  }),
);
const updating = kindsWith('changes').chain((kind) =>
  fc.record({
    do: fc.constant('update' as const),
    kind: fc.constant(kind),
    changes: COMMANDS_BY_KIND[kind]!.changes!,
    pick,
    refer: fc.option(pick),
  }),
);
const deciding = kindsWith('further').chain((kind) =>
  fc.record({
    do: fc.constant('decide' as const),
    kind: fc.constant(kind),
    command: COMMANDS_BY_KIND[kind]!.further!,
    pick,
  }),
);
const joining = fc.record({
  do: fc.constant('join' as const),
  pick,
  picks: fc.array(pick, { minLength: 1, maxLength: 3 }),
});
const importing = fc.record({
  do: fc.constant('import crosswalk' as const),
  picks: fc.array(pick, { minLength: 1, maxLength: 6 }),
});
const parting = fc.record({ do: fc.constant('part' as const), pick });
const archiving = fc.record({
  do: fc.constant('archive' as const),
  kind: fc.constantFrom(...Object.keys(COMMANDS_BY_KIND)),
  pick,
});
const restoring = fc.record({ do: fc.constant('restore' as const), pick });

const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 4, arbitrary: adding },
  { weight: 6, arbitrary: updating },
  { weight: 1, arbitrary: deciding },
  { weight: 8, arbitrary: joining },
  { weight: 2, arbitrary: importing },
  { weight: 3, arbitrary: parting },
  { weight: 4, arbitrary: archiving },
  { weight: 3, arbitrary: restoring },
);

export interface DerivedStep {
  action: Action;
  /** Milliseconds by which the clock moves before this step. Some are negative, some are longer than a day. */
  clock: number;
  /** Another write archives the named record right after it was checked. */
  overtaken: boolean;
}

const overtaken = fc.integer({ min: 0, max: 7 }).map((n) => n === 7);
const DAY_MS = 86_400_000;
const clock = fc.oneof(
  { weight: 5, arbitrary: fc.integer({ min: -3_000, max: 5_000 }) },
  { weight: 4, arbitrary: fc.constant(DAY_MS) },
  { weight: 1, arbitrary: fc.constant(6 * DAY_MS) },
);

/** Generates random histories of a register with all families. */
export function derivedHistory(maxLength: number): fc.Arbitrary<DerivedStep[]> {
  const steps = fc.array(fc.record({ action, clock, overtaken }), { minLength: 1, maxLength, size: 'max' });
  return fc.noBias(steps);
}
