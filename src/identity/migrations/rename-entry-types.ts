import { currentEntryType } from '../access-log/access-entry-types.ts';
import type { AccessLogRow } from '../access-log/access-log-row.ts';
import type { Migration } from './migration.ts';

/** 2: gives rows of the access log the current names of their types, such as REPORT_GENERATED for REPORT_DRAWN. */
export const renameEntryTypes: Migration = {
  title: 'rename types of access-log entries',
  async run(accounts) {
    for (const { id, event_type: before } of await accounts.all<AccessLogRow>('access')) {
      // Counters share this table and have no type.
      if (before === undefined || currentEntryType(before) === before) continue;
      const event_type = currentEntryType(before);
      await accounts.update('access', id, { event_type }, { event_type: before });
    }
  },
};
