import { type AddressInfo, createServer, type Socket } from 'node:net';
import { GossipService } from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import { ServerFeaturesService } from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import { StreamsService } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type { ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { ServerWritableStream, UntypedHandleCall } from '@grpc/grpc-js';
import * as grpc from '@grpc/grpc-js';
import { Appends } from './appends.ts';
import { gossipService, type Member, notLeader, supportedMethods } from './cluster.ts';
import { Faults } from './faults.ts';
import { foreignEvent, Log } from './log.ts';
import { streamNameOf } from './messages.ts';
import { Reads } from './reads.ts';
import { credentialError, type FakeUser, readAllError } from './users.ts';

/** Pause between two events of a slow read. */
const SLOW_MS = 60;
const LIVE_BUFFER = 32;

export interface FakeOptions {
  /** The default is a free port. */
  port?: number;
  /** The log of an earlier server. The default is a new one. */
  log?: Log;
  /** Position of the very first event; real ones grow past 2^53. */
  firstPosition?: bigint;
  /** Maximum size of one append. */
  maxAppendBytes?: number;
  /** Maximum size of one event. By default there is none, as in 23.10. */
  maxEventBytes?: number;
  /** Live events that may wait for a subscription. 23.10 keeps 32; newer servers have no such limit. */
  liveBuffer?: number;
  /** PEM texts. The server then speaks TLS only. */
  tls?: { certificate: Buffer; key: Buffer };
  /** The only user that may call. By default anybody may. */
  user?: FakeUser;
  /** The cluster's members in this node's gossip. The default is this node alone. */
  members?: () => readonly Member[];
}

export interface FakeEventStoreDb {
  url: string;
  port: number;
  faults: Faults;
  log: Log;
  appends: Appends;
  /** Returns the number of connected clients. */
  connections(): number;
  /** Breaks every connection; new ones are accepted. */
  cutConnections(): void;
  close(): Promise<void>;
}

/** Starts an EventStoreDB in memory that speaks the client's own gRPC services, on loopback without TLS. */
export async function startFakeEventStoreDb(options: FakeOptions = {}): Promise<FakeEventStoreDb> {
  const log = options.log ?? freshLog(options.firstPosition ?? 0n);
  const faults = new Faults();
  const sockets = new Set<Socket>();
  const cutConnections = () => {
    for (const socket of sockets) socket.destroy();
  };
  const limits = {
    maxAppendBytes: options.maxAppendBytes ?? 1024 * 1024,
    maxEventBytes: options.maxEventBytes ?? Number.POSITIVE_INFINITY,
    mayAppend: () => options.user?.canAppend ?? true,
  };
  const appends = new Appends(log, faults, limits, cutConnections);

  const server = new grpc.Server({ 'grpc.max_receive_message_length': -1 });
  server.addService(StreamsService as grpc.ServiceDefinition, streams(log, faults, appends, options));
  server.addService(ServerFeaturesService as grpc.ServiceDefinition, { getSupportedMethods: supportedMethods });
  server.addService(GossipService as grpc.ServiceDefinition, {
    read: gossipService(options.members ?? (() => [{ address: '127.0.0.1', port, isLeader: true }])),
  });
  const injector = server.createConnectionInjector(credentialsOf(options));

  // Accepts connections here and hands them to gRPC, so that tests can cut them.
  const listener = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    injector.injectConnection(socket);
  });
  await new Promise<void>((resolve, reject) => {
    listener.once('error', reject);
    listener.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const { port } = listener.address() as AddressInfo;

  return {
    url: urlOf([port], options),
    port,
    faults,
    log,
    appends,
    connections: () => sockets.size,
    cutConnections,
    async close() {
      const closed = new Promise<void>((resolve) => listener.close(() => resolve()));
      cutConnections();
      injector.destroy();
      server.forceShutdown();
      await closed;
    },
  };
}

/** Returns the connection string of nodes on loopback. */
export function urlOf(ports: readonly number[], { tls, user }: Pick<FakeOptions, 'tls' | 'user'>): string {
  const hosts = ports.map((port) => `127.0.0.1:${port}`).join(',');
  return `esdb://${user ? `${user.name}:${user.password}@` : ''}${hosts}?tls=${tls !== undefined}`;
}

function credentialsOf({ tls }: FakeOptions): grpc.ServerCredentials {
  if (tls === undefined) return grpc.ServerCredentials.createInsecure();
  return grpc.ServerCredentials.createSsl(null, [{ cert_chain: tls.certificate, private_key: tls.key }]);
}

function streams(
  log: Log,
  faults: Faults,
  appends: Appends,
  { user, liveBuffer = LIVE_BUFFER }: FakeOptions,
): Record<string, UntypedHandleCall> {
  const reads = new Reads(log, faults, liveBuffer);
  const refusal = (headers: grpc.Metadata) => credentialError(headers, user) ?? notLeader(headers, faults);
  return {
    batchAppend: (call: Parameters<Appends['batchAppend']>[0]) => {
      const error = credentialError(call.metadata, user);
      if (error) call.emit('error', error);
      else appends.batchAppend(call, () => notLeader(call.metadata, faults));
    },
    read: (call: ServerWritableStream<ReadReq, ReadResp>) => {
      const options = call.request.getOptions()!;
      const error = refusal(call.metadata) ?? (options.hasAll() ? readAllError(user) : null);
      if (error) return call.emit('error', error);
      const queue = options.hasSubscription() ? faults.subscriptions : faults.reads;
      if (isProbe(options)) faults.probeCount += 1;
      const fault = isProbe(options) ? undefined : queue.shift();
      if (fault === 'break') call.emit('error', { code: grpc.status.INTERNAL, details: 'read failed' });
      else if (fault === 'busy') call.emit('error', { code: grpc.status.UNAVAILABLE, details: 'Server Is Too Busy' });
      else if (fault !== 'never-answer') void reads.answer(call, fault === 'slow' ? SLOW_MS : 0);
    },
  };
}

/** Probes get no faults: queued faults are for the test's own calls. */
function isProbe(options: ReadReq.Options): boolean {
  return options.hasStream() && streamNameOf(options.getStream()!) === 'veritrail-probe';
}

/** Returns a new server's log, which isn't empty: it has the server's own events. */
function freshLog(firstPosition: bigint): Log {
  const log = new Log(firstPosition);
  log.append('$$$stats-127.0.0.1', [foreignEvent('$metadata')], 'any');
  log.append('$users', [foreignEvent('$User')], 'any');
  log.append('$user-admin', [foreignEvent('UserCreated')], 'any');
  log.append('$$ours', [foreignEvent('$metadata')], 'any');
  return log;
}
