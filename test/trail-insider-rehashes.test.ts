import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { editAndRechain, editAndRehash, editTimeAndRechain } from './support/insider.ts';
import { check, EVENTS } from './support/insider-suite.ts';

const test = suite('an insider who edits and computes the hashes again');

for (const [what, edit] of Object.entries({
  'an event and its hash': editAndRehash,
  'an event, and all that follow in its stream': editAndRechain,
  'the time of an event, and all that follow in its stream': editTimeAndRechain,
})) {
  test(`${what}, at every position: the next of its stream shows it, or the next seal`, () => {
    const found = [...EVENTS.keys()].filter((index) => !('lost' in check(edit, index)));
    // The newest seal's own event is covered by none: of it only what is signed cannot be changed.
    assert.ok(found.length >= EVENTS.length - 1, `${found.length}`);
  });
}

test.run();
