import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { insert, swap } from './support/insider.ts';
import { check, EVENTS } from './support/insider-suite.ts';

const test = suite('an insider who moves and adds');

for (const [what, insider] of Object.entries({
  'two events that change places': swap,
  'an event of a stream of its own': insert,
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
