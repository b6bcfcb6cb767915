import { suite } from 'uvu';
import { embeddedPair, type ServedPair, serve } from '../support/pairs.ts';
import { assertYear } from '../support/year-story.ts';

const test = suite<{ served: ServedPair }>('a year on the embedded stores');

test.before(async (context) => {
  context.served = await serve(embeddedPair());
});

test.after(({ served }) => served.close());

test('after a year every list, count and past state equals a model of the register', ({ served }) =>
  assertYear(served, 1));

test.run();
