import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import type { Visitor } from '../identity/visitor.ts';

export type ClientInfoReader = (request: IncomingMessage) => Visitor;

const MAX_AGENT_LENGTH = 256;
/** More proxies than this in a row are nobody's. */
const MAX_HOPS = 16;

/**
 * Finds who sends a request. X-Forwarded-For is anybody's to write, so it is read from its end, where the proxy next to
 * us wrote, and only as far as each address before was one of the trusted proxies': the first that is not is the client's.
 * @param trustedProxies addresses and networks (`10.0.0.7`, `10.0.0.0/8`), as `networkFault` finds no fault with
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

/** What keeps a text from being an address or a network of `10.0.0.0/8`'s form; null when nothing does. */
export function networkFault(text: string): string | null {
  const [address = '', bits, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || address.includes('%') || rest.length > 0) return 'is no IP address';
  if (bits === undefined) return null;
  const maxBits = version === 6 ? 128 : 32;
  return /^\d{1,3}$/.test(bits) && Number(bits) <= maxBits ? null : `must have 0 to ${maxBits} bits`;
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

/** An address without port, zone and brackets, IPv4 in its own form; null for what is none. */
function plainAddress(text: string): string | null {
  const bare = /^\[(.+)\](?::\d+)?$/.exec(text)?.[1] ?? text.replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1');
  const address = bare.split('%')[0]!.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '');
  return isIP(address) === 0 ? null : address.toLowerCase();
}

/** Cut, and without what could be taken for the end of a line. */
function agentOf(header = ''): string {
  return header
    .slice(0, MAX_AGENT_LENGTH)
    .replace(/[^\x20-\x7e]/g, ' ')
    .trim();
}
