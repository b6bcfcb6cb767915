import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readOutcome } from '../support/run/outcome.ts';

const outcome = suite('totals of a test file');

const totals = (total: number, passed: number, skipped = 0) =>
  `\n  Total:     ${total}\n  Passed:    ${passed}\n  Skipped:   ${skipped}\n`;

outcome('totals are added up, with or without colours', () => {
  const sum = readOutcome(`${totals(3, 3)}${totals(4, 2, 1)}`, 1);
  assert.equal(sum, { passed: 5, failed: 2, skipped: 1, skippedFiles: 0 });
  assert.is(readOutcome('\u001b[32m  Total:     2\n  Passed:    2\u001b[39m', 0).passed, 2);
});

outcome('a file that says why it is skipped is not a failure, if it ended with 0 and ran no test', () => {
  const output = 'skipped: there is no server\n';
  assert.equal(readOutcome(output, 0), { passed: 0, failed: 0, skipped: 0, skippedFiles: 1 });
  assert.is(readOutcome(output, 1).failed, 1);
  assert.is(readOutcome(output, null).failed, 1);
  assert.is(readOutcome('not skipped: a line that only mentions it\n', 0).failed, 1);
  assert.equal(readOutcome(`${output}${totals(2, 2)}`, 0), { passed: 2, failed: 0, skipped: 0, skippedFiles: 0 });
});

outcome('no totals, or an exit code that they do not explain, is a failure', () => {
  assert.is(readOutcome('', 0).failed, 1);
  assert.is(readOutcome(totals(2, 2), 1).failed, 1);
  assert.is(readOutcome(totals(2, 2), null).failed, 1);
});

outcome.run();
