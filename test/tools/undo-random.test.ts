import { ORGANIZATION } from '../support/register.ts';
import { registerSuite } from '../support/register-suite.ts';
import { undoRandomCalls } from '../support/undo/random-calls.ts';

/* More of them, over HTTP on both pairs of stores: test/long/undo.test.ts. */

const test = registerSuite('undo of random calls');

test('leaves the register as it was', async ({ register }) => {
  await undoRandomCalls(register.call, ORGANIZATION, 20);
});

test.run();
