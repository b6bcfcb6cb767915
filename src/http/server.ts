import { createServer, type RequestListener, type Server } from 'node:http';

export interface ListenOptions {
  host: string;
  port: number;
  /** How long a client may take to send a whole request; then it is answered 408 and cut off. */
  requestTimeoutMs?: number;
}

/** Serves on one address. Resolves when it listens. */
export function startServer(listener: RequestListener, options: ListenOptions): Promise<Server> {
  const requestTimeout = options.requestTimeoutMs ?? 20_000;
  const server = createServer(
    {
      requestTimeout,
      headersTimeout: requestTimeout,
      connectionsCheckingInterval: Math.min(requestTimeout / 4, 5_000),
    },
    listener,
  );
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, () => {
      server.off('error', reject);
      resolve(server);
    });
  });
}

/** Stops taking connections, lets requests in flight finish for so long, then cuts what is left. */
export function stopServer(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const sweep = setInterval(() => server.closeIdleConnections(), 20);
    const cut = setTimeout(() => server.closeAllConnections(), graceMs);
    server.close(() => {
      clearInterval(sweep);
      clearTimeout(cut);
      resolve();
    });
    server.closeIdleConnections();
  });
}
