import { rmSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Lease, LeaseHold } from '../../../src/projections/engine/lease.ts';
import { openSqliteReadStore } from '../../../src/stores/sqlite/read-store.ts';
import { temporaryFolder } from '../../support/register.ts';

const test = suite('lease');

test('an instance paused past its lease can’t take the lease back from the current holder', async () => {
  const folder = temporaryFolder();
  const store = openSqliteReadStore(folder);
  const sleeper = new LeaseHold(store, 'generation', 'sleeper', false);
  assert.is(await sleeper.take(), true);
  const current: Lease = { holder: 'other', expires_at: Date.now() + 60_000, caught_up_at: 0, store_position: null };
  assert.is(await store.compareAndSet('runner:generation', 1, current), true);
  for (let attempt = 0; attempt < 3; attempt++) {
    assert.is(await sleeper.renew(1, null), false);
    assert.is(await sleeper.take(), false);
  }
  await sleeper.release();
  assert.equal((await store.sharedEntry<Lease>('runner:generation'))!.value, current);
  await store.close();
  rmSync(folder, { recursive: true });
});

test.run();
