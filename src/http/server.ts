import { readFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { createSecureContext } from 'node:tls';
import { disconnectWhenStalled } from './disconnect-when-stalled.ts';
import { limitChunks } from './limit-chunks.ts';
import { limitPipelining } from './pipelining.ts';

export interface ListenOptions {
  host: string;
  port: number;
  /** The name of the port's setting. */
  setting?: string;
  /** Limit for receiving a whole request. After it the client gets 408 and is disconnected. */
  requestTimeoutMs?: number;
  /** PEM files of the certificate (with its chain) and its key, to serve https. */
  tls?: { cert: string; key: string } | null;
}

/** A client may read nothing of a whole answer for this many times the limit for sending a request. */
const STALL_FACTOR = 3;

/** Starts a server and resolves when it listens. @throws Error that names the wrong setting and the next step */
export async function startServer(listener: RequestListener, options: ListenOptions): Promise<Server> {
  const requestTimeout = options.requestTimeoutMs ?? 20_000;
  const inTurns = limitPipelining((request, response) => {
    // An answer that its client doesn't read would stay in memory for ever.
    response.once('prefinish', () => {
      // A file has a limit already.
      if (!response.socket?.timeout) disconnectWhenStalled(response, requestTimeout * STALL_FACTOR);
    });
    listener(request, response);
  });
  const limited: RequestListener = (request, response) => {
    limitChunks(request);
    inTurns(request, response);
  };
  const timeouts = {
    requestTimeout,
    headersTimeout: requestTimeout,
    connectionsCheckingInterval: Math.min(requestTimeout / 4, 5_000),
  };
  const server = options.tls
    ? createTlsServer({ ...timeouts, ...readCertificate(options.tls), handshakeTimeout: requestTimeout }, limited)
    : createServer(timeouts, limited);
  return new Promise((resolve, reject) => {
    const refuse = (error: NodeJS.ErrnoException) => reject(listenError(error, options));
    server.once('error', refuse);
    server.listen(options.port, options.host, () => {
      server.off('error', refuse);
      resolve(server);
    });
  });
}

/** Forward secrecy and authenticated encryption only. TLS 1.3 has nothing else; the rest is for TLS 1.2. */
const CIPHERS = [
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'TLS_AES_128_GCM_SHA256',
  ...['AES128-GCM-SHA256', 'AES256-GCM-SHA384', 'CHACHA20-POLY1305'].flatMap((cipher) => [
    `ECDHE-ECDSA-${cipher}`,
    `ECDHE-RSA-${cipher}`,
  ]),
].join(':');

/** Reads and checks the certificate and its key. @throws Error that names the wrong setting */
function readCertificate(files: { cert: string; key: string }) {
  const cert = readPem('TLS_CERT', files.cert);
  const key = readPem('TLS_KEY', files.key);
  const use = (part: object, fault: string) => {
    try {
      createSecureContext(part);
    } catch (cause) {
      throw new Error(fault, { cause });
    }
  };
  use({ cert }, 'TLS_CERT is not a certificate. Name a PEM file with the certificate and its chain.');
  use({ key }, 'TLS_KEY is not a private key. Name a PEM file with the key, without a passphrase.');
  use({ cert, key }, 'TLS_KEY does not belong to the certificate in TLS_CERT. Name two files that belong together.');
  return { cert, key, minVersion: 'TLSv1.2', ciphers: CIPHERS } as const;
}

function readPem(setting: string, file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? 'error';
    throw new Error(`${setting} names a file that cannot be read (${code}). Check the path and its permissions.`, {
      cause,
    });
  }
}

function listenError(error: NodeJS.ErrnoException, { host, port, setting = 'PORT' }: ListenOptions): Error {
  const faults: Record<string, string> = {
    EADDRINUSE: `${setting} ${port} on HOST ${host} is in use by another program. Stop that program, or choose another ${setting}.`,
    EACCES: `${setting} ${port} on HOST ${host} is not allowed for this user. Set ${setting} to 1024 or above.`,
    EADDRNOTAVAIL: `HOST ${host} is not an address of this machine. Set HOST to one that is, such as 127.0.0.1.`,
    ENOTFOUND: `HOST ${host} is not an address of this machine. Set HOST to one that is, such as 127.0.0.1.`,
  };
  const fault = faults[error.code ?? ''] ?? `${setting} ${port} on HOST ${host} cannot be opened: ${error.message}.`;
  return new Error(fault, { cause: error });
}

/** Stops accepting connections, gives requests `graceMs` to finish, then closes all connections. */
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
