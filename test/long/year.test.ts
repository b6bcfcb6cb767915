import { suite } from 'uvu';
import { type Served, serve, startPairs } from '../support/pairs.ts';
import { assertYear } from '../support/year-story.ts';

/** FerretDB reads a whole collection for each document that it changes: there the year takes a minute. */
for (const pair of (await startPairs()).slice(1)) {
  const test = suite<{ served: Served }>(`a year of an organization on ${pair.name}`);

  test.before(async (context) => {
    context.served = await serve(pair);
  });

  test.after(({ served }) => served.close());

  test('every list, count and past state agrees with a model of it', ({ served }) => assertYear(served, 3));

  test.run();
}
