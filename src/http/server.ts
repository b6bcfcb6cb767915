import { readFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { createSecureContext } from 'node:tls';

export interface ListenOptions {
  host: string;
  port: number;
  /** The setting that the port is from. */
  setting?: string;
  /** How long a client may take to send a whole request; then it is answered 408 and cut off. */
  requestTimeoutMs?: number;
  /** Files of the certificate (with its chain) and its key, both PEM: https is served then. */
  tls?: { cert: string; key: string } | null;
}

/** Serves on one address. Resolves when it listens. @throws Error that names the setting at fault and what to do */
export async function startServer(listener: RequestListener, options: ListenOptions): Promise<Server> {
  const requestTimeout = options.requestTimeoutMs ?? 20_000;
  const timeouts = {
    requestTimeout,
    headersTimeout: requestTimeout,
    connectionsCheckingInterval: Math.min(requestTimeout / 4, 5_000),
  };
  const server = options.tls
    ? createTlsServer({ ...timeouts, ...certificate(options.tls), handshakeTimeout: requestTimeout }, listener)
    : createServer(timeouts, listener);
  return new Promise((resolve, reject) => {
    const refuse = (error: NodeJS.ErrnoException) => reject(listenError(error, options));
    server.once('error', refuse);
    server.listen(options.port, options.host, () => {
      server.off('error', refuse);
      resolve(server);
    });
  });
}

/** @throws Error that names the setting at fault */
function certificate(files: { cert: string; key: string }): { cert: Buffer; key: Buffer; minVersion: 'TLSv1.2' } {
  const cert = readPem('TLS_CERT', files.cert);
  const key = readPem('TLS_KEY', files.key);
  const use = (part: object, fault: string) => {
    try {
      createSecureContext(part);
    } catch (cause) {
      throw new Error(fault, { cause });
    }
  };
  use({ cert }, 'TLS_CERT is no certificate: name a PEM file with the certificate and those that lead to its root.');
  use({ key }, 'TLS_KEY is no private key: name a PEM file with the key, without a passphrase.');
  use({ cert, key }, 'TLS_KEY is not the key of the certificate in TLS_CERT: name the two that belong together.');
  return { cert, key, minVersion: 'TLSv1.2' };
}

function readPem(setting: string, file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? 'error';
    throw new Error(`${setting} names a file that cannot be read (${code}): correct the path or its rights.`, {
      cause,
    });
  }
}

function listenError(error: NodeJS.ErrnoException, { host, port, setting = 'PORT' }: ListenOptions): Error {
  const faults: Record<string, string> = {
    EADDRINUSE: `${setting} ${port} on HOST ${host} is taken by another program. Stop that one, or set ${setting} to another.`,
    EACCES: `${setting} ${port} on HOST ${host} is not allowed to this user. Set ${setting} to another, 1024 or above.`,
    EADDRNOTAVAIL: `HOST ${host} is no address of this machine. Set HOST to one that is, such as 127.0.0.1.`,
    ENOTFOUND: `HOST ${host} is no address of this machine. Set HOST to one that is, such as 127.0.0.1.`,
  };
  const fault =
    faults[error.code ?? ''] ?? `${setting} ${port} on HOST ${host} cannot be listened on: ${error.message}.`;
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
