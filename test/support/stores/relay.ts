import { once } from 'node:events';
import * as net from 'node:net';

/** A relay to a server on loopback. A test can disconnect, stall and restore it. */
export class Relay {
  readonly #sockets = new Set<net.Socket>();
  #server: net.Server | undefined;
  #stalled = false;
  port = 0;

  private constructor(
    private readonly targetPort: number,
    private readonly targetHost: string,
  ) {}

  static async to(targetPort: number, targetHost = '127.0.0.1'): Promise<Relay> {
    const relay = new Relay(targetPort, targetHost);
    await relay.restore();
    return relay;
  }

  /** Breaks all connections and refuses new ones. */
  async disconnect(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    for (const socket of this.#sockets) socket.destroy();
    if (server) await new Promise((resolve) => server.close(resolve));
  }

  /** Keeps connections open, but stops passing on data until they are disconnected. */
  stall(): void {
    this.#stalled = true;
  }

  /** Listens (again), on the same port. */
  async restore(): Promise<void> {
    this.#stalled = false;
    this.#server = net.createServer((client) => this.#join(client)).listen(this.port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.port = (this.#server.address() as net.AddressInfo).port;
  }

  #join(client: net.Socket): void {
    const target = net.connect(this.targetPort, this.targetHost);
    for (const [from, to] of [
      [client, target],
      [target, client],
    ] as const) {
      this.#sockets.add(from);
      from.on('data', (bytes) => this.#stalled || to.write(bytes));
      from.on('error', () => to.destroy());
      from.on('close', () => {
        this.#sockets.delete(from);
        to.destroy();
      });
    }
  }
}
