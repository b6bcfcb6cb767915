import { type ClockState, machineClocks, ServiceClock } from '../../clock/service-clock.ts';
import { activeGeneration } from '../../projections/engine/active-generation.ts';
import { CHANGES, type ChangeDocument, changeId } from '../../projections/history/change-document.ts';
import { COLLECTIONS } from '../../projections/models.ts';
import { type StoreSettings, type Stores, usesDataFolder } from '../../stores/open.ts';
import type { ReadStore } from '../../stores/read-store.ts';
import { LastRun } from './last-run.ts';

interface ClockLog {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
}

/**
 * Opens the clock of this installation and looks at it each second until `stop`. It is trusted at once if it agrees with
 * the last run, or else with the database, and isn't before the newest event.
 */
export async function openClock(
  settings: StoreSettings,
  { events, reads }: Pick<Stores, 'events' | 'reads'>,
  log: ClockLog,
): Promise<ServiceClock> {
  const lastRun = usesDataFolder(settings) ? new LastRun(settings.dataDir) : null;
  const last = lastRun?.read(machineClocks.wallMs() - machineClocks.bootMs()) ?? null;
  // Read models that can't be read are built again: they must not keep the service from starting.
  const newestEvent = await newestEventTime(reads).catch(() => null);
  const evidence = {
    lastRun: last,
    database: last === null && settings.mongodbUrl !== null ? await databaseDifference(settings.mongodbUrl) : null,
    newestEvent,
    // Read models of an event show it too. Without them this may read all events of other programs.
    isLogEmpty: newestEvent === null && (await events.head(null)).newest === null,
  };
  const onChange = (state: ClockState) => {
    if (state.status === 'TRUSTED') log.info({ clock: state }, 'the clock of this machine is trusted again');
    else log.warn({ clock: state }, 'the clock of this machine is in doubt: writes and seals wait');
  };
  const clock = new ServiceClock({ evidence, onChange });
  if (!clock.isTrusted()) onChange(clock.state);
  clock.start(() => {
    const { trustedDifference } = clock;
    if (trustedDifference !== null) lastRun?.save(trustedDifference);
  });
  return clock;
}

/** Returns the database's time minus the boot clock; null if the database doesn't answer. */
async function databaseDifference(mongodbUrl: string): Promise<number | null> {
  const { readMongoTime } = await import('../../stores/mongodb/server-time.ts');
  const time = await readMongoTime(mongodbUrl).catch(() => null);
  return time === null ? null : time - machineClocks.bootMs();
}

/** Returns the time of the newest event in the read models, in epoch milliseconds; null if there are none. */
async function newestEventTime(reads: ReadStore): Promise<number | null> {
  const active = await activeGeneration(reads);
  // Opening a generation that doesn't exist would create it.
  if (active === null || !(await reads.generations()).includes(active.generation)) return null;
  const models = await reads.open(active.generation, COLLECTIONS);
  try {
    const checkpoints = await models.checkpoints();
    const ids = checkpoints.map(({ organizationId, position }) => changeId(organizationId, position));
    const changes = await models.get(CHANGES.name, ids);
    const times = changes.map(({ doc }) => Date.parse((doc as unknown as ChangeDocument).recorded_at));
    return times.length === 0 ? null : Math.max(...times);
  } finally {
    await models.close();
  }
}
