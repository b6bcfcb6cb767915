import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const ROOT = new URL('../../', import.meta.url);
const page = readFileSync(new URL('docs/security.md', ROOT), 'utf8');
const mentionedFiles = [...page.matchAll(/`(test\/[^`]+)`/g)].map((match) => match[1]!);

const test = suite('docs/security.md');

test('names existing tests', () => {
  assert.equal(
    mentionedFiles.filter((file) => !existsSync(new URL(file, ROOT))),
    [],
  );
});

test('names every test of this folder', () => {
  const files = readdirSync(new URL('test/security/', ROOT)).filter((file) => file !== 'document.test.ts');
  assert.equal(
    files.filter((file) => !mentionedFiles.includes(`test/security/${file}`)),
    [],
  );
});

test('has a test for every threat', () => {
  const threatsPart = page.slice(page.indexOf('## Threats'), page.indexOf('## What insiders'));
  const rows = [...threatsPart.matchAll(/^\| (?!\*\*|threat|---|asset)(.+) \|$/gm)].map((match) =>
    match[1]!.split(' | '),
  );
  const threats = rows.filter((cells) => cells.length === 3);
  assert.ok(threats.length > 25);
  for (const [threat, , tests] of threats) assert.match(tests!, /^`test\/[^`]+`( `test\/[^`]+`)*$/, threat);
});

test.run();
