import { createServer, type RequestListener, type Server } from 'node:http';

export interface ListenOptions {
  host: string;
  port: number;
  /** How long a client may take to send a whole request; then it is answered 408 and cut off. */
  requestTimeoutMs?: number;
}

/** Serves on one address. Resolves when it listens. @throws Error that names the setting at fault and what to do */
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
    const refuse = (error: NodeJS.ErrnoException) => reject(notListening(error, options));
    server.once('error', refuse);
    server.listen(options.port, options.host, () => {
      server.off('error', refuse);
      resolve(server);
    });
  });
}

function notListening(error: NodeJS.ErrnoException, { host, port }: ListenOptions): Error {
  const faults: Record<string, string> = {
    EADDRINUSE: `PORT ${port} on HOST ${host} is taken by another program. Stop that one, or set PORT to another.`,
    EACCES: `PORT ${port} on HOST ${host} is not allowed to this user. Set PORT to another, 1024 or above.`,
    EADDRNOTAVAIL: `HOST ${host} is no address of this machine. Set HOST to one that is, such as 127.0.0.1.`,
    ENOTFOUND: `HOST ${host} is no address of this machine. Set HOST to one that is, such as 127.0.0.1.`,
  };
  const fault = faults[error.code ?? ''] ?? `PORT ${port} on HOST ${host} cannot be listened on: ${error.message}.`;
  return new Error(fault, { cause: error });
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
