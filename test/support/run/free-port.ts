import { once } from 'node:events';
import { createServer } from 'node:net';

/** The operating systems take the ports of outgoing connections from above these. */
const PORTS = { from: 12_000, until: 32_000 };

/** Returns a loopback port that is free now, and that no outgoing connection takes before it is used. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = PORTS.from + Math.floor(Math.random() * (PORTS.until - PORTS.from));
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
