import { Relay } from '../stores/relay.ts';
import { type FakeEventStoreDb, type FakeOptions, startFakeEventStoreDb, urlOf } from './server.ts';

/** A node of a fake cluster behind a relay, so that it can hang or vanish. */
export interface FakeNode {
  fake: FakeEventStoreDb;
  relay: Relay;
}

/**
 * Nodes that share one log, so all have what one has acknowledged. Only the test elects a leader. Until then, gossip and
 * followers name the old one as alive, as real servers do for about 8 s after a leader hangs (1 to 2 s after a kill).
 */
export class FakeCluster {
  readonly #nodes: FakeNode[];
  #leader = 0;

  private constructor(
    nodes: FakeNode[],
    private readonly options: FakeOptions,
  ) {
    this.#nodes = nodes;
  }

  static async start(size = 3, options: FakeOptions = {}): Promise<FakeCluster> {
    const nodes: FakeNode[] = [];
    const cluster = new FakeCluster(nodes, options);
    for (let index = 0; index < size; index += 1) {
      const log = nodes[0]?.fake.log;
      const fake = await startFakeEventStoreDb({
        ...options,
        ...(log ? { log } : {}),
        members: () => cluster.#members(),
      });
      nodes.push({ fake, relay: await Relay.to(fake.port) });
    }
    cluster.elect(0);
    return cluster;
  }

  /** The connection string that names all nodes. */
  get url(): string {
    return urlOf(
      this.#nodes.map(({ relay }) => relay.port),
      this.options,
    );
  }

  get leader(): FakeNode {
    return this.#nodes[this.#leader]!;
  }

  node(index: number): FakeNode {
    return this.#nodes[index]!;
  }

  /** Makes a node the leader. The others report it from now on. */
  elect(index: number): void {
    this.#leader = index;
    for (const [nodeIndex, { fake }] of this.#nodes.entries()) {
      fake.faults.leader = nodeIndex === index ? null : { host: '127.0.0.1', port: this.leader.relay.port };
      fake.faults.withoutLeader = null;
    }
  }

  /** Leaves the cluster without a leader: every node answers with this error until elect is called. */
  removeLeader(answer: 'NOT_READY' | 'NO_LEADER'): void {
    for (const { fake } of this.#nodes) fake.faults.withoutLeader = answer;
  }

  /** Returns the number of connections to all nodes. */
  connections(): number {
    return this.#nodes.reduce((sum, { fake }) => sum + fake.connections(), 0);
  }

  /** Lets the leader accept connections without ever answering, as a stopped process does. */
  hangLeader(): void {
    // The node still considers itself the leader, but no client can reach it.
    this.leader.relay.stall();
  }

  /** Breaks the leader's connections; new ones are refused. */
  async killLeader(): Promise<void> {
    await this.leader.relay.disconnect();
  }

  /** Makes a node reachable again, without its old connections. Its role doesn't change. */
  async reconnect(index: number): Promise<void> {
    const { relay } = this.node(index);
    await relay.disconnect();
    await relay.restore();
  }

  async close(): Promise<void> {
    for (const { relay, fake } of this.#nodes) {
      await relay.disconnect();
      await fake.close();
    }
  }

  #members() {
    return this.#nodes.map(({ relay }, index) => ({
      address: '127.0.0.1',
      port: relay.port,
      isLeader: index === this.#leader,
    }));
  }
}
