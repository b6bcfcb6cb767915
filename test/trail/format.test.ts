import { createHash, createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { makeTrailFormatReference } from '../../scripts/reference/trail-format-reference.ts';
import { commandId, controlId, derivedId, libraryFrameworkId } from '../../src/commands/engine/ids.ts';
import { importedId, importedRowId } from '../../src/commands/engine/import-ids.ts';
import { FAMILIES } from '../../src/commands/families.ts';
import { EVENT_TYPES } from '../../src/register/events.ts';
import { canonical } from '../../src/trail/canonical.ts';
import type { TrailEvent } from '../../src/trail/event.ts';
import { verifyChain } from '../../src/trail/index.ts';

/*
 * The page must be enough to verify the format. These tests compute every value of its example from the page's own
 * words, with only a hash function. Then they compare the code with the same values.
 */

const PAGE = readFileSync(new URL('../../docs/trail-format.md', import.meta.url), 'utf8');
const DNS_NAMESPACE = '6ba7b810-9dad-11d1-80b4-00c04fd430c8';
const EVENTS = [0, 1].map((n) => JSON.parse(block(`event-${n}`)) as TrailEvent);

/** Returns the text of the page's code block with this label. */
function block(label: string): string {
  const match = new RegExp(`^\`\`\`\\w+ ${label}\\n([\\s\\S]*?)\\n\`\`\`$`, 'm').exec(PAGE);
  if (match === null) throw new Error(`the page has no block ${label}`);
  return match[1]!;
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

const LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** Writes the 128 bits of a UUID as 26 letters. */
function base32(uuid: string): string {
  const digits = [
    ...BigInt(`0x${uuid.replaceAll('-', '')}`)
      .toString(32)
      .padStart(26, '0'),
  ];
  return digits.map((digit) => LETTERS[Number.parseInt(digit, 32)]).join('');
}

/** The page's namespaces, as it derives them. */
const namespaceOf = (name: string) => {
  const namespace = uuidV5(DNS_NAMESPACE, name);
  assert.ok(PAGE.includes(`\`${namespace}\``), `the page does not name ${namespace}`);
  return namespace;
};

const salt = (event: TrailEvent) => Buffer.from(event.metadata.salt, 'hex');

const page = suite('docs/trail-format.md');

page('the page shows the canonical forms of its example', () => {
  const [event] = EVENTS as [TrailEvent];
  assert.is(canonical(event.data), block('data-0'));
  for (const label of ['input-0', 'input-1', 'hashed-0']) assert.is(canonical(JSON.parse(block(label))), block(label));
  const { hash: _hash, salt: _salt, ...metadata } = event.metadata;
  const { stream, revision, type } = event;
  assert.equal(JSON.parse(block('hashed-0')), { stream, revision, type, metadata });
});

for (const [n, event] of EVENTS.entries()) {
  page(`the salted hashes of event ${n} are computed as described`, () => {
    assert.is(event.metadata.data_hash, sha256(salt(event), canonical(event.data)));
    assert.is(event.metadata.input_hash, sha256(salt(event), block(`input-${n}`)));
  });

  page(`hash and id of event ${n} are computed as described`, () => {
    const { hash, salt: _salt, ...metadata } = event.metadata;
    const { stream, revision, type } = event;
    assert.is(hash, sha256(canonical({ stream, revision, type, metadata })));
    assert.is(event.id, uuidV5(namespaceOf('events.veritrail'), hash));
  });
}

page('the hash of event 0 is computed from the text on the page', () => {
  assert.is(EVENTS[0]!.metadata.hash, sha256(block('hashed-0')));
});

page('the ids of the example are computed as described', () => {
  const command = uuidV5(namespaceOf('commands.veritrail'), block('command-name'));
  assert.is(command, block('command-id'));
  assert.is(command, EVENTS[0]!.metadata.command_id);
  const hex = `${command.replaceAll('-', '').slice(0, 12)}8${uuidV5(command, 'vnd:0').replaceAll('-', '').slice(-19)}`;
  const id = `vnd_${base32(hex)}`;
  assert.is(id, block('record-id'));
  assert.is(EVENTS[0]!.stream, `vendor-${id}`);
});

page('the example chain verifies, and fails after a change', () => {
  const [first, second] = EVENTS as [TrailEvent, TrailEvent];
  assert.is(second.metadata.previous_hash, first.metadata.hash);
  assert.is(verifyChain(EVENTS), null);
  const erased: TrailEvent = { ...first, data: {}, metadata: { ...first.metadata, salt: '' } };
  assert.is(verifyChain([erased, second]), null);
  const forged: TrailEvent = { ...first, data: { ...first.data, criticality: 'LOW' } };
  assert.is(verifyChain([forged, second])?.why, 'ALTERED');
  assert.is(verifyChain([second])?.why, 'OUT_OF_ORDER');
});

page('the code computes the ids on the page', () => {
  const [organization, tool, key] = JSON.parse(block('command-name')) as [string, string, string];
  assert.is(commandId([organization, tool], key), block('command-id'));
  assert.is(derivedId('vnd', block('command-id')), block('record-id'));
});

page('ids of library frameworks, controls and imported rows are computed as described', () => {
  const [framework, control] = block('library-ids').split('\n') as [string, string];
  assert.is(framework, `frm_${base32(uuidV5(namespaceOf('commands.veritrail'), block('library-name')))}`);
  assert.is(control, `ctl_${framework.slice(4)}${['0', '2', 'X'].join('')}`);
  assert.is(0 * 32 * 32 + 2 * 32 + LETTERS.indexOf('X'), 93);
  const [organization] = JSON.parse(block('library-name')) as [string];
  assert.equal([libraryFrameworkId(organization, 'GDPR'), controlId(framework, 93)], [framework, control]);

  const key = /`import_key` is `(\w+)`/.exec(PAGE)![1]!;
  const rows = [
    { reference_id: 'M-1', name: 'Lock' },
    { name: 'Café Hosting', country: 'EE' },
  ] as const;
  const cells = { Supplier: 'Café Hosting', Country: 'EE' };
  const families = [FAMILIES.MEASURE, FAMILIES.VENDOR, FAMILIES.VENDOR];
  const ids = block('import-ids').split('\n');
  for (const [index, name] of block('import-names').split('\n').entries()) {
    assert.is(canonical(JSON.parse(name)), name);
    const hex = createHmac('sha256', key).update(name).digest('hex').slice(0, 32);
    const variant = ((Number.parseInt(hex[16]!, 16) % 4) + 8).toString(16);
    const uuid = `${hex.slice(0, 12)}8${hex.slice(13, 16)}${variant}${hex.slice(17)}`;
    assert.is(`${families[index]!.prefix}_${base32(uuid)}`, ids[index]);
    const family = families[index]!;
    const row = rows[index];
    const id = row ? importedId(family, key, organization, row) : importedRowId(family, key, organization, cells);
    assert.is(id, ids[index]);
  }
  assert.is(ids.length, 3);
});

/** Returns a section of the page, by its heading. */
function section(heading: string): string {
  return PAGE.split(/^## /m).find((one) => one.startsWith(`${heading}\n`))!;
}

page('the page says what happened, and the effect, for exactly the existing event types', () => {
  const rows = [...section('The events there are').matchAll(/^\| `(\w+)` \| .+ \| .+ \|$/gm)];
  assert.equal(rows.map(([, type]) => type).sort(), EVENT_TYPES);
});

page('the page lists the members of every event as its schema does', () => {
  const reference = makeTrailFormatReference();
  assert.is(
    reference.page,
    readFileSync(reference.path, 'utf8'),
    'docs/trail-format.md is not current: run npm run docs',
  );
  const types = [...section('What each event contains').matchAll(/^\| `(\w+)` \| \d+ \|/gm)].map(([, type]) => type);
  assert.equal([...new Set(types)].sort(), EVENT_TYPES);
});

page.run();
