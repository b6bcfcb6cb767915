import { suite } from 'uvu';
import { assertYear } from '../support/histories/year-story.ts';
import { patientCall, Session } from '../support/mcp/mcp-client.ts';
import { type ServedPair, serve, startPairs } from '../support/stores/pairs.ts';

for (const pair of await startPairs()) {
  // FerretDB reads a whole collection for each document that it changes. There the year takes a minute, and on a busy
  // machine reads can't always catch up within their 5 seconds.
  const stride = pair.env.MONGODB_URL ? 3 : 1;
  const test = suite<{ served: ServedPair }>(`a year of an organization on ${pair.name}`);

  test.before(async (context) => {
    context.served = await serve(pair);
  });

  test.after(({ served }) => served.close());

  test('every list, count and past state equals a model of the register', ({ served }) => {
    const { url, token } = served.owner;
    return assertYear({ ...served, owner: new Session(url, token, patientCall) }, stride);
  });

  test.run();
}
