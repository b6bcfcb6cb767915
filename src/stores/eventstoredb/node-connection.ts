import { EventStoreDBClient, NotLeaderError, StreamNotFoundError } from '@eventstore/db-client';
import { GossipClient } from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import sharedPb from '@eventstore/db-client/generated/shared_pb.js';
import { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import { Channel, type ChannelCredentials, credentials as grpcCredentials, Metadata } from '@grpc/grpc-js';
import { wallDeadline } from '../../clock/service-clock.ts';
import type { ConnectionSettings, Endpoint } from '../../config/connection-string.ts';
import type { StorePosition } from '../event-store.ts';
import { AppendCall, type ProposedBatch } from './append-call.ts';
import { collect, NotSent, requireAnswer } from './calls.ts';
import { toEndpoint } from './endpoint.ts';
import { OwnedSockets } from './sockets.ts';

/** The client's own limit. Other programs may write events of up to 16 MB. */
const MAX_MESSAGE_BYTES = 17 * 1024 * 1024;
/** A stream without events. A leader answers a read of it, at no cost. */
const PROBE_STREAM = 'veritrail-probe';
/** Required by the client's type, but ignored if there is a channel. */
const IGNORED_CREDENTIALS = grpcCredentials.createInsecure();

/** Parts of the client that its types leave out. */
interface OpenClient {
  getChannel(): Promise<Channel>;
  handleError(): Promise<void>;
}

/**
 * A connection that stays with one node. By itself, the client would follow a NotLeader error, look for a leader in any
 * node's gossip, and share connections to one address. All three can lead back to a node that hangs, so they are turned
 * off. Only `LeaderConnection` chooses nodes.
 */
export class NodeConnection {
  readonly client: EventStoreDBClient;
  readonly #channel: Channel;
  readonly #streams: StreamsClient;
  #appendCall: AppendCall | null = null;
  readonly #sockets: OwnedSockets;
  readonly #retired = new AbortController();
  #holders = 0;

  constructor(
    readonly endpoint: Endpoint,
    private readonly settings: ConnectionSettings,
    credentials: ChannelCredentials,
  ) {
    this.#sockets = new OwnedSockets(credentials);
    this.#channel = new Channel(`${endpoint.address}:${endpoint.port}`, this.#sockets, {
      'grpc.keepalive_time_ms': settings.keepAliveIntervalMs,
      'grpc.keepalive_timeout_ms': settings.keepAliveTimeoutMs,
      'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
      'grpc.use_local_subchannel_pool': 1,
    });
    this.client = pinnedClient(endpoint, settings, this.#channel);
    this.#streams = new StreamsClient('', IGNORED_CREDENTIALS, { channelOverride: this.#channel });
  }

  /** Aborted when another connection replaces this one. */
  get retired(): AbortSignal {
    return this.#retired.signal;
  }

  /** Runs a call and keeps the connection open until it ends. @throws NotSent if the connection was replaced */
  async run<T>(call: (client: EventStoreDBClient) => Promise<T>): Promise<T> {
    const release = this.hold();
    try {
      return await call(this.client);
    } finally {
      release();
    }
  }

  /**
   * Sends an append over the connection's call for appends. Returns its position, or null if the server sent none.
   * @throws NotSent if the connection was replaced, NoAnswer after `ms`
   */
  async append(batch: ProposedBatch, ms: number): Promise<StorePosition | null> {
    const release = this.hold();
    try {
      if (!this.#appendCall?.isOpen) this.#appendCall = new AppendCall(this.#streams, appendMetadata(this.settings));
      return await this.#appendCall.append(batch, ms);
    } finally {
      release();
    }
  }

  /**
   * Keeps the connection open until the returned function is called. The client starts a call a moment later, and ends
   * the process if the connection is closed by then.
   * @throws NotSent if the connection was replaced
   */
  hold(): () => void {
    if (this.#retired.signal.aborted) throw new NotSent('the connection was replaced');
    this.#holders += 1;
    return () => {
      this.#holders -= 1;
      this.#closeWhenUnused();
    };
  }

  /** Resolves when the node answers as the cluster's leader. @throws in any other case, after `ms` at the latest */
  async requireLeader(ms: number): Promise<void> {
    const options = { maxCount: 1, requiresLeader: true } as const;
    await this.run((client) => collect(client.readStream(PROBE_STREAM, options), ms)).catch((error: unknown) => {
      if (!(error instanceof StreamNotFoundError)) throw error;
    });
  }

  /** Returns the addresses of the cluster's members in this node's gossip. @throws after `ms` at the latest */
  async readGossip(ms: number): Promise<Endpoint[]> {
    // Gossip needs no credentials.
    const gossip = new GossipClient('', IGNORED_CREDENTIALS, { channelOverride: this.#channel });
    const read = () =>
      new Promise<Endpoint[]>((resolve, reject) => {
        gossip.read(new sharedPb.Empty(), new Metadata(), { deadline: wallDeadline(ms) }, (error, cluster) => {
          if (error) return reject(error);
          const addresses = cluster.getMembersList().map((member) => member.getHttpEndPoint());
          resolve(
            addresses.flatMap((address) => (address && toEndpoint(address.getAddress(), address.getPort())) ?? []),
          );
        });
      });
    return requireAnswer(ms, this.run(read));
  }

  /** Keeps the connection from reconnecting by itself, and calls `onLost` when it is lost. */
  pin(onLost: () => void): void {
    this.#sockets.pin(onLost);
  }

  /** Ends subscriptions, and closes the connection when the current calls have ended. */
  retire(): void {
    this.#retired.abort();
    this.#closeWhenUnused();
  }

  #closeWhenUnused(): void {
    if (!this.#retired.signal.aborted || this.#holders > 0) return;
    this.#channel.close();
    this.#sockets.destroy();
  }
}

function pinnedClient(endpoint: Endpoint, settings: ConnectionSettings, channel: Channel): EventStoreDBClient {
  const { credentials, connectionName } = settings;
  const client = new EventStoreDBClient(
    { endpoint, ...(connectionName === null ? {} : { connectionName }) },
    { insecure: !settings.tls },
    credentials ?? undefined,
  );
  return Object.assign(client, {
    getChannel: async () => channel,
    handleError: async () => undefined,
  } satisfies Partial<OpenClient>);
}

/** Returns the headers that the client sends with each call, for the call for appends. */
function appendMetadata({ tls, credentials, connectionName }: ConnectionSettings): Metadata {
  const metadata = new Metadata();
  metadata.set('requires-leader', 'true');
  if (connectionName !== null) metadata.set('connection-name', connectionName);
  if (tls && credentials !== null) {
    const user = Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64');
    metadata.set('authorization', `Basic ${user}`);
  }
  return metadata;
}

/** Returns the node that a NotLeader error names, if it names one. */
export function readLeader(error: unknown): Endpoint | null {
  return error instanceof NotLeaderError && error.leader ? toEndpoint(error.leader.address, error.leader.port) : null;
}
