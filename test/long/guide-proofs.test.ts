/** Runs the commands under "Proofs" in README.md in a shell, exactly as printed, from top to bottom. */
import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { folderOfTest, install } from '../support/run/installed.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);

/** Returns the blocks of shell commands in a section of docs/guide.md. */
function blocksUnder(heading: string): string[] {
  const page = readFileSync(join(ROOT, 'docs/guide.md'), 'utf8');
  const section = page.split(/^## /m).find((part) => part.startsWith(`${heading}\n`))!;
  return [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map((match) => match[1]!);
}

/** Creates a folder with an `npx` that runs this clone's command, as npx does in the clone's folder. */
function folderOfNpx(): string {
  const folder = folderOfTest();
  const command = `#!/bin/sh\nshift\nexec "${process.execPath}" "${join(ROOT, 'bin/veritrail.js')}" "$@"\n`;
  writeFileSync(join(folder, 'npx'), command, { mode: 0o700 });
  return folder;
}

const proofs = suite('proofs in docs/guide.md');

proofs('the commands in docs/guide.md run as printed, and again after a change', async () => {
  const installed = await install();
  const cwd = join(folderOfTest(), 'clone');
  mkdirSync(cwd);
  const PATH = [folderOfNpx(), process.env.PATH].join(delimiter);
  const env = { ...process.env, PATH, DATA_DIR: installed.settings.dataDir };
  const shell = async (commands: string) => (await run('sh', ['-eux', '-c', commands], { cwd, env })).stdout;
  try {
    const [now, later, ...more] = blocksUnder('Proofs');
    assert.equal(more, []);
    await installed.seal();
    assert.match(await shell(now!), /^VALID\. /m);
    await installed.addVendors(1);
    await installed.seal();
    // Both blocks run in one terminal, so the second sees the first one's variables.
    const key = now!.split('\n').find((line) => line.startsWith('KEY='));
    assert.match(await shell(`${key}\n${later}`), /^VALID\. The history extends the seal that you kept\.$/m);
    const ignored = await run('git', ['check-ignore', ...readdirSync(cwd)], { cwd: ROOT });
    assert.equal(ignored.stdout.split('\n').filter(Boolean).sort(), readdirSync(cwd).sort());
  } finally {
    await installed.stop();
  }
});

proofs.run();
