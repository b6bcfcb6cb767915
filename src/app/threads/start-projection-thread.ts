import { randomUUID } from 'node:crypto';
import { followTime } from '../../clock/service-clock.ts';
import {
  FollowedProjections,
  type ProgressWait,
  type ProjectionsNotice,
} from '../../projections/followed-projections.ts';
import { type StoreSettings, type Stores, usesDataFolder } from '../../stores/open.ts';
import type { ThreadLog } from './messages.ts';
import { ServiceThread } from './service-thread.ts';
import { startProgram } from './start-program.ts';

export interface ProjectionThreadSettings {
  stores: StoreSettings;
  /** Id under which the thread, and another one after its end, leads. */
  holder: string;
  /** The clock of the main thread: see `followTime`. */
  time: SharedArrayBuffer;
  /** True to log the time of each batch. */
  timings: boolean;
}

export interface ProjectionMessages {
  request: never;
  answer: never;
  toThread: { type: 'start'; installation: string } | { type: 'expect'; wait: ProgressWait };
  toMain: ProjectionsNotice;
}

/** Starts the thread that keeps the read models up to date. Returns projections that follow it. */
export function startProjectionThread(
  settings: Omit<ProjectionThreadSettings, 'holder'>,
  { events, reads }: Pick<Stores, 'events' | 'reads'>,
  log: ThreadLog,
): FollowedProjections {
  const threadSettings: ProjectionThreadSettings = { ...settings, holder: randomUUID() };
  let start: ProjectionMessages['toThread'] | null = null;
  const thread = new ServiceThread<ProjectionMessages>({
    name: 'projections',
    start: () => startProgram('projection-thread', threadSettings),
    log,
    onNotice: (notice) => projections.receive(notice),
    onStart: () => {
      if (start !== null) thread.notify(start);
    },
    onCrash: () => projections.remoteEnded(),
  });
  const projections = new FollowedProjections({
    events,
    reads,
    exclusive: usesDataFolder(settings.stores),
    now: followTime(settings.time),
    log,
    remote: {
      start: (installation) => {
        start = { type: 'start', installation };
        thread.notify(start);
      },
      expect: (wait) => thread.notify({ type: 'expect', wait }),
      stop: () => thread.stop(),
    },
  });
  thread.start();
  return projections;
}
