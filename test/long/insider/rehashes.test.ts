import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { editAndRechain, editAndRehash, editTimeAndRechain } from '../../support/trail/insider.ts';
import { assertExpectedVerdict, EVENTS } from '../../support/trail/insider-suite.ts';

const test = suite('an insider who edits and computes the hashes again');

for (const [attack, edit] of Object.entries({
  'editing an event and its hash': editAndRehash,
  'editing an event and chaining later events again': editAndRechain,
  'editing an event’s time and chaining later events again': editTimeAndRechain,
})) {
  test(`${attack} is detected at every position`, () => {
    const detected = [...EVENTS.keys()].filter((index) => !('lost' in assertExpectedVerdict(edit, index)));
    // No seal covers the newest seal's own event, so only its signed members are protected.
    assert.ok(detected.length >= EVENTS.length - 1, `${detected.length}`);
  });
}

test.run();
