export interface PageHeaderOptions {
  /**
   * More sources for `form-action`: the targets of redirects after this page's forms. Only the consent page has one, see
   * formTargetOf.
   */
  formTargets?: readonly string[] | undefined;
  /**
   * True for consent and for sign-in on the way to it. Web assistants open these pages in a popup, and
   * Cross-Origin-Opener-Policy would cut them off from it.
   */
  mayBePopup?: boolean | undefined;
}

/** Browser features that no page uses. */
const DENIED_PERMISSIONS = [
  'accelerometer',
  'camera',
  'display-capture',
  'geolocation',
  'gyroscope',
  'magnetometer',
  'microphone',
  'midi',
  'payment',
  'screen-wake-lock',
  'serial',
  'usb',
  'xr-spatial-tracking',
  'fullscreen',
  'browsing-topics',
].map((feature) => `${feature}=()`);
/** Browser features for the copy button and for passkeys. */
const ALLOWED_PERMISSIONS = ['clipboard-write', 'publickey-credentials-create', 'publickey-credentials-get'].map(
  (feature) => `${feature}=(self)`,
);

/** A source of `form-action`: an origin, or a scheme with its colon. */
const SOURCE = /^(?:https?:\/\/[a-z0-9.-]+(?::\d{1,5})?|[a-z][a-z0-9+.-]*:)$/;

/**
 * Returns the headers of pages. Pages may run and load only our own files. Other pages can't frame
 * them, use them as opener, or learn their address.
 *
 * Referrer-Policy is `same-origin`, because with `no-referrer` browsers send `Origin: null` with our own forms.
 */
export function pageHeaders(): (kind?: PageHeaderOptions) => Record<string, string> {
  const fixedHeaders = {
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'Referrer-Policy': 'same-origin',
    'Permissions-Policy': [...DENIED_PERMISSIONS, ...ALLOWED_PERMISSIONS].join(', '),
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Cache-Control': 'no-store',
  };
  return ({ formTargets = [], mayBePopup = false } = {}) => ({
    ...fixedHeaders,
    'Content-Security-Policy': contentSecurityPolicy(formTargets),
    'Cross-Origin-Opener-Policy': mayBePopup ? 'unsafe-none' : 'same-origin',
  });
}

/** Returns the header of every answer at this base address. Without includeSubDomains: other hosts below ours are not ours. */
export function transportHeaders(baseUrl: string): Record<string, string> {
  return baseUrl.startsWith('https:') ? { 'Strict-Transport-Security': 'max-age=31536000' } : {};
}

function contentSecurityPolicy(formTargets: readonly string[]): string {
  for (const target of formTargets) if (!SOURCE.test(target)) throw new Error('the form target is not a valid source');
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    `form-action ${["'self'", ...formTargets].join(' ')}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "object-src 'none'",
  ].join('; ');
}

/**
 * Returns the `form-action` source that allows a form's answer to redirect to this address. Chromium checks every redirect
 * after a form against the policy of the form's page. So the consent page names the client's redirect URI, which was
 * checked before. An IPv6 address can't be a source, so it is allowed by its scheme.
 * @throws TypeError for an invalid address
 */
export function formTargetOf(redirectUri: string): string {
  const { protocol, host, hostname } = new URL(redirectUri);
  const web = protocol === 'https:' || protocol === 'http:';
  return web && !hostname.startsWith('[') ? `${protocol}//${host}` : protocol;
}
