import { readFileSync } from 'node:fs';
import { type ChannelCredentials, credentials } from '@grpc/grpc-js';
import { type ConnectionSettings, ConnectionStringError } from '../../config/connection-string.ts';

/**
 * Returns the transport's credentials: none, or TLS with the configured CA and client certificate.
 * @throws ConnectionStringError if a file can't be read
 */
export function readCredentials(settings: ConnectionSettings): ChannelCredentials {
  if (!settings.tls) return credentials.createInsecure();
  return credentials.createSsl(
    readPem(settings.tlsCAFile, 'tlsCAFile'),
    readPem(settings.userKeyFile, 'userKeyFile'),
    readPem(settings.userCertFile, 'userCertFile'),
  );
}

function readPem(path: string | null, parameter: string): Buffer | null {
  if (path === null) return null;
  try {
    return readFileSync(path);
  } catch (error) {
    throw new ConnectionStringError(`names a file in ${parameter} that cannot be read: check its path and rights`, {
      cause: error,
    });
  }
}
