/** Who stands before us, as far as a request tells: for sessions, throttling and the access log. */
export interface ClientInfo {
  /** The client's address: as the socket has it, or as a trusted proxy says. */
  address: string;
  /** The User-Agent header, or an empty text. */
  agent: string;
  /** Set where it is a browser that an account was signed in to from before. */
  rememberedBrowser?: RememberedBrowser | undefined;
}

/** A browser by its id, and the account that was signed in to from it. It proves nothing else. */
export interface RememberedBrowser {
  account_id: string;
  id: string;
  /** The account's at the time: who collected such cookies with a password that was changed since is a stranger. */
  generation: number;
}

/**
 * The browser's id where the account was signed in to from it before. Wrong passwords from there are counted apart: else
 * any stranger who knows an address would keep its owner out for good, by a wrong password every quarter of an hour.
 */
export function rememberedBrowserId(
  account: { id: string; generation: number } | null,
  { rememberedBrowser: known }: ClientInfo,
): string | null {
  if (known === undefined || account === null) return null;
  return known.account_id === account.id && known.generation === account.generation ? known.id : null;
}

/** In the order in which they are looked for: most browsers also claim to be the ones further down. */
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(?:A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS|Chromium)\//, 'Chrome'],
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

/** A browser in words that its owner knows it by, such as `Firefox on Linux`. */
export function describeBrowser(agent: string): string {
  const named = (list: typeof BROWSERS) => list.find(([pattern]) => pattern.test(agent))?.[1];
  const browser = named(BROWSERS) ?? 'Unknown browser';
  const system = named(SYSTEMS);
  return system === undefined ? browser : `${browser} on ${system}`;
}

/**
 * The addresses that one visitor may be expected to have: an IPv4 address, or the /64 network of an IPv6 one, all of
 * which belongs to one household.
 */
export function networkOf(address: string): string {
  const plain = address.toLowerCase().replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/, '');
  if (!plain.includes(':')) return plain;
  const [head = '', tail = ''] = plain.split('%')[0]!.split('::');
  const front = head === '' ? [] : head.split(':');
  const missing = plain.includes('::') ? 8 - front.length - (tail === '' ? 0 : tail.split(':').length) : 0;
  const groups = [...front, ...Array<string>(Math.max(0, missing)).fill('0'), ...tail.split(':')];
  const network = groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${network.join(':')}::/64`;
}
