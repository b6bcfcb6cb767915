import { readFileSync } from 'node:fs';
import { type ChannelCredentials, credentials } from '@grpc/grpc-js';
import { type ConnectionSettings, ConnectionStringError } from '../../config/connection-string.ts';

const PEM = /-----BEGIN [A-Z ]+-----/;

/**
 * Returns the transport's credentials: none, or TLS with the configured CA and client certificate.
 * @throws ConnectionStringError if a file can't be read or is not PEM
 */
export function readCredentials(settings: ConnectionSettings): ChannelCredentials {
  if (!settings.tls) return credentials.createInsecure();
  const read = (parameter: 'tlsCAFile' | 'userKeyFile' | 'userCertFile') =>
    requirePem(readFile(settings[parameter], parameter), parameter);
  return credentials.createSsl(read('tlsCAFile'), read('userKeyFile'), read('userCertFile'));
}

function readFile(path: string | null, parameter: string): Buffer | null {
  if (path === null) return null;
  try {
    return readFileSync(path);
  } catch (error) {
    throw new ConnectionStringError(`it names a file in ${parameter} that cannot be read: check its path and rights`, {
      cause: error,
    });
  }
}

/** gRPC ignores a file without certificates, and the server's would then look untrusted. */
function requirePem(pem: Buffer | null, parameter: string): Buffer | null {
  if (pem === null || PEM.test(pem.toString('latin1'))) return pem;
  throw new ConnectionStringError(`it names a file in ${parameter} that is not PEM: convert it, or name another file`);
}
