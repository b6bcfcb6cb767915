import { lookup } from 'node:dns/promises';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { isIP, isIPv6 } from 'node:net';
import { withTimeout } from '../../clock/with-timeout.ts';
import { isPublicAddress } from './public-address.ts';

/** The setting CLIENT_METADATA_FETCH. */
export type MetadataFetchMode = 'auto' | 'on' | 'off';

/** The largest client document. The draft on client ID metadata documents recommends 5 KB. */
export const MAX_DOCUMENT_BYTES = 5 * 1024;
/** The largest key set of a client. */
export const MAX_KEYS_BYTES = 32 * 1024;
const FETCH_TIMEOUT_MS = 3_000;

/** The access to the Internet. Tests replace it. */
export interface OutboundNetwork {
  /** All addresses of a name. */
  resolve(hostname: string): Promise<readonly string[]>;
  /** Sends a GET to this IP address, without resolving the name again. */
  get(url: URL, address: string, signal: AbortSignal): Promise<IncomingMessage>;
}

/** A client's document is not acceptable or can't be fetched. The message is for the log. */
export class FetchRefused extends Error {
  override readonly name = 'FetchRefused';
}

/**
 * Fetches the metadata that clients publish, from addresses that strangers choose. It takes https on port 443 only, no
 * redirects, and no more than a few KiB within 3 s.
 *
 * It reaches the public Internet only. It connects to the IP address that it checked, so the name can't resolve to another
 * one in between.
 * @returns a function like the platform's `fetch`
 * @throws FetchRefused
 */
export function metadataFetch(network: OutboundNetwork = INTERNET, timeoutMs = FETCH_TIMEOUT_MS) {
  return async (input: string | URL | Request): Promise<Response> => {
    const url = new URL(input instanceof Request ? input.url : input);
    if (url.protocol !== 'https:' || url.port !== '' || url.username !== '')
      throw refused('is not at a plain https address');
    const controller = new AbortController();
    return withTimeout(timeoutMs, load(url, network, controller.signal), () => {
      throw refused('did not answer in time');
    }).finally(() => controller.abort());
  };
}

async function load(url: URL, network: OutboundNetwork, signal: AbortSignal): Promise<Response> {
  const address = await publicAddressOf(url.hostname, network);
  const response = await network.get(url, address, signal);
  const { statusCode = 0, headers } = response;
  try {
    if (statusCode !== 200) throw refused(`answered ${statusCode}`);
    if (!/^application\/(?:[a-z0-9.-]+\+)?json\s*(?:;|$)/i.test(headers['content-type'] ?? '')) {
      throw refused('is not JSON');
    }
    if ((headers['content-encoding'] ?? 'identity') !== 'identity') throw refused('is encoded');
    const body = await read(response);
    const names = ['content-type', 'cache-control', 'expires'] as const;
    const responseHeaders = names.flatMap((name) =>
      headers[name] === undefined ? [] : [[name, headers[name]] as [string, string]],
    );
    return new Response(new Uint8Array(body), { status: statusCode, headers: responseHeaders });
  } finally {
    response.destroy();
  }
}

/** Returns the name's first address. Refuses the name if any of its addresses is private. */
async function publicAddressOf(hostname: string, network: OutboundNetwork): Promise<string> {
  const literal = hostname.replace(/^\[|\]$/g, '');
  const addresses = isIP(literal) ? [literal] : await network.resolve(hostname);
  const [first] = addresses;
  if (first === undefined) throw refused('has no address');
  if (!addresses.every(isPublicAddress)) throw refused('is not on the public Internet');
  return first;
}

async function read(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAX_KEYS_BYTES) throw refused('is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const INTERNET: OutboundNetwork = {
  resolve: async (hostname) =>
    (await lookup(hostname, { all: true, order: 'ipv4first' })).map(({ address }) => address),
  get: (url, address, signal) =>
    new Promise((resolve, reject) => {
      const family = isIPv6(address) ? 6 : 4;
      const outgoing = request(url, {
        agent: false,
        headers: { Accept: 'application/json', 'Accept-Encoding': 'identity' },
        // Ignores the name: this connection goes to the checked address.
        lookup: (_name, options, callback) => {
          if (options.all) callback(null, [{ address, family }]);
          else callback(null, address, family);
        },
        maxHeaderSize: 16 * 1024,
        signal,
      });
      outgoing.once('response', resolve).once('error', reject).end();
    }),
};

const refused = (problem: string) => new FetchRefused(`A client’s metadata ${problem}.`);
