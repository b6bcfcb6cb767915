import * as assert from 'uvu/assert';
import { COLLECTIONS } from '../../../src/projections/models.ts';
import type { StoreSettings } from '../../../src/stores/open.ts';
import type { ReadModels } from '../../../src/stores/read-store.ts';
import type { TrailEvent } from '../../../src/trail/event.ts';
import { readable } from '../histories/readable.ts';
import type { InstalledRegister } from '../run/installed.ts';
import { type ProgramResult, veritrail } from '../run/run-command.ts';

/** Runs the command on a pair of stores, with its files in one folder. */
export function runOnPair(settings: StoreSettings, cwd: string, ...args: string[]): Promise<ProgramResult> {
  const { dataDir, eventStoreUrl, mongodbUrl } = settings;
  const env = {
    ...(eventStoreUrl === null ? {} : { EVENTSTORE_URL: eventStoreUrl }),
    ...(mongodbUrl === null ? {} : { MONGODB_URL: mongodbUrl }),
  };
  return veritrail({ cwd, dataDir, env }, ...args);
}

export async function runSuccessfully(settings: StoreSettings, cwd: string, ...args: string[]): Promise<ProgramResult> {
  const result = await runOnPair(settings, cwd, ...args);
  assert.is(result.code, 0, `${args.join(' ')}: ${result.out} ${result.err}`);
  return result;
}

/** Returns an organization's events in the log's order. */
export async function eventsOf(
  { stores }: Pick<InstalledRegister, 'stores'>,
  organizationId: string,
): Promise<TrailEvent[]> {
  const all: TrailEvent[] = [];
  for await (const batch of stores.events.readAll(null)) {
    for (const { id, stream, revision, type, data, metadata } of readable(batch)) {
      if (metadata.organization_id === organizationId) all.push({ id, stream, revision, type, data, metadata });
    }
  }
  return all;
}

/** Returns the rows written up to a position, to compare read models that diverged later. */
export async function rowsUntil(models: ReadModels, organizationId: string, position: number) {
  const rows: [string, unknown[]][] = [];
  for (const { name, keys } of COLLECTIONS) {
    const key = ['position', 'from_position'].find((candidate) => candidate in keys);
    if (key === undefined) continue;
    const records = await models.find({
      collection: name,
      organizationId,
      where: [{ key, op: 'range', lte: position }],
      order: { key: null, direction: 'ASC' },
      limit: 100_000,
    });
    rows.push([name, records.map(({ doc }) => doc)]);
  }
  return rows;
}
