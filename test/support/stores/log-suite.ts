import { rmSync } from 'node:fs';
import { suite } from 'uvu';
import { CommandHandler } from '../../../src/commands/engine/handler.ts';
import type { EventStore } from '../../../src/stores/event-store.ts';
import { openSqliteEventStore } from '../../../src/stores/sqlite/event-store.ts';
import { temporaryFolder } from '../register.ts';

export interface LogContext {
  folder: string;
  store: EventStore;
  /** Another store object on the same folder: another instance, or this one after a restart. */
  reopen(): EventStore;
}

/** Returns a suite in which each test gets an empty event store. */
export function logSuite(name: string) {
  const test = suite<LogContext & { opened: EventStore[] }>(name);
  test.before.each((context) => {
    context.folder = temporaryFolder();
    context.opened = [];
    context.reopen = () => {
      const store = openSqliteEventStore(context.folder, { pollMs: 10 });
      context.opened.push(store);
      return store;
    };
    context.store = context.reopen();
  });
  test.after.each(async ({ folder, opened }) => {
    for (const store of opened) await store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return test;
}

export function handlerOn(store: EventStore): CommandHandler {
  return new CommandHandler(store, { now: () => new Date(), maxAcceptanceDays: 366 });
}
