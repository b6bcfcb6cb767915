import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { drop, dropAndRechain, dropStream, dropTail } from '../../support/trail/insider.ts';
import { assertExpectedVerdict, EVENTS } from '../../support/trail/insider-suite.ts';

const test = suite('dropped events');

const SEALED = EVENTS.length - 1;

for (const [target, insider] of Object.entries({
  'one event': drop,
  'one event, and chains on those after it': dropAndRechain,
  'a stream from there on': dropTail,
  'a whole stream': dropStream,
})) {
  test(`dropping ${target} is detected at every position, or proves less`, () => {
    for (const index of EVENTS.keys()) {
      const expected = assertExpectedVerdict(insider, index);
      // A dropped end of the seal stream may go undetected. Then less is proved, and the verdict says how much.
      const isSeals = EVENTS[index]!.stream.startsWith('seal-');
      assert.ok(isSeals || !('lost' in expected), `${index + 1}`);
      if ('lost' in expected) assert.ok((expected.lost ?? 0) < SEALED, `${index + 1}`);
    }
  });
}

test.run();
