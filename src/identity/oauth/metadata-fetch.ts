import { lookup } from 'node:dns/promises';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { isIP, isIPv6 } from 'node:net';
import { isPublicAddress } from './public-address.ts';

/** The setting CLIENT_METADATA_FETCH. */
export const METADATA_FETCH_MODES = ['auto', 'on', 'off'] as const;
export type MetadataFetchMode = (typeof METADATA_FETCH_MODES)[number];

/** The most that a document of a client may hold: what the draft on client id metadata documents recommends. */
export const MAX_DOCUMENT_BYTES = 5 * 1024;
/** Keys of a client may be a few more. */
export const MAX_KEYS_BYTES = 32 * 1024;
const FETCH_TIMEOUT_MS = 3_000;

/** The access to the Internet. Tests replace it. */
export interface OutboundNetwork {
  /** All addresses of a name. */
  resolve(hostname: string): Promise<readonly string[]>;
  /** Sends a GET to that address and no other, whatever the name means by now. */
  get(url: URL, address: string, signal: AbortSignal): Promise<IncomingMessage>;
}

/** Something that a client's document may not be, or cannot be had. The message is for the log. */
export class FetchRefused extends Error {
  override readonly name = 'FetchRefused';
}

/**
 * Fetches the metadata that clients publish, from addresses that strangers choose. It takes https on port 443 only, no
 * redirects, and no more than a few KiB within 3 s.
 *
 * It reaches the public Internet only: it checks the IP address and connects to that one, so that a name can't change its
 * meaning in between.
 * @returns in the form of the platform's fetch; status and headers are the server's
 * @throws FetchRefused
 */
export function metadataFetch(outside: OutboundNetwork = INTERNET, timeoutMs = FETCH_TIMEOUT_MS) {
  return async (input: string | URL | Request): Promise<Response> => {
    const url = new URL(input instanceof Request ? input.url : input);
    if (url.protocol !== 'https:' || url.port !== '' || url.username !== '') throw refused('is no plain https address');
    const signal = AbortSignal.timeout(timeoutMs);
    const late = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(refused('did not answer in time')), { once: true });
    });
    late.catch(() => undefined);
    return Promise.race([load(url, outside, signal), late]);
  };
}

async function load(url: URL, outside: OutboundNetwork, signal: AbortSignal): Promise<Response> {
  const address = await publicAddressOf(url.hostname, outside);
  const response = await outside.get(url, address, signal);
  const { statusCode = 0, headers } = response;
  try {
    if (statusCode !== 200) throw refused(`answered ${statusCode}`);
    if (!/^application\/(?:[a-z0-9.-]+\+)?json\s*(?:;|$)/i.test(headers['content-type'] ?? '')) {
      throw refused('is not JSON');
    }
    if ((headers['content-encoding'] ?? 'identity') !== 'identity') throw refused('is encoded');
    const body = await read(response);
    const kept = ['content-type', 'cache-control', 'expires'] as const;
    const told = kept.flatMap((name) =>
      headers[name] === undefined ? [] : [[name, headers[name]] as [string, string]],
    );
    return new Response(new Uint8Array(body), { status: statusCode, headers: told });
  } finally {
    response.destroy();
  }
}

/** Every address of the name must be public: one that is also ours at home is no stranger's. */
async function publicAddressOf(hostname: string, outside: OutboundNetwork): Promise<string> {
  const literal = hostname.replace(/^\[|\]$/g, '');
  const addresses = isIP(literal) ? [literal] : await outside.resolve(hostname);
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

const refused = (what: string) => new FetchRefused(`A client’s metadata ${what}.`);
