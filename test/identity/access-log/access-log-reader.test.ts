/** The access log as a list: its order and its pages. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { AccessLogReader } from '../../../src/identity/access-log/access-log-reader.ts';
import { CursorKey } from '../../../src/queries/lists/cursor.ts';
import { type AccessContext, CALLER, HOUR_MS, openAccessLog } from '../../support/identity/access-log.ts';

const test = suite<AccessContext>('list of the access log');

test.before.each((context) => {
  Object.assign(context, openAccessLog());
});
test.after.each(({ accounts }) => accounts.close());

test('lists entries by the time that they show, on every size of page', async ({ accounts, log, clock }) => {
  const signIn = () => log.recordAccess({ event_type: 'SIGNED_IN', actor_id: 'acc_bob' });
  const refuse = () => log.recordRefusal({ event_type: 'SIGN_IN_REFUSED', actor_id: null, account_id: 'acc_bob' });
  for (const act of [signIn, refuse, signIn, () => log.recordTokenUse(CALLER), signIn, refuse, signIn]) {
    act();
    clock.wait(25 * 60_000);
  }
  clock.wait(20 * HOUR_MS);
  for (const act of [signIn, () => log.recordTokenUse(CALLER), refuse]) {
    act();
    clock.wait(1_000);
  }
  assert.ok(await log.flush());
  const reader = new AccessLogReader({
    accounts,
    cursorKey: new CursorKey(Buffer.alloc(32, 1)),
    readNames: async () => ({ of: (id) => id }),
  });
  const timesOf = async (size: number) => {
    const times: string[] = [];
    let cursor: string | undefined;
    do {
      const input = { organization_id: 'org_a', size, view: 'SUMMARY', ...(cursor === undefined ? {} : { cursor }) };
      const page = (await reader.list(CALLER, input as never)) as Exclude<
        Awaited<ReturnType<typeof reader.list>>,
        { total: number }
      >;
      times.push(...page.changes.map(({ recorded_at }) => recorded_at));
      cursor = page.next_cursor;
    } while (cursor !== undefined);
    return times;
  };
  const times = await timesOf(100);
  assert.ok(times.length >= 9, `${times.length} entries`);
  assert.equal(times, times.toSorted().reverse());
  for (const size of [1, 2, 3]) assert.equal(await timesOf(size), times);
});

test.run();
