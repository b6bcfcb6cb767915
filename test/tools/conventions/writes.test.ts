import { randomUUID } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { daysAgo } from '../../support/histories/story.ts';
import { embeddedPair, type ServedPair, serve } from '../../support/stores/pairs.ts';

const test = suite<ServedPair>('writes');

test.before(async (context) => {
  Object.assign(context, await serve(embeddedPair()));
});
test.after((served) => served.close());

test('a write answers the full record, its revision, position and event types', async ({ owner, organizationId }) => {
  const addAnswer = await owner.ok('addVendor', { organization_id: organizationId, name: 'Whole answer' });
  assert.equal(Object.keys(addAnswer), ['vendor', 'revision', 'position', 'event_types', 'call_id', 'url']);
  assert.equal([addAnswer.revision, addAnswer.event_types], [1, ['VendorAdded']]);
  const { id } = addAnswer.vendor;
  const several = await owner.ok('updateVendor', {
    id,
    country: 'DE',
    owner_id: 'ME',
    status: 'SUSPENDED',
    reason: 'r',
  });
  assert.equal(several.event_types, ['VendorDetailsChanged', 'VendorOwnerAssigned', 'VendorSuspended']);
  assert.equal([several.revision, several.vendor.revision], [4, 4]);
  assert.is(Number(several.position), Number(addAnswer.position) + 3);
  const read = await owner.ok('getRecords', { ids: [id] });
  assert.equal(read.records, [{ type: 'VENDOR', ...several.vendor }]);
  assert.equal((await owner.ok('getRecords', { ids: [id], as_of: addAnswer.position })).records[0]!.revision, 1);
  const { changes } = await owner.ok('listChanges', { organization_id: organizationId, filter: { record_id: [id] } });
  assert.equal(
    changes.map(({ position, revision }) => [Number(position) - Number(addAnswer.position), revision]),
    [3, 2, 1, 0].map((n) => [n, n + 1]),
  );
});

test('a full record has every field', async ({ owner, organizationId }) => {
  const { risk } = await owner.ok('addRisk', { organization_id: organizationId, name: 'Fields' });
  const common = ['id', 'organization_id', 'owner_id', 'owner', 'created_at', 'updated_at', 'revision', 'archived_at'];
  const ownFields =
    'reference_id name description category note inherent_likelihood inherent_impact residual_likelihood ';
  const derived =
    'residual_impact inherent_score residual_score score priority measure_count last_assessed_at next_review_due review_interval_months last_reviewed treatment status acceptance imported';
  assert.equal(Object.keys(risk).sort(), [...common, ...ownFields.trim().split(' '), ...derived.split(' ')].sort());
  assert.match(String(risk.created_at), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.match(risk.id, /^rsk_[0-9A-HJKMNP-TV-Z]{26}$/);
});

test('the same key with the same input writes once and answers as the first time', async ({
  owner,
  organizationId,
}) => {
  const idempotency_key = randomUUID();
  const add = { organization_id: organizationId, name: 'Once', idempotency_key };
  const first = await owner.ok('addVendor', add);
  assert.is(first.repeated, undefined);
  const { id } = first.vendor;
  await owner.ok('updateVendor', { id, country: 'DE' });
  const repeated = await owner.ok('addVendor', { ...add, name: '  Once ' });
  assert.equal(
    [repeated.repeated, repeated.revision, repeated.position, repeated.event_types],
    [true, 1, first.position, first.event_types],
  );
  assert.equal([repeated.vendor.id, repeated.vendor.country, repeated.vendor.revision], [id, 'DE', 2]);
  const list = { organization_id: organizationId, filter: { query: 'once' }, view: 'COUNT' };
  assert.is((await owner.ok('listVendors', list)).total, 1);

  const conflict = await owner.refused('addVendor', { ...add, name: 'Twice' });
  assert.equal([conflict.code, conflict.field, conflict.retryable], ['idempotency_conflict', 'idempotency_key', false]);
  const reasoned = await owner.refused('addVendor', { ...add, reason: 'another' });
  assert.is(reasoned.code, 'idempotency_conflict');
});

test('a key belongs to one tool and one record', async ({ owner, organizationId }) => {
  const idempotency_key = randomUUID();
  const keyed = { name: 'Scoped', idempotency_key };
  const { vendor } = await owner.ok('addVendor', { organization_id: organizationId, ...keyed });
  const { risk } = await owner.ok('addRisk', { organization_id: organizationId, ...keyed });
  const second = (await owner.ok('addVendor', { organization_id: organizationId, name: 'Other' })).vendor;
  for (const id of [vendor.id, second.id]) {
    const updated = await owner.ok('updateVendor', { id, country: id, idempotency_key });
    assert.equal([updated.repeated, updated.event_types], [undefined, ['VendorDetailsChanged']]);
  }
  const updated = await owner.ok('updateVendor', { id: vendor.id, country: vendor.id, idempotency_key });
  assert.is(updated.repeated, true);
  await owner.ok('updateRisk', { id: risk.id, note: 'n', idempotency_key });
  for (let times = 0; times < 2; times++) {
    await owner.ok('decideRisk', { id: risk.id, decision: 'CLOSE', reason: 'r', idempotency_key });
    await owner.ok('reviewVendor', { id: vendor.id, outcome: 'APPROVED', idempotency_key });
  }
  assert.is((await owner.ok('getRecords', { ids: [vendor.id] })).records[0]!.revision, 3);
});

test('a key of a refused call, or of one without a change, can be used again', async ({ owner, organizationId }) => {
  const { risk } = await owner.ok('addRisk', { organization_id: organizationId, name: 'Forgotten' });
  const idempotency_key = randomUUID();
  const decide = { id: risk.id, idempotency_key, reason: 'r' };
  assert.is((await owner.refused('decideRisk', { ...decide, decision: 'REOPEN' })).code, 'invalid_transition');
  const closed = await owner.ok('decideRisk', { ...decide, decision: 'CLOSE' });
  assert.equal([closed.repeated, closed.risk.status], [undefined, 'CLOSED']);
  const key = { id: risk.id, idempotency_key: randomUUID() };
  assert.equal((await owner.ok('updateRisk', { ...key, name: 'Forgotten' })).event_types, []);
  assert.equal((await owner.ok('updateRisk', { ...key, name: 'Another' })).event_types, ['RiskDetailsChanged']);
});

test('concurrent calls with one key add one record', async ({ owner, organizationId }) => {
  const add = { organization_id: organizationId, name: 'Raced', idempotency_key: randomUUID() };
  const answers = await Promise.all(Array.from({ length: 8 }, () => owner.ok('addRisk', add)));
  assert.is(new Set(answers.map(({ risk }) => risk.id)).size, 1);
  assert.is(answers.filter(({ repeated }) => !repeated).length, 1);
});

test('a stale expected_revision is a conflict with the current revision', async ({ owner, organizationId }) => {
  const { vendor } = await owner.ok('addVendor', { organization_id: organizationId, name: 'Revised' });
  const { id } = vendor;
  await owner.ok('updateVendor', { id, country: 'DE', expected_revision: 1 });
  for (const [tool, args] of [
    ['updateVendor', { country: 'AT' }],
    ['reviewVendor', { outcome: 'APPROVED' }],
  ] as const) {
    const error = await owner.refused(tool, { id, ...args, expected_revision: 1 });
    assert.equal([error.code, error.current_revision, error.retryable], ['conflict', 2, false]);
  }
  assert.is((await owner.refused('updateVendor', { id, expected_revision: 0 })).field, 'expected_revision');
  const keyed = { id, description: 'keyed', expected_revision: 2, idempotency_key: randomUUID() };
  await owner.ok('updateVendor', keyed);
  assert.is((await owner.ok('updateVendor', keyed)).repeated, true, 'a repeated call is not a conflict');
  const updates = Array.from({ length: 6 }, (_, index) => owner.ok('updateVendor', { id, description: `${index}` }));
  await Promise.all(updates);
  assert.is((await owner.ok('getRecords', { ids: [id] })).records[0]!.revision, 9);
});

test('an add writes the record and names similar ones', async ({ owner, organizationId }) => {
  const add = { organization_id: organizationId, name: 'Ünique Ltd' };
  const first = await owner.ok('addVendor', add);
  assert.is(first.similar, undefined);
  const second = await owner.ok('addVendor', { ...add, name: 'unique LTD' });
  assert.equal(second.similar, [{ id: first.vendor.id, name: 'Ünique Ltd' }]);
  const risk = await owner.ok('addRisk', { organization_id: organizationId, name: 'One', reference_id: 'U-1' });
  const sameReference = await owner.ok('addRisk', {
    organization_id: organizationId,
    name: 'Two',
    reference_id: 'u-1',
  });
  assert.equal(sameReference.similar, [{ id: risk.risk.id, name: 'One' }]);
});

test('a review older than the newest is recorded, and changes nothing else', async (served) => {
  const { owner, organizationId, accountId } = served;
  const { id } = (await owner.ok('addVendor', { organization_id: organizationId, name: 'Reviewed' })).vendor;
  const newest = await owner.ok('reviewVendor', {
    id,
    outcome: 'APPROVED',
    reviewed_at: '2026-06-01',
    findings: 'none',
  });
  assert.equal(newest.vendor.review, {
    outcome: 'APPROVED',
    findings: 'none',
    conditions: null,
    reviewed_by: accountId,
    reviewed_at: '2026-06-01',
  });
  assert.is(newest.vendor.next_review_due, '2027-06-01');
  const older = await owner.ok('reviewVendor', { id, outcome: 'REJECTED', reviewed_at: '2026-01-01' });
  assert.equal(older.event_types, ['VendorReviewed']);
  assert.equal(older.superseded_by, { reviewed_at: '2026-06-01', outcome: 'APPROVED' });
  assert.is(newest.superseded_by, undefined);
  const withoutRevision = (vendor: object) => ({ ...vendor, revision: 0, updated_at: '' });
  assert.equal(withoutRevision(older.vendor), withoutRevision(newest.vendor));
  const { changes } = await owner.ok('listChanges', { organization_id: organizationId, filter: { record_id: [id] } });
  assert.equal([changes[0]!.effective_at, changes[0]!.changes], ['2026-01-01', []]);
  const reviewBeforeDue = { id, outcome: 'APPROVED', reviewed_at: '2026-07-01', next_review_due: '2026-06-30' };
  assert.is((await owner.refused('reviewVendor', reviewBeforeDue)).field, 'next_review_due');
});

test('a review’s date stays that date, the last of its day, and the same call is a repeat', async (served) => {
  const { owner, organizationId } = served;
  const input = { organization_id: organizationId, name: 'Dated', last_reviewed: daysAgo(3) };
  const { id } = (await owner.ok('addVendor', input)).vendor;
  const review = (reviewed_at: string, idempotency_key: string, outcome = 'APPROVED') =>
    owner.ok('reviewVendor', { id, outcome, reviewed_at, idempotency_key });
  const before = await review(daysAgo(4), 'before');
  assert.equal(before.superseded_by, { reviewed_at: daysAgo(3), outcome: null });
  assert.is(before.vendor.status, 'PENDING_REVIEW');
  // A later time on a day that already has a review.
  const sameDayReview = await review(daysAgo(3), 'same');
  assert.equal([sameDayReview.superseded_by, sameDayReview.vendor.last_reviewed], [undefined, daysAgo(3)]);

  const now = await owner.ok('reviewVendor', { id, outcome: 'REJECTED' });
  const today = await review(daysAgo(0), 'today');
  assert.equal(
    [today.superseded_by, today.vendor.status],
    [undefined, 'APPROVED'],
    'a review of today is not before now',
  );
  assert.ok(now.vendor.last_reviewed! >= daysAgo(0));
  assert.is(today.vendor.last_reviewed, daysAgo(0));
  const repeatedReview = await review(daysAgo(0), 'today');
  assert.equal(
    [repeatedReview.repeated, repeatedReview.position, repeatedReview.superseded_by],
    [true, today.position, undefined],
  );
  const newest = await owner.ok('reviewVendor', { id, outcome: 'CONDITIONAL', conditions: 'c' });
  const laterReview = await review(daysAgo(0), 'today');
  const superseded_by = { reviewed_at: newest.vendor.last_reviewed, outcome: 'CONDITIONAL' };
  assert.equal([laterReview.repeated, laterReview.superseded_by], [true, superseded_by]);
  const otherReview = { id, outcome: 'APPROVED', reviewed_at: daysAgo(1), idempotency_key: 'today' };
  assert.is((await owner.refused('reviewVendor', otherReview)).code, 'idempotency_conflict');
  assert.is(
    (await owner.refused('reviewVendor', { ...otherReview, reviewed_at: daysAgo(-1) })).field,
    'idempotency_key',
  );
  // Tomorrow may be today in the zone that is farthest ahead.
  const future = { id, outcome: 'APPROVED', reviewed_at: daysAgo(-2) };
  assert.is((await owner.refused('reviewVendor', future)).field, 'reviewed_at');
});

test.run();
