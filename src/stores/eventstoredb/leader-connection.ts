import { setTimeout as wait } from 'node:timers/promises';
import { AccessDeniedError, NotLeaderError } from '@eventstore/db-client';
import type { ChannelCredentials } from '@grpc/grpc-js';
import { StoreUnavailable } from '../errors.ts';
import { readFailure } from './calls.ts';
import type { ConnectionSettings, Endpoint } from './connection-string.ts';
import { NodeConnection, namedLeader } from './node-connection.ts';

/** The time a node has for saying that it leads. A healthy one needs milliseconds. */
const PROBE_MS = 1000;
/** The time a call waits for a leader, counted from when the last one was lost. */
const ELECTION_MS = 6000;
/** After that, calls wait only this long, so that callers hear soon that the log is away. */
const AWAY_WAIT_MS = 1000;
const PAUSE_BETWEEN_SEARCHES_MS = 100;

/**
 * Keeps one connection to the node that leads the cluster. A call that got no answer asks `confirm`: this probes the
 * connection and, where the node is silent or leads no more, looks for another one, once for all callers.
 *
 * Only a node that says itself that it leads is taken. Gossip and NotLeader errors name candidates and nothing more:
 * after a leader hangs, they still name it until the others have elected a new one (about 8 s).
 */
export class LeaderConnection {
  #node: NodeConnection | null = null;
  #wasConnected = false;
  /** When the last connection stopped answering. */
  #lostAt = 0;
  #failure = new StoreUnavailable('not connected yet');
  #searching = false;
  #probing: Promise<void> | null = null;
  #waiting: (() => void)[] = [];
  #closing = false;
  /** Addresses beside the URL's: members of the last gossip seen, and leaders that errors named. */
  #members: readonly Endpoint[] = [];

  constructor(
    private readonly settings: ConnectionSettings,
    private readonly credentials: ChannelCredentials,
  ) {}

  /** The connection to the leader, where there is one. */
  get current(): NodeConnection | null {
    return this.#node;
  }

  /** Returns the connection to the leader, after a search where there is none. @throws StoreUnavailable */
  async connected(): Promise<NodeConnection> {
    const from = Date.now();
    while (this.#node === null) {
      if (this.#closing && !this.#searching) throw new StoreUnavailable('the event store is closed');
      const firstSearch = !this.#wasConnected;
      const ms = firstSearch ? ELECTION_MS : this.#patience() - (Date.now() - from);
      if (ms <= 0) throw this.#failure;
      void this.#find();
      await this.#news(ms);
      // At a start, people wait for a reason and not for an election.
      if (firstSearch && this.#node === null) throw this.#failure;
    }
    return this.#node;
  }

  /**
   * Decides after a call that got no answer on `node`: answers true where the connection is kept. Otherwise another one
   * is being looked for, and `connected` waits for it.
   * @param since when the unanswered call began
   */
  async confirm(node: NodeConnection, failure: unknown, since: number): Promise<boolean> {
    if (node !== this.#node) return false;
    try {
      if (failure instanceof NotLeaderError) throw failure;
      this.#probing ??= node.requireLeader(PROBE_MS).finally(() => {
        this.#probing = null;
      });
      await this.#probing;
      return true;
    } catch (error) {
      if (node === this.#node) this.#lose(node, error, since);
      return false;
    }
  }

  /** Stops looking for other nodes: calls that wait for one get the outcome of the search that runs. */
  stopSearching(): void {
    this.#closing = true;
  }

  close(): void {
    this.#closing = true;
    this.#node?.retire();
    this.#node = null;
  }

  #lose(node: NodeConnection, error: unknown, since: number): void {
    this.#node = null;
    this.#lostAt = since;
    this.#failure = readFailure(error);
    this.#addMember(namedLeader(error));
    node.retire();
    void this.#find();
  }

  /** The time that a call which comes now waits. */
  #patience(): number {
    const away = Date.now() - this.#lostAt;
    return Math.max(ELECTION_MS - away, AWAY_WAIT_MS);
  }

  /** Searches until a leader is found. Before the first connection each search is asked for anew. */
  async #find(): Promise<void> {
    if (this.#searching) return;
    this.#searching = true;
    do {
      try {
        this.#node = await this.#search();
      } catch (error) {
        this.#failure = this.#asFailure(error);
        if (!this.#wasConnected) break;
        await wait(PAUSE_BETWEEN_SEARCHES_MS, undefined, { ref: false });
      }
    } while (this.#node === null && !this.#closing);
    this.#searching = false;
    this.#wasConnected ||= this.#node !== null;
    this.#tell();
  }

  #asFailure(error: unknown): StoreUnavailable {
    if (error instanceof AccessDeniedError && this.settings.credentials === null) {
      return new StoreUnavailable('anonymous calls are denied', false, { cause: error });
    }
    return readFailure(error);
  }

  /** Asks all candidates, and at once those that these name for the first time. @throws the failure that says most */
  async #search(): Promise<NodeConnection> {
    const before = this.#candidates();
    try {
      return await this.#ask(before);
    } catch (error) {
      const named = this.#candidates().filter((one) => !before.some((other) => isSame(one, other)));
      if (named.length === 0) throw error;
      return this.#ask(named);
    }
  }

  #candidates(): Endpoint[] {
    return distinct([...(this.settings.discover ? [] : this.settings.hosts), ...this.#members]);
  }

  /** Asks all at once, each on a connection of its own, and takes the first that answers as the leader. */
  async #ask(candidates: readonly Endpoint[]): Promise<NodeConnection> {
    const { discover, hosts } = this.settings;
    const open = (endpoint: Endpoint) => new NodeConnection(endpoint, this.settings, this.credentials);
    const nodes = candidates.map(open);
    const gossipers = discover ? hosts.map(open) : hosts.length > 1 ? nodes : [];
    const gossip = this.#readGossip(gossipers);
    let leader: NodeConnection | undefined;
    try {
      leader = await Promise.any(nodes.map((node) => node.requireLeader(PROBE_MS).then(() => node)));
      return leader;
    } catch (error) {
      await gossip;
      const { errors } = error as AggregateError;
      for (const one of errors) this.#addMember(namedLeader(one));
      throw tellingFailure(errors);
    } finally {
      for (const node of new Set([...nodes, ...gossipers])) if (node !== leader) node.retire();
    }
  }

  #addMember(endpoint: Endpoint | null): void {
    if (endpoint) this.#members = distinct([...this.#members, endpoint]);
  }

  /** Takes the cluster's members from the first node that names any. */
  async #readGossip(nodes: readonly NodeConnection[]): Promise<void> {
    const read = nodes.map(async (node) => {
      const members = await node.readGossip(PROBE_MS);
      if (members.length === 0) throw new StoreUnavailable('no members in gossip');
      return members;
    });
    const members = await Promise.any(read).catch(() => null);
    if (members) this.#members = members;
  }

  /** Waits for the next connection or failed search, no longer than `ms`. */
  async #news(ms: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve);
      timer = setTimeout(resolve, ms);
    });
    clearTimeout(timer);
  }

  #tell(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }
}

function isSame(one: Endpoint, other: Endpoint): boolean {
  return one.address === other.address && one.port === other.port;
}

function distinct(endpoints: readonly Endpoint[]): Endpoint[] {
  return endpoints.filter((one, index) => endpoints.findIndex((other) => isSame(one, other)) === index);
}

/** The failure that helps most: one in the server's own words before silence. */
function tellingFailure(errors: readonly unknown[]): unknown {
  const isSilence = (error: unknown) => error instanceof StoreUnavailable || error instanceof NotLeaderError;
  return errors.find((error) => !isSilence(error)) ?? errors[0] ?? new StoreUnavailable('no node was found');
}
