import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readPublicKey } from '../../src/trail/index.ts';
import { readKeptSeal } from '../../src/trail/seals/kept-seal.ts';
import { folderOfTest, type InstalledRegister, install } from '../support/run/installed.ts';
import { veritrail } from '../support/run/run-command.ts';
import { withReadModels } from '../support/trail/tamper.ts';
import { alterChangeSql } from '../support/trail/verify-changes.ts';

const cli = suite<{ installed: InstalledRegister; cwd: string; run(...args: string[]): ReturnType<typeof veritrail> }>(
  'veritrail seal and seal-key',
);

cli.before.each(async (context) => {
  context.installed = await install();
  context.cwd = folderOfTest();
  const where = { cwd: context.cwd, dataDir: context.installed.settings.dataDir };
  context.run = (...args) => veritrail(where, ...args);
});

cli.after.each(({ installed }) => installed.stop());

cli('a kept seal proves that a later history extends it', async ({ installed, cwd, run }) => {
  assert.match((await run('seal', '--to', 'kept.json')).err, /org_\w+ has no seal yet/);
  await installed.seal();
  const { code, out } = await run('seal', installed.organizationId, '--to', 'kept.json');
  assert.equal([code, /It covers 3 events/.test(out)], [0, true], out);
  const keptSeal = readKeptSeal(readFileSync(join(cwd, 'kept.json'), 'utf8'));
  assert.is(keptSeal.organization_id, installed.organizationId);
  assert.match((await run('seal', '--to', 'kept.json')).err, /kept\.json already exists/);
  await installed.addVendors(5);
  await installed.seal();
  await run('export', '--to', 'later.jsonl');
  const key = (await run('seal-key')).out;
  const verified = await run('verify', 'later.jsonl', '--key', key, '--seal', 'kept.json');
  assert.is(verified.code, 0, verified.out);
});

cli('a seal that the read models do not match is not written', async ({ installed, cwd, run }) => {
  await installed.seal();
  const otherHash = alterChangeSql('hash', `'${'ab'.repeat(32)}'`, 2);
  await withReadModels(installed.settings.dataDir, [otherHash], async () => {
    const { code, err } = await run('seal', '--to', 'kept.json');
    assert.equal([code, /is faulty \(ROOT\).+between positions 1 and 3/.test(err)], [1, true], err);
  });
  assert.not.ok(existsSync(join(cwd, 'kept.json')));
});

cli('a small file proves that nothing before a kept seal was altered', async ({ installed, cwd, run }) => {
  await installed.seal();
  await run('seal', '--to', 'last-year.json');
  const key = (await run('seal-key')).out;
  await installed.addVendors(300);
  await installed.seal();
  await run('seal-key', '--rotate');
  await installed.addVendors(2);
  await installed.seal();
  const result = await run('seal', '--since', 'last-year.json', '--to', 'this-year.json');
  assert.equal([result.code, result.err], [0, '']);
  assert.ok(readFileSync(join(cwd, 'this-year.json')).length < 3_000);
  const verified = await run('verify', 'this-year.json', '--key', key, '--seal', 'last-year.json');
  assert.equal([verified.code, verified.err], [0, '']);
  assert.match(verified.out, /^VALID\. The history extends the seal that you kept\.$/m);
  assert.match(verified.out, /^Proved +positions 1 to 3 are the ones in the seal that you kept$/m);
  const withoutSeal = await run('verify', 'this-year.json', '--key', key);
  assert.equal(
    [withoutSeal.code, /^Proved +only that it was signed/m.test(withoutSeal.out)],
    [0, true],
    withoutSeal.out,
  );

  await installed.addVendors(1);
  await installed.seal();
  await run('seal', '--since', 'this-year.json', '--to', 'next-year.json');
  assert.is((await run('verify', 'next-year.json', '--key', key, '--seal', 'this-year.json')).code, 0);
  const unproved = await run('verify', 'next-year.json', '--key', key, '--seal', 'last-year.json', '--json');
  const { why, size } = JSON.parse(unproved.out).fault;
  assert.equal([unproved.code, why, size], [1, 'NO_PROOF', 3]);
  const swapped = await run('verify', 'last-year.json', '--key', key, '--seal', 'this-year.json');
  assert.equal([swapped.code, /^NOT VALID\. .* Give the newer seal as FILE/.test(swapped.out)], [1, true], swapped.out);
  const fullExport = await run('export', '--to', 'whole.jsonl');
  assert.is(fullExport.code, 0);
  assert.is((await run('verify', 'whole.jsonl', '--key', key, '--seal', 'next-year.json')).code, 0);
});

cli('a seal states its last position and the number of later changes', async ({ installed, cwd, run }) => {
  await installed.seal();
  const all = await run('seal', '--to', 'all.json');
  const { sealed_at } = readKeptSeal(readFileSync(join(cwd, 'all.json'), 'utf8'));
  const { organizationId } = installed;
  const readFile = (file: string) =>
    `Wrote the seal of ${sealed_at} to ${file}. It covers 3 events of ${organizationId}, up to position 3.`;
  assert.is(all.out, `${readFile('all.json')} There are no later changes.`);
  await installed.addVendors(1);
  assert.is((await run('seal', '--to', 'one.json')).out, `${readFile('one.json')} 1 later change is not sealed yet.`);
  await installed.addVendors(4);
  assert.is(
    (await run('seal', '--to', 'five.json')).out,
    `${readFile('five.json')} 5 later changes are not sealed yet.`,
  );
  await installed.seal();
  const laterSeal = await run('seal', '--since', 'all.json', '--to', 'later.json');
  assert.match(laterSeal.out, /to later\.json\. It covers .* up to position 10\. There are no later changes\.$/);
});

cli('nothing is written if no seal is newer than the kept one', async ({ installed, cwd, run }) => {
  await installed.seal();
  await run('seal', '--to', 'kept.json');
  const sealAgain = async () => {
    const { code, out, err } = await run('seal', '--since', 'kept.json', '--to', 'new.json');
    assert.equal([code, out, existsSync(join(cwd, 'new.json'))], [1, '', false], err);
    assert.match(err, /Nothing was written: that seal \(20.*, up to position 3\) is the newest one/);
    assert.match(err, /The running service makes a seal within a minute of a change, .* audit is completed\. Repeat/);
    return err;
  };
  assert.match(await sealAgain(), /There are no later changes\./);
  await installed.addVendors(2);
  assert.match(await sealAgain(), /2 later changes are not sealed yet\./);
  await run('seal-key', '--rotate');
  await installed.seal();
  assert.is((await run('seal', '--since', 'kept.json', '--to', 'new.json')).code, 0);
});

cli('a seal does not claim to extend another history', async ({ installed, cwd, run }) => {
  await installed.seal();
  await run('seal', '--to', 'kept.json');
  const keptSeal = readKeptSeal(readFileSync(join(cwd, 'kept.json'), 'utf8'));
  const write = (name: string, change: object) =>
    writeFileSync(join(cwd, name), JSON.stringify({ ...keptSeal, ...change }));
  write('longer.json', { size: 1_000 });
  write('other.json', { root: '0'.repeat(64) });
  for (const [since, says] of [
    ['longer.json', /No key of org_.* signed that seal: it was altered, or it is of another history/],
    ['other.json', /No key of org_.* signed that seal/],
    ['absent.json', /Give --since a file that "veritrail seal" wrote/],
  ] as const) {
    const { code, err } = await run('seal', '--since', since, '--to', 'new.json');
    assert.equal([code > 0, says.test(err)], [true, true], err);
  }
  assert.match(
    (await run('seal', 'org_2', '--since', 'kept.json', '--to', 'new.json')).err,
    /That seal belongs to org_/,
  );
  assert.ok(!existsSync(join(cwd, 'new.json')));
});

cli('a rotated key is printed after the first, which signed it', async ({ installed, cwd, run }) => {
  await installed.seal();
  const first = (await run('seal-key')).out;
  const { out, err } = await run('seal-key', '--rotate');
  const [repeated, second, ...rest] = out.split('\n');
  assert.equal([repeated, rest], [first, []]);
  assert.match(err, new RegExp(`Active key: ${readPublicKey(second!).key_id} \\(2 keys in total\\)`));
  await installed.addVendors(1);
  await installed.seal();
  await run('export', '--to', 'history.jsonl.gz');
  const pem = (await run('seal-key', '--pem')).out;
  writeFileSync(join(cwd, 'first.pem'), pem.slice(0, pem.indexOf('-----END PUBLIC KEY-----') + 24));
  for (const key of [first, 'first.pem']) assert.is((await run('verify', 'history.jsonl.gz', '--key', key)).code, 0);
  assert.is((await run('verify', 'history.jsonl.gz', '--key', second!)).code, 0, 'the newest seals are its own');
});

cli('wrong arguments are explained', async ({ run }) => {
  for (const args of [['seal'], ['seal', 'a', 'b', '--to', 'x'], ['seal-key', 'x']]) {
    const { code, err } = await run(...args);
    assert.equal(
      [code, /^veritrail (seal|seal-key): .+\n"veritrail \1 --help" has the details\.$/.test(err)],
      [2, true],
      err,
    );
  }
  assert.match((await run('seal', 'org_NOBODY', '--to', 'x')).err, /org_NOBODY has no seal yet/);
});

cli.run();
