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
  /** Set once the connection is in use. */
  #onLost: (() => void) | null = null;

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

  /**
   * Keeps the connection to its present socket, and calls `onLost` when that closes. gRPC would reconnect by itself, and
   * nobody would notice that another server answers now.
   */
  pin(onLost: () => void): void {
    this.#onLost = onLost;
    if (this.#sockets.size === 0) onLost();
  }

  /** Destroys all sockets. Later ones are destroyed when they connect. */
  destroy(): void {
    this.#destroyed = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  /** @throws Error if the connection was closed or pinned meanwhile; gRPC then destroys the socket */
  #add(socket: Socket): void {
    if (this.#destroyed || this.#onLost !== null) throw new Error('the connection was closed');
    this.#sockets.add(socket);
    socket.once('close', () => {
      this.#sockets.delete(socket);
      if (this.#sockets.size === 0) this.#onLost?.();
    });
  }
}
