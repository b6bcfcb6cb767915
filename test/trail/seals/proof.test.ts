import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { provesConsistency, provesInclusion } from '../../../src/trail/index.ts';
import { nodeCrypto } from '../../../src/trail/node/node-crypto.ts';
import { GrowingTree, type NodeId } from '../../../src/trail/seals/merkle.ts';
import { consistencyProof, inclusionProof } from '../../../src/trail/seals/proof.ts';
import { naiveRoot } from '../../support/trail/sealed-history.ts';

const test = suite('proofs');

const HASHES = Array.from({ length: 120 }, (_, n) => nodeCrypto.sha256(`event ${n}`));
const nodes = new Map<string, string>();
const tree = new GrowingTree(nodeCrypto, ({ level, index }, hash) => nodes.set(`${level}.${index}`, hash));
for (const hash of HASHES) tree.append(hash);
const node = ({ level, index }: NodeId) => nodes.get(`${level}.${index}`)!;
const headOf = (size: number) => ({ size, root: naiveRoot(HASHES.slice(0, size)) });

const sizes = fc.integer({ min: 1, max: HASHES.length });

test('an inclusion proof verifies only with its event, position and tree head', () => {
  fc.assert(
    fc.property(sizes, fc.nat(), fc.nat(), (size, a, b) => {
      const position = 1 + (a % size);
      const proof = JSON.parse(JSON.stringify(inclusionProof(nodeCrypto, position, size, node)));
      const hash = HASHES[position - 1]!;
      const head = headOf(size);
      assert.is(provesInclusion(proof, hash, head), true);
      assert.is(provesInclusion(proof, HASHES[position % HASHES.length]!, head), false);
      assert.is(provesInclusion({ ...proof, position: position + 1 }, hash, head), false);
      assert.is(provesInclusion({ ...proof, position: 0 }, hash, head), false);
      assert.is(provesInclusion({ ...proof, size: size + 1 }, hash, head), false);
      assert.is(provesInclusion(proof, hash, { ...head, root: HASHES[b % HASHES.length]! }), false);
      assert.is(provesInclusion({ ...proof, path: [...proof.path, 'ab'] }, hash, head), false);
      assert.is(provesInclusion(proof, hash.toUpperCase(), head), false);
      assert.is(provesInclusion(proof, 'no hash', head), false);
    }),
  );
  assert.throws(() => inclusionProof(nodeCrypto, 0, 5, node), /not in a tree/);
  assert.throws(() => inclusionProof(nodeCrypto, 6, 5, node), /not in a tree/);
});

test('a consistency proof verifies only with its two tree heads', () => {
  fc.assert(
    fc.property(sizes, sizes, fc.nat(), (a, b, c) => {
      const [older, newer] = [Math.min(a, b), Math.max(a, b)];
      const proof = JSON.parse(JSON.stringify(consistencyProof(nodeCrypto, older, newer, node)));
      assert.is(provesConsistency(proof, headOf(older), headOf(newer)), true);
      const otherRoot = HASHES[c % HASHES.length]!;
      assert.is(provesConsistency(proof, { size: older, root: otherRoot }, headOf(newer)), false);
      assert.is(provesConsistency(proof, headOf(older), { size: newer, root: otherRoot }), false);
      assert.is(provesConsistency({ ...proof, newer: newer + 1 }, headOf(older), headOf(newer)), false);
      assert.is(provesConsistency({ ...proof, older: older + 1 }, headOf(older), headOf(newer)), false);
      assert.is(provesConsistency({ ...proof, path: [...proof.path, ''] }, headOf(older), headOf(newer)), false);
    }),
  );
});

test.run();
