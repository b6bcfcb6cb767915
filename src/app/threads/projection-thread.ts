import { followTime } from '../../clock/service-clock.ts';
import { Projections } from '../../projections/projections.ts';
import { openProjectionStores, usesDataFolder } from '../../stores/open.ts';
import { serveThread } from './serve-thread.ts';
import type { ProjectionMessages, ProjectionThreadSettings } from './start-projection-thread.ts';

/** The program of the thread that keeps the read models up to date. It has connections of its own to the stores. */
await serveThread<ProjectionMessages, ProjectionThreadSettings>(
  async ({ stores: settings, holder, time, timings }, main) => {
    const { log } = main;
    const stores = await openProjectionStores(settings);
    const projections = new Projections({
      ...stores,
      holder,
      now: followTime(time),
      exclusive: usesDataFolder(settings),
      log,
      onTiming: timings ? log.debug : undefined,
      onNotice: main.notify,
    });
    return {
      receive(notice) {
        if (notice.type === 'start') void projections.start(notice.installation);
        else projections.expect(notice.wait);
      },
      async stop() {
        await projections.stop();
        await stores.close();
      },
    };
  },
);
