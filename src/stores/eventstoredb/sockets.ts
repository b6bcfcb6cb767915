import type { Socket } from 'node:net';
import { ChannelCredentials } from '@grpc/grpc-js';

type Connect = ChannelCredentials['_createSecureConnector'];

/**
 * Credentials that can destroy the sockets of one connection. Closing a gRPC channel only ends a socket and waits for
 * the other side; during a TLS handshake it doesn't even do that. A node that hangs never answers, so each search for a
 * leader would leave one more open socket.
 */
export class OwnedSockets extends ChannelCredentials {
  readonly #sockets = new Set<Socket>();
  #destroyed = false;

  constructor(private readonly transport: ChannelCredentials) {
    super();
  }

  override _isSecure(): boolean {
    return this.transport._isSecure();
  }

  override _equals(other: ChannelCredentials): boolean {
    return this === other;
  }

  override _createSecureConnector(...args: Parameters<Connect>): ReturnType<Connect> {
    const connector = this.transport._createSecureConnector(...args);
    return {
      connect: async (socket) => {
        this.#add(socket);
        return connector.connect(socket);
      },
      waitForReady: () => connector.waitForReady(),
      getCallCredentials: () => connector.getCallCredentials(),
      destroy: () => connector.destroy(),
    };
  }

  /** Destroys all sockets. Later ones are destroyed when they connect. */
  destroy(): void {
    this.#destroyed = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  /** @throws Error if the connection was closed meanwhile; gRPC then destroys the socket */
  #add(socket: Socket): void {
    if (this.#destroyed) throw new Error('the connection was closed');
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
  }
}
