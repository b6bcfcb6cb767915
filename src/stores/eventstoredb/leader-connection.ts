import { setTimeout as wait } from 'node:timers/promises';
import { AccessDeniedError, NotLeaderError, UnavailableError } from '@eventstore/db-client';
import type { ChannelCredentials } from '@grpc/grpc-js';
import { StoreUnavailable } from '../errors.ts';
import { isTurnedAway, readFailure } from './calls.ts';
import type { ConnectionSettings, Endpoint } from './connection-string.ts';
import { distinct, isSame } from './endpoint.ts';
import { NodeConnection, readLeader } from './node-connection.ts';

/** The time a node has for saying that it leads. A healthy one needs milliseconds. */
const PROBE_MS = 1000;
/** The time a call waits for a leader, counted from when the last one was lost. */
const ELECTION_MS = 6000;
/** After that, calls wait only this long, so that callers hear soon that the log is away. */
const AWAY_WAIT_MS = 1000;
const PAUSE_BETWEEN_SEARCHES_MS = 100;
/** More addresses are not believed. The largest clusters have a dozen nodes, and each is asked at once. */
const MOST_MEMBERS = 32;

/** The question whether one connection still leads, and its answer. */
interface Probe {
  node: NodeConnection;
  answer: Promise<void>;
}

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
  #probing: Probe | null = null;
  readonly #waiting = new Set<() => void>();
  #closing = false;
  #closed = false;
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

  /**
   * Returns the connection to the leader, after a search where there is none.
   * @param end when the caller stops waiting, as milliseconds since the epoch, if not before
   * @throws StoreUnavailable
   */
  async connected(end = Number.POSITIVE_INFINITY): Promise<NodeConnection> {
    const from = Date.now();
    while (this.#node === null) {
      if (this.#closing && !this.#searching) throw new StoreUnavailable('the event store is closed');
      const patience = this.#wasConnected ? this.#patience() : ELECTION_MS;
      const ms = Math.min(from + patience, end) - Date.now();
      if (ms <= 0) throw this.#failure;
      const firstSearch = !this.#wasConnected;
      void this.#find();
      await this.#news(ms);
      // At a start, people wait for a reason; for an election they wait as at any time.
      if (firstSearch && this.#node === null && !isTurnedAway(this.#failure)) throw this.#failure;
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
      await this.#probe(node);
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
    this.#closed = true;
    this.#node?.retire();
    this.#node = null;
  }

  /** One probe of a connection at a time, shared by all who ask meanwhile. */
  #probe(node: NodeConnection): Promise<void> {
    if (this.#probing?.node === node) return this.#probing.answer;
    const answer = node.requireLeader(PROBE_MS).finally(() => {
      if (this.#probing?.answer === answer) this.#probing = null;
    });
    this.#probing = { node, answer };
    return answer;
  }

  #lose(node: NodeConnection, error: unknown, since: number): void {
    this.#node = null;
    this.#lostAt = since;
    this.#failure = readFailure(error);
    this.#addMember(readLeader(error));
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
        this.#take(await this.#search());
      } catch (error) {
        this.#failure = this.#asFailure(error);
        const isElection = isTurnedAway(error) && this.#waiting.size > 0;
        if (!this.#wasConnected && !isElection) break;
        await wait(PAUSE_BETWEEN_SEARCHES_MS, undefined, { ref: false });
      }
    } while (this.#node === null && !this.#closing);
    this.#searching = false;
    this.#tell();
  }

  #take(node: NodeConnection): void {
    // A search that outlives the store keeps nothing.
    if (this.#closed) {
      node.retire();
    } else {
      this.#node = node;
      this.#wasConnected = true;
    }
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
      const silent = await gossip;
      const { errors } = error as AggregateError;
      for (const one of errors) this.#addMember(readLeader(one));
      throw tellingFailure(errors.length > 0 ? errors : silent);
    } finally {
      for (const node of new Set([...nodes, ...gossipers])) if (node !== leader) node.retire();
    }
  }

  #addMember(endpoint: Endpoint | null): void {
    // The newest first: beyond the bound the oldest are forgotten.
    if (endpoint) this.#members = distinct([endpoint, ...this.#members]).slice(0, MOST_MEMBERS);
  }

  /** Takes the cluster's members from the first node that names any. @returns the failures, where none does */
  async #readGossip(nodes: readonly NodeConnection[]): Promise<readonly unknown[]> {
    const read = nodes.map(async (node) => {
      const members = await node.readGossip(PROBE_MS);
      if (members.length === 0) throw new StoreUnavailable('no members in gossip');
      return members;
    });
    try {
      this.#members = distinct((await Promise.any(read)).slice(0, MOST_MEMBERS));
      return [];
    } catch (error) {
      return (error as AggregateError).errors;
    }
  }

  /** Waits for the next connection or failed search, no longer than `ms`. */
  async #news(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        this.#waiting.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, ms);
      this.#waiting.add(wake);
    });
  }

  #tell(): void {
    for (const wake of this.#waiting) wake();
  }
}

/**
 * The failure that helps most: a refusal before a node that does not serve now, one without connection, and silence.
 */
function tellingFailure(errors: readonly unknown[]): unknown {
  const isSilence = (error: unknown) => error instanceof StoreUnavailable;
  const isGone = (error: unknown) => error instanceof UnavailableError;
  return (
    errors.find((error) => !isSilence(error) && !isGone(error) && !isTurnedAway(error)) ??
    errors.find(isTurnedAway) ??
    errors.find(isGone) ??
    errors[0] ??
    new StoreUnavailable('no node was found')
  );
}
