import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { nobleCrypto } from '../../src/browser/noble-crypto.ts';
import { nodeCrypto } from '../../src/trail/node/node-crypto.ts';
import { checkVectors, type TrailVectors } from '../support/trail/check-vectors.ts';

const test = suite('vectors');

const VECTORS = JSON.parse(
  readFileSync(new URL('../fixtures/trail-vectors.json', import.meta.url), 'utf8'),
) as TrailVectors;

for (const [name, crypto] of [
  ['Node.js', nodeCrypto],
  ['the packages for browsers', nobleCrypto],
] as const) {
  test(`src/trail agrees with the vectors, with the cryptography of ${name}`, () => {
    const results = checkVectors(crypto, VECTORS);
    assert.ok(results.length > 60);
    for (const result of results) assert.equal(result.actual, result.expected, result.name);
  });
}

test.run();
