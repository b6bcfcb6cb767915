import { followTime } from '../../clock/service-clock.ts';
import { AccountNames } from '../../identity/accounts/account-names.ts';
import { ReportingProjection } from '../../reporting/reporting-projection.ts';
import { REPORTING_SCHEMA } from '../../reporting/tables.ts';
import { openReportingSources, openReportingStore, usesDataFolder } from '../../stores/open.ts';
import { serveThread } from './serve-thread.ts';
import type { ReportingMessages, ReportingThreadSettings } from './start-reporting-thread.ts';

/** The program of the thread that keeps the reporting database up to date. It has connections of its own to the stores. */
await serveThread<ReportingMessages, ReportingThreadSettings>(
  async ({ stores: settings, reportsDir, holder, installation, time }, main) => {
    const stores = await openReportingSources(settings);
    const names = new AccountNames(stores.accounts);
    const projection = new ReportingProjection({
      reads: stores.reads,
      open: (onMended) => openReportingStore({ ...settings, reportsDir }, REPORTING_SCHEMA, onMended),
      readNames: (ids) => names.readIdentities(ids, () => false),
      installation,
      holder,
      exclusive: usesDataFolder(settings),
      now: followTime(time),
      log: main.log,
      onState: main.notify,
    });
    projection.start();
    return {
      async stop() {
        await projection.stop();
        await stores.close();
      },
    };
  },
);
