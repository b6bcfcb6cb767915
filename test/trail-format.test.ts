import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { commandId, derivedId } from '../src/commands/ids.ts';
import { canonical } from '../src/trail/canonical.ts';
import { verifyChain } from '../src/trail/chain.ts';
import type { TrailEvent } from '../src/trail/event.ts';

/*
 * The page that describes the format must be enough to check it. What follows works out every value of its example
 * from the page's own words, with nothing but hashes; then the code is held to the same values.
 */

const PAGE = readFileSync(new URL('../docs/trail-format.md', import.meta.url), 'utf8');
const DNS_NAMESPACE = '6ba7b810-9dad-11d1-80b4-00c04fd430c8';
const EVENTS = [0, 1].map((n) => JSON.parse(block(`event-${n}`)) as TrailEvent);

/** The text of the page's code block with this label. */
function block(label: string): string {
  const found = new RegExp(`^\`\`\`\\w+ ${label}\\n([\\s\\S]*?)\\n\`\`\`$`, 'm').exec(PAGE);
  if (found === null) throw new Error(`the page has no block ${label}`);
  return found[1]!;
}

function sha256(...parts: (string | Buffer)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
}

function uuidV5(namespace: string, name: string): string {
  const bytes = createHash('sha1')
    .update(Buffer.from(namespace.replaceAll('-', ''), 'hex'))
    .update(name)
    .digest();
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** The page's namespaces, as it derives them. */
const namespaceOf = (name: string) => {
  const namespace = uuidV5(DNS_NAMESPACE, name);
  assert.ok(PAGE.includes(`\`${namespace}\``), `the page does not name ${namespace}`);
  return namespace;
};

const salt = (event: TrailEvent) => Buffer.from(event.metadata.salt, 'hex');

const page = suite('docs/trail-format.md');

page('gives the canonical forms of its example', () => {
  const [event] = EVENTS as [TrailEvent];
  assert.is(canonical(event.data), block('data-0'));
  for (const label of ['input-0', 'input-1', 'hashed-0']) assert.is(canonical(JSON.parse(block(label))), block(label));
  const { hash: _hash, salt: _salt, ...metadata } = event.metadata;
  const { stream, revision, type } = event;
  assert.equal(JSON.parse(block('hashed-0')), { stream, revision, type, metadata });
});

for (const [n, event] of EVENTS.entries()) {
  page(`makes the salted hashes of event ${n} as it says`, () => {
    assert.is(event.metadata.data_hash, sha256(salt(event), canonical(event.data)));
    assert.is(event.metadata.input_hash, sha256(salt(event), block(`input-${n}`)));
  });

  page(`makes hash and id of event ${n} as it says`, () => {
    const { hash, salt: _salt, ...metadata } = event.metadata;
    const { stream, revision, type } = event;
    assert.is(hash, sha256(canonical({ stream, revision, type, metadata })));
    assert.is(event.id, uuidV5(namespaceOf('events.veritrail'), hash));
  });
}

page('hashes its first event from the text that it shows', () => {
  assert.is(EVENTS[0]!.metadata.hash, sha256(block('hashed-0')));
});

page('makes ids as it says', () => {
  const command = uuidV5(namespaceOf('commands.veritrail'), block('command-name'));
  assert.is(command, block('command-id'));
  assert.is(command, EVENTS[0]!.metadata.command_id);
  const hex = `${command.replaceAll('-', '').slice(0, 12)}8${uuidV5(command, 'vnd:0').replaceAll('-', '').slice(-19)}`;
  const digits = [...BigInt(`0x${hex}`).toString(32).padStart(26, '0')].map((digit) => Number.parseInt(digit, 32));
  const id = `vnd_${digits.map((digit) => '0123456789ABCDEFGHJKMNPQRSTVWXYZ'[digit]).join('')}`;
  assert.is(id, block('record-id'));
  assert.is(EVENTS[0]!.stream, `vendor-${id}`);
});

page('shows a chain that verifies, and one that does not when anything is touched', () => {
  const [first, second] = EVENTS as [TrailEvent, TrailEvent];
  assert.is(second.metadata.previous_hash, first.metadata.hash);
  assert.is(verifyChain(EVENTS), null);
  const erased: TrailEvent = { ...first, data: {}, metadata: { ...first.metadata, salt: '' } };
  assert.is(verifyChain([erased, second]), null);
  const forged: TrailEvent = { ...first, data: { ...first.data, criticality: 'LOW' } };
  assert.is(verifyChain([forged, second])?.why, 'ALTERED');
  assert.is(verifyChain([second])?.why, 'OUT_OF_ORDER');
});

page('agrees with the code on ids', () => {
  const [organization, tool, key] = JSON.parse(block('command-name')) as [string, string, string];
  assert.is(commandId([organization, tool], key), block('command-id'));
  assert.is(derivedId('vnd', block('command-id')), block('record-id'));
});

page('names every type of event that was ever recorded', () => {
  const recorded = readFileSync(new URL('fixtures/events-v1.jsonl', import.meta.url), 'utf8')
    .trimEnd()
    .split('\n');
  const types = new Set(recorded.map((line) => (JSON.parse(line) as TrailEvent).type));
  assert.ok(types.size > 0);
  assert.equal(
    [...types].filter((type) => !PAGE.includes(`\n| \`${type}\` |`)),
    [],
  );
});

page.run();
