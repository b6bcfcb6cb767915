/** Compares src/trail with test/fixtures/trail-vectors.json. Runs in Node.js and in browsers, so it imports neither's modules. */
import { bytesOf } from '../../../src/trail/bytes.ts';
import { canonical } from '../../../src/trail/canonical.ts';
import type { SealVerdict, Verdict } from '../../../src/trail/check/verdict.ts';
import { Verifier } from '../../../src/trail/check/verifier.ts';
import type { TrailCrypto } from '../../../src/trail/crypto.ts';
import { readSealFile, verifySeal } from '../../../src/trail/extension.ts';
import { uuidV5 } from '../../../src/trail/hash.ts';
import { IN_ORDER } from '../../../src/trail/recorded-order.ts';
import { type EventProof, type ProofVerdict, verifyProof } from '../../../src/trail/seals/event-proof.ts';
import { readKeptSeal } from '../../../src/trail/seals/kept-seal.ts';
import { readPublicKey } from '../../../src/trail/seals/key.ts';
import { GrowingTree, isConsistent, isIncluded, leafHash } from '../../../src/trail/seals/merkle.ts';

export interface TrailVectors {
  canonical: { value: unknown; text: string }[];
  sha256: { text: string; hash: string }[];
  uuids: { namespace: string; name: string; uuid: string }[];
  ed25519: { publicKey: string; message: string; signature: string; valid: boolean }[];
  tree: {
    leaves: string[];
    /** The root of the first leaf, of the first two leaves, and so on. */
    roots: string[];
    inclusion: { index: number; size: number; path: string[]; valid: boolean }[];
    consistency: { older: number; newer: number; path: string[]; valid: boolean }[];
  };
  history: { organizationId: string; lines: string[]; cases: HistoryCase[] };
  seals: { name: string; file: string; keptSeal: string; keys: string[]; verdict: SealVerdict }[];
  proofs: { name: string; proof: EventProof; keys: string[]; fault: ProofVerdict['fault'] }[];
}

/** A changed copy of the history, and the verdict on it. */
interface HistoryCase {
  name: string;
  keys: string[];
  keptSeals?: string[];
  /** The number of lines that are left. */
  length?: number;
  edits?: { line: number; from: string; to: string }[];
  verdict: Verdict;
}

/** A value that was computed, and the value in the vectors. */
export interface VectorResult {
  name: string;
  actual: unknown;
  expected: unknown;
}

export function checkVectors(crypto: TrailCrypto, vectors: TrailVectors): VectorResult[] {
  return [
    ...vectors.canonical.map(({ value, text }) => ({ name: text, actual: canonical(value), expected: text })),
    ...vectors.sha256.flatMap(({ text, hash }) => [
      { name: `SHA-256 of text ${text}`, actual: crypto.sha256(text), expected: hash },
      { name: `SHA-256 of bytes ${text}`, actual: crypto.sha256(bytesOf('', text)), expected: hash },
    ]),
    ...vectors.uuids.map(({ namespace, name, uuid }) => ({
      name: `UUID ${name}`,
      actual: uuidV5(crypto, namespace, name),
      expected: uuid,
    })),
    ...checkSignatures(crypto, vectors.ed25519),
    ...checkTree(crypto, vectors.tree),
    ...checkHistory(crypto, vectors.history),
    ...checkSeals(crypto, vectors),
  ];
}

function checkSignatures(crypto: TrailCrypto, vectors: TrailVectors['ed25519']): VectorResult[] {
  return vectors.map(({ publicKey, message, signature, valid }, index) => {
    const [key, text, bytes] = [publicKey, message, signature].map((hex) => bytesOf(hex).slice());
    return { name: `signature ${index}`, actual: crypto.verifyEd25519(key!, text!, bytes!), expected: valid };
  });
}

function checkTree(
  crypto: TrailCrypto,
  { leaves, roots, inclusion, consistency }: TrailVectors['tree'],
): VectorResult[] {
  const tree = new GrowingTree(crypto);
  const actualRoots = leaves.map((leaf) => {
    tree.append(leaf);
    return tree.root();
  });
  const headOf = (size: number) => ({ size, root: roots[size - 1]! });
  return [
    { name: 'roots', actual: actualRoots, expected: roots },
    ...inclusion.map(({ index, size, path, valid }, n) => {
      const leaf = { index, hash: leafHash(crypto, leaves[index] ?? '') };
      return { name: `inclusion ${n}`, actual: isIncluded(crypto, leaf, headOf(size), path), expected: valid };
    }),
    ...consistency.map(({ older, newer, path, valid }, n) => ({
      name: `consistency ${n}`,
      actual: isConsistent(crypto, headOf(older), headOf(newer), path),
      expected: valid,
    })),
  ];
}

function checkHistory(crypto: TrailCrypto, { lines, cases }: TrailVectors['history']): VectorResult[] {
  // The vectors are older than notices, and none has one.
  return cases.map((vector) => {
    const keys = vector.keys.map((key) => readPublicKey(crypto, key));
    const verifier = new Verifier(crypto, { keys, keptSeals: (vector.keptSeals ?? []).map(readKeptSeal) });
    for (const line of editedLines(lines, vector)) verifier.push(line);
    return {
      name: `history: ${vector.name}`,
      actual: verifier.finish(),
      expected: { ...vector.verdict, recorded_out_of_order: IN_ORDER },
    };
  });
}

/** Returns the lines of a case. */
export function editedLines(lines: readonly string[], { length, edits = [] }: HistoryCase): string[] {
  const copy = lines.slice(0, length);
  for (const { line, from, to } of edits) {
    if (!copy[line]!.includes(from)) throw new Error(`line ${line} does not contain ${from}`);
    copy[line] = copy[line]!.replace(from, () => to);
  }
  return copy;
}

function checkSeals(crypto: TrailCrypto, { seals, proofs, history }: TrailVectors): VectorResult[] {
  const readKeys = (keys: readonly string[]) => keys.map((key) => readPublicKey(crypto, key));
  return [
    ...seals.map(({ name, file, keptSeal, keys, verdict }) => {
      const options = { keys: readKeys(keys), keptSeals: [readKeptSeal(keptSeal)] };
      return { name, actual: verifySeal(crypto, readSealFile(file), options), expected: verdict };
    }),
    ...proofs.map(({ name, proof, keys, fault }) => ({
      name: `proof: ${name}`,
      actual: verifyProof(crypto, proof, history.organizationId, readKeys(keys)).fault,
      expected: fault,
    })),
  ];
}
