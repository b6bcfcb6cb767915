import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { keptSealText, readKeptSeal } from '../src/trail/kept-seal.ts';
import type { LogSealed } from '../src/trail/seal.ts';
import {
  FIRST_KEY,
  linesOf,
  ORGANIZATION,
  publicOf,
  SealedHistory,
  twoHundredEvents,
  verify,
} from './support/sealed-history.ts';

const test = suite('seals kept elsewhere');

const HISTORY = twoHundredEvents();
const SEALS = HISTORY.events.filter(({ type }) => type === 'LogSealed');
const keptOf = (index: number) =>
  readKeptSeal(keptSealText(ORGANIZATION, SEALS.at(index)!.data as unknown as LogSealed));

test('a seal kept elsewhere is a beginning of the history it was taken from', () => {
  for (const index of SEALS.keys()) {
    const kept = [keptOf(index), keptOf(0)];
    assert.is(verify(linesOf(HISTORY.events), { keys: [publicOf(FIRST_KEY)], kept }).valid, true);
  }
});

test('a seal kept elsewhere shows what even the holder of the key changed or dropped', () => {
  const forged = new SealedHistory();
  for (const [index, { stream, type, data }] of HISTORY.events.slice(0, 60).entries()) {
    if (type === 'SealKeyIntroduced') forged.introduce(FIRST_KEY);
    else if (type === 'LogSealed') forged.seal(FIRST_KEY);
    else forged.append(stream, type, index === 30 ? { forged: true } : data);
  }
  const lines = linesOf(forged.events);
  assert.is(verify(lines).valid, true);
  const options = { keys: [publicOf(FIRST_KEY)] };
  const { valid, seal_fault, proved } = verify(lines, { ...options, kept: [keptOf(1)] });
  assert.equal([valid, seal_fault?.why, seal_fault?.from, seal_fault?.until], [false, 'KEPT', 1, SEALS[1]!.data.size]);
  assert.is(proved, null);
  assert.is(verify(lines, { ...options, kept: [keptOf(-1)] }).whole_fault?.why, 'KEPT_BEYOND');
  const shorter = linesOf(HISTORY.events.slice(0, 60));
  assert.is(verify(shorter).valid, true);
  assert.equal(verify(shorter, { ...options, kept: [keptOf(-1)] }).whole_fault, { why: 'KEPT_BEYOND', position: 60 });
});

test('a seal kept elsewhere counts only with its signature, and of this organization', () => {
  const options = { keys: [publicOf(FIRST_KEY)] };
  for (const change of [
    { sealed_at: '2020-01-01T00:00:00.000Z' },
    { organization_id: 'org_2' },
    { key_id: '0'.repeat(16) },
  ]) {
    const kept = [readKeptSeal(JSON.stringify({ ...keptOf(2), ...change }))];
    assert.is(verify(linesOf(HISTORY.events), { ...options, kept }).whole_fault?.why, 'KEPT_KEY');
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

test.run();
