import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { editAndRechain, reseal } from '../../support/trail/insider.ts';
import { assertExpectedVerdict, EVENTS } from '../../support/trail/insider-suite.ts';

const test = suite('an insider who seals without the key');

test('an edit with a forged next seal is detected at every position', () => {
  for (const index of EVENTS.keys()) {
    const edited = editAndRechain(EVENTS, index);
    const expected = assertExpectedVerdict(() => reseal(edited, index), index);
    assert.ok('sealed' in expected, `${index + 1}`);
  }
});

test.run();
