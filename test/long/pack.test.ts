import { suite } from 'uvu';
import { assertPackMoves } from '../support/histories/pack-move.ts';
import { folderOfTest } from '../support/run/installed.ts';
import { startPairs } from '../support/stores/pairs.ts';

const pairs = await startPairs();
for (const { name, env } of pairs.slice(1)) {
  const test = suite(`an audit pack, moved to ${name}`);
  const { EVENTSTORE_URL = null, MONGODB_URL = null } = env;

  test('an audit pack is the same a year later, after a rebuild, and after a move to other stores', () =>
    assertPackMoves({ dataDir: folderOfTest(), eventStoreUrl: EVENTSTORE_URL, mongodbUrl: MONGODB_URL }));

  test.after(async () => {
    for (const pair of pairs) await pair.close();
  });

  test.run();
}
