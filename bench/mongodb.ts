import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { startEventStoreProcess } from '../test/support/stores/event-store-server.ts';
import { startMongo } from '../test/support/stores/mongodb.ts';
import { type BenchRegister, createBenchRegister, vendorId } from './bench-register.ts';
import { atMost, type Figure, figure } from './measure.ts';

const VENDORS = 200;
const ROUNDS = 9;
/** Far above the differences between two calls. */
const DELAY_MS = 100;
const MAX_OF_WRITE = 4;
const MAX_OF_PAGE = 2;

/**
 * Counts the round trips to MongoDB that a call makes one after the other: the time that the call takes longer when each
 * answer is delayed, divided by the delay. Commands under way at the same time count once.
 */
export async function mongoFigures(): Promise<Figure[]> {
  const mongo = await startMongo();
  if (mongo === null) return [];
  const events = await startEventStoreProcess();
  const relay = await DelayingRelay.to(mongo.url);
  const benchRegister = await createBenchRegister(VENDORS, 1, { eventStoreUrl: events.url, mongodbUrl: relay.url });
  const count = async (tool: string, max: number, input: () => object) => {
    const name = `${mongo.name}: sequential round trips of ${tool}; baseline: their limit`;
    const call = () => benchRegister.call(tool, input());
    return figure(name, 'trips', await relay.countRoundTrips(call), max, atMost(1));
  };
  const { organizationId: organization_id } = benchRegister;
  const figures = [
    await count('addVendor', MAX_OF_WRITE, () => ({ organization_id, name: randomUUID() })),
    await count('updateVendor', MAX_OF_WRITE, () => ({ id: vendorId(7), description: randomUUID() })),
    await count('listVendors', MAX_OF_PAGE, () => pageInput(benchRegister)),
  ];
  await benchRegister.close();
  await relay.close();
  await events.close();
  await mongo.close();
  return figures;
}

function pageInput({ organizationId }: BenchRegister): object {
  const filter = { criticality: ['HIGH'] };
  return { organization_id: organizationId, filter, order_by: { field: 'name', direction: 'ASC' }, size: 20 };
}

/** A relay to a MongoDB that can delay all answers. */
class DelayingRelay {
  readonly #sockets = new Set<Socket>();
  #delayMs = 0;

  private constructor(
    readonly url: string,
    private readonly server: ReturnType<typeof createServer>,
  ) {}

  static async to(url: string): Promise<DelayingRelay> {
    const { hostname, port, pathname } = new URL(url);
    const server = createServer((client) => relay.#join(client, connect(Number(port || 27_017), hostname)));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port: relayPort } = server.address() as AddressInfo;
    const relay = new DelayingRelay(`mongodb://127.0.0.1:${relayPort}${pathname}?directConnection=true`, server);
    return relay;
  }

  async countRoundTrips(call: () => Promise<unknown>): Promise<number> {
    await shortestMs(call);
    const ms = await shortestMs(call);
    this.#delayMs = DELAY_MS;
    const delayedMs = await shortestMs(call);
    this.#delayMs = 0;
    return Math.round((delayedMs - ms) / DELAY_MS);
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  #join(client: Socket, target: Socket): void {
    client.on('data', (bytes) => target.write(bytes));
    target.on('data', (bytes) => {
      if (this.#delayMs === 0) client.write(bytes);
      else setTimeout(() => client.write(bytes), this.#delayMs);
    });
    for (const [socket, other] of [
      [client, target],
      [target, client],
    ] as const) {
      this.#sockets.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
    }
  }
}

async function shortestMs(call: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const startedAt = performance.now();
    await call();
    times.push(performance.now() - startedAt);
  }
  return Math.min(...times);
}
