import { isIPv6 } from 'node:net';
import type { Endpoint } from './connection-string.ts';

const LAST_PORT = 65_535;
/** Names and addresses of hosts, and nothing that gRPC would take for another kind of target, such as a Unix socket. */
const HOST = /^[\w.-]{1,253}$/;

/** Returns an address that a node has named in the form that connects to it; null for what is none. */
export function toEndpoint(address: string, port: number): Endpoint | null {
  if (!Number.isInteger(port) || port < 1 || port > LAST_PORT) return null;
  if (isIPv6(address)) return { address: `[${address}]`, port };
  return HOST.test(address) ? { address, port } : null;
}

/** Returns the endpoints in their order, each once. */
export function distinct(endpoints: readonly Endpoint[]): Endpoint[] {
  return endpoints.filter((one, index) => endpoints.findIndex((other) => isSame(one, other)) === index);
}

export function isSame(one: Endpoint, other: Endpoint): boolean {
  return one.address === other.address && one.port === other.port;
}
