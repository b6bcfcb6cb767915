import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { firstOrganization } from '../test/support/mcp/call-tool.ts';
import { until } from '../test/support/run/wait.ts';
import { type Service, startService } from '../test/support/service.ts';
import { startEventStoreProcess } from '../test/support/stores/event-store-server.ts';
import { startMongo } from '../test/support/stores/mongodb.ts';
import { roleOf } from '../test/support/stores/shared-pair.ts';
import { atLeast, atMost, countPerSecond, type Figure, figure } from './measure.ts';

const INSTANCES = 4;
const RETRY_MS = 500;
const RECORDS = 50;
const READERS = 32;
const WRITERS = 32;
const MAX_TAKE_OVER_MS = 5_000;
const TAKE_OVER_TIMEOUT_MS = 30_000;

/** Instances of the service on one EventStoreDB and one MongoDB, each in a process of its own. */
class Instances {
  readonly added: string[] = [];

  constructor(
    readonly services: readonly Service[],
    readonly token: string,
    readonly organizationId: string,
  ) {}

  /** Returns all instances but one. */
  without(service: Service): Instances {
    const others = new Instances(
      this.services.filter((other) => other !== service),
      this.token,
      this.organizationId,
    );
    others.added.push(...this.added);
    return others;
  }

  /** Reads records through the first instances, in turn. */
  read(instances: number): (index: number) => Promise<unknown> {
    return (index) => this.call(index % instances, 'getRecords', { ids: [this.added[index % RECORDS]] });
  }

  /** Adds vendors through the first instances, in turn, and notes those that were acknowledged. */
  write(instances: number): (index: number) => Promise<unknown> {
    return async (index) => {
      const args = { organization_id: this.organizationId, name: `Vendor ${randomUUID()}` };
      const { vendor } = await this.call(index % instances, 'addVendor', args);
      this.added.push((vendor as { id: string }).id);
    };
  }

  async call(instance: number, tool: string, args: object): Promise<Record<string, unknown>> {
    const response = await fetch(`${this.services[instance]!.url}/api/mcp/tools/${tool}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${this.token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(args),
    });
    const body = (await response.json()) as Record<string, unknown>;
    // The databases and all instances share the machine, so a call may come too late. Clients then repeat it.
    if (response.status === 503) {
      await pause(RETRY_MS);
      return this.call(instance, tool, args);
    }
    if (!response.ok) throw new Error(`${tool}: ${JSON.stringify(body)}`);
    return body;
  }
}

/** Compares several instances with one, and times how soon another takes over from a killed one. */
export async function instanceFigures(ms: number): Promise<Figure[]> {
  const mongo = await startMongo();
  if (mongo === null) return [];
  const events = await startEventStoreProcess();
  const env = { EVENTSTORE_URL: events.url, MONGODB_URL: mongo.url };
  const first = await startService(env);
  const others = await Promise.all(Array.from({ length: INSTANCES - 1 }, () => startService(env)));
  const organizationId = await firstOrganization(first.url, first.token);
  const instances = new Instances([first, ...others], first.token, organizationId);
  for (let index = 0; index < RECORDS; index += 1) await instances.write(1)(index);
  const figures = [
    ...(await measureRates('getRecords', ms, READERS, (count) => instances.read(count))),
    ...(await measureRates('addVendor', ms, WRITERS, (count) => instances.write(count))),
    await measureTakeOver(instances),
  ];
  for (const service of [first, ...others]) await service.stop();
  await events.close();
  await mongo.close();
  return figures.map((row) => ({ ...row, figure: `${events.name}, ${mongo.name}: ${row.figure}` }));
}

async function measureRates(
  tool: string,
  ms: number,
  concurrency: number,
  callOn: (instances: number) => (index: number) => Promise<unknown>,
): Promise<Figure[]> {
  const rates = new Map<number, number>();
  for (const count of [1, 2, INSTANCES]) {
    await countPerSecond(ms / 2, concurrency, callOn(count));
    rates.set(count, await countPerSecond(ms * 2, concurrency, callOn(count)));
  }
  return [2, INSTANCES].map((count) =>
    figure(
      `${tool} over HTTP, ${concurrency} concurrent, on ${count} instances; baseline: on one`,
      '1/s',
      rates.get(count)!,
      rates.get(1)!,
      atLeast(1),
    ),
  );
}

/** Kills the leader while others write. @throws Error if an acknowledged write is lost */
async function measureTakeOver(instances: Instances): Promise<Figure> {
  const leader = await findLeader(instances);
  const others = instances.without(leader);
  const writing = countPerSecond(1_000, 4, (index) =>
    others
      .write(others.services.length)(index)
      .catch(() => undefined),
  );
  await leader.kill();
  const killedAt = performance.now();
  await findLeader(others);
  const takeOverMs = performance.now() - killedAt;
  await writing;
  const isComplete = async () => {
    const { total } = await others.call(0, 'listVendors', { organization_id: others.organizationId, view: 'COUNT' });
    return Number(total) >= others.added.length;
  };
  await until(isComplete, TAKE_OVER_TIMEOUT_MS, 'every acknowledged write is in the list');
  const name = 'another instance leads after the leader was killed; baseline: its limit';
  return figure(name, 'ms', takeOverMs, MAX_TAKE_OVER_MS, atMost(1));
}

/** Waits until an instance leads. After much load on few cores it may be another one than at the start. */
async function findLeader({ services, token }: Instances): Promise<Service> {
  let leader: Service | undefined;
  const hasLeader = async () => {
    const roles = await Promise.all(services.map(({ url }) => roleOf(url, token)));
    leader = services[roles.indexOf('LEADER')];
    return leader !== undefined;
  };
  await until(hasLeader, TAKE_OVER_TIMEOUT_MS, 'an instance leads');
  return leader!;
}
