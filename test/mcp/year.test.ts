import { suite } from 'uvu';
import { assertYear } from '../support/histories/year-story.ts';
import { embeddedPair, type ServedPair, serve } from '../support/stores/pairs.ts';

const test = suite<{ served: ServedPair }>('a year on the embedded stores');

test.before(async (context) => {
  context.served = await serve(embeddedPair());
});

test.after(({ served }) => served.close());

test('after a year every list, count and past state equals a model of the register', ({ served }) =>
  assertYear(served, 1));

test.run();
