import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { verdictText } from '../../../src/cli/proofs/verdict-text.ts';
import { keptSealText, readKeptSeal } from '../../../src/trail/seals/kept-seal.ts';
import { type LogSealed, makeSeal } from '../../../src/trail/seals/seal-events.ts';
import {
  FIRST_KEY,
  linesOf,
  ORGANIZATION,
  publicOf,
  SECOND_KEY,
  SealedHistory,
  testKey,
  twoHundredEvents,
  verify,
} from '../../support/trail/sealed-history.ts';

const test = suite('kept seals');

const HISTORY = twoHundredEvents();
const SEALS = HISTORY.events.filter(({ type }) => type === 'LogSealed');
const keptOf = (index: number) =>
  readKeptSeal(keptSealText(ORGANIZATION, SEALS.at(index)!.data as unknown as LogSealed));

test('a kept seal matches the history that it was taken from', () => {
  for (const index of SEALS.keys()) {
    const keptSeals = [keptOf(index), keptOf(0)];
    assert.is(verify(linesOf(HISTORY.events), { keys: [publicOf(FIRST_KEY)], keptSeals }).valid, true);
  }
});

test('a kept seal reveals changed and removed events even if the key’s holder sealed again', () => {
  const forged = new SealedHistory();
  for (const [index, { stream, type, data }] of HISTORY.events.slice(0, 60).entries()) {
    if (type === 'SealKeyIntroduced') forged.introduce(FIRST_KEY);
    else if (type === 'LogSealed') forged.seal(FIRST_KEY);
    else forged.append(stream, type, index === 30 ? { forged: true } : data);
  }
  const lines = linesOf(forged.events);
  assert.is(verify(lines).valid, true);
  const options = { keys: [publicOf(FIRST_KEY)] };
  const { valid, seal_fault, proved } = verify(lines, { ...options, keptSeals: [keptOf(1)] });
  assert.equal([valid, seal_fault?.why, seal_fault?.from, seal_fault?.until], [false, 'KEPT', 1, SEALS[1]!.data.size]);
  assert.is(proved, null);
  const rotated = { keptSeals: [keptOf(-1)] };
  assert.is(verify(lines, { ...options, ...rotated }).export_fault?.why, 'KEPT_KEY', 'its key is not in this history');
  const bothKeys = { keys: [publicOf(FIRST_KEY), publicOf(SECOND_KEY)] };
  assert.is(verify(lines, { ...bothKeys, ...rotated }).export_fault?.why, 'KEPT_BEYOND');
  const shorter = linesOf(HISTORY.events.slice(0, 60));
  assert.is(verify(shorter).valid, true);
  assert.equal(verify(shorter, { ...bothKeys, ...rotated }).export_fault, {
    why: 'KEPT_BEYOND',
    position: 60,
  });
});

test('a kept seal without a valid signature of this organization is a fault', () => {
  const options = { keys: [publicOf(FIRST_KEY)] };
  for (const change of [
    { sealed_at: '2020-01-01T00:00:00.000Z' },
    { organization_id: 'org_2' },
    { key_id: '0'.repeat(16) },
  ]) {
    const keptSeals = [readKeptSeal(JSON.stringify({ ...keptOf(2), ...change }))];
    assert.is(verify(linesOf(HISTORY.events), { ...options, keptSeals }).export_fault?.why, 'KEPT_KEY');
  }
  for (const text of [
    '',
    'null',
    '{}',
    '[]',
    JSON.stringify({ ...keptOf(0), more: 1 }),
    JSON.stringify(SEALS[0]!.data),
  ]) {
    assert.throws(
      () => readKeptSeal(text),
      (error: unknown) => error instanceof TypeError,
    );
  }
});

test('a seal that nobody signed says nothing, whatever its size: only a signed one shows that the end was removed', () => {
  const shorter = linesOf(HISTORY.events.slice(0, 60));
  const verdictOn = (keptSeals: object[], keys = [FIRST_KEY]) =>
    verify(shorter, {
      keys: keys.map(publicOf),
      keptSeals: keptSeals.map((seal) => readKeptSeal(JSON.stringify(seal))),
    });
  const signed = keptOf(4);
  assert.ok(signed.size > 60);
  const unknownKey = testKey(9);
  const { format, organization_id, key_id: _key, signature: _signature, ...head } = signed;
  const byUnknownKey = { format, organization_id, ...makeSeal(ORGANIZATION, head, unknownKey).data };
  for (const change of [
    { size: signed.size + 100_000 },
    { signature: '' },
    { signature: keptOf(3).signature },
    { root: '0'.repeat(64) },
    { organization_id: 'org_2' },
    { key_id: unknownKey.key_id },
    byUnknownKey,
  ]) {
    const verdict = verdictOn([{ ...signed, ...change }]);
    assert.equal([verdict.valid, verdict.export_fault?.why], [false, 'KEPT_KEY'], JSON.stringify(change));
    assert.not.match(verdictText(verdict), 'removed');
    assert.is(verdictOn([{ ...signed, ...change }, signed]).export_fault?.why, 'KEPT_BEYOND', 'beside a signed one');
  }
  assert.is(verdictOn([byUnknownKey], [FIRST_KEY, unknownKey]).export_fault?.why, 'KEPT_BEYOND');
  assert.match(verdictText(verdictOn([signed])), 'covers more events than the file has: the end was removed');
});

test('a kept seal may cover more than any seal of the history', () => {
  const history = new SealedHistory();
  history.introduce(FIRST_KEY);
  for (let n = 0; n < 20; n += 1) history.append('vendor-1', 'SomethingHappened', { n });
  history.seal(FIRST_KEY);
  for (let n = 0; n < 20; n += 1) history.append('vendor-1', 'SomethingHappened', { n });
  const seal = history.seal(FIRST_KEY).data as unknown as LogSealed;
  const options = { keys: [publicOf(FIRST_KEY)], keptSeals: [readKeptSeal(keptSealText(ORGANIZATION, seal))] };
  const [genuine, forged] = [42, 30].map((sharedEvents) => {
    const copy = new SealedHistory();
    copy.continue(history.events.slice(0, sharedEvents));
    while (copy.events.length < 45) copy.append('vendor-1', 'SomethingHappened', { forged: true });
    return verify(linesOf(copy.events), options);
  });
  assert.equal([genuine!.valid, genuine!.proved?.size, genuine!.unsealed], [true, 42, 3]);
  const fault = { why: 'KEPT', position: null, event_id: null, key_id: FIRST_KEY.key_id, from: 1, until: 42 };
  assert.equal([forged!.valid, forged!.seal_fault, forged!.proved], [false, fault, null]);
});

test('a kept seal proves the events that seals of an untrusted key cover', () => {
  const history = new SealedHistory();
  history.introduce(FIRST_KEY);
  history.append('vendor-1', 'SomethingHappened', { n: 1 });
  history.seal(FIRST_KEY);
  history.rotate(FIRST_KEY, SECOND_KEY);
  const before = history.events.length;
  const seal = history.seal(SECOND_KEY).data as unknown as LogSealed;
  const keptSeals = [readKeptSeal(keptSealText(ORGANIZATION, seal))];
  const options = { keys: [publicOf(SECOND_KEY)], keptSeals };
  const verifyFirst = (size: number) => verify(linesOf(history.events.slice(0, size)), options);
  assert.equal([verifyFirst(before).seal_fault, verifyFirst(before).proved?.size], [null, before]);
  assert.is(verifyFirst(before).valid, true);
  const shorter = verify(linesOf(history.events.slice(0, before)), { keys: [publicOf(SECOND_KEY)] });
  assert.is(shorter.seal_fault?.why, 'NOT_GIVEN');
});

test('a kept seal of an untrusted key proves nothing and reveals no seal fault', () => {
  const options = { keys: [publicOf(FIRST_KEY)] };
  for (const change of [
    { size: 3 },
    { root: '0'.repeat(64) },
    { key_id: '0'.repeat(16) },
    { organization_id: 'org_2' },
  ]) {
    const keptSeals = [readKeptSeal(JSON.stringify({ ...keptOf(2), ...change }))];
    const { seal_fault, export_fault, proved } = verify(linesOf(HISTORY.events), { ...options, keptSeals });
    assert.equal([seal_fault, export_fault?.why, proved?.position], [null, 'KEPT_KEY', 200], JSON.stringify(change));
  }
});

test('a kept seal proves nothing after the first faulty event', () => {
  const sealedIndex = Number(SEALS[3]!.data.size) - 2;
  const events = HISTORY.events.with(sealedIndex, { ...HISTORY.events[sealedIndex]!, data: { forged: true } });
  const keptSeals = [keptOf(1), keptOf(5)];
  const { event_fault, proved } = verify(linesOf(events), { keys: [publicOf(FIRST_KEY)], keptSeals });
  assert.is(event_fault?.position, sealedIndex + 1);
  assert.ok(proved!.size <= sealedIndex, `${proved!.size} proved`);
});

test('a kept seal may be signed by a key after 120 rotations', () => {
  const history = new SealedHistory();
  history.introduce(FIRST_KEY);
  const last = Array.from({ length: 120 }, (_, n) => testKey(n + 2)).reduce((from, to) => {
    history.rotate(from, to);
    return to;
  }, FIRST_KEY);
  const seal = history.seal(last).data as unknown as LogSealed;
  const keptSeals = [readKeptSeal(keptSealText(ORGANIZATION, seal))];
  assert.is(verify(linesOf(history.events), { keys: [publicOf(FIRST_KEY)], keptSeals }).valid, true);
});

test.run();
