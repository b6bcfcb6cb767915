/** docs/tools.md is generated: its examples ran on a service, and it shows their answers. */
import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { makeToolsReference } from '../../scripts/reference/tools-reference.ts';

const test = suite<Awaited<ReturnType<typeof makeToolsReference>>>('docs/tools.md');

test.before(async (context) => {
  Object.assign(context, await makeToolsReference());
});

test('docs/tools.md equals what the tools’ definitions and examples generate', ({ page, path, runs }) => {
  const storedLines = readFileSync(path, 'utf8').split('\n');
  const lines = page.split('\n');
  const line = lines.findIndex((text, index) => text !== storedLines[index]);
  const message = `line ${line + 1} differs: run npm run docs, and read what has changed`;
  assert.equal([storedLines[line], storedLines.length], [lines[line], lines.length], message);
  for (const { tool } of runs) assert.is(lines.filter((text) => text === `### ${tool.name}`).length, 1, tool.name);
});

test('docs/tools.md shows an input and an answer of each tool, both JSON', ({ page, runs }) => {
  const blocks = [...page.matchAll(/```json\n(.*?)\n```/gs)].map((match) => JSON.parse(match[1]!) as unknown);
  assert.is(blocks.length, 2 * runs.length);
});

test.run();
