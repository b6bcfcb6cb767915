import { isWildcard } from '../config/addresses.ts';
import type { Config } from '../config.ts';
import { MCP_PATH } from '../identity/oauth/addresses.ts';

type Address = Pick<Config, 'baseUrl' | 'host' | 'port' | 'tls'>;

/** Returns the address of the service. @param port the port that it listens on */
export function addressOf(config: Address, port = config.port): string {
  const scheme = config.tls === null ? 'http' : 'https';
  return config.baseUrl ?? `${scheme}://${reachable(config.host)}:${port}`;
}

/** Returns the address of the MCP endpoint. */
export function endpointOf(config: Address, port = config.port): string {
  return addressOf(config, port) + MCP_PATH;
}

/** Returns the configuration for an MCP client. */
export { mcpServersConfig as clientConfig } from '../web/texts/connect-blocks.ts';

/** Returns `localhost` for a host that listens on every address. */
function reachable(host: string): string {
  if (isWildcard(host)) return 'localhost';
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
}
