import * as assert from 'uvu/assert';
import { daysAgo } from '../../support/histories/story.ts';
import { onBothPairs, type ServedPair } from '../../support/stores/pairs.ts';

/** A filter, a record that it finds, and one that it doesn't. Both also have the fields common to the test's records. */
type Case = [filter: object, finds: object, not: object];

const FUTURE = daysAgo(-30);
const PAST = daysAgo(30);
const SCORE = { inherent_impact: 5 };

const RISKS: Case[] = [
  [{ status: ['IN_TREATMENT', 'CLOSED'] }, { status: 'IN_TREATMENT' }, {}],
  [
    { priority: ['HIGH', 'CRITICAL'] },
    { ...SCORE, inherent_likelihood: 2 },
    { inherent_impact: 3, inherent_likelihood: 3 },
  ],
  [{ priority: ['LOW'] }, { inherent_impact: 4, inherent_likelihood: 1 }, { ...SCORE, inherent_likelihood: 1 }],
  [{ priority: ['MEDIUM'] }, { inherent_impact: 3, inherent_likelihood: 3 }, { ...SCORE, inherent_likelihood: 2 }],
  [{ priority: ['CRITICAL'] }, { ...SCORE, inherent_likelihood: 3 }, { inherent_impact: 3, inherent_likelihood: 4 }],
  [{ treatment: ['AVOIDED'] }, { treatment: 'AVOIDED' }, { treatment: 'MITIGATED' }],
  [{ category: ['ÁREA one', 'x'] }, { category: 'Area One' }, { category: 'area' }],
  [{ min_score: 10 }, { ...SCORE, inherent_likelihood: 2 }, { ...SCORE, inherent_likelihood: 1 }],
  [{ max_score: 5 }, { ...SCORE, inherent_likelihood: 1 }, { ...SCORE, inherent_likelihood: 2 }],
  [{ max_score: 5 }, { ...SCORE, inherent_likelihood: 1 }, {}],
  [{ due_before: FUTURE }, { next_review_due: PAST }, { next_review_due: FUTURE }],
  [{ due_before: FUTURE }, { next_review_due: PAST }, {}],
  [{ overdue: true }, { next_review_due: daysAgo(1) }, { next_review_due: daysAgo(0) }],
  [{ overdue: false }, { next_review_due: daysAgo(0) }, { next_review_due: daysAgo(1) }],
  [{ overdue: false }, {}, { next_review_due: daysAgo(1) }],
  [{ missing: ['OWNER'] }, {}, { owner_id: 'ME' }],
  [{ missing: ['SCORE'] }, { inherent_impact: 5 }, { ...SCORE, inherent_likelihood: 1 }],
  [{ missing: ['SCORE', 'OWNER'] }, {}, { owner_id: 'ME' }],
  [{ owner_id: ['ME'] }, { owner_id: 'ME' }, {}],
];

const VENDORS: Case[] = [
  [{ status: ['SUSPENDED'] }, { status: 'SUSPENDED', reason: 'r' }, {}],
  [{ criticality: ['HIGH', 'CRITICAL'] }, { criticality: 'CRITICAL' }, { criticality: 'LOW' }],
  [{ criticality: ['HIGH'] }, { criticality: 'HIGH' }, {}],
  [{ category: ['cloud'] }, { category: 'Cloud' }, { category: 'clouds' }],
  [{ country: ['ÖSTERREICH'] }, { country: 'Österreich' }, { country: 'Schweiz' }],
  [{ processes_personal_data: true }, { processes_personal_data: true }, { processes_personal_data: false }],
  [{ processes_personal_data: false }, { processes_personal_data: false }, {}],
  [{ reviewed_before: '2026-01-01' }, { last_reviewed: '2025-12-31T23:59:59Z' }, { last_reviewed: '2026-01-01' }],
  [{ reviewed_before: '2026-01-01' }, {}, { last_reviewed: '2026-02-01' }],
  [{ reviewed_before: '2026-01-01' }, {}, { status: 'OFFBOARDED', reason: 'r' }],
  [{ reviewed_before: '2026-01-01', status: ['OFFBOARDED'] }, { status: 'OFFBOARDED', reason: 'r' }, {}],
  [{ never_reviewed: true }, {}, { last_reviewed: '2026-01-01' }],
  [{ never_reviewed: false }, { last_reviewed: '2026-01-01' }, {}],
  [{ never_reviewed: true }, {}, { status: 'OFFBOARDED', reason: 'r' }],
  [{ review_due_before: FUTURE }, { next_review_due: PAST }, { next_review_due: FUTURE }],
  [{ review_overdue: true }, { next_review_due: daysAgo(1) }, { next_review_due: daysAgo(0) }],
  [{ review_overdue: true }, { next_review_due: PAST }, { next_review_due: PAST, status: 'OFFBOARDED', reason: 'r' }],
  [{ review_overdue: false }, { next_review_due: FUTURE }, { next_review_due: PAST }],
  [{ contract_until_before: FUTURE }, { contract_until: PAST }, { contract_until: FUTURE }],
  [{ contract_until_before: FUTURE }, { contract_until: PAST }, {}],
  [
    { contract_until_before: FUTURE },
    { contract_until: PAST },
    { contract_until: PAST, status: 'OFFBOARDED', reason: 'r' },
  ],
  [
    { contract_until_before: FUTURE, status: ['OFFBOARDED'] },
    { contract_until: PAST, status: 'OFFBOARDED', reason: 'r' },
    { contract_until: PAST },
  ],
  [{ missing: ['OWNER'] }, {}, { owner_id: 'ME' }],
  [{ owner_id: ['ME'] }, { owner_id: 'ME' }, {}],
];

const DUE: Case[] = [
  [{ due_before: FUTURE }, { due_date: PAST }, { due_date: FUTURE }],
  [{ due_before: FUTURE }, { due_date: PAST }, {}],
  [{ overdue: true }, { due_date: daysAgo(1) }, { due_date: daysAgo(0) }],
  [{ overdue: false }, {}, { due_date: daysAgo(1) }],
];

const MEASURES: Case[] = [
  ...DUE,
  [{ state: ['NOT_STARTED'] }, {}, { state: 'IMPLEMENTED' }],
  [{ state: ['NOT_STARTED', 'IN_PROGRESS'] }, { state: 'IN_PROGRESS' }, { state: 'IMPLEMENTED' }],
  [{ category: ['ENCRYPTION'] }, { category: 'Éncryption' }, { category: 'People' }],
  [{ overdue: true }, { due_date: PAST, state: 'IN_PROGRESS' }, { due_date: PAST, state: 'IMPLEMENTED' }],
  [{ overdue: true }, { due_date: PAST }, { due_date: PAST, state: 'NOT_APPLICABLE', justification: 'none' }],
];

const MET = { due_date: PAST, status: 'COMPLIANT' };

const OBLIGATIONS: Case[] = [
  ...DUE,
  [{ status: ['NOT_ASSESSED'] }, {}, { status: 'COMPLIANT' }],
  [{ status: ['COMPLIANT', 'NON_COMPLIANT'] }, { status: 'NON_COMPLIANT' }, {}],
  [{ area: ['DONNÉES'] }, { area: 'donnees' }, { area: 'Tax' }],
  [{ source: ['tax code', 'gdpr'] }, { source: 'GDPR' }, { source: 'GDP' }],
  [{ regulator: ['cnil'] }, { regulator: 'CNIL' }, {}],
  [{ due_after: PAST }, { due_date: FUTURE }, { due_date: PAST }],
  [{ due_after: PAST }, { due_date: FUTURE }, {}],
  [{ overdue: true }, { ...MET, status: 'PARTIALLY_COMPLIANT' }, MET],
  [{ overdue: true }, { ...MET, last_review_date: daysAgo(397) }, { ...MET, last_review_date: daysAgo(396) }],
];

const TREATED = { root_cause: 'Haste', corrective_action: 'A test' };
const CLOSED = { ...TREATED, effectiveness_check: 'seen', status: 'CLOSED' };

const NONCONFORMITIES: Case[] = [
  ...DUE,
  [{ status: ['IN_PROGRESS', 'CLOSED'] }, CLOSED, {}],
  [{ open: true }, { ...TREATED, status: 'PENDING_VERIFICATION' }, CLOSED],
  [{ open: false }, CLOSED, {}],
  [{ severity: ['MAJOR'] }, { severity: 'MAJOR' }, { severity: 'MINOR' }],
  [{ overdue: true }, { due_date: PAST }, { ...CLOSED, due_date: PAST }],
  [{ missing: ['ROOT_CAUSE'] }, { corrective_action: 'A test' }, { root_cause: 'Haste' }],
];

const AUDITS: Case[] = [
  [{ state: ['NOT_STARTED', 'REJECTED'] }, { state: 'REJECTED' }, { state: 'IN_PROGRESS' }],
  [{ kind: ['INTERNAL'] }, { kind: 'INTERNAL' }, { kind: 'EXTERNAL' }],
  [{ starts_before: FUTURE }, { starts_on: PAST }, { starts_on: FUTURE }],
  [{ starts_after: PAST }, { starts_on: FUTURE }, { starts_on: PAST }],
  [{ starts_after: PAST }, { starts_on: FUTURE }, {}],
  [{ valid_on: FUTURE }, { valid_from: FUTURE }, { valid_from: daysAgo(-31) }],
  [{ valid_on: FUTURE }, { valid_until: FUTURE }, { valid_until: daysAgo(-29) }],
  [{ valid_on: FUTURE }, { valid_from: PAST, valid_until: FUTURE }, {}],
];

/** The tools and words of each family, and the field that takes the mark of a case. */
const FAMILIES = {
  Risk: ['risk', 'risks', 'listRisks', 'name', RISKS],
  Vendor: ['vendor', 'vendors', 'listVendors', 'name', VENDORS],
  Measure: ['measure', 'measures', 'listMeasures', 'name', MEASURES],
  Obligation: ['obligation', 'obligations', 'listObligations', 'requirement', OBLIGATIONS],
  Nonconformity: ['nonconformity', 'nonconformities', 'listNonconformities', 'description', NONCONFORMITIES],
  Audit: ['audit', 'audits', 'listAudits', 'name', AUDITS],
} as const;

/** Adds both records of each case with a mark of its own, and asserts that the filter finds only the first. */
async function check({ owner, organizationId }: ServedPair, title: keyof typeof FAMILIES): Promise<void> {
  const [singular, plural, tool, text, cases] = FAMILIES[title];
  const ok = (name: string, input: object) =>
    owner.ok(name, { organization_id: organizationId, ...input }) as unknown as Promise<Record<string, unknown>>;
  const required: { framework_id?: string } = {};
  if (title === 'Audit') {
    const controls = [{ section_title: 'A.1', name: 'Rules' }];
    const { framework } = await ok('addFramework', { name: 'House rules', controls });
    required.framework_id = (framework as { id: string }).id;
  }
  const idsIn = (answer: Record<string, unknown>) => (answer[plural] as { id: string }[]).map(({ id }) => id);
  await Promise.all(
    cases.map(async ([filter, finds, not], index) => {
      const mark = `${title}x${index}x`;
      const add = async (fields: object) => {
        const answer = await ok(`add${title}`, { ...required, [text]: mark, ...fields });
        return (answer[singular] as { id: string }).id;
      };
      const [matchingId] = await Promise.all([add(finds), add(not)]);
      const list = { filter: { query: mark, ...filter } };
      assert.equal(idsIn(await ok(tool, list)), [matchingId], JSON.stringify(filter));
      assert.equal(idsIn(await ok(tool, { ...list, as_of: daysAgo(0) })), [matchingId], JSON.stringify(filter));
      assert.is((await ok(tool, { ...list, view: 'COUNT' })).total, 1);
    }),
  );
}

await onBothPairs('filters', (test) => {
  for (const title of Object.keys(FAMILIES) as (keyof typeof FAMILIES)[]) {
    const tool = FAMILIES[title][2];
    test(`each filter of ${tool} finds exactly the matching records`, (served) => check(served, title));
  }

  test('listRisks filters by the end of an acceptance', async ({ owner, organizationId }) => {
    const add = async (until?: string) => {
      const { risk } = await owner.ok('addRisk', { organization_id: organizationId, name: 'Acceptance' });
      if (until) await owner.ok('decideRisk', { id: risk.id, decision: 'ACCEPT', until, reason: 'r' });
      return risk.id;
    };
    const [soon] = [await add(daysAgo(-10)), await add(daysAgo(-20)), await add()];
    const find = async (filter: object) =>
      (
        await owner.ok('listRisks', { organization_id: organizationId, filter: { query: 'acceptance', ...filter } })
      ).risks.map(({ id }) => id);
    assert.equal(await find({ acceptance_until_before: daysAgo(-20) }), [soon]);
    assert.equal(await find({ acceptance_expired: true }), []);
    assert.ok((await find({ acceptance_expired: false })).includes(soon));
  });

  test('lists filter by ids, updated_since and include_archived', async ({ owner, organizationId }) => {
    const add = async (name: string) =>
      (await owner.ok('addVendor', { organization_id: organizationId, name: `Common ${name}` })).vendor;
    const [firstVendor, secondVendor] = [await add('one'), await add('two')];
    const find = async (filter: object) =>
      (
        await owner.ok('listVendors', { organization_id: organizationId, filter: { query: 'common', ...filter } })
      ).vendors.map(({ id }) => id);
    assert.equal(await find({ ids: [secondVendor.id, secondVendor.id] }), [secondVendor.id]);
    assert.equal(await find({ ids: [firstVendor.id, secondVendor.id] }), [firstVendor.id, secondVendor.id]);
    const updatedAt = String(
      (await owner.ok('updateVendor', { id: secondVendor.id, country: 'DE' })).vendor.updated_at,
    );
    assert.equal(await find({ updated_since: updatedAt }), [secondVendor.id]);
    assert.equal(await find({ updated_since: daysAgo(0) }), [firstVendor.id, secondVendor.id]);
    assert.equal(await find({ updated_since: daysAgo(-1) }), []);
    await owner.ok('archiveRecords', { ids: [firstVendor.id], action: 'ARCHIVE', reason: 'r' });
    assert.equal(await find({}), [secondVendor.id]);
    assert.equal(await find({ include_archived: true }), [firstVendor.id, secondVendor.id]);
    const wrongPrefix = await owner.refused('listVendors', {
      organization_id: organizationId,
      filter: { ids: ['rsk_1'] },
    });
    assert.equal([wrongPrefix.field, wrongPrefix.allowed], ['filter.ids.0', ['vnd_…']]);
    const tooManyIds = {
      organization_id: organizationId,
      filter: { ids: Array.from({ length: 51 }, () => firstVendor.id) },
    };
    assert.is((await owner.refused('listVendors', tooManyIds)).field, 'filter.ids');
  });

  test('each word of query must begin a word, ignoring case and accents', async ({ owner, organizationId }) => {
    const { vendor } = await owner.ok('addVendor', {
      organization_id: organizationId,
      name: 'Crème-Brûlée GmbH',
      description: `Control A.8.13 of İstanbul. ${Array.from({ length: 120 }, (_, index) => `word${index}x`).join(' ')}`,
    });
    const { risk } = await owner.ok('addRisk', { organization_id: organizationId, name: 'r', reference_id: 'QX-77' });
    const finds = async (query: string) => {
      const answer = await owner.ok('listVendors', { organization_id: organizationId, filter: { query } });
      return answer.vendors.some(({ id }) => id === vendor.id);
    };
    for (const query of ['creme', 'CRÈ brul', 'gmbh creme', 'a.8.13', 'A.8', 'brule contr', 'word5x', '  creme  ']) {
      assert.ok(await finds(query), query);
    }
    for (const query of ['reme', 'creme other', '8.13', 'word119x', 'a813']) assert.not(await finds(query), query);
    const position = (await owner.ok('updateRisk', { id: risk.id, note: 'n' })).position;
    const wordy = (words: number) => Array.from({ length: words }, (_, index) => index.toString(36)).join(' ');
    for (const moment of [{}, { as_of: position }]) {
      for (const view of ['SUMMARY', 'COUNT']) {
        const listInput = { organization_id: organizationId, view, ...moment };
        await owner.ok('listVendors', { ...listInput, filter: { query: wordy(100) } });
        await owner.ok('listVendors', { ...listInput, filter: { query: 'creme '.repeat(300) } });
        for (const words of [101, 500]) {
          const refusal = await owner.refused('listVendors', { ...listInput, filter: { query: wordy(words) } });
          assert.equal([refusal.code, refusal.field], ['invalid_input', 'filter.query']);
          assert.match(refusal.message, `${words} different words. Use at most 100`);
        }
      }
    }
    const byReference = { organization_id: organizationId, filter: { query: 'qx 77' } };
    assert.equal(
      (await owner.ok('listRisks', byReference)).risks.map(({ id }) => id),
      [risk.id],
    );
  });
});
