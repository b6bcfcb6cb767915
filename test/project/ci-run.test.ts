/** Tests the summary of .ci/run, with commands that do nothing. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const SCRIPT = fileURLToPath(new URL('../../.ci/run', import.meta.url));
const STAGES = [
  'install',
  'Chromium',
  'FerretDB',
  'reporting tools',
  'build',
  'tests',
  'tests on servers',
  'long tests',
  'browser tests',
  'lint',
  'types',
  'all',
];

const ci = suite<{ clone: string; run(npm: string): { status: number | null; lines: string[] } }>('.ci/run');

ci.before.each((context) => {
  const clone = mkdtempSync(join(tmpdir(), 'veritrail-ci-'));
  for (const folder of ['.ci', 'bin', 'test/long']) mkdirSync(join(clone, folder), { recursive: true });
  cpSync(SCRIPT, join(clone, '.ci/run'));
  writeFileSync(join(clone, 'test/long/one.test.ts'), '');
  context.clone = clone;
  context.run = (npm) => {
    writeFileSync(join(clone, 'bin/npm'), `#!/bin/sh\n${npm}\n`, { mode: 0o700 });
    writeFileSync(join(clone, 'bin/chromium'), '#!/bin/sh\n', { mode: 0o700 });
    const env = { ...process.env, PATH: `${join(clone, 'bin')}:${process.env.PATH}` };
    const { status, stdout } = spawnSync('bash', [join(clone, '.ci/run')], { env, encoding: 'utf8' });
    return { status, lines: stdout.trimEnd().split('\n') };
  };
});
ci.after.each(({ clone }) => rmSync(clone, { recursive: true }));

ci('.ci/run ends with the minutes of each stage, and the totals in the last line', ({ run }) => {
  const { status, lines } = run('echo "2 passed, 0 failed"');
  assert.is(status, 0, lines.join('\n'));
  assert.is(lines.at(-1), '8 passed, 0 failed');
  const from = lines.indexOf('Minutes of each stage:') + 1;
  const stages = lines.slice(from, -1).map((line) => /^ *\d+:\d\d {2}(.+)$/.exec(line)?.[1]);
  assert.equal(stages, STAGES);
});

ci('.ci/run prints minutes and totals even if a stage fails', ({ run }) => {
  const { status, lines } = run(
    'case "$*" in test) echo "1 passed, 1 failed"; exit 1;; esac; echo "2 passed, 0 failed"',
  );
  assert.is(status, 1);
  assert.is(lines.at(-1), '7 passed, 1 failed');
  assert.match(lines.at(-2)!, /\d:\d\d {2}all$/);
  const lint = run('case "$*" in *lint) exit 1;; esac; echo "2 passed, 0 failed"');
  assert.equal([lint.status, lint.lines.at(-1)], [1, '8 passed, 0 failed']);
});

ci.run();
