import { setTimeout as wait } from 'node:timers/promises';
import { AccessDeniedError, type EventStoreDBClient, NotLeaderError, UnavailableError } from '@eventstore/db-client';
import type { ChannelCredentials } from '@grpc/grpc-js';
import { monotonicMs } from '../../clock/monotonic.ts';
import type { ConnectionSettings, Endpoint } from '../../config/connection-string.ts';
import { StoreReplaced, StoreUnavailable } from '../errors.ts';
import { cannotServeNow, readFailure } from './calls.ts';
import { distinctEndpoints, isSameEndpoint } from './endpoint.ts';
import { NodeConnection, readLeader } from './node-connection.ts';

/** Maximum wait of a probe for a node's answer. A healthy node answers within milliseconds. */
const PROBE_MS = 1000;
/** Maximum wait of a call for a new leader, counted from the start of the call that lost the last one. */
const ELECTION_MS = 6000;
/**
 * Calls wait at least this long, even long after the loss. It is short, so that callers learn quickly that
 * EventStoreDB is down.
 */
const OUTAGE_WAIT_MS = 1000;
const PAUSE_BETWEEN_SEARCHES_MS = 100;
/** The pause while another log answers. Only an operator can put the right one back. */
const PAUSE_WHILE_REPLACED_MS = 1000;
/** Limit of known addresses, because a search probes them all at once. The largest clusters have about 12 nodes. */
const MAX_MEMBERS = 32;

/** A running check that a connection's node still leads. */
interface Probe {
  node: NodeConnection;
  answer: Promise<void>;
}

/**
 * Keeps one connection to the cluster's leader. A call without an answer calls `confirm`, which probes the node. If
 * the node is silent or no longer leads, one search for all callers finds the new leader.
 *
 * A node is used only if it says itself that it leads. Gossip and NotLeader errors only name candidates: they go on
 * naming a leader that hangs until the other nodes have elected a new one (about 8 s).
 */
export class LeaderConnection {
  #node: NodeConnection | null = null;
  #wasConnected = false;
  /** Start of the call that the last connection left unanswered, by `monotonicMs`. */
  #lostAt = 0;
  #failure: StoreUnavailable | StoreReplaced = new StoreUnavailable('not connected yet');
  #searching = false;
  #probing: Probe | null = null;
  readonly #wakeCalls = new Set<() => void>();
  #closing = false;
  #closed = false;
  /** Addresses in addition to the URL's: members of the last gossip, and leaders that errors named. */
  #members: readonly Endpoint[] = [];

  /** @param confirmLog checks a new connection before its first use. @throws StoreReplaced, StoreUnavailable */
  constructor(
    private readonly settings: ConnectionSettings,
    private readonly credentials: ChannelCredentials,
    private readonly confirmLog: (client: EventStoreDBClient, ms: number) => Promise<void>,
  ) {}

  get current(): NodeConnection | null {
    return this.#node;
  }

  /**
   * Returns the connection to the leader. Searches for it first if there is none.
   * @param end epoch milliseconds after which the caller stops waiting
   * @throws StoreUnavailable; StoreReplaced at once, because it lasts until an operator acts
   */
  async waitForLeader(end = Number.POSITIVE_INFINITY): Promise<NodeConnection> {
    const start = monotonicMs();
    while (this.#node === null) {
      if (this.#failure instanceof StoreReplaced) throw this.#failure;
      if (this.#closing && !this.#searching) throw new StoreUnavailable('the event store is closed');
      const waitMs = this.#wasConnected ? this.#waitLimit() : ELECTION_MS;
      const ms = Math.min(start + waitMs, end) - monotonicMs();
      if (ms <= 0) throw this.#failure;
      const firstSearch = !this.#wasConnected;
      void this.#searchUntilFound();
      await this.#waitForSearch(ms);
      // Before the first connection, calls get a failure at once, except during an election.
      if (firstSearch && this.#node === null && !cannotServeNow(this.#failure)) throw this.#failure;
    }
    return this.#node;
  }

  /**
   * Probes `node` after a call without an answer. Returns true if the connection stays. Otherwise starts a search,
   * and `waitForLeader` waits for its result.
   * @param since start of the unanswered call, by `monotonicMs`
   */
  async confirmLeader(node: NodeConnection, failure: unknown, since: number): Promise<boolean> {
    if (node !== this.#node) return false;
    try {
      if (failure instanceof NotLeaderError) throw failure;
      await this.#probe(node);
      return true;
    } catch (error) {
      if (node === this.#node) this.#dropConnection(node, error, since);
      return false;
    }
  }

  /** Drops a connection whose log turned out to be another, and searches until the right one is back. */
  reject(node: NodeConnection, failure: StoreReplaced): void {
    if (node === this.#node) this.#dropConnection(node, failure, monotonicMs());
  }

  /** Starts no more searches. Waiting calls get the outcome of the current one. */
  stopSearching(): void {
    this.#closing = true;
  }

  close(): void {
    this.#closing = true;
    this.#closed = true;
    this.#node?.retire();
    this.#node = null;
  }

  /** Probes a connection. Calls during a probe share its answer. */
  #probe(node: NodeConnection): Promise<void> {
    if (this.#probing?.node === node) return this.#probing.answer;
    const answer = node.requireLeader(PROBE_MS).finally(() => {
      if (this.#probing?.answer === answer) this.#probing = null;
    });
    this.#probing = { node, answer };
    return answer;
  }

  #dropConnection(node: NodeConnection, error: unknown, since: number): void {
    this.#node = null;
    this.#lostAt = since;
    this.#failure = error instanceof StoreReplaced ? error : readFailure(error);
    this.#addMember(readLeader(error));
    node.retire();
    void this.#searchUntilFound();
  }

  /** Returns the milliseconds that a call which starts now waits for a leader. */
  #waitLimit(): number {
    const outageMs = monotonicMs() - this.#lostAt;
    return Math.max(ELECTION_MS - outageMs, OUTAGE_WAIT_MS);
  }

  /**
   * Searches until a leader is found. Before the first connection, stops after a failed search,
   * unless calls wait for an election.
   */
  async #searchUntilFound(): Promise<void> {
    if (this.#searching) return;
    this.#searching = true;
    do {
      try {
        await this.#adoptConnection(await this.#search());
      } catch (error) {
        this.#failure = this.#toFailure(error);
        const isElection = cannotServeNow(error) && this.#wakeCalls.size > 0;
        if (!this.#wasConnected && !isElection) break;
        await this.#pauseSearch(error instanceof StoreReplaced);
      }
    } while (this.#node === null && !this.#closing);
    this.#searching = false;
    this.#wakeCallers();
  }

  async #pauseSearch(isReplaced: boolean): Promise<void> {
    if (isReplaced) this.#wakeCallers();
    await wait(isReplaced ? PAUSE_WHILE_REPLACED_MS : PAUSE_BETWEEN_SEARCHES_MS, undefined, { ref: false });
  }

  /** Takes a leader's connection into use, if it has our log. @throws StoreReplaced, StoreUnavailable */
  async #adoptConnection(node: NodeConnection): Promise<void> {
    try {
      node.pin(() => this.#onLost(node));
      await node.run((client) => this.confirmLog(client, PROBE_MS));
      // The connection was lost meanwhile.
      node.hold()();
    } catch (error) {
      node.retire();
      throw error;
    }
    // The store was closed during the search.
    if (this.#closed) return node.retire();
    this.#node = node;
    this.#wasConnected = true;
  }

  #onLost(node: NodeConnection): void {
    if (node === this.#node) this.#dropConnection(node, new StoreUnavailable('the connection was lost'), monotonicMs());
    else node.retire();
  }

  #toFailure(error: unknown): StoreUnavailable | StoreReplaced {
    if (error instanceof StoreReplaced) return error;
    if (error instanceof AccessDeniedError && this.settings.credentials === null) {
      return new StoreUnavailable('anonymous calls are denied', false, { cause: error });
    }
    return readFailure(error);
  }

  /** Probes all candidates, then those that they named. @throws the most useful failure */
  async #search(): Promise<NodeConnection> {
    const candidates = this.#candidates();
    try {
      return await this.#probeAll(candidates);
    } catch (error) {
      const newEndpoints = this.#candidates().filter(
        (endpoint) => !candidates.some((other) => isSameEndpoint(endpoint, other)),
      );
      if (newEndpoints.length === 0) throw error;
      return this.#probeAll(newEndpoints);
    }
  }

  #candidates(): Endpoint[] {
    return distinctEndpoints([...(this.settings.discover ? [] : this.settings.hosts), ...this.#members]);
  }

  /**
   * Probes all candidates at the same time, each on its own connection. Returns the first that answers as the leader.
   */
  async #probeAll(candidates: readonly Endpoint[]): Promise<NodeConnection> {
    const { discover, hosts } = this.settings;
    const open = (endpoint: Endpoint) => new NodeConnection(endpoint, this.settings, this.credentials);
    const nodes = candidates.map(open);
    const gossipers = discover ? hosts.map(open) : hosts.length > 1 ? nodes : [];
    const gossipReading = this.#readGossip(gossipers);
    let leader: NodeConnection | undefined;
    try {
      leader = await Promise.any(nodes.map((node) => node.requireLeader(PROBE_MS).then(() => node)));
      return leader;
    } catch (error) {
      const gossipFailures = await gossipReading;
      const { errors } = error as AggregateError;
      for (const nodeError of errors) this.#addMember(readLeader(nodeError));
      throw mostUsefulFailure(errors.length > 0 ? errors : gossipFailures);
    } finally {
      for (const node of new Set([...nodes, ...gossipers])) if (node !== leader) node.retire();
    }
  }

  #addMember(endpoint: Endpoint | null): void {
    // The newest comes first, so the limit drops the oldest.
    if (endpoint) this.#members = distinctEndpoints([endpoint, ...this.#members]).slice(0, MAX_MEMBERS);
  }

  /** Takes the cluster's members from the first node that names any. Returns the failures if none does. */
  async #readGossip(nodes: readonly NodeConnection[]): Promise<readonly unknown[]> {
    const read = nodes.map(async (node) => {
      const members = await node.readGossip(PROBE_MS);
      if (members.length === 0) throw new StoreUnavailable('no members in gossip');
      return members;
    });
    try {
      this.#members = distinctEndpoints((await Promise.any(read)).slice(0, MAX_MEMBERS));
      return [];
    } catch (error) {
      return (error as AggregateError).errors;
    }
  }

  /** Waits for the next connection or failed search, at most `ms`. */
  async #waitForSearch(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        this.#wakeCalls.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, ms);
      this.#wakeCalls.add(wake);
    });
  }

  #wakeCallers(): void {
    for (const wake of this.#wakeCalls) wake();
  }
}

/**
 * Returns the most useful failure: a refusal, then "can't serve now", then "unreachable", then no answer.
 */
function mostUsefulFailure(errors: readonly unknown[]): unknown {
  const isSilence = (error: unknown) => error instanceof StoreUnavailable;
  const isUnreachable = (error: unknown) => error instanceof UnavailableError;
  return (
    errors.find((error) => !isSilence(error) && !isUnreachable(error) && !cannotServeNow(error)) ??
    errors.find(cannotServeNow) ??
    errors.find(isUnreachable) ??
    errors[0] ??
    new StoreUnavailable('no node was found')
  );
}
