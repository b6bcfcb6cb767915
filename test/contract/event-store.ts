import { randomUUID } from 'node:crypto';
import { suite } from 'uvu';
import type { StoredEvent } from '../../src/stores/event-store.ts';
import { type Context, collect, type EventStoreFixture } from './event-store/context.ts';
import { closing, subscribing, testReading } from './event-store/reading.ts';
import { testUnreadableRows } from './event-store/unreadable.ts';
import { testAppends, testConflicts, testRefusals } from './event-store/writing.ts';

export type { EventStoreFixture };

/** Tests the `EventStore` port on an adapter. */
export function eventStoreContract(name: string, open: () => Promise<EventStoreFixture>): void {
  const test = suite<Context>(`event store: ${name}`);

  test.before.each(async (context) => {
    const mark = `contract${randomUUID().replaceAll('-', '')}`;
    const fixture = await open();
    const isOurs = (event: StoredEvent) => event.stream.startsWith(mark);
    const start = (await fixture.store.head(null)).newest;
    let streams = 0;
    Object.assign(context, fixture, {
      start,
      isOurs,
      name: () => `${mark}-${streams++}`,
      all: async (store = fixture.store) => (await collect(store.readAll(start))).filter(isOurs),
    });
  });
  test.after.each(({ close }) => close());

  testAppends(test);
  testConflicts(test);
  testRefusals(test);
  testReading(test);
  testUnreadableRows(test);
  subscribing(test);
  closing(test);
  test.run();
}
