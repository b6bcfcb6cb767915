import { storedInstallationId } from '../../identity/installation/installation.ts';
import { refuseNewer } from '../../identity/migrations/migrate.ts';
import {
  ACCOUNT_TABLES,
  type AccountStore,
  type AccountTableName,
  RESTORE_MARK_PREFIX,
} from '../../stores/account-store.ts';
import type { Stores } from '../../stores/open.ts';
import { CommandError, type Shell } from '../command.ts';
import { ProgressBar } from '../progress.ts';
import { type BackupSummary, linesOfBackup } from './backup-file.ts';
import { HistoryAppender } from './history-appender.ts';

const MARK_ID = `${RESTORE_MARK_PREFIX}backup`;

/** Restores a backup into empty stores, or finishes an interrupted restore. The caller has read the file to its end. */
export async function restoreBackup(
  path: string,
  summary: BackupSummary,
  stores: Stores & { now: () => Date },
  shell: Shell,
): Promise<void> {
  const { accounts, events, now } = stores;
  if ((await storedInstallationId(accounts)) !== null) {
    throw new CommandError('These stores already have an installation. Restore a backup into empty stores.');
  }
  refuseNewer(summary.schema);
  const order = new HistoryAppender(
    events,
    () => true,
    () => markRestore(accounts, now()),
  );
  const bar = new ProgressBar(shell, 'events');
  let isLogDone = false;
  try {
    for await (const line of linesOfBackup(path)) {
      if ('event' in line || 'row' in line) {
        await order.take('event' in line ? line.event : line.row);
        const eventCount = order.appended + order.present;
        bar.update(eventCount, eventCount / summary.events);
        continue;
      }
      if (!isLogDone && (await order.end())) {
        throw new CommandError('The log has more events than the backup. Restore a backup into empty stores.');
      }
      if (!isLogDone) await clearTables(accounts);
      isLogDone = true;
      await accounts.put(line.table, line.record);
    }
    await accounts.remove('secrets', MARK_ID);
  } finally {
    bar.clear();
  }
  shell.out(
    `Restored ${summary.events} events and ${summary.records} records of the account store. Start the service now.`,
  );
}

/** Removes records of an interrupted restore. If they are from an older backup, they could let in a removed member. */
async function clearTables(accounts: AccountStore): Promise<void> {
  for (const table of Object.keys(ACCOUNT_TABLES) as AccountTableName[]) {
    for (const { id } of await accounts.all(table)) if (id !== MARK_ID) await accounts.remove(table, id);
  }
}

/** Marks the stores, so that nobody takes the first part of the log for all of it. */
async function markRestore(accounts: AccountStore, since: Date): Promise<void> {
  await accounts.insert('secrets', { id: MARK_ID, since: since.toISOString() });
}
