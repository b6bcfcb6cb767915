import type { Socket } from 'node:net';
import { ChannelCredentials } from '@grpc/grpc-js';

type Connect = ChannelCredentials['_createSecureConnector'];

/**
 * Credentials that know the sockets of one connection and can destroy them. Closing a gRPC channel only ends them, and
 * waits for the other side; before TLS is agreed on it does not even that. A node that hangs never answers, and each
 * search for a leader would leave one more socket behind.
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

  override _createSecureConnector(...about: Parameters<Connect>): ReturnType<Connect> {
    const connector = this.transport._createSecureConnector(...about);
    return {
      connect: async (socket) => {
        this.#own(socket);
        return connector.connect(socket);
      },
      waitForReady: () => connector.waitForReady(),
      getCallCredentials: () => connector.getCallCredentials(),
      destroy: () => connector.destroy(),
    };
  }

  /** Destroys all sockets, and each that is still to come. */
  destroy(): void {
    this.#destroyed = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  /** @throws Error on a connection that was closed meanwhile: gRPC destroys the socket then */
  #own(socket: Socket): void {
    if (this.#destroyed) throw new Error('the connection was closed');
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
  }
}
