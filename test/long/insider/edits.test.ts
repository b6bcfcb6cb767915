import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { editActor, editData, editTime, editType } from '../../support/trail/insider.ts';
import { assertExpectedVerdict, EVENTS } from '../../support/trail/insider-suite.ts';

const test = suite('edited events');

for (const [name, edit] of Object.entries({ data: editData, time: editTime, actor: editActor, type: editType })) {
  test(`an edited ${name} is detected at its event, at every position`, () => {
    for (const index of EVENTS.keys()) assert.equal(assertExpectedVerdict(edit, index), { event: index + 1 });
  });
}

test.run();
