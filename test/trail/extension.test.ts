import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { extensionText, readSealFile, type SealFile } from '../../src/trail/extension.ts';
import { verifySeal } from '../../src/trail/index.ts';
import { nodeCrypto } from '../../src/trail/node/node-crypto.ts';
import { keptSealText, readKeptSeal } from '../../src/trail/seals/kept-seal.ts';
import { GrowingTree, type NodeId } from '../../src/trail/seals/merkle.ts';
import { consistencyProof } from '../../src/trail/seals/proof.ts';
import { type LogSealed, makeSeal, rotateKey, type SealKeyRotated } from '../../src/trail/seals/seal-events.ts';
import {
  FIRST_KEY,
  ORGANIZATION,
  publicOf,
  SECOND_KEY,
  SealedHistory,
  testKey,
  twoHundredEvents,
} from '../support/trail/sealed-history.ts';

const test = suite('seals with an extension');

const { events } = twoHundredEvents();
const SEALS = events.filter(({ type }) => type === 'LogSealed').map(({ data }) => data as unknown as LogSealed);
/** Returns the rotations before a seal. */
const rotationsBefore = (seal: LogSealed) =>
  events
    .slice(
      0,
      events.findIndex(({ data }) => data.root === seal.root),
    )
    .filter(({ type }) => type === 'SealKeyRotated')
    .map(({ data }) => data as unknown as SealKeyRotated);

const nodes = new Map<string, string>();
const tree = new GrowingTree(nodeCrypto, ({ level, index }, hash) => nodes.set(`${level}.${index}`, hash));
for (const { metadata } of events) tree.append(metadata.hash);
const node = ({ level, index }: NodeId) => nodes.get(`${level}.${index}`)!;

const keptOf = (seal: LogSealed) => readKeptSeal(keptSealText(ORGANIZATION, seal));

/** Returns the file of a seal with the proof that it extends another. */
function fileOf(older: LogSealed, newer: LogSealed): SealFile {
  const proof = consistencyProof(nodeCrypto, older.size, newer.size, node);
  return readSealFile(keptSealText(ORGANIZATION, newer) + extensionText(proof, rotationsBefore(newer)));
}

const [OLD, NEW] = [SEALS[1]!, SEALS.at(-1)!];
const ROTATIONS = rotationsBefore(NEW);
const keys = [publicOf(FIRST_KEY)];

test('verifySeal proves any two seals with only the first key', () => {
  assert.is.not(OLD.key_id, NEW.key_id, 'a rotation is between them');
  for (const [index, newer] of SEALS.entries()) {
    for (const older of SEALS.slice(0, index + 1)) {
      const verdict = verifySeal(fileOf(older, newer), { keys, keptSeals: [keptOf(older)] });
      assert.equal([verdict.valid, verdict.kept_sizes, verdict.fault], [true, [older.size], null]);
    }
  }
  const seal = readSealFile(keptSealText(ORGANIZATION, NEW));
  const verdict = verifySeal(seal, { keys: [publicOf(SECOND_KEY)] });
  assert.is(verdict.valid, true, 'its own key is enough');
  // `veritrail verify --json` prints these names.
  assert.equal(Object.keys(verdict).sort(), ['fault', 'kept_sizes', 'seal', 'valid']);
});

test('readKeptSeal reads a file with an extension', () => {
  const text =
    keptSealText(ORGANIZATION, NEW) + extensionText(consistencyProof(nodeCrypto, OLD.size, NEW.size, node), ROTATIONS);
  assert.equal(readKeptSeal(text), keptOf(NEW));
});

test('verifySeal rejects an altered seal, and one without a proof since the kept seal', () => {
  const file = fileOf(OLD, NEW);
  const extension = file.extension!;
  const keptSeals = [keptOf(OLD)];
  const forged = new SealedHistory();
  forged.introduce(FIRST_KEY);
  for (let n = 0; n < 60; n += 1) forged.append('vendor-1', 'SomethingHappened', { n });
  const forgedSeal = keptOf(forged.seal(FIRST_KEY).data as unknown as LogSealed);
  const seal = (change: object): SealFile => ({ ...file, seal: { ...file.seal, ...change } });
  const proof = (change: object): SealFile => ({ ...file, extension: { ...extension, ...change } });
  const [rotation] = extension.rotations;
  const rejected: [SealFile, typeof keptSeals, string, number | null][] = [
    [proof({ rotations: [] }), keptSeals, 'KEY', null],
    [proof({ rotations: [{ ...rotation!, new_signature: rotation!.old_signature }] }), keptSeals, 'KEY', null],
    [proof({ rotations: [{ ...rotation!, public_key: testKey(9).public_key }] }), keptSeals, 'KEY', null],
    [seal({ key_id: testKey(9).key_id }), keptSeals, 'KEY', null],
    [seal({ root: OLD.root }), keptSeals, 'SIGNATURE', null],
    [seal({ organization_id: 'org_2', key_id: FIRST_KEY.key_id }), keptSeals, 'SIGNATURE', null],
    [file, [{ ...keptSeals[0]!, organization_id: 'org_2' }], 'KEPT_KEY', OLD.size],
    [file, [{ ...keptSeals[0]!, root: NEW.root }], 'KEPT_KEY', OLD.size],
    [{ ...fileOf(OLD, SEALS[2]!), extension: null }, [keptOf(NEW)], 'KEPT_KEY', NEW.size],
    [file, [{ ...keptSeals[0]!, size: NEW.size + 100_000 }], 'KEPT_KEY', NEW.size + 100_000],
    [file, [{ ...keptSeals[0]!, size: 1 }], 'KEPT_KEY', 1],
    [fileOf(OLD, SEALS[2]!), [keptOf(SEALS[3]!)], 'KEPT_BEYOND', SEALS[3]!.size],
    [{ ...proof({}), extension: null }, keptSeals, 'KEY', null],
    [file, [keptOf(SEALS[2]!)], 'NO_PROOF', SEALS[2]!.size],
    [file, [...keptSeals, keptOf(SEALS[2]!)], 'NO_PROOF', SEALS[2]!.size],
    [proof({ newer: NEW.size - 1 }), keptSeals, 'NO_PROOF', OLD.size],
    [proof({ path: extension.path.slice(1) }), keptSeals, 'KEPT', OLD.size],
    [proof({ path: extension.path.with(0, NEW.root) }), keptSeals, 'KEPT', OLD.size],
    [proof({ older: forgedSeal.size }), [forgedSeal], 'KEPT', forgedSeal.size],
  ];
  for (const [index, [input, olderSeals, why, size]] of rejected.entries()) {
    const verdict = verifySeal(input, { keys, keptSeals: olderSeals });
    assert.equal([verdict.valid, verdict.fault], [false, { why, size }], String(index));
  }
});

test('verifySeal rejects a key that was rotated away, unless a later rotation led back', () => {
  const { key_id: _key, signature: _signature, ...head } = NEW;
  const sealedBy = (key: typeof FIRST_KEY) =>
    keptSealText(ORGANIZATION, makeSeal(ORGANIZATION, head, key).data as unknown as LogSealed);
  const verdictOn = (key: typeof FIRST_KEY, rotations: readonly SealKeyRotated[]) => {
    const extension = extensionText(consistencyProof(nodeCrypto, SEALS[2]!.size, NEW.size, node), rotations);
    return verifySeal(readSealFile(sealedBy(key) + extension), { keys, keptSeals: [keptOf(SEALS[2]!)] });
  };
  const rotation = rotateKey(ORGANIZATION, null, SECOND_KEY, FIRST_KEY).data as unknown as SealKeyRotated;
  assert.is(verdictOn(SECOND_KEY, ROTATIONS).valid, true);
  assert.equal(verdictOn(FIRST_KEY, ROTATIONS).fault, { why: 'KEY', size: null });
  assert.is(verdictOn(FIRST_KEY, [...ROTATIONS, rotation]).valid, true);
  assert.equal(verdictOn(SECOND_KEY, [...ROTATIONS, rotation]).fault, { why: 'KEY', size: null });
});

test('verifySeal rejects another seal of the same size', () => {
  const forged = new SealedHistory();
  forged.introduce(FIRST_KEY);
  while (forged.events.length < OLD.size) forged.append('vendor-1', 'SomethingHappened', {});
  const forgedSeal = keptOf(forged.seal(FIRST_KEY).data as unknown as LogSealed);
  const file = readSealFile(keptSealText(ORGANIZATION, OLD));
  assert.is(verifySeal(file, { keys, keptSeals: [keptOf(OLD)] }).valid, true);
  assert.equal(verifySeal(file, { keys, keptSeals: [forgedSeal] }).fault, { why: 'KEPT', size: OLD.size });
});

test('readSealFile rejects a second line of another format, and a third line', () => {
  const firstLine = keptSealText(ORGANIZATION, NEW);
  const valid = { format: 'veritrail-extension-1', newer: 2, older: 1, path: [], rotations: [] };
  assert.equal(readSealFile(`${firstLine}${JSON.stringify(valid)}\n`).extension, valid);
  const invalidLines = [
    ...['{', 'null', '[]', '{}'],
    ...[
      { format: 'x' },
      { newer: '2' },
      { older: 0.5 },
      { path: 'ab' },
      { path: [1] },
      { rotations: {} },
      { more: 1 },
    ].map((change) => JSON.stringify({ ...valid, ...change })),
    JSON.stringify({ ...valid, rotations: [null] }),
    JSON.stringify({ ...valid, rotations: [{ ...ROTATIONS[0], more: 1 }] }),
    `${JSON.stringify(valid)}\n${JSON.stringify(valid)}`,
  ];
  for (const line of invalidLines)
    assert.throws(
      () => readSealFile(`${firstLine}${line}\n`),
      (error: unknown) => error instanceof TypeError,
      line,
    );
});

test.run();
