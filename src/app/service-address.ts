import { isWildcard } from '../config/addresses.ts';
import type { Config } from '../config.ts';
import { MCP_PATH } from '../identity/oauth/addresses.ts';

type AddressConfig = Pick<Config, 'baseUrl' | 'host' | 'port' | 'tls'>;

/** Returns the address of the service. @param port the port that it listens on */
export function serviceUrl(config: AddressConfig, port = config.port): string {
  const scheme = config.tls === null ? 'http' : 'https';
  return config.baseUrl ?? `${scheme}://${urlHost(config.host)}:${port}`;
}

/** Returns the address under which people reach the service; undefined if no setting tells it, as behind a proxy. */
export function publicUrl(config: AddressConfig & Pick<Config, 'trustedProxies'>, port: number): string | undefined {
  const isReachedDirectly = !isWildcard(config.host) && config.trustedProxies.length === 0;
  return config.baseUrl !== null || isReachedDirectly ? serviceUrl(config, port) : undefined;
}

/** Returns the address of the MCP endpoint. */
export function mcpEndpointUrl(config: AddressConfig, port = config.port): string {
  return serviceUrl(config, port) + MCP_PATH;
}

/** Returns the host for a URL: `localhost` for a wildcard address, brackets around IPv6. */
function urlHost(host: string): string {
  if (isWildcard(host)) return 'localhost';
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
}
