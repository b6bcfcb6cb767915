/** Checks what lies ready for a release: the entry of the MCP registry, the skill, and the version that programs print. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { BUILD_VERSION, VERSION } from '../../src/version.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFileSync(`${ROOT}/${path}`, 'utf8');
const release = suite('release');

release('package, registry entry and change log name one version', () => {
  const { name, mcpName, version } = JSON.parse(read('package.json'));
  const entry = JSON.parse(read('server.json'));
  const [{ identifier, version: packageVersion }] = entry.packages;
  assert.equal([entry.name, entry.version, identifier, packageVersion], [mcpName, version, name, version]);
  assert.ok(entry.description.length <= 100, 'the registry takes 100 characters');
  assert.match(read('CHANGELOG.md'), `\n## ${version}\n`);
});

release('the skill has every request of docs/requests.md', () => {
  const headings = (page: string) => [...page.matchAll(/^### (?:\d+\. )?(.+)$/gm)].map((match) => match[1]);
  assert.equal(headings(read('skills/veritrail/SKILL.md')), headings(read('docs/requests.md')));
});

release('a build says its commit in the version, and sources say none', () => {
  assert.is(BUILD_VERSION, VERSION);
  const { commit } = JSON.parse(read('dist/build.json')) as { commit?: string };
  const { stdout } = spawnSync(process.execPath, ['bin/veritrail.js', '--version'], { cwd: ROOT, encoding: 'utf8' });
  assert.is(stdout.trim(), commit === undefined ? VERSION : `${VERSION}+${commit}`);
  assert.match(stdout, /^\d+\.\d+\.\d+(?:\+[0-9a-f]{8})?$/m);
});

release.run();
