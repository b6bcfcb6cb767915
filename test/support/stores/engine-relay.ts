import { once } from 'node:events';
import * as net from 'node:net';
import { BSON } from 'mongodb';

const HEADER_BYTES = 16;
const FLAGS_BYTES = 4;
const OP_MSG = 2013;
/** Flag of a message that expects no answer. */
const MORE_TO_COME = 1 << 1;
/** Commands that a server answers without its engine. */
const ALIVE = new Set(['hello', 'ismaster', 'isMaster', 'endSessions']);

/**
 * A relay to a MongoDB-compatible server. It can imitate a server whose engine is down, or that refuses its user some
 * databases: the server greets, and answers every other command with an error.
 */
export class EngineRelay {
  readonly #sockets = new Set<net.Socket>();
  readonly #server: net.Server;
  /** The error that answers all commands; null passes them on. */
  code: number | null = null;
  /** Databases whose commands the error answers. */
  refuses: (database: string) => boolean = () => true;

  private constructor(port: number, host: string) {
    this.#server = net.createServer((client) => this.#join(client, net.connect(port, host)));
  }

  /** @returns a relay to the database of this URL, and the relay's URL */
  static async to(url: string): Promise<{ engine: EngineRelay; url: string }> {
    const { hostname, port, pathname } = new URL(url);
    const engine = new EngineRelay(Number(port || 27_017), hostname);
    engine.#server.listen(0, '127.0.0.1');
    await once(engine.#server, 'listening');
    const { port: relayPort } = engine.#server.address() as net.AddressInfo;
    return { engine, url: `mongodb://127.0.0.1:${relayPort}${pathname}?directConnection=true` };
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #join(client: net.Socket, server: net.Socket): void {
    let pending = Buffer.alloc(0);
    client.on('data', (bytes) => {
      pending = Buffer.concat([pending, bytes]);
      while (pending.length >= 4 && pending.length >= pending.readInt32LE(0)) {
        const message = pending.subarray(0, pending.readInt32LE(0));
        pending = pending.subarray(message.length);
        const answer = this.#answer(message);
        if (answer === null) server.write(message);
        else client.write(answer);
      }
    });
    server.on('data', (bytes) => client.write(bytes));
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(from);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        this.#sockets.delete(from);
        to.destroy();
      });
    }
  }

  /** Returns the error that answers a message; null if it is passed on. */
  #answer(message: Buffer): Buffer | null {
    if (this.code === null || message.readInt32LE(12) !== OP_MSG) return null;
    if ((message.readInt32LE(HEADER_BYTES) & MORE_TO_COME) !== 0) return null;
    const start = HEADER_BYTES + FLAGS_BYTES + 1;
    const command = BSON.deserialize(message.subarray(start, start + message.readInt32LE(start)));
    if (ALIVE.has(Object.keys(command)[0]!) || !this.refuses(String(command.$db))) return null;
    const error = BSON.serialize({ ok: 0, code: this.code, codeName: 'Away', errmsg: 'the engine is away' });
    const answer = Buffer.alloc(start);
    answer.writeInt32LE(start + error.length, 0);
    answer.writeInt32LE(message.readInt32LE(4), 8);
    answer.writeInt32LE(OP_MSG, 12);
    return Buffer.concat([answer, error]);
  }
}
