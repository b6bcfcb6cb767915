import type { IncomingMessage } from 'node:http';
import { HttpError } from './errors.ts';

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Refuses requests that a web page made by rebinding a name to this address, or from an origin that isn't ours.
 * Host must be a loopback name or the base address's; Origin, where there is one, must be the service's own.
 */
export function originGuard(baseUrl: string): (request: IncomingMessage) => void {
  const base = new URL(baseUrl);
  return ({ headers: { host = '', origin } }) => {
    const name = host.replace(/:\d+$/, '').toLowerCase();
    const loopback = LOOPBACK.has(name);
    if (!loopback && name !== base.hostname) throw forbidden('This service is not known by that Host.');
    if (origin === undefined || origin === base.origin) return;
    if (!(loopback && origin === `http://${host}`)) throw forbidden('Requests from that Origin are not allowed.');
  };
}

const forbidden = (message: string) => new HttpError(403, 'forbidden', message);
