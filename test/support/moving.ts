import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { COLLECTIONS } from '../../src/projections/models.ts';
import type { StoreSettings } from '../../src/stores/open.ts';
import type { ReadModels } from '../../src/stores/read-store.ts';
import type { TrailEvent } from '../../src/trail/event.ts';
import { folderOfTest, type Installed } from './installed.ts';
import { type Ran, veritrail } from './shell.ts';

/** Runs the command on a pair of stores, all in one folder of files. */
export function on(settings: StoreSettings, cwd: string, ...args: string[]): Promise<Ran> {
  const { dataDir, eventStoreUrl, mongodbUrl } = settings;
  const env = {
    ...(eventStoreUrl === null ? {} : { EVENTSTORE_URL: eventStoreUrl }),
    ...(mongodbUrl === null ? {} : { MONGODB_URL: mongodbUrl }),
  };
  return veritrail({ cwd, dataDir, env }, ...args);
}

export async function ran(settings: StoreSettings, cwd: string, ...args: string[]): Promise<Ran> {
  const result = await on(settings, cwd, ...args);
  assert.is(result.code, 0, `${args.join(' ')}: ${result.out} ${result.err}`);
  return result;
}

/** An organization's events, as the log has them. */
export async function eventsOf({ stores }: Pick<Installed, 'stores'>, organizationId: string): Promise<TrailEvent[]> {
  const all: TrailEvent[] = [];
  for await (const batch of stores.events.readAll(null)) {
    for (const { id, stream, revision, type, data, metadata } of batch) {
      if (metadata.organization_id === organizationId) all.push({ id, stream, revision, type, data, metadata });
    }
  }
  return all;
}

/** What read models hold that was written up to a position, so that two that went on apart can be compared. */
export async function rowsUntil(models: ReadModels, organizationId: string, position: number) {
  const rows: [string, unknown[]][] = [];
  for (const { name, keys } of COLLECTIONS) {
    const key = ['position', 'from_position'].find((known) => known in keys);
    if (key === undefined) continue;
    const found = await models.find({
      collection: name,
      organizationId,
      where: [{ key, op: 'range', lte: position }],
      order: { key: null, direction: 'ASC' },
      limit: 100_000,
    });
    rows.push([name, found.map(({ doc }) => doc)]);
  }
  return rows;
}

export function cwdOfTest(): string {
  return join(folderOfTest());
}
