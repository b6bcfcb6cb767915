import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { canonical } from '../../src/trail/canonical.ts';
import type { Verdict } from '../../src/trail/check/verdict.ts';
import { keptSealText } from '../../src/trail/seals/kept-seal.ts';
import { publicPem } from '../../src/trail/seals/key.ts';
import type { LogSealed } from '../../src/trail/seals/seal-events.ts';
import { temporaryFolder } from '../support/register.ts';
import { type ProgramResult, veritrail } from '../support/run/run-command.ts';
import { editData, insert } from '../support/trail/insider.ts';
import {
  FIRST_KEY,
  linesOf,
  ORGANIZATION,
  publicOf,
  SECOND_KEY,
  SealedHistory,
  testKey,
  twoHundredEvents,
} from '../support/trail/sealed-history.ts';

const cli = suite('veritrail verify and redact');

const EVENTS = twoHundredEvents().events;
const SEALS = EVENTS.filter(({ type }) => type === 'LogSealed');
const KEY = FIRST_KEY.public_key;
const cwd = temporaryFolder();

cli.after(() => rmSync(cwd, { recursive: true }));

const textOf = (lines: readonly string[]) => `${lines.join('\n')}\n`;
const write = (name: string, content: string | Buffer) => writeFileSync(join(cwd, name), content);
const verify = (...args: string[]): Promise<ProgramResult> =>
  veritrail({ cwd, dataDir: join(cwd, 'absent') }, 'verify', ...args);
const redact = (...args: string[]): Promise<ProgramResult> =>
  veritrail({ cwd, dataDir: join(cwd, 'absent') }, 'redact', ...args);

write('good.jsonl', textOf(linesOf(EVENTS)));
write('good.jsonl.gz', gzipSync(textOf(linesOf(EVENTS))));
write('key.pem', publicPem(publicOf(FIRST_KEY)));
write('seal.json', keptSealText(ORGANIZATION, SEALS[4]!.data as unknown as LogSealed));

cli('verifies a history without any store', async () => {
  for (const [file, key] of [
    ['good.jsonl', KEY],
    ['good.jsonl.gz', 'key.pem'],
  ] as const) {
    const { code, out, err } = await verify(file, '--key', key);
    assert.equal([code, err], [0, '']);
    assert.match(out, /^VALID\. All chains, seals and signatures match\.$/m);
    assert.match(out, /^Exported +\S+, as the file says: nothing proves this time$/m);
    assert.match(out, /^Events +200 in 38 streams\. Pages call the event at position 7 change 7$/m);
    assert.match(
      out,
      new RegExp(
        `^Proved +positions 1 to 199, by the seal made at .*Z at position 200, key ${SECOND_KEY.key_id}$`,
        'm',
      ),
    );
    assert.match(out, /^Unsealed +none$/m);
    assert.match(
      out,
      new RegExp(
        `^Key +${SECOND_KEY.key_id}, since position 121: rotated, signed by the previous key; public key ${SECOND_KEY.public_key.replaceAll('+', '\\+')}$`,
        'm',
      ),
    );
  }
});

cli('lists events that were recorded out of order, and stays valid', async () => {
  const history = new SealedHistory();
  history.continue(EVENTS);
  for (const recorded_at of ['2025-03-01T00:00:00.000Z', '2025-03-02T00:00:00.000Z'])
    history.append('risk-new', 'RiskAccepted', {}, { recorded_at });
  history.append('risk-new', 'RiskArchived', {}, { recorded_at: '2999-01-01T00:00:00.000Z' });
  write('added.jsonl', textOf(linesOf(history.events)));
  const { code, out } = await verify('added.jsonl', '--key', KEY);
  assert.is(code, 0);
  assert.match(
    out,
    /^Out of order +positions 201 to 202, recorded at 2025-03-01T00:00:00.000Z to 2025-03-02T00:00:00.000Z, after an event or seal of 2026-/m,
  );
  assert.match(
    out,
    /^Out of order +position 203, recorded at 2999-01-01T00:00:00.000Z, ahead of the clock of the reader$/m,
  );
  assert.match(out, /^Out of order +3 events in 2 places: /m);
});

cli('gives no notice on a log of an earlier version', async () => {
  const folder = fileURLToPath(new URL('../fixtures/data-folder-v0/', import.meta.url));
  const { public_key } = JSON.parse(
    gunzipSync(readFileSync(join(folder, 'export.jsonl.gz')))
      .toString()
      .split('\n')
      .find((line) => line.includes('"SealKeyIntroduced"'))!,
  ).event.data;
  const { code, out } = await verify(join(folder, 'export.jsonl.gz'), '--key', public_key);
  assert.is(code, 0);
  assert.match(out, /^VALID/);
  assert.not.match(out, /Out of order/);
});

cli('names the first event with a fault', async () => {
  write('edited.jsonl', textOf(linesOf(editData(EVENTS, 99))));
  const { code, out, err } = await verify('edited.jsonl', '--key', KEY);
  assert.is(code, 1);
  assert.match(out, /^NOT VALID\. The first fault is at position 100 \(line 101\): SomethingHappened /);
  assert.match(out, /: its contents do not match its hash: this event was altered\.$/m);
  assert.is(err, 'veritrail verify: The history is not valid.');
});

cli('names the first seal with a fault, and the range since the last valid one', async () => {
  write('inserted.jsonl', textOf(linesOf(insert(EVENTS, 99))));
  const { code, out } = await verify('inserted.jsonl', '--key', KEY);
  assert.is(code, 1);
  const next = SEALS.find(({ data }) => Number(data.size) > 99)!;
  const last = SEALS[SEALS.indexOf(next) - 1]!;
  assert.match(
    out,
    new RegExp(`^NOT VALID\\. The first seal with a fault is at position ${EVENTS.indexOf(next) + 2} `),
  );
  assert.match(out, new RegExp(`Look between positions ${Number(last.data.size) + 1} and ${next.data.size}\\.$`, 'm'));
});

cli('requires the right key', async () => {
  const other = await verify('good.jsonl', '--key', testKey(9).public_key);
  assert.is(other.code, 1);
  assert.match(other.out, /none of the keys that you gave signed it/);
  assert.match(other.out, /^Proved +nothing$/m);
  const both = await verify('good.jsonl', '--key', testKey(9).public_key, '--key', SECOND_KEY.public_key);
  assert.is(both.code, 0);
  for (const key of ['nonsense', 'good.jsonl', 'seal.json', KEY.slice(2)]) {
    const failure = await verify('good.jsonl', '--key', key);
    assert.is(failure.code, 2);
    assert.match(failure.err, /Give --key as "veritrail seal-key" prints it/);
  }
  assert.match((await verify('good.jsonl')).err, /Give the public key/);
});

cli('trusts every key of a file, as seal-key prints them: base64 or PEM, one after the other', async () => {
  const [other, second] = [testKey(9), SECOND_KEY].map((key) => ({
    text: key.public_key,
    pem: publicPem(publicOf(key)),
  }));
  for (const text of [
    `${other!.text}\n${second!.text}\n`,
    `${second!.text}\r\n\r\n  ${other!.text}`,
    `${other!.pem}\n${second!.pem}\n`,
    `${second!.pem}\n${other!.text}`,
    `${other!.text}\n${second!.pem.replaceAll('\n', '\r\n')}`,
  ]) {
    write('keys.txt', text);
    const { code, err } = await verify('good.jsonl', '--key', 'keys.txt');
    assert.equal([code, err], [0, ''], text);
    assert.is((await verify('good.jsonl', `--key=${text}`)).code, 0, 'the text itself');
  }
  write('others.txt', `${other!.text}\n${testKey(8).public_key}\n`);
  assert.is((await verify('good.jsonl', '--key', 'others.txt')).code, 1);
  for (const text of [
    '',
    '\n \n',
    `${second!.text}\nnonsense\n`,
    `${second!.text} ${other!.text}`,
    `${second!.text}\n${other!.pem.slice(0, -30)}`,
  ]) {
    write('wrong.txt', text);
    const { code, err } = await verify('good.jsonl', '--key', 'wrong.txt');
    assert.equal([code, /Give --key as "veritrail seal-key" prints it/.test(err)], [2, true], text);
  }
});

cli('compares the history with a kept seal', async () => {
  assert.is((await verify('good.jsonl', '--key', KEY, '--seal', 'seal.json')).code, 0);
  write('short.jsonl', textOf(linesOf(EVENTS.slice(0, 60))));
  assert.is((await verify('short.jsonl', '--key', KEY)).code, 0);
  const { code, out } = await verify('short.jsonl', '--key', KEY, '--seal', 'seal.json');
  assert.is(code, 1);
  assert.match(out, /the end was removed/);
  const failure = await verify('good.jsonl', '--key', KEY, '--seal', 'key.pem');
  assert.is(failure.code, 2);
  assert.match(failure.err, /"key\.pem" is not JSON\. Give --seal a file that "veritrail seal" wrote/);
});

cli('escapes text of the file that could fake a verdict on a terminal', async () => {
  const evil = 'now\r\u001b[2J\nVALID. All chains, seals and signatures match.\u202e\u2028';
  const lines = linesOf(editData(EVENTS, 99));
  write('evil.jsonl', textOf(lines.with(0, canonical({ ...JSON.parse(lines[0]!), exported_at: evil }))));
  const { code, out } = await verify('evil.jsonl', '--key', KEY);
  assert.is(code, 1);
  assert.not.match(out, /^VALID/m);
  assert.match(out, /^NOT VALID/);
  assert.match(out.replaceAll('\n', ''), /^[^\p{Cc}\p{Cf}\u2028]+$/u);
  write('huge.jsonl', textOf(lines.with(0, canonical({ ...JSON.parse(lines[0]!), exported_at: 'x'.repeat(1e6) }))));
  assert.ok((await verify('huge.jsonl', '--key', KEY)).out.length < 5_000);
});

cli('reads keys and seals from pipes, and names a file that it cannot read', async () => {
  const pipes = { 'key.pipe': KEY, 'seal.pipe': readFileSync(join(cwd, 'seal.json')) };
  for (const name of Object.keys(pipes)) execFileSync('mkfifo', [join(cwd, name)]);
  const writes = Object.entries(pipes).map(([name, content]) => writeFile(join(cwd, name), content));
  const { code, err } = await verify('good.jsonl', '--key', 'key.pipe', '--seal', 'seal.pipe');
  assert.equal([code, err], [0, '']);
  await Promise.all(writes);
  write('padded.json', readFileSync(join(cwd, 'seal.json')) + ' '.repeat(300_000));
  for (const name of ['absent.json', 'padded.json', '.']) {
    const { code, err } = await verify('good.jsonl', '--key', KEY, '--seal', name);
    assert.equal([code, /can’t be read, or is too large/.test(err)], [2, true], err);
  }
});

cli('reads all gzip data, and refuses other data after it and damaged data', async () => {
  const text = textOf(linesOf(EVENTS));
  const [one, two] = [text.slice(0, 50_000), text.slice(50_000)].map((half) => gzipSync(half)) as [Buffer, Buffer];
  write('two.jsonl.gz', Buffer.concat([one, two]));
  assert.is((await verify('two.jsonl.gz', '--key', KEY)).code, 0);
  const fullGzip = gzipSync(text);
  for (const [behind, says] of [
    [Buffer.concat([Buffer.alloc(1), gzipSync('more')]), /data after its gzip data/],
    [Buffer.alloc(1_000_000), /data after its gzip data/],
    [Buffer.from('more'), /damaged|data after|not a gzip file/],
  ] as const) {
    write('behind.jsonl.gz', Buffer.concat([fullGzip, behind]));
    const { code, err } = await verify('behind.jsonl.gz', '--key', KEY);
    assert.equal([code, says.test(err)], [2, true], err);
  }
});

cli('recognizes a file that was cut, compressed or not', async () => {
  const text = textOf(linesOf(EVENTS));
  write('cut.jsonl', text.slice(0, -1000));
  const packed = gzipSync(text);
  write('cut.jsonl.gz', packed.subarray(0, -1000));
  // The file has all lines but no checksum, or a second gzip member with a comment that never ends.
  write('sumless.jsonl.gz', packed.subarray(0, -1));
  const truncatedGzip = Buffer.concat([Buffer.from('1f8b0810000000000003', 'hex'), Buffer.alloc(1000, 'more')]);
  write('begun.jsonl.gz', Buffer.concat([packed, truncatedGzip]));
  for (const file of ['cut.jsonl', 'cut.jsonl.gz', 'sumless.jsonl.gz', 'begun.jsonl.gz']) {
    const { code, out } = await verify(file, '--key', KEY);
    assert.is(code, 1, file);
    assert.match(
      out,
      /^NOT VALID\. The last line is missing: the file is truncated, or its compression is damaged\. The last event is at position \d+\.$/m,
    );
  }
});

cli('exits with 2 and names the line for a file that is not an export', async () => {
  write('other.jsonl', 'something\n');
  write('notes.jsonl.gz', 'something');
  write('bad.jsonl', Buffer.concat([Buffer.from(textOf(linesOf(EVENTS).slice(0, 5))), Buffer.from([0xff, 10])]));
  for (const [file, said] of [
    ['other.jsonl', /line 1 is not JSON/],
    ['bad.jsonl', /line 6 is not UTF-8/],
    ['notes.jsonl.gz', /is not a gzip file/],
    ['absent.jsonl', /absent\.jsonl can’t be read\. Check its name/],
    ['.', /can’t be read\. Check its name/],
  ] as const) {
    const { code, out, err } = await verify(file, '--key', KEY);
    assert.equal([code, out], [2, ''], file);
    assert.match(err, said);
  }
});

cli('prints the verdict as JSON', async () => {
  const { out } = await verify('good.jsonl', '--key', KEY, '--json');
  const verdict = JSON.parse(out) as Verdict;
  assert.equal([verdict.valid, verdict.proved?.size, verdict.header.organization_id], [true, 199, ORGANIZATION]);
});

cli('redacts data so that everything verifies and the verdict lists it', async () => {
  const sample = [EVENTS[30]!, EVENTS[0]!];
  const args = sample.flatMap(({ id }) => ['--event', id]);
  for (const [from, to] of [
    ['good.jsonl', 'redacted.jsonl.gz'],
    ['good.jsonl.gz', 'redacted.jsonl'],
  ] as const) {
    const { code, err } = await redact(from, ...args, '--to', to);
    assert.equal([code, err], [0, '']);
    const verified = await verify(to, '--key', KEY, '--seal', 'seal.json');
    assert.is(verified.code, 0);
    const rows = verified.out.split('\n').filter((line) => line.startsWith('Redacted'));
    assert.equal(rows, [
      `Redacted      the data of OrganizationCreated ${EVENTS[0]!.id} at position 1`,
      `Redacted      the data of ${EVENTS[30]!.type} ${EVENTS[30]!.id} at position 31`,
    ]);
  }
  const text = readFileSync(join(cwd, 'redacted.jsonl'), 'utf8');
  assert.is(gunzipSync(readFileSync(join(cwd, 'redacted.jsonl.gz'))).toString(), text);
  assert.not.match(text, new RegExp(`${EVENTS[30]!.data.text}|${EVENTS[30]!.metadata.salt}`));
  assert.is(text.split('\n').filter((line, index) => line !== linesOf(EVENTS)[index]).length, 3);
});

cli('redacts no seal and no unknown event, and overwrites nothing', async () => {
  const event = ['--event', EVENTS[30]!.id];
  for (const [args, said] of [
    [['good.jsonl', '--event', SEALS[0]!.id, '--to', 'none.jsonl'], /belongs to the seals/],
    [
      ['good.jsonl', ...event, '--event', 'unknown', '--to', 'none.jsonl'],
      /The file has no event unknown\..* "event_id" .* listChanges/,
    ],
    [['good.jsonl', ...event, '--to', 'edited.jsonl'], /already exists\. Choose another name/],
    [['other.jsonl', ...event, '--to', 'none.jsonl'], /line 1 is not JSON/],
    [['good.jsonl', ...event, '--to', join('absent', 'none.jsonl')], /can’t be written \(ENOENT\)/],
    [['good.jsonl', ...event], /Give the file to write/],
    [['good.jsonl', '--to', 'none.jsonl'], /Name at least one event/],
  ] as const) {
    const { code, err } = await redact(...args);
    assert.ok(code > 0);
    assert.match(err, said);
  }
  assert.ok(!readdirSync(cwd).includes('none.jsonl'));
  assert.is(readFileSync(join(cwd, 'edited.jsonl'), 'utf8'), textOf(linesOf(editData(EVENTS, 99))));
});

cli.run();
