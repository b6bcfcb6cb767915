import { createHash, createPrivateKey, createPublicKey, verify as isSignature } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { canonical } from '../../../src/trail/canonical.ts';
import type { TrailEvent } from '../../../src/trail/event.ts';
import { readSealFile } from '../../../src/trail/extension.ts';
import { isAuthentic, leafHash, nodeHash, readPublicKey, verifySeal } from '../../../src/trail/index.ts';
import { signingKey } from '../../../src/trail/node/signing-key.ts';
import { keptSealText, readKeptSeal } from '../../../src/trail/seals/kept-seal.ts';
import { introduceKey, type LogSealed, makeSeal, SEAL_EVENT_TYPES } from '../../../src/trail/seals/seal-events.ts';
import { naiveRoot, verify } from '../../support/trail/sealed-history.ts';

/*
 * As test/trail/format.test.ts does for events: computes the values of the page's seal example from the page's own words,
 * then compares the code with them.
 */

const PAGE = readFileSync(new URL('../../../docs/trail-format.md', import.meta.url), 'utf8');

/** Returns the text of the page's code block with this label. */
function block(label: string): string {
  const match = new RegExp(`^\`\`\`\\w+ ${label}\\n([\\s\\S]*?)\\n\`\`\`$`, 'm').exec(PAGE);
  assert.ok(match, `the page has no block ${label}`);
  return match![1]!;
}

const [PUBLIC, KEY_ID] = block('seal-key').split('\n') as [string, string];
const LINES = block('export').split('\n');
const EVENTS = LINES.slice(1, -1).map((line) => (JSON.parse(line) as { event: TrailEvent }).event);
const ORGANIZATION = EVENTS[0]!.metadata.organization_id;
const HASHES = EVENTS.map(({ metadata }) => metadata.hash);

const page = suite('the seals of docs/trail-format.md');

page('the key id is computed as described', () => {
  const raw = Buffer.from(PUBLIC, 'base64');
  assert.is(createHash('sha256').update(raw).digest('hex').slice(0, 16), KEY_ID);
  const d = Buffer.alloc(32, 0x42).toString('base64url');
  const key = createPrivateKey({ key: { kty: 'OKP', crv: 'Ed25519', d, x: raw.toString('base64url') }, format: 'jwk' });
  assert.is(createPublicKey(key).export({ format: 'jwk' }).x, raw.toString('base64url'));
  const { key_id, public_key } = signingKey(key);
  assert.equal([key_id, public_key, readPublicKey(PUBLIC).key_id], [KEY_ID, PUBLIC, KEY_ID]);
  const [, , introduced, sealed] = EVENTS.map(({ data }) => data);
  assert.equal(introduceKey(ORGANIZATION, signingKey(key)).data, introduced);
  assert.equal(makeSeal(ORGANIZATION, sealed as unknown as LogSealed, signingKey(key)).data, sealed);
});

for (const [label, index] of [
  ['signed-introduction', 2],
  ['signed-seal', 3],
] as const) {
  page(`the signed text is as on the page: ${label}`, () => {
    const { signature, ...unsigned } = EVENTS[index]!.data;
    const text = block(label);
    const { type } = EVENTS[index]!;
    assert.is(text, canonical({ ...unsigned, format: 'veritrail-seal-1', type, organization_id: ORGANIZATION }));
    const x = Buffer.from(PUBLIC, 'base64').toString('base64url');
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    assert.ok(isSignature(null, Buffer.from(text), key, Buffer.from(String(signature), 'base64')));
  });
}

page('the page’s roots are those of RFC 9162', () => {
  assert.equal([EVENTS[3]!.data.size, EVENTS[3]!.data.root], [3, naiveRoot(HASHES.slice(0, 3))]);
  assert.equal(JSON.parse(LINES.at(-1)!), { end: true, head: { root: naiveRoot(HASHES), size: 4 }, position: 4 });
});

page('the page’s export is canonical and verifies', () => {
  for (const line of LINES) assert.is(canonical(JSON.parse(line)), line);
  assert.equal(EVENTS.slice(0, 2), [JSON.parse(block('event-0')), JSON.parse(block('event-1'))]);
  assert.ok(EVENTS.every((event) => isAuthentic(event)));
  const verdict = verify(LINES, { keys: [readPublicKey(PUBLIC)] });
  assert.equal([verdict.valid, verdict.proved?.size, verdict.unsealed], [true, 3, 0]);
});

page('the page’s kept seal verifies', () => {
  const keptSeal = readKeptSeal(block('kept-seal'));
  assert.is(keptSealText(ORGANIZATION, EVENTS[3]!.data as unknown as LogSealed), `${block('kept-seal')}\n`);
  assert.is(verify(LINES, { keys: [readPublicKey(PUBLIC)], keptSeals: [keptSeal] }).valid, true);
});

page('the page’s proofs lead to the roots', () => {
  const seal = readKeptSeal(block('kept-seal'));
  const inclusion = JSON.parse(block('inclusion'));
  const [second, third] = inclusion.path as [string, string];
  const first = leafHash(HASHES[0]!);
  assert.is(nodeHash(nodeHash(first, second), third), seal.root);
  assert.equal([inclusion.position, inclusion.size], [1, seal.size]);
  const file = readSealFile(`${block('extended-seal')}\n`);
  for (const line of block('extended-seal').split('\n')) assert.is(canonical(JSON.parse(line)), line);
  const [leaf, fourth, before] = file.extension!.path as [string, string, string];
  assert.is(nodeHash(before, leaf), seal.root);
  assert.is(nodeHash(before, nodeHash(leaf, fourth)), file.seal.root);
  const verdict = verifySeal(file, { keys: [readPublicKey(PUBLIC)], keptSeals: [seal] });
  assert.equal([verdict.valid, file.extension!.older, file.extension!.newer], [true, 3, 4]);
});

page('the page lists every event of the seal stream with its members', () => {
  const rows = [...PAGE.matchAll(/^\| `(\w+)` \| ([a-z_, ]+) \|$/gm)];
  assert.equal(rows.map(([, type]) => type).sort(), [...SEAL_EVENT_TYPES].sort());
  for (const { type, data } of EVENTS.slice(2)) {
    const members = rows.find(([, name]) => name === type)![2]!.split(', ');
    assert.equal(Object.keys(data).sort(), members.sort());
  }
});

page('the page names every fault', () => {
  const source = readFileSync(new URL('../../../src/trail/check/verdict.ts', import.meta.url), 'utf8');
  const faults = [...source.matchAll(/^ {2}why: (.*);$/gm)].flatMap(([, kinds]) => kinds!.match(/\w+/g)!);
  assert.ok(faults.length > 12);
  for (const fault of faults) assert.ok(PAGE.includes(`\`${fault}\``), fault);
});

page.run();
