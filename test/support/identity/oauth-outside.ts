/** Imitates the Internet for the OAuth server. Names resolve to public addresses, and connections go to a local server. */
import { createServer, get, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { OutboundNetwork } from '../../../src/identity/oauth/metadata-fetch.ts';

/** An address of the public Internet. */
export const PUBLIC = '93.184.216.34';

export interface OutsideSite {
  status?: number;
  headers?: Record<string, string>;
  /** The body of the answer. Without it, the server never answers, or sends only `begins`. */
  body?: string | ((url: string) => string);
  begins?: string;
  /** The addresses of the name, for each look-up in turn. */
  addresses?: readonly (readonly string[])[];
}

const servers: Server[] = [];

/** Closes all servers of this file. */
export function closeOutsideWorlds(): void {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
}

/** Starts a server for `published`, which tests may change later. Records connections and requests. */
export async function startOutsideWorld(published: OutsideSite) {
  const server = createServer((request, response) => {
    const { status = 200, headers, body, begins } = published;
    if (body === undefined && begins === undefined) return;
    response.writeHead(status, headers ?? { 'Content-Type': 'application/json' });
    if (body === undefined) response.write(begins);
    else response.end(typeof body === 'string' ? body : body(String(request.headers['x-url'])));
  }).listen(0, '127.0.0.1');
  servers.push(server);
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const connections: string[] = [];
  const requestedUrls: string[] = [];
  let resolved = 0;
  const network: OutboundNetwork = {
    resolve: async () => {
      const { addresses = [[PUBLIC]] } = published;
      return addresses[Math.min(resolved++, addresses.length - 1)]!;
    },
    get: (url, address, signal) => {
      connections.push(address);
      requestedUrls.push(url.href);
      return new Promise((resolve, reject) => {
        get({ host: '127.0.0.1', port, signal, headers: { 'X-Url': url.href } }, resolve).once('error', reject);
      });
    },
  };
  return { outside: network, connected: connections, asked: requestedUrls };
}
