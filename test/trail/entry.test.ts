import { readdirSync, readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const test = suite('veritrail/trail');

/** Matches each mention of something that only Node.js has. */
const NODE_ONLY = /\bfrom 'node:|\b(?:Buffer|process|require)\b(?=[.(<[])/g;

test('src/trail runs in a browser: only node/ uses Node.js', () => {
  const folder = new URL('../../src/trail/', import.meta.url);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  assert.ok(files.length > 20);
  const nodeFiles = files.filter((file) => readFileSync(new URL(file, folder), 'utf8').match(NODE_ONLY));
  assert.equal(nodeFiles.sort(), ['node/node-crypto.ts', 'node/signing-key.ts']);
});

test.run();
