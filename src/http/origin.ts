import type { IncomingMessage } from 'node:http';
import { LOOPBACK_NAMES } from '../identity/loopback.ts';
import { HttpError } from './http-errors.ts';

/**
 * Refuses requests that a web page made by rebinding a name to this address, or from an origin that isn't ours.
 * Host must be a loopback name or the base address's; Origin, where there is one, must be the service's own. `null`, which
 * browsers send for pages that hide where they are, is nobody's own.
 *
 * For the endpoint, the direct form and pages: no page of another origin may ask them, unless the operator has allowed
 * it to call tools (see cross-origin.ts). What programs of the OAuth server ask, and its metadata, need `hostGuard` alone: see oauth.ts.
 */
export function originGuard(
  baseUrl: string,
  allowedOrigins: ReadonlySet<string> = new Set(),
): (request: IncomingMessage) => void {
  const { origin: ours } = new URL(baseUrl);
  const classifyHost = hostClassifier(baseUrl);
  return ({ headers: { host = '', origin } }) => {
    const owner = classifyHost(host);
    if (owner === null) throw unknownHost();
    if (origin === undefined || origin === ours || allowedOrigins.has(origin)) return;
    if (owner !== 'LOOPBACK' || (origin !== `http://${host}` && origin !== `https://${host}`)) {
      throw foreignOrigin();
    }
  };
}

/** The half of `originGuard` that looks at Host. */
export function hostGuard(baseUrl: string): (request: IncomingMessage) => void {
  const isOurHost = hostClassifier(baseUrl);
  return ({ headers: { host = '' } }) => {
    if (isOurHost(host) === null) throw unknownHost();
  };
}

/**
 * Refuses what a page of another origin loads as a part of itself: browsers send the cookie with it where that page is of
 * another port or a sister domain, and no Origin. What a person follows a link to is let through, and so are programs.
 */
export function refuseEmbedding({ headers }: IncomingMessage): void {
  const { 'sec-fetch-site': site, 'sec-fetch-dest': destination } = headers;
  if ((site === 'cross-site' || site === 'same-site') && destination !== 'document') throw foreignOrigin();
}

/** Whose a Host header's name is; null: not ours. Anything but a name (and a port) is no name of ours. */
function hostClassifier(baseUrl: string): (host: string) => 'LOOPBACK' | 'BASE' | null {
  const { hostname } = new URL(baseUrl);
  return (host) => {
    const name = host.replace(/:\d{1,5}$/, '').toLowerCase();
    if (LOOPBACK_NAMES.has(name)) return 'LOOPBACK';
    return name === hostname ? 'BASE' : null;
  };
}

const foreignOrigin = () => new HttpError(403, 'forbidden', 'Requests from that Origin are not allowed.');
const unknownHost = () => new HttpError(403, 'forbidden', 'This service is not known by that Host.');
