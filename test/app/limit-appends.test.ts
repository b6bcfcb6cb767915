import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { limitAppends } from '../../src/app/limit-appends.ts';
import type { Refusal } from '../../src/commands/engine/refusal.ts';
import type { EventStore } from '../../src/stores/event-store.ts';
import type { TrailEvent } from '../../src/trail/event.ts';
import { rejection } from '../support/run/take.ts';

const test = suite('limit of appends');

test('an account that wrote its events of an hour is refused, and others are not', async () => {
  let now = 0;
  let appended = 0;
  const log = { append: async () => ++appended } as unknown as EventStore;
  const limited = limitAppends(log, 10, () => now);
  const append = (actor_id: string, count = 1) =>
    limited.append(
      'stream',
      Array.from({ length: count }, () => ({ metadata: { actor_id } }) as TrailEvent),
      0,
    );
  await append('acc_1', 4);
  await append('acc_1', 6);
  const refusal = (await rejection(append('acc_1'))) as Refusal;
  assert.equal([refusal.code, refusal.more.retry_after_seconds], ['rate_limited', 360]);
  await append('acc_2');
  await append('system', 100);
  await append('system');
  assert.is(appended, 5);
  now += 360_000;
  await append('acc_1');
  assert.is(appended, 6);
});

test.run();
