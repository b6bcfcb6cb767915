import { AccessLogReader } from '../identity/access-log/access-log-reader.ts';
import { CursorKey } from '../queries/lists/cursor.ts';
import { Reader, type ServedGeneration } from '../queries/moments/snapshot.ts';
import { type NameReader, readMemberNames } from '../queries/records/member-names.ts';
import type { AccountStore } from '../stores/account-store.ts';
import type { EventStore } from '../stores/event-store.ts';

export interface ReadSideOptions {
  events: EventStore;
  accounts: AccountStore;
  names: NameReader;
  cursorKey: Buffer;
  now: () => Date;
  maxEventsVerified?: number | undefined;
}

/** The part of the register that only reads. */
export interface ReadSide {
  reader: Reader;
  accessLogReader: AccessLogReader;
}

/** Creates what reads the generation that is served. Each thread that answers calls has its own. */
export function createReadSide(
  { events, accounts, names, cursorKey: secret, now, maxEventsVerified }: ReadSideOptions,
  served: ServedGeneration,
): ReadSide {
  const cursorKey = new CursorKey(secret);
  const accessLogReader = new AccessLogReader({
    accounts,
    cursorKey,
    readNames: (organizationId, accountIds) =>
      readMemberNames({ names, models: served().models }, organizationId, accountIds),
  });
  const reader = new Reader(served, { events, names, accessLog: accessLogReader, cursorKey, now, maxEventsVerified });
  return { reader, accessLogReader };
}
