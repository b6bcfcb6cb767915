import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readKeptSeal } from '../src/trail/kept-seal.ts';
import { readPublicKey } from '../src/trail/key.ts';
import { folderOfTest, type Installed, install } from './support/installed.ts';
import { veritrail } from './support/shell.ts';

const cli = suite<{ installed: Installed; cwd: string; run(...args: string[]): ReturnType<typeof veritrail> }>(
  'veritrail seal and seal-key',
);

cli.before.each(async (context) => {
  context.installed = await install();
  context.cwd = folderOfTest();
  const where = { cwd: context.cwd, dataDir: context.installed.settings.dataDir };
  context.run = (...args) => veritrail(where, ...args);
});

cli.after.each(({ installed }) => installed.stop());

cli('a seal that was kept proves that a later history goes on from it', async ({ installed, cwd, run }) => {
  assert.match((await run('seal', '--to', 'kept.json')).err, /no seal of org_/);
  await installed.seal();
  const { code, out } = await run('seal', installed.organizationId, '--to', 'kept.json');
  assert.equal([code, /over 3 events/.test(out)], [0, true], out);
  const kept = readKeptSeal(readFileSync(join(cwd, 'kept.json'), 'utf8'));
  assert.is(kept.organization_id, installed.organizationId);
  assert.match((await run('seal', '--to', 'kept.json')).err, /such a file/);
  await installed.addVendors(5);
  await installed.seal();
  await run('export', '--to', 'later.jsonl');
  const key = (await run('seal-key')).out;
  const verified = await run('verify', 'later.jsonl', '--key', key, '--seal', 'kept.json');
  assert.is(verified.code, 0, verified.out);
});

cli('a rotated key is printed behind the first, which vouches for it', async ({ installed, cwd, run }) => {
  await installed.seal();
  const first = (await run('seal-key')).out;
  const { out, err } = await run('seal-key', '--rotate');
  const [again, second, ...rest] = out.split('\n');
  assert.equal([again, rest], [first, []]);
  assert.match(err, new RegExp(`In force: ${readPublicKey(second!).key_id}, the last of 2 keys`));
  await installed.addVendors(1);
  await installed.seal();
  await run('export', '--to', 'history.jsonl.gz');
  const pem = (await run('seal-key', '--pem')).out;
  writeFileSync(join(cwd, 'first.pem'), pem.slice(0, pem.indexOf('-----END PUBLIC KEY-----') + 24));
  for (const key of [first, 'first.pem']) assert.is((await run('verify', 'history.jsonl.gz', '--key', key)).code, 0);
  assert.is((await run('verify', 'history.jsonl.gz', '--key', second!)).code, 0, 'the newest seals are its own');
});

cli('what is called wrongly says how', async ({ run }) => {
  for (const args of [['seal'], ['seal', 'a', 'b', '--to', 'x'], ['seal-key', 'x']]) {
    const { code, err } = await run(...args);
    assert.equal([code, /Usage: veritrail seal/.test(err)], [2, true], err);
  }
  assert.match((await run('seal', 'org_NOBODY', '--to', 'x')).err, /no seal of org_NOBODY/);
});

cli.run();
