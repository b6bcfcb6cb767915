import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { selectFiles } from '../support/run/selection.ts';

const test = suite('selected test files');

const [VENDOR, RISK, KILL, YEAR, MENU] = [
  'test/commands/vendor.test.ts',
  'test/commands/risk.test.ts',
  'test/long/kill.test.ts',
  'test/long/year.test.ts',
  'test/browser/menu.test.ts',
] as const;
const FILES = [VENDOR, RISK, KILL, YEAR, MENU];

const CASES: [args: string, selected: string[]][] = [
  ['', [VENDOR, RISK]],
  ['--servers', [VENDOR, RISK]],
  ['vendor', [VENDOR]],
  ['vendor risk', [VENDOR, RISK]],
  ['commands/ menu', [VENDOR, RISK]],
  ['kill', []],
  ['--long', [KILL, YEAR]],
  ['--long kill vendor', [KILL]],
  ['--long --browser kill menu', [KILL, MENU]],
];

for (const [args, selected] of CASES) {
  test(`run.ts ${args}`, () => assert.equal(selectFiles(FILES, args.split(' ').filter(Boolean)), selected));
}

test.run();
