import { createHash, generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { TrailEvent } from '../../src/trail/event.ts';
import { publicKeyOf, readPublicKey, verifyExport } from '../../src/trail/index.ts';
import { nodeCrypto } from '../../src/trail/node/node-crypto.ts';
import { signingKey } from '../../src/trail/node/signing-key.ts';
import { type PublicKey, publicPem } from '../../src/trail/seals/key.ts';
import { SealCheck } from '../../src/trail/seals/seal-check.ts';
import { introduceKey, makeSeal, replaceKey, type SealEvent } from '../../src/trail/seals/seal-events.ts';
import { MAX_SEAL_LAG_EVENTS, TreeWindow } from '../../src/trail/seals/tree-window.ts';
import {
  FIRST_KEY,
  linesOf,
  naiveRoot,
  ORGANIZATION,
  publicOf,
  SECOND_KEY,
  SealedHistory,
  testKey,
  twoHundredEvents,
  verify,
} from '../support/trail/sealed-history.ts';

const test = suite('verifier');

const HISTORY = twoHundredEvents();

test('the verifier accepts an untouched history', () => {
  const verdict = verify(linesOf(HISTORY.events));
  const seals = HISTORY.events.filter(({ type }) => type === 'LogSealed');
  const { size, root, sealed_at, key_id } = seals.at(-1)!.data;
  assert.is(verdict.valid, true);
  assert.equal([verdict.event_fault, verdict.seal_fault, verdict.export_fault], [null, null, null]);
  assert.equal(verdict.proved, { size, root, sealed_at, key_id, position: 200 });
  assert.equal([verdict.events, verdict.unsealed, size], [200, 0, 199]);
  assert.is(verdict.streams, new Set(HISTORY.events.map(({ stream }) => stream)).size);
  assert.equal(verdict.seals, { total: seals.length, unchecked: 0 });
  assert.ok(seals.length >= 8 && seals.some(({ data }, i) => HISTORY.events.indexOf(seals[i]!) > Number(data.size)));
  assert.equal(verdict.redactions, { total: 0, first: [] });
  assert.equal(
    verdict.keys.first.map(({ key_id, how, trusted }) => [key_id, how, trusted]),
    [
      [FIRST_KEY.key_id, 'INTRODUCED', true],
      [SECOND_KEY.key_id, 'ROTATED', true],
    ],
  );
});

test('the verifier proves with the newer key alone all events that its seals cover', () => {
  const verdict = verify(linesOf(HISTORY.events), { keys: [publicOf(SECOND_KEY)] });
  assert.is(verdict.valid, true);
  assert.is(verdict.proved?.size, 199);
  assert.equal(
    verdict.keys.first.map(({ trusted }) => trusted),
    [false, true],
  );
});

test('the verifier proves nothing with an untrusted key', () => {
  const verdict = verify(linesOf(HISTORY.events), { keys: [publicOf(testKey(9))] });
  const firstSeal = HISTORY.events.findIndex(({ type }) => type === 'LogSealed') + 1;
  assert.is(verdict.valid, false);
  assert.is(verdict.proved, null);
  assert.is(verdict.seal_fault?.why, 'NOT_GIVEN');
  assert.equal([verdict.seal_fault?.position, verdict.seal_fault?.from], [firstSeal, 1]);
  assert.is(verify(linesOf(HISTORY.events), { keys: [] }).seal_fault?.why, 'NOT_GIVEN');
});

test('the verifier doesn’t trust a key that replaces a lost one, unless the caller does', () => {
  const history = new SealedHistory();
  history.append('vendor-1', 'Happened', {});
  history.introduce(FIRST_KEY);
  history.seal(FIRST_KEY);
  history.append('vendor-1', 'Happened', {});
  history.appendFact(replaceKey(ORGANIZATION, history.lastSeal, SECOND_KEY));
  history.seal(SECOND_KEY);
  const lines = linesOf(history.events);
  const verdict = verify(lines);
  assert.is(verdict.valid, false);
  assert.equal(
    [verdict.proved?.size, verdict.seal_fault?.why, verdict.seal_fault?.from, verdict.seal_fault?.until],
    [2, 'NOT_GIVEN', 3, 5],
  );
  assert.is(verdict.seal_fault?.key_id, SECOND_KEY.key_id);
  for (const keys of [[SECOND_KEY], [FIRST_KEY, SECOND_KEY]]) {
    const verdict = verify(lines, { keys: keys.map(publicOf) });
    assert.is(verdict.valid, true);
    assert.is(verdict.proved?.size, 5);
    assert.is(verdict.keys.first[1]?.how, 'REPLACED');
  }
});

test('the verifier counts unsealed events without those of the seal stream', () => {
  const history = twoHundredEvents();
  history.append('vendor-1', 'Happened', {});
  history.append('vendor-2', 'Happened', {});
  const verdict = verify(linesOf(history.events));
  assert.equal([verdict.valid, verdict.events, verdict.unsealed, verdict.proved?.size], [true, 202, 2, 199]);
  history.seal(SECOND_KEY, 1);
  assert.equal([verify(linesOf(history.events)).unsealed, verify(linesOf(history.events)).proved?.size], [1, 201]);
});

test('the verifier proves nothing without a seal', () => {
  const history = new SealedHistory();
  assert.is(verify(linesOf(history.events)).export_fault?.why, 'NO_SEAL');
  history.append('vendor-1', 'Happened', {});
  assert.is(verify(linesOf(history.events)).export_fault?.why, 'NO_SEAL');
  history.introduce(FIRST_KEY);
  const { valid, export_fault, unsealed } = verify(linesOf(history.events));
  assert.equal([valid, export_fault, unsealed], [false, { why: 'NO_SEAL', position: 2 }, 1]);
});

test('the verifier rejects seals with a wrong size or key', () => {
  const faultAfter = (change: (history: SealedHistory) => void) => {
    const history = new SealedHistory();
    for (let n = 0; n < 4; n += 1) history.append('vendor-1', 'Happened', {});
    history.introduce(FIRST_KEY);
    history.seal(FIRST_KEY, 1);
    change(history);
    return verify(linesOf(history.events)).seal_fault;
  };
  assert.is(faultAfter((history) => history.seal(FIRST_KEY, 2))?.why, 'SIZE');
  assert.is(faultAfter((history) => history.seal(FIRST_KEY, -1))?.why, 'SIZE');
  assert.is(faultAfter((history) => history.introduce(FIRST_KEY))?.why, 'KEY');
  assert.is(faultAfter((history) => history.seal(SECOND_KEY))?.why, 'KEY');
  assert.is(faultAfter((history) => history.rotate(SECOND_KEY, testKey(3)))?.why, 'KEY');
  assert.is(
    faultAfter((history) => history.appendFact(replaceKey(ORGANIZATION, null, SECOND_KEY)))?.why,
    'PREVIOUS_SEAL',
  );
  const seal = faultAfter((history) => history.seal(FIRST_KEY, 1));
  assert.is(seal, null);
});

test('the verifier rejects seal events of another shape', () => {
  const history = new SealedHistory();
  history.append('vendor-1', 'Happened', {});
  history.introduce(FIRST_KEY);
  const { data } = history.seal(FIRST_KEY);
  for (const change of [
    { more: 1 },
    { size: '2' },
    { size: -1 },
    { root: 'AA' },
    { key_id: undefined },
    { previous_seal: 'x' },
    { sealed_at: 'now' },
    { signature: null },
  ]) {
    const copy = new SealedHistory();
    copy.append('vendor-1', 'Happened', {});
    copy.introduce(FIRST_KEY);
    const changed = Object.entries({ ...data, ...change }).filter(([, value]) => value !== undefined);
    copy.append(`seal-${ORGANIZATION}`, 'LogSealed', Object.fromEntries(changed));
    assert.is(verify(linesOf(copy.events)).seal_fault?.why, 'MALFORMED', JSON.stringify(change));
  }
  history.append(`seal-${ORGANIZATION}`, 'SomethingOfALaterVersion', {});
  assert.is(verify(linesOf(history.events)).valid, true);
});

test('the verifier lists redacted events and verifies the rest', () => {
  const lines = linesOf(
    HISTORY.events.map((event, index) =>
      index === 50 ? { ...event, data: {}, metadata: { ...event.metadata, salt: '' } } : event,
    ),
  );
  const { valid, redactions } = verify(lines);
  const { id: event_id, type, stream } = HISTORY.events[50]!;
  assert.equal([valid, redactions], [true, { total: 1, first: [{ position: 51, event_id, type, stream }] }]);
});

test('the verifier skips a seal that is too far behind, and counts it as unchecked', () => {
  const hashes = Array.from({ length: MAX_SEAL_LAG_EVENTS + 2 }, (_, n) =>
    createHash('sha256').update(`${n}`).digest('hex'),
  );
  const root = naiveRoot(hashes.slice(0, 2));
  for (const [events, unchecked] of [
    [MAX_SEAL_LAG_EVENTS + 2, 0],
    [MAX_SEAL_LAG_EVENTS + 3, 1],
  ] as const) {
    const window = new TreeWindow(nodeCrypto);
    const check = new SealCheck(nodeCrypto, ORGANIZATION, (text) => text === FIRST_KEY.public_key, window);
    const take = ({ type, data }: SealEvent) =>
      check.checkEvent(type, { data, metadata: {} } as unknown as TrailEvent, window.size + 1);
    take(introduceKey(ORGANIZATION, FIRST_KEY));
    for (let n = 0; n < events; n += 1) window.add(hashes[n % hashes.length]!, false);
    const sealed_at = '2026-01-02T00:00:00.000Z';
    take(makeSeal(ORGANIZATION, { size: 2, root, sealed_at, previous_seal: null }, FIRST_KEY));
    assert.equal([check.fault, check.unchecked, check.newest?.size], [null, unchecked, unchecked ? undefined : 2]);
  }
});

test('the verifier returns a verdict or rejects the file, for any bytes in any pieces', async () => {
  const text = `${linesOf(HISTORY.events.slice(0, 45)).join('\n')}\n`;
  const bytes = Buffer.from(text);
  const options = { keys: [publicOf(FIRST_KEY)] };
  const cut = fc.array(fc.integer({ min: 1, max: bytes.length }), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(cut, async (places) => {
      const offsets = [0, ...places.toSorted((a, b) => a - b), bytes.length];
      const pieces = offsets.slice(1).map((end, i) => bytes.subarray(offsets[i], end));
      assert.is((await verifyExport(iterate(pieces), options)).valid, true);
    }),
    { numRuns: 50 },
  );
  await fc.assert(
    fc.asyncProperty(fc.nat(bytes.length - 1), fc.nat(255), async (offset, byte) => {
      const changedBytes = Buffer.from(bytes);
      changedBytes[offset] = byte;
      const verdict = await verifyExport(iterate([changedBytes]), options).catch((error: Error) => error.name);
      const header = text.indexOf('\n');
      // No seal covers the header, except its organization.
      if (offset <= header || changedBytes.equals(bytes)) return;
      assert.ok(
        verdict === 'NotAnExport' || (typeof verdict === 'object' && !verdict.valid),
        `byte ${offset}: ${byte}`,
      );
    }),
    { numRuns: 300 },
  );
});

async function* iterate(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces;
}

test('readPublicKey reads PEM and base64, and rejects other texts', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const { public_key, key_id } = signingKey(privateKey);
  const pem = publicKey.export({ format: 'pem', type: 'spki' }) as string;
  const textAndId = ({ text, key_id }: PublicKey) => [text, key_id];
  assert.equal(textAndId(readPublicKey(pem)), [public_key, key_id]);
  assert.equal(textAndId(readPublicKey(` ${public_key}\n`)), [public_key, key_id]);
  assert.is(publicPem(readPublicKey(public_key)), pem.trim());
  const ecKey = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  for (const text of [
    '',
    'AAAA',
    public_key.slice(0, -1),
    privateKey.export({ format: 'pem', type: 'pkcs8' }) as string,
    ecKey.publicKey.export({ format: 'pem', type: 'spki' }) as string,
    '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----',
  ]) {
    assert.throws(
      () => readPublicKey(text),
      (error: unknown) => error instanceof TypeError,
    );
  }
  assert.throws(
    () => publicKeyOf(ecKey.publicKey),
    (error: unknown) => error instanceof TypeError,
  );
  assert.throws(
    () => signingKey(publicKey),
    (error: unknown) => error instanceof TypeError,
  );
});

test('a forged history by a rotated key is valid only with that key as trusted key', () => {
  const history = new SealedHistory();
  history.introduce(FIRST_KEY);
  history.append('vendor-1', 'SomethingHappened', { n: 1 });
  history.seal(FIRST_KEY);
  const forged = new SealedHistory();
  forged.continue(history.events);
  history.rotate(FIRST_KEY, SECOND_KEY);
  history.seal(SECOND_KEY);
  forged.append('vendor-1', 'SomethingHappened', { forged: true });
  forged.seal(FIRST_KEY);
  const verdictOn = (sealedHistory: SealedHistory, key: typeof FIRST_KEY) =>
    verify(linesOf(sealedHistory.events), { keys: [publicOf(key)] });
  assert.is(verdictOn(forged, FIRST_KEY).valid, true, 'as the documentation warns');
  assert.is(verdictOn(forged, SECOND_KEY).seal_fault?.why, 'NOT_GIVEN');
  assert.is(verdictOn(history, FIRST_KEY).proved?.size, 4);
  assert.is(verdictOn(history, SECOND_KEY).proved?.size, 4);
});

test.run();
