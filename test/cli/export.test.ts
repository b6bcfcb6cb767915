import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { writeLines } from '../../src/cli/history/files.ts';
import type { AccessLogRow } from '../../src/identity/access-log/access-log-row.ts';
import { firstStart } from '../../src/identity/installation/installation.ts';
import { exportLines } from '../../src/queries/files/export-lines.ts';
import type { EventStore, StoredEvent } from '../../src/stores/event-store.ts';
import { readLine } from '../../src/trail/check/line.ts';
import type { TrailEvent } from '../../src/trail/event.ts';
import { Verifier } from '../../src/trail/index.ts';
import { VERSION } from '../../src/version.ts';
import { closeAll, open, rejectionError } from '../support/identity/identity.ts';
import { temporaryFolder } from '../support/register.ts';
import { veritrail } from '../support/run/run-command.ts';
import { linesOf, ORGANIZATION, SealedHistory, twoHundredEvents, verify } from '../support/trail/sealed-history.ts';

const BIN = fileURLToPath(new URL('../../bin/veritrail.js', import.meta.url));

const test = suite('export');

test.after.each(closeAll);

const HISTORY = twoHundredEvents();

/** Returns a log in batches. */
function logOf(events: readonly TrailEvent[], size: number): Pick<EventStore, 'readAll'> {
  return {
    async *readAll() {
      for (let offset = 0; offset < events.length; offset += size) {
        yield events
          .slice(offset, offset + size)
          .map((event, n) => ({ ...event, storePosition: `${offset + n}` }) as StoredEvent);
      }
    },
  };
}

async function linesFrom(events: readonly TrailEvent[], size = 7): Promise<string[]> {
  const lines: string[] = [];
  const parts = { organizationId: ORGANIZATION, installation: 'an-installation', now: () => new Date('2026-01-03') };
  for await (const batch of exportLines({ ...parts, events: logOf(events, size) })) lines.push(...batch);
  return lines;
}

test('an export has the organization’s events in canonical form, for any batches of the log', async () => {
  const otherHistory = new SealedHistory('org_2');
  const mixed = HISTORY.events.flatMap((event, index) =>
    index % 3 === 0 ? [otherHistory.append('vendor-other', 'Happened', { index }), event] : [event],
  );
  for (const size of [1, 7, 1000]) assert.equal(await linesFrom(mixed, size), linesOf(HISTORY.events));
  assert.is(verify(await linesFrom(mixed)).valid, true);
});

test('an export of an unknown organization has only a header and an end', async () => {
  const [header, end] = (await linesFrom([])) as [string, string];
  assert.equal([readLine(header).kind, readLine(end)], ['HEADER', { kind: 'END', end: JSON.parse(end) }]);
});

test('veritrail export writes a new file, compressed or not, while the service runs', async () => {
  const identity = await open();
  const { organizationId } = await firstStart({ ...identity, now: () => new Date() });
  const cwd = temporaryFolder();
  const where = { cwd, dataDir: identity.dataDir };
  const plain = await veritrail(where, 'export', organizationId, '--to', 'history.jsonl');
  assert.equal([plain.code, plain.err], [0, '']);
  assert.match(plain.out, /^Wrote \d+ events of org_\w+ to history\.jsonl\.$/);
  assert.is((await veritrail(where, 'export', '--to', 'history.jsonl.gz')).code, 0);
  const text = readFileSync(join(cwd, 'history.jsonl'), 'utf8');
  const packed = gunzipSync(readFileSync(join(cwd, 'history.jsonl.gz'))).toString();
  // Except the time of the export.
  assert.is(packed.slice(packed.indexOf('\n')), text.slice(text.indexOf('\n')));
  assert.is(statSync(join(cwd, 'history.jsonl')).mode & 0o777, 0o600);
  const verifier = new Verifier({ keys: [] });
  for (const line of text.trimEnd().split('\n')) verifier.push(line);
  const { events, event_fault, export_fault } = verifier.finish();
  assert.equal([event_fault, export_fault?.why], [null, 'NO_SEAL']);
  assert.is(plain.out.split(' ')[1], `${events}`);

  const entries = (await identity.accounts.find('access', 'organization_id', organizationId)) as AccessLogRow[];
  const expected = { type: 'history', format: 'jsonl', position: `${events}` };
  assert.equal(
    entries.map(({ event_type, actor_id, client, details }) => [event_type, actor_id, client, details]),
    Array(2).fill(['EXPORT_DOWNLOADED', 'SYSTEM', `veritrail export ${VERSION}`, expected]),
  );

  for (const [args, said] of [
    [['export', '--to', 'history.jsonl'], /history\.jsonl already exists\. Choose another name/],
    [['export', 'org_unknown', '--to', 'none.jsonl'], /Organization org_unknown was not found/],
    [['export', organizationId], /Give the file to write/],
    [['export', organizationId, 'more', '--to', 'none.jsonl'], /Give one organization/],
  ] as const) {
    const { code, err } = await veritrail(where, ...args);
    assert.ok(code > 0);
    assert.match(err, said);
  }
  assert.throws(() => statSync(join(cwd, 'none.jsonl')), /ENOENT/);
  assert.is(readFileSync(join(cwd, 'history.jsonl'), 'utf8'), text);
  rmSync(cwd, { recursive: true });
});

test('an export, a seal and a backup go to a pipe, and what they say goes beside it', async () => {
  const identity = await open();
  await firstStart({ ...identity, now: () => new Date() });
  const cwd = temporaryFolder();
  const where = { cwd, dataDir: identity.dataDir };
  const exported = await veritrail(where, 'export', '--to', '-');
  assert.equal([exported.code, exported.out], [0, '']);
  assert.match(exported.err, /^Wrote \d+ events of org_\w+ to standard output\.$/);
  const lines = exported.piped.trimEnd().split('\n');
  assert.equal([readLine(lines[0]!).kind, readLine(lines.at(-1)!).kind], ['HEADER', 'END']);
  const backup = await veritrail(where, 'backup', '--to', '-');
  assert.match(backup.piped, /^\{"format":"veritrail-backup-1".*\n(?:.*\n)*\{"end":true.*\}\n$/);
  assert.match(backup.err, /to standard output\.$/);
  assert.equal(readdirSync(cwd), []);
  await identity.accounts.close();
  const env = { ...process.env, DATA_DIR: identity.dataDir };
  const pipe = spawnSync('sh', ['-c', `node ${BIN} backup --to - | head -c 0; true`], { cwd, env, encoding: 'utf8' });
  assert.match(pipe.stderr, /^(?:Wrote|veritrail backup: The program that reads the output has ended)/);
  rmSync(cwd, { recursive: true });
});

test('a file gets its name when it is complete, and never replaces another', async () => {
  const cwd = temporaryFolder();
  const path = join(cwd, 'history.jsonl.gz');
  async function* lines(then: () => void) {
    yield ['first'];
    assert.not.ok(readdirSync(cwd).includes('history.jsonl.gz'));
    then();
    yield ['second'];
  }
  const fails = (error: Error) =>
    writeLines(
      path,
      lines(() => {
        throw error;
      }),
    );
  assert.match((await rejectionError(fails(new Error('cut')))).message, /^cut$/);
  const full = Object.assign(new Error('write'), { code: 'ENOSPC' });
  assert.match((await rejectionError(fails(full))).message, /disk is full\. Free some space/);
  assert.equal(readdirSync(cwd), []);
  const overtaken = writeLines(
    path,
    lines(() => writeFileSync(path, 'of another process')),
  );
  assert.match((await rejectionError(overtaken)).message, /already exists/);
  assert.is(readFileSync(path, 'utf8'), 'of another process');
  rmSync(path);
  await writeLines(
    path,
    lines(() => undefined),
  );
  assert.is(gunzipSync(readFileSync(path)).toString(), 'first\nsecond\n');
  assert.equal(readdirSync(cwd), ['history.jsonl.gz']);
  rmSync(cwd, { recursive: true });
});

test('the next file of a name removes the parts that killed processes left, and no others', async () => {
  const cwd = temporaryFolder();
  const path = join(cwd, 'history.jsonl');
  const child = spawnSync(process.execPath, ['--version']);
  const others = [`history.jsonl.${process.ppid}.part`, `other.jsonl.${child.pid}.part`, 'history.jsonl.x.part'];
  for (const name of [`history.jsonl.${child.pid}.part`, `history.jsonl.${process.pid}.part`, ...others]) {
    writeFileSync(join(cwd, name), 'first');
  }
  await writeLines(path, [['whole']]);
  assert.equal(readdirSync(cwd).sort(), ['history.jsonl', ...others].sort());
  rmSync(cwd, { recursive: true });
});

test.run();
