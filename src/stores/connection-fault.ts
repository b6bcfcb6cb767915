/**
 * Returns why a database can't be used and what to do next, from the messages and codes of an error and its causes.
 * Returns null for unknown errors. Never repeats an error's message, because it may contain parts of an address.
 */
export function explainConnection(error: unknown): string | null {
  const texts = textsOf(error);
  return EXPLANATIONS.find(([pattern]) => texts.some((text) => pattern.test(text)))?.[1] ?? null;
}

const NO_USER = /requires authentication|anonymous calls are denied/i;

const EXPLANATIONS: readonly (readonly [RegExp, string])[] = [
  [
    /wrong version number|packet length too long|ERR_SSL_WRONG_VERSION|EPROTO/i,
    'the server does not speak TLS on that port: correct the port, or switch TLS off (tls=false) on a trusted network',
  ],
  [
    /self-signed|self signed|unable to (verify|get)[\w ]*certificate|CERT_|altnames|certificate has expired|not yet valid/i,
    "the server's certificate is not trusted: give the CA that signed it (tlsCAFile), and the host name that it is for",
  ],
  [/Authentication failed|UNAUTHENTICATED|bad auth/i, 'the server refuses the user or the password: correct them'],
  [NO_USER, 'the server lets nobody in without a user: write USER:PASSWORD@ before the host'],
  [
    /PERMISSION_DENIED|Access Denied/i,
    'the user may not read $all: give it the rights of "A secured cluster" in docs/operations.md',
  ],
  [/not authorized/i, 'the user may not read and write the database: give it the role readWrite there'],
  [/ENOTFOUND|EAI_AGAIN|Name resolution failed|querySrv/i, 'the host name is not known: correct it'],
  [/ECONNREFUSED/i, 'nothing listens at that address and port: start the database, or correct them'],
  [
    /Failed to connect|connection .* closed|Connection dropped|ECONNRESET|socket hang up/i,
    'the server closed the connection without an answer: perhaps it expects TLS (tls=true)',
  ],
  [/ENOENT|EACCES/, 'a file that it names cannot be read: check path and rights'],
  [
    /Invalid connection string|URI malformed|Invalid URL|Unable to parse|unescaped/i,
    'it is not a valid address: percent-encode special characters of user name and password (: %3A, @ %40, / %2F)',
  ],
  [/option \S+ is not supported/, 'it has an option that the driver does not know: remove it'],
  [
    /Leader info available|not.leader|Server Is Not Ready/i,
    'no node says that it leads the cluster: see that a majority of nodes runs',
  ],
];

/** Messages and codes of an error, its causes, and the servers that a MongoDB driver asked in vain. */
function textsOf(error: unknown): string[] {
  const texts: string[] = [];
  const open: unknown[] = [error];
  for (const seen = new Set<unknown>(); open.length > 0; ) {
    const current = open.pop();
    if (!(current instanceof Error) || seen.has(current)) continue;
    seen.add(current);
    texts.push(current.message);
    const { code, cause, reason } = current as { code?: unknown; cause?: unknown; reason?: { servers?: unknown } };
    if (typeof code === 'string') texts.push(code);
    open.push(cause);
    if (reason?.servers instanceof Map) for (const server of reason.servers.values()) open.push(server?.error);
  }
  return texts;
}
