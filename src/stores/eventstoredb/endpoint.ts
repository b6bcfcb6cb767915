import { isIPv6 } from 'node:net';
import type { Endpoint } from '../../config/connection-string.ts';

const MAX_PORT = 65_535;
/** Host names and addresses. gRPC would accept other targets too, such as a Unix socket. */
const HOST = /^[\w.-]{1,253}$/;

/** Turns an address that a node named into one to connect to. Returns null if it is invalid. */
export function toEndpoint(address: string, port: number): Endpoint | null {
  if (!Number.isInteger(port) || port < 1 || port > MAX_PORT) return null;
  if (isIPv6(address)) return { address: `[${address}]`, port };
  return HOST.test(address) ? { address, port } : null;
}

/** Returns the endpoints in order, without repeats. */
export function distinctEndpoints(endpoints: readonly Endpoint[]): Endpoint[] {
  return endpoints.filter(
    (endpoint, index) => endpoints.findIndex((other) => isSameEndpoint(endpoint, other)) === index,
  );
}

export function isSameEndpoint(endpoint: Endpoint, other: Endpoint): boolean {
  return endpoint.address === other.address && endpoint.port === other.port;
}
