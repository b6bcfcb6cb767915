import { openSqliteAccountStore } from '../../stores/sqlite/account-store.ts';
import { openSqliteEventStore } from '../../stores/sqlite/event-store.ts';
import { serveThread } from './serve-thread.ts';
import { toSentStoreError } from './store-errors.ts';
import type { WriteMessages, WriteThreadSettings } from './write-messages.ts';

/** The program of the thread that writes the log and the accounts where they are files. It has connections of its own. */
await serveThread<WriteMessages, WriteThreadSettings>(async ({ dataDir, isEmbedded }) => {
  const events = isEmbedded.events ? openSqliteEventStore(dataDir) : null;
  const accounts = isEmbedded.accounts ? openSqliteAccountStore(dataDir) : null;
  const write = (request: WriteMessages['request']): Promise<unknown> => {
    if ('append' in request) {
      const { stream, events: newEvents, expectedRevision, decidedAt, condition } = request.append;
      return events!.append(stream, newEvents, expectedRevision, decidedAt, condition);
    }
    const method = accounts![request.method] as (...args: readonly unknown[]) => Promise<unknown>;
    return method.apply(accounts, request.args as unknown[]);
  };
  return {
    answer: (request) =>
      write(request).then(
        (value) => ({ value }),
        (error: unknown) => ({ error: toSentStoreError(error) }),
      ),
    async stop() {
      await events?.close();
      await accounts?.close();
    },
  };
});
