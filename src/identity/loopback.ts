/** The names of this machine that only it knows itself by, as URLs have them. */
export const LOOPBACK_NAMES: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]']);
