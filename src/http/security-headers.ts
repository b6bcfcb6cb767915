/** How a page differs from others in what its browser may do with it. */
export interface PageHeaderOptions {
  /**
   * Sources of `form-action` beside our own: where answers to this page's forms redirect to. See formTargetOf: only the
   * consent page has one.
   */
  formTargets?: readonly string[] | undefined;
  /**
   * True on the pages of an assistant's connection (consent, and signing in on the way to it): web assistants open them
   * in a window of their own, and would lose that window to Cross-Origin-Opener-Policy.
   */
  mayBePopup?: boolean | undefined;
}

/** Features of browsers that no page of ours uses, and passkeys and the copy button, which some do. */
const DENIED_PERMISSIONS = [
  ...['accelerometer', 'camera', 'display-capture', 'geolocation', 'gyroscope', 'magnetometer', 'microphone', 'midi'],
  ...['payment', 'screen-wake-lock', 'serial', 'usb', 'xr-spatial-tracking', 'fullscreen', 'browsing-topics'],
].map((feature) => `${feature}=()`);
const ALLOWED_PERMISSIONS = ['clipboard-write', 'publickey-credentials-create', 'publickey-credentials-get'].map(
  (feature) => `${feature}=(self)`,
);

/** A source of `form-action` in the words of our own code: an origin, or a scheme with its colon. */
const SOURCE = /^(?:https?:\/\/[a-z0-9.-]+(?::\d{1,5})?|[a-z][a-z0-9+.-]*:)$/;

/**
 * The headers of pages at this base address. Nothing of a page may run or load but our own files; no other page may
 * frame it, know it as its opener, or be told its address.
 *
 * Referrer-Policy is `same-origin` and not `no-referrer`: by the latter browsers send `Origin: null` with our own forms.
 */
export function pageHeaders(baseUrl: string): (kind?: PageHeaderOptions) => Record<string, string> {
  const fixed = {
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'Referrer-Policy': 'same-origin',
    'Permissions-Policy': [...DENIED_PERMISSIONS, ...ALLOWED_PERMISSIONS].join(', '),
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Cache-Control': 'no-store',
    // Not for other hosts below ours: those are not this service's to speak for.
    ...(baseUrl.startsWith('https:') ? { 'Strict-Transport-Security': 'max-age=31536000' } : {}),
  };
  return ({ formTargets = [], mayBePopup = false } = {}) => ({
    ...fixed,
    'Content-Security-Policy': contentSecurityPolicy(formTargets),
    'Cross-Origin-Opener-Policy': mayBePopup ? 'unsafe-none' : 'same-origin',
  });
}

function contentSecurityPolicy(formTargets: readonly string[]): string {
  for (const target of formTargets) if (!SOURCE.test(target)) throw new Error('a form target that is no source');
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
 * The source of `form-action` that lets a form's answer redirect to this address. Chromium holds every redirect after a
 * form was sent against the policy of the page that had the form, so a consent page names where its answer leads: the
 * client's redirect URI, which was checked before the page was shown. An IPv6 address cannot be written as a source, so it
 * is let through by its scheme.
 * @throws TypeError when it is no address
 */
export function formTargetOf(redirectUri: string): string {
  const { protocol, host, hostname } = new URL(redirectUri);
  const web = protocol === 'https:' || protocol === 'http:';
  return web && !hostname.startsWith('[') ? `${protocol}//${host}` : protocol;
}
