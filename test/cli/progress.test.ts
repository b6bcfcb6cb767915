import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ProgressBar } from '../../src/cli/progress.ts';

const test = suite('the progress of a long command');

/** Shows 1,000 rows after this share of the file. */
function shown(share: number, isTerminal: boolean): string {
  const texts: string[] = [];
  const print = (text: string) => texts.push(text.replace(/\(\d+ a second\)/, '(N a second)'));
  const shell = { env: {}, cwd: '.', out: print, err: print };
  const bar = new ProgressBar(isTerminal ? { ...shell, bar: print } : shell, 'rows');
  bar.update(1_000, share);
  return texts.join('\n');
}

test('it shows the share of the file that has been read', () => {
  assert.is(shown(0.5, true), `[${'#'.repeat(15)}${'-'.repeat(15)}] 50 %  1000 rows (N a second)`);
  assert.is(shown(0.5, false), '1000 rows (N a second), 50 % of the file read');
});

test('once the file is read, only the count tells how far its rows are', () => {
  assert.is(shown(1, true), '1000 rows (N a second)');
  assert.is(shown(1, false), '1000 rows (N a second)');
});

test.run();
