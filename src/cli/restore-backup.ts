import { keptInstallation } from '../identity/installation.ts';
import { refuseNewer } from '../identity/migrations/migrate.ts';
import { ACCOUNT_TABLES, type AccountStore, type AccountTableName } from '../stores/account-store.ts';
import type { Stores } from '../stores/open.ts';
import { type BackupSummary, linesOfBackup } from './backup-file.ts';
import { CommandError, type Shell } from './command.ts';
import { InOrder } from './in-order.ts';
import { ProgressBar } from './progress.ts';

/** Takes a backup, read to its end before, into stores that are empty or were left by a restore of it that was cut off. */
export async function restoreBackup(path: string, summary: BackupSummary, stores: Stores, shell: Shell): Promise<void> {
  const { accounts, events } = stores;
  if ((await keptInstallation(accounts)) !== null) {
    throw new CommandError('These stores are an installation already: a backup is restored into empty ones.');
  }
  refuseNewer(summary.schema);
  const order = new InOrder(events, () => true);
  const bar = new ProgressBar(shell, 'events');
  let isLogDone = false;
  try {
    for await (const line of linesOfBackup(path)) {
      if ('event' in line) {
        await order.take(line.event);
        const done = order.appended + order.present;
        bar.at(done, done / summary.events);
        continue;
      }
      if (!isLogDone && (await order.end())) {
        throw new CommandError('The log has more than the backup: a backup is restored into empty stores.');
      }
      if (!isLogDone) await clear(accounts);
      isLogDone = true;
      await accounts.put(line.table, line.record);
    }
  } finally {
    bar.clear();
  }
  shell.out(
    `${summary.events} events and ${summary.records} entries of the account store are restored. Start the service.`,
  );
}

/** What a restore that was cut off left: of an older backup, it might let somebody in who has been shut out since. */
async function clear(accounts: AccountStore): Promise<void> {
  for (const table of Object.keys(ACCOUNT_TABLES) as AccountTableName[]) {
    for (const { id } of await accounts.all(table)) await accounts.remove(table, id);
  }
}
