import { existsSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Refusal } from '../../../src/commands/engine/refusal.ts';
import { openSpool, SpooledFiles } from '../../../src/http/files/spooled-files.ts';

const test = suite('spooled files');

const OWNER = { account_id: 'acc_1', token_id: 'tok_1' };
const CONTENT = Buffer.alloc(200_000, 'content ');
const dataFolder = () => mkdtempSync(join(tmpdir(), 'veritrail-test-'));

function write(spool: SpooledFiles): string {
  const path = spool.newPath();
  writeFileSync(path, CONTENT, { mode: 0o600 });
  return path;
}

test('a file has no name while it is read, and no space afterwards', async () => {
  const folder = dataFolder();
  const { files, close } = openSpool(folder);
  const { size, chunks } = await files.take(OWNER, write(files));
  assert.equal(readdirSync(join(folder, 'spool')), [], 'a crash leaves nothing');
  assert.equal([size, files.bytes], [CONTENT.length, CONTENT.length]);
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  assert.ok(Buffer.concat(parts).equals(CONTENT));
  assert.is(files.bytes, 0);
  const cut = await files.take(OWNER, write(files));
  await cut.chunks.next();
  await cut.chunks.return!();
  await cut.chunks.return!();
  assert.is(files.bytes, 0, 'a reader that stops frees it once');
  close();
  assert.not(existsSync(join(folder, 'spool')));
});

test('an account may have 20 files open, and all together so many bytes', async () => {
  const { files } = openSpool(dataFolder());
  const open = [];
  for (let count = 0; count < 20; count += 1) {
    files.requireRoom({ ...OWNER, token_id: `tok_${count}` });
    open.push(await files.take(OWNER, write(files)));
  }
  const refused = (spool: SpooledFiles, account_id: string) => {
    try {
      spool.requireRoom({ account_id, token_id: null });
    } catch (error) {
      return error instanceof Refusal && [error.code, error.more.retry_after_seconds];
    }
  };
  assert.equal(refused(files, 'acc_1'), ['rate_limited', 10]);
  assert.is(refused(files, 'acc_2'), undefined);
  await open[0]!.chunks.return!();
  assert.is(refused(files, 'acc_1'), undefined);
  const small = new SpooledFiles(dataFolder(), CONTENT.length);
  await small.take(OWNER, write(small));
  assert.equal(refused(small, 'acc_2'), ['rate_limited', 10]);
});

test('a start deletes what a crash left, and databases alone use a folder for temporary files', async () => {
  const folder = dataFolder();
  write(openSpool(folder).files);
  openSpool(folder);
  assert.equal(readdirSync(join(folder, 'spool')), []);
  const { files, close } = openSpool(null);
  const path = files.newPath();
  assert.ok(path.startsWith(tmpdir()));
  await files.discard(path);
  close();
});

test.run();
