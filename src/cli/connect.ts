import { type Config, isWildcard } from '../config.ts';
import { MCP_PATH } from '../identity/oauth/addresses.ts';

type Address = Pick<Config, 'baseUrl' | 'host' | 'port' | 'tls'>;

/** Where the service is reached. `port` is the one it listens on, where that is known. */
export function addressOf(config: Address, port = config.port): string {
  const scheme = config.tls === null ? 'http' : 'https';
  return config.baseUrl ?? `${scheme}://${reachable(config.host)}:${port}`;
}

/** Where clients reach the MCP endpoint. */
export function endpointOf(config: Address, port = config.port): string {
  return addressOf(config, port) + MCP_PATH;
}

/** What an MCP client's configuration takes as it is. */
export { mcpServersConfig as clientConfig } from '../web/connect-blocks.ts';

/** A host that listens on every address is reached by name. */
function reachable(host: string): string {
  if (isWildcard(host)) return 'localhost';
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
}
