import type { IncomingHttpHeaders } from 'node:http';

/** Explains such a request, in its answer and in the log. */
export const HIDDEN_ORIGIN =
  'The browser hid which page sent this (Origin: null). If it was a page of this service, a proxy sets the header Referrer-Policy to no-referrer: set it to same-origin.';

/** Returns true if a browser hid the page, and doesn't say that it is of the same origin. No page can set that header. */
export function hidesOrigin({ origin, 'sec-fetch-site': site }: IncomingHttpHeaders): boolean {
  return origin === 'null' && site !== 'same-origin';
}
