import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { editActor, editData, editTime, editType } from './support/insider.ts';
import { check, EVENTS } from './support/insider-suite.ts';

const test = suite('an insider who edits');

for (const [name, edit] of Object.entries({ data: editData, time: editTime, actor: editActor, type: editType })) {
  test(`the ${name} of an event at every position: its own hash shows it, there`, () => {
    for (const index of EVENTS.keys()) assert.equal(check(edit, index), { event: index + 1 });
  });
}

test.run();
