/** The client of a request: its address and user agent. For sessions, rate limits and the access log. */
export interface ClientInfo {
  /** The client's address, from the socket or a trusted proxy. */
  address: string;
  /** The User-Agent header, or an empty string. */
  agent: string;
  /** Set for a browser from which an account was signed in to before. */
  rememberedBrowser?: RememberedBrowser | undefined;
}

/** A browser from which an account was signed in to before. It proves nothing else. */
export interface RememberedBrowser {
  account_id: string;
  id: string;
  /** The account's generation at that time. After a new password the browser is no longer remembered. */
  generation: number;
}

/**
 * Returns the browser's id if the account was signed in to from it before. Wrong passwords from there are counted
 * separately. Otherwise a stranger who knows an address could lock its owner out with a wrong password every 15 minutes.
 */
export function rememberedBrowserId(
  account: { id: string; generation: number } | null,
  { rememberedBrowser }: ClientInfo,
): string | null {
  if (rememberedBrowser === undefined || account === null) return null;
  return rememberedBrowser.account_id === account.id && rememberedBrowser.generation === account.generation
    ? rememberedBrowser.id
    : null;
}

/** Checked in this order, because most browsers also claim to be those further down. */
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(?:A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|HeadlessChrome|CriOS|Chromium)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];

const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\b(?:iPhone|iPad)\b/, 'iOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];

/** Describes a browser for its owner, such as `Firefox on Linux`. */
export function describeBrowser(agent: string): string {
  const nameIn = (list: typeof BROWSERS) => list.find(([pattern]) => pattern.test(agent))?.[1];
  const browser = nameIn(BROWSERS) ?? 'Unknown browser';
  const system = nameIn(SYSTEMS);
  return system === undefined ? browser : `${browser} on ${system}`;
}

/**
 * Returns the network that counts as one client: an IPv4 address, or the /64 network of an IPv6 address, which belongs
 * to one household.
 */
export function networkOf(address: string): string {
  const plain = address.toLowerCase().replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/, '');
  if (!plain.includes(':')) return plain;
  const [head = '', tail = ''] = plain.split('%')[0]!.split('::');
  const front = head === '' ? [] : head.split(':');
  const missingGroups = plain.includes('::') ? 8 - front.length - (tail === '' ? 0 : tail.split(':').length) : 0;
  const groups = [...front, ...Array<string>(Math.max(0, missingGroups)).fill('0'), ...tail.split(':')];
  const network = groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${network.join(':')}::/64`;
}
