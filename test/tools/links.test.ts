import * as assert from 'uvu/assert';
import { type Answer, ORGANIZATION, type TestRegister } from '../support/register.ts';
import { registerSuite } from '../support/register-suite.ts';

interface Context {
  register: TestRegister;
  risk: string;
  vendor: string;
}

const test = registerSuite<Context>('links and evidence', 'EACH', async (register) => {
  return {
    risk: await add(register, 'Risk', { name: 'Flood' }),
    vendor: await add(register, 'Vendor', { name: 'Unicloud' }),
  };
});

async function add({ call }: TestRegister, title: string, fields: object): Promise<string> {
  const answer = await call(`add${title}`, { organization_id: ORGANIZATION, ...fields });
  assert.not('error' in answer, JSON.stringify(answer));
  return (answer[title.toLowerCase()] as { id: string }).id;
}

function link({ call }: TestRegister, from_id: string, to_id: string, extraInput: object = {}): Promise<Answer> {
  return call('linkRecords', { links: [{ from_id, to_id }], ...extraInput });
}

const resultOf = (answer: Answer) => (answer.links as { result: string }[]).map(({ result }) => result);

async function record({ call }: TestRegister, id: string, extraInput: object = {}): Promise<Answer> {
  const { records } = (await call('getRecords', { ids: [id], ...extraInput })) as unknown as { records: Answer[] };
  return records[0]!;
}

const idsOf = (linkedRecords: unknown) => (linkedRecords as { records: { id: string }[] }).records.map(({ id }) => id);

test('links are created and removed once each, and don’t change revisions', async ({ register, risk, vendor }) => {
  const before = await record(register, risk);
  assert.equal(resultOf(await link(register, risk, vendor, { reason: 'stored there' })), ['CREATED']);
  assert.equal(resultOf(await link(register, vendor, risk)), ['UNCHANGED'], 'without direction');
  const linked = await record(register, risk, { include: ['LINKS', 'EVIDENCE'] });
  assert.equal(linked.links, { records: [{ id: vendor, type: 'VENDOR', name: 'Unicloud' }], total: 1 });
  assert.equal(linked.evidence, { records: [], total: 0 });
  assert.equal([linked.revision, linked.updated_at], [before.revision, before.updated_at]);
  assert.equal(resultOf(await link(register, vendor, risk, { action: 'UNLINK', reason: 'Found out' })), ['REMOVED']);
  assert.equal(resultOf(await link(register, vendor, risk, { action: 'UNLINK', reason: 'Found out' })), ['UNCHANGED']);
  assert.equal((await record(register, vendor, { include: ['LINKS'] })).links, { records: [], total: 0 });
});

test('a link appears in both records’ changes, and once in a list of both', async ({ register, risk, vendor }) => {
  await link(register, risk, vendor, { reason: 'stored there' });
  const changes = async (filter: object, extraInput: object = {}) => {
    const answer = await register.call('listChanges', { organization_id: ORGANIZATION, filter, ...extraInput });
    assert.not('error' in answer, JSON.stringify(answer));
    return answer as unknown as { changes: Record<string, unknown>[]; total: number };
  };
  for (const [id, other] of [
    [risk, vendor],
    [vendor, risk],
  ] as const) {
    const [newest, addAnswer] = (await changes({ record_id: [id] })).changes;
    assert.equal([newest!.event_type, newest!.revision, newest!.reason], ['RecordsLinked', null, 'stored there']);
    assert.is((newest!.record as { id: string }).id, id);
    assert.is((newest!.linked as { id: string }).id, other);
    assert.equal(newest!.changes, [{ field: 'linked', from: null, to: other }]);
    assert.match(String(addAnswer!.event_type), /Added$/);
  }
  const changesOfBoth = await changes({ record_id: [risk, vendor] });
  assert.equal(
    changesOfBoth.changes.map(({ event_type }) => event_type),
    ['RecordsLinked', 'VendorAdded', 'RiskAdded'],
  );
  assert.is((await changes({ record_id: [risk, vendor] }, { view: 'COUNT' })).total, 3);
  assert.is((await changes({ event_types: ['RecordsLinked'] })).changes.length, 1);
  const first = await changes({ record_types: ['RISK', 'VENDOR'] }, { size: 1 });
  assert.is((first.changes[0] as { event_type: string }).event_type, 'RecordsLinked');
  const verified = await register.call('listChanges', { organization_id: ORGANIZATION, verify: true });
  assert.is((verified.verification as { verdict: string }).verdict, 'VALID');
});

test('repeating linkRecords with a key returns the first answer', async ({ register, risk, vendor }) => {
  const key = { idempotency_key: 'once' };
  assert.equal(resultOf(await link(register, risk, vendor, key)), ['CREATED']);
  assert.equal(resultOf(await link(register, risk, vendor, key)), ['CREATED']);
  const { error } = (await link(register, risk, vendor, { ...key, reason: 'other' })) as { error: { code: string } };
  assert.is(error.code, 'idempotency_conflict');
});

test('evidence is linked when added, and can be unlinked and linked again', async ({ register, risk, vendor }) => {
  const { call } = register;
  const input = { organization_id: ORGANIZATION, name: 'Report', text: 'All is well.', record_ids: [risk, vendor] };
  const { evidence } = (await call('addEvidence', { ...input, valid_until: '2020-01-01' })) as { evidence: Answer };
  assert.is(String(evidence.sha256).length, 64);
  assert.equal(
    [evidence.record_ids, evidence.record_count, evidence.expired],
    [[vendor, risk].sort(byNewest), 2, true],
  );
  const id = String(evidence.id);
  assert.equal(idsOf((await record(register, risk, { include: ['EVIDENCE'] })).evidence), [id]);
  assert.equal(resultOf(await link(register, id, risk)), ['UNCHANGED'], 'linked by its own first event');
  assert.equal(resultOf(await link(register, id, risk, { action: 'UNLINK', reason: 'Found out' })), ['REMOVED']);
  assert.equal((await record(register, id)).record_ids, [vendor]);
  assert.equal(resultOf(await link(register, risk, id)), ['CREATED']);
  const history = (await record(register, risk, { include: ['HISTORY'] })).history as { changes: Answer[] };
  assert.equal(
    history.changes.map(({ event_type }) => event_type),
    ['RecordsLinked', 'RecordsUnlinked', 'EvidenceAdded', 'RiskAdded'],
  );
  const idsMissing = async (missing: string) => {
    const answer = await call('listRisks', { organization_id: ORGANIZATION, filter: { missing: [missing] } });
    return (answer.risks as { id: string }[]).length;
  };
  assert.is(await idsMissing('EVIDENCE'), 1, 'expired evidence counts as missing');
  await call('addEvidence', { ...input, name: 'Newer' });
  assert.is(await idsMissing('EVIDENCE'), 0);
  assert.is(await idsMissing('MEASURES'), 1);
  const archived = await call('archiveRecords', { ids: [risk], action: 'ARCHIVE', reason: 'done' });
  assert.is((archived.records as { referred_by: number }[])[0]!.referred_by, 2);
});

/** Links of one event are ordered by their rows' ids, descending. */
const byNewest = (a: string, b: string) => (a < b ? 1 : -1);

test('getRecords omits a busy record’s oldest links and keeps its texts', async ({ register, risk }) => {
  const { call } = register;
  const url = `https://example.org/${'x'.repeat(1_900)}`;
  for (let n = 0; n < 40; n++) {
    await call('addEvidence', { organization_id: ORGANIZATION, name: `Scan ${n}`, url, record_ids: [risk] });
  }
  const { records } = (await call('getRecords', {
    ids: [risk],
    include: ['LINKS', 'EVIDENCE', 'HISTORY'],
  })) as unknown as {
    records: { evidence: { records: Answer[]; total: number; truncated?: true } }[];
  };
  const { evidence } = records[0]!;
  assert.ok(JSON.stringify(records).length < 60_000);
  assert.equal([evidence.total, evidence.truncated, evidence.records[0]!.name], [40, true, 'Scan 39']);
  assert.not('truncated' in records[0]!);
});

test('counts more links than it lists, with archived records and without', async ({ register, risk }) => {
  const { call } = register;
  const measures: string[] = [];
  for (let n = 0; n < 103; n++) measures.push(await add(register, 'Measure', { name: `Step ${n}` }));
  for (let first = 0; first < measures.length; first += 20) {
    const links = measures.slice(first, first + 20).map((to_id) => ({ from_id: risk, to_id }));
    assert.not('error' in (await call('linkRecords', { links })));
  }
  const linked = register.reader.snapshot().newestPosition(ORGANIZATION);
  await call('archiveRecords', {
    organization_id: ORGANIZATION,
    ids: [measures[0]],
    action: 'ARCHIVE',
    reason: 'Done',
  });
  for (const [include, as_of, total] of [
    [['LINKS'], undefined, 102],
    [['LINKS', 'ARCHIVED'], undefined, 103],
    [['LINKS', 'ARCHIVED'], String(linked), 103],
    [['LINKS', 'ARCHIVED'], String(linked - 3), 100],
  ] as const) {
    const { links } = await record(register, risk, { include, ...(as_of === undefined ? {} : { as_of }) });
    assert.is((links as { total: number }).total, total);
    const newest = as_of === String(linked - 3) ? measures[99] : measures[102];
    assert.is(idsOf(links)[0], newest);
  }
});

test('a change that matches by several rows is shown once, by the first', async ({ register, risk, vendor }) => {
  const { call } = register;
  const record_ids = [risk, vendor];
  const addAnswer = await call('addEvidence', { organization_id: ORGANIZATION, name: 'Scan', text: 'ok', record_ids });
  const { id } = addAnswer.evidence as { id: string };
  const filter = { record_id: [...record_ids, id] };
  const { changes } = (await call('listChanges', { organization_id: ORGANIZATION, filter, size: 1 })) as unknown as {
    changes: { record: { id: string }; revision: number }[];
  };
  assert.equal(
    changes.map(({ record, revision }) => [record.id, revision]),
    [[id, 1]],
  );
});

test('evidence has a text or an address', async ({ register, risk }) => {
  const input = { organization_id: ORGANIZATION, name: 'Nothing', record_ids: [risk] };
  const { error } = (await register.call('addEvidence', input)) as { error: { field: string } };
  assert.is(error?.field, 'url');
});

test.run();
