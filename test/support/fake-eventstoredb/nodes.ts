import { Relay } from '../relay.ts';
import { type FakeEventStoreDb, type FakeOptions, startFakeEventStoreDb, urlOf } from './server.ts';

/** One node of a fake cluster, reached through a relay so that it can hang or vanish. */
export interface FakeNode {
  fake: FakeEventStoreDb;
  relay: Relay;
}

/**
 * Nodes on one log: what one has acknowledged, all have. Nothing elects a leader but the test. Until it does, gossip and
 * followers go on naming the old one, alive, as real servers do for about 8 s after a leader hangs (1 to 2 s after it is
 * killed).
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

  /** Makes a node the leader: the others say so from now on. */
  elect(index: number): void {
    this.#leader = index;
    for (const [at, { fake }] of this.#nodes.entries()) {
      fake.faults.leader = at === index ? null : { host: '127.0.0.1', port: this.leader.relay.port };
      fake.faults.withoutLeader = null;
    }
  }

  /** Takes the leader's office away: no node leads, and each says so in this way, until one is elected. */
  depose(says: 'NOT_READY' | 'NO_LEADER'): void {
    for (const { fake } of this.#nodes) fake.faults.withoutLeader = says;
  }

  /** How many connections all nodes have. */
  connections(): number {
    return this.#nodes.reduce((sum, { fake }) => sum + fake.connections(), 0);
  }

  /** Lets the leader accept connections and never say a word, as a process that is stopped. */
  hangLeader(): void {
    // It still takes itself for the leader, and can be asked by nobody.
    this.leader.relay.choke();
  }

  /** Breaks the leader's connections; new ones are refused. */
  async killLeader(): Promise<void> {
    await this.leader.relay.cut();
  }

  /** Lets a node that hung or died be reached again: its old connections are gone, and it is what it was elected to be. */
  async revive(index: number): Promise<void> {
    const { relay } = this.node(index);
    await relay.cut();
    await relay.mend();
  }

  async close(): Promise<void> {
    for (const { relay, fake } of this.#nodes) {
      await relay.cut();
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
