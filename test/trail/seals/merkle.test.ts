import * as fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isConsistent, isIncluded, leafHash, nodeHash } from '../../../src/trail/index.ts';
import { nodeCrypto } from '../../../src/trail/node/node-crypto.ts';
import {
  consistencyPath,
  EMPTY_ROOT,
  GrowingTree,
  inclusionPath,
  type NodeId,
  rangeHash,
} from '../../../src/trail/seals/merkle.ts';

const test = suite('Merkle tree');

type Head = Parameters<typeof isConsistent>[0];

/** Inputs and roots of RFC 6962's published reference tests. RFC 9162 hashes in the same way. */
const LEAVES = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f'];
const ROOTS = [
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];

test('a growing tree has the published roots', () => {
  const tree = new GrowingTree(nodeCrypto);
  assert.is(tree.root(), 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
  for (const [i, leaf] of LEAVES.entries()) {
    tree.append(leaf);
    assert.is(tree.root(), ROOTS[i]);
  }
});

/** Literal versions of RFC 9162 2.1.1, 2.1.3.1 and 2.1.4.1. */
const sha = (hex: string) => nodeCrypto.sha256(Buffer.from(hex, 'hex'));
const k = (n: number) => 2 ** Math.ceil(Math.log2(n) - 1);
function MTH(d: string[]): string {
  if (d.length === 0) return EMPTY_ROOT;
  if (d.length === 1) return sha(`00${d[0]}`);
  return sha(`01${MTH(d.slice(0, k(d.length)))}${MTH(d.slice(k(d.length)))}`);
}
function PATH(m: number, d: string[]): string[] {
  if (d.length === 1) return [];
  const split = k(d.length);
  return m < split
    ? [...PATH(m, d.slice(0, split)), MTH(d.slice(split))]
    : [...PATH(m - split, d.slice(split)), MTH(d.slice(0, split))];
}
function SUBPROOF(m: number, d: string[], b: boolean): string[] {
  if (m === d.length) return b ? [] : [MTH(d)];
  const split = k(d.length);
  return m <= split
    ? [...SUBPROOF(m, d.slice(0, split), b), MTH(d.slice(split))]
    : [...SUBPROOF(m - split, d.slice(split), false), MTH(d.slice(0, split))];
}

function grow(leaves: string[]) {
  const nodes = new Map<string, string>();
  const tree = new GrowingTree(nodeCrypto, ({ level, index }, hash) => nodes.set(`${level}.${index}`, hash));
  for (const leaf of leaves) tree.append(leaf);
  const node = ({ level, index }: NodeId) =>
    nodes.get(`${level}.${index}`) ?? (assert.unreachable(`no node ${level}.${index}`) as never);
  return { tree, node };
}
const leavesOf = (n: number) => Array.from({ length: n }, (_, i) => Buffer.from(`leaf ${i}`).toString('hex'));

test('trees of up to 40 leaves have the RFC’s roots and paths, and all proofs verify', () => {
  for (let n = 1; n <= 40; n += 1) {
    const leaves = leavesOf(n);
    const { tree, node } = grow(leaves);
    const root = MTH(leaves);
    assert.equal(tree.root(), root);
    for (let m = 0; m < n; m += 1) {
      const proof = inclusionPath(m, n).map((range) => rangeHash(nodeCrypto, range, node));
      assert.equal(proof, PATH(m, leaves));
      assert.ok(isIncluded({ index: m, hash: leafHash(leaves[m]!) }, { size: n, root }, proof));
    }
    for (let m = 1; m <= n; m += 1) {
      const proof = consistencyPath(m, n).map((range) => rangeHash(nodeCrypto, range, node));
      assert.equal(proof, SUBPROOF(m, leaves, true));
      assert.ok(isConsistent({ size: m, root: MTH(leaves.slice(0, m)) }, { size: n, root }, proof), `${m} of ${n}`);
    }
  }
});

test('a tree resumes from its stored nodes', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 0, max: 50 }), (first, addedCount) => {
      const leaves = leavesOf(first + addedCount);
      const { node } = grow(leaves.slice(0, first));
      const resumed = GrowingTree.resume(nodeCrypto, first, node);
      for (const leaf of leaves.slice(first)) resumed.append(leaf);
      assert.is(resumed.size, leaves.length);
      assert.equal(resumed.root(), MTH(leaves));
    }),
    { numRuns: 60 },
  );
});

test('a changed proof, or a proof for another index, size or leaf, is invalid', () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 70 }), fc.nat(), fc.nat(), fc.nat(255), (n, a, b, bit) => {
      const leaves = leavesOf(n);
      const { node } = grow(leaves);
      const root = MTH(leaves);
      const m = a % n;
      const proof = inclusionPath(m, n).map((range) => rangeHash(nodeCrypto, range, node));
      const leaf = { index: m, hash: leafHash(leaves[m]!) };
      const tree = { size: n, root };
      const flipped = proof.map((node, i) => (i === b % proof.length ? flip(node, bit) : node));
      assert.not(isIncluded(leaf, tree, flipped));
      assert.not(isIncluded({ ...leaf, hash: flip(leaf.hash, bit) }, tree, proof));
      assert.not(isIncluded(leaf, { ...tree, root: flip(root, bit) }, proof));
      assert.not(isIncluded(leaf, tree, proof.slice(1)));
      assert.not(isIncluded(leaf, tree, [...proof, root]));
      const otherIndex = b % n;
      if (otherIndex !== m) assert.not(isIncluded({ ...leaf, index: otherIndex }, tree, proof));
      const size = 1 + (a % (n - 1));
      const older = { size, root: MTH(leaves.slice(0, size)) };
      const consistency = consistencyPath(size, n).map((range) => rangeHash(nodeCrypto, range, node));
      assert.not(isConsistent({ ...older, root: flip(older.root, bit) }, { size: n, root }, consistency));
      assert.not(isConsistent(older, { size: n, root: flip(root, bit) }, consistency));
      assert.not(isConsistent(older, { size: n, root }, consistency.slice(1)));
      assert.not(isConsistent(older, { size: n, root }, [...consistency, root]));
      assert.not(isConsistent({ ...older, size: 0 }, { size: n, root }, consistency));
      assert.not(isConsistent({ size: n + 1, root }, { size: n, root }, consistency));
    }),
    { numRuns: 300 },
  );
});

function flip(hash: string, bit: number): string {
  const copy = Buffer.from(hash, 'hex');
  copy[bit >> 3]! ^= 1 << (bit & 7);
  return copy.toString('hex');
}

test('proofs verify in trees of up to 2^53 − 1 leaves', () => {
  const levels = [leafHash('00'.repeat(32))];
  for (let level = 0; level < 53; level += 1) levels.push(nodeHash(levels[level]!, levels[level]!));
  /** The nodes of a tree whose leaves are all the same. */
  const node = ({ level }: NodeId) => levels[level]!;
  const rootOf = (size: number) => rangeHash(nodeCrypto, { from: 0, to: size }, node);
  const near = [45, 48, 49, 50, 51, 52].flatMap((digits) => [2 ** digits - 1, 2 ** digits, 2 ** digits + 1]);
  const sizes = [...near, Number.MAX_SAFE_INTEGER];
  for (const [index, newer] of sizes.entries()) {
    for (const older of sizes.slice(0, index + 1)) {
      const proof = consistencyPath(older, newer).map((range) => rangeHash(nodeCrypto, range, node));
      const heads = [older, newer].map((size) => ({ size, root: rootOf(size) })) as [Head, Head];
      assert.is(isConsistent(...heads, proof), true, `${older} of ${newer}`);
      const path = inclusionPath(older - 1, newer).map((range) => rangeHash(nodeCrypto, range, node));
      assert.is(isIncluded({ index: older - 1, hash: levels[0]! }, heads[1], path), true, `leaf ${older} of ${newer}`);
    }
  }
});

test('paths for leaves and sizes outside the tree are rejected', () => {
  assert.throws(() => inclusionPath(3, 3), /not in a tree/);
  assert.throws(() => inclusionPath(-1, 3), /not in a tree/);
  assert.throws(() => consistencyPath(0, 3), /does not begin with/);
  assert.throws(() => consistencyPath(4, 3), /does not begin with/);
  assert.equal(consistencyPath(3, 3), []);
});

test.run();
