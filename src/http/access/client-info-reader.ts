import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import type { ClientInfo } from '../../identity/client-info.ts';

export type ClientInfoReader = (request: IncomingMessage) => ClientInfo;

const MAX_AGENT_LENGTH = 256;
/** Further hops are ignored: nobody has more proxies in a row. */
const MAX_HOPS = 16;

/**
 * Returns a function that reads the client's address and user agent. Anybody can write X-Forwarded-For, so it is read from
 * its end, where the nearest proxy wrote. The first address that is not a trusted proxy is the client's.
 * @param trustedProxies addresses and networks (`10.0.0.7`, `10.0.0.0/8`) as `TRUSTED_PROXIES` lists them
 */
export function clientInfoReader(trustedProxies: readonly string[]): ClientInfoReader {
  const trusted = blockList(trustedProxies);
  const isTrusted = (address: string) => trusted.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
  const addressOf = ({ socket, headers }: IncomingMessage): string => {
    let address = plainAddress(socket.remoteAddress ?? '') ?? '0.0.0.0';
    const forwarded = headers['x-forwarded-for'];
    if (forwarded === undefined || trustedProxies.length === 0) return address;
    const hops = String(forwarded).split(',').slice(-MAX_HOPS);
    for (let hop = hops.pop(); hop !== undefined && isTrusted(address); hop = hops.pop()) {
      const previousHop = plainAddress(hop.trim());
      if (previousHop === null) return address;
      address = previousHop;
    }
    return address;
  };
  return (request) => ({ address: addressOf(request), agent: agentOf(request.headers['user-agent']) });
}

function blockList(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    const version = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, version);
    else list.addSubnet(address, Number(bits), version);
  }
  return list;
}

/** Returns an address without port, zone and brackets, and IPv4 in its own form; null for anything else. */
function plainAddress(text: string): string | null {
  const bare = /^\[(.+)\](?::\d+)?$/.exec(text)?.[1] ?? text.replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1');
  const address = bare.split('%')[0]!.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '');
  return isIP(address) === 0 ? null : address.toLowerCase();
}

/** Returns the user agent, shortened and with printable characters only. */
function agentOf(header = ''): string {
  return header
    .slice(0, MAX_AGENT_LENGTH)
    .replace(/[^\x20-\x7e]/g, ' ')
    .trim();
}
