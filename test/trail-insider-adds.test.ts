import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { duplicate, insertAndRechain } from './support/insider.ts';
import { check, EVENTS } from './support/insider-suite.ts';

const test = suite('an insider who puts in what fits a stream');

for (const [what, insider] of Object.entries({
  'an event in a stream, and those after it chained on': insertAndRechain,
  'the same event twice': duplicate,
})) {
  test(`${what}, at every position: the chain shows it, or the next seal`, () => {
    const lost = [...EVENTS.keys()].filter((index) => 'lost' in check(insider, index));
    // Behind what the newest seal covers there is but its own event: what is added there is not sealed yet.
    assert.ok(
      lost.every((index) => index >= EVENTS.length - 2),
      `${lost}`,
    );
  });
}

test.run();
