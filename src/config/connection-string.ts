/** A node's address, from a connection string or from gossip. */
export interface Endpoint {
  address: string;
  port: number;
}

/** A checked connection string. */
export interface ConnectionSettings {
  /** At least one. */
  hosts: readonly Endpoint[];
  /** `esdb+discover://`: the host is a DNS name that only leads to the cluster's gossip. */
  discover: boolean;
  credentials: { username: string; password: string } | null;
  tls: boolean;
  /** Paths of PEM files. */
  tlsCAFile: string | null;
  userCertFile: string | null;
  userKeyFile: string | null;
  connectionName: string | null;
  keepAliveIntervalMs: number;
  keepAliveTimeoutMs: number;
}

/** An invalid connection string. The message continues "EVENTSTORE_URL …" and repeats no value. */
export class ConnectionStringError extends Error {
  override readonly name = 'ConnectionStringError';
}

const DEFAULT_PORT = 2113;
/** Shorter intervals are raised to this. The adapter itself probes the leader when a call gets no answer. */
const MIN_KEEP_ALIVE_MS = 10_000;

const TEXTS = ['tlsCAFile', 'userCertFile', 'userKeyFile', 'connectionName'] as const;
const NUMBERS = ['keepAliveInterval', 'keepAliveTimeout'] as const;
/** Parameters that are accepted and ignored, because the adapter has its own deadlines and search for the leader. */
const WITHOUT_EFFECT = ['defaultDeadline', 'discoveryInterval', 'gossipTimeout', 'maxDiscoverAttempts'] as const;
const CHECKED = ['tls', 'tlsVerifyCert', 'throwOnAppendFailure', 'nodePreference'] as const;
const PARAMETERS = [...TEXTS, ...NUMBERS, ...WITHOUT_EFFECT, ...CHECKED];
type Parameter = (typeof PARAMETERS)[number];
type Parameters = ReadonlyMap<Parameter, string>;

/**
 * Reads and checks a connection string before a client gets it, because clients print invalid parts, including
 * passwords.
 * @throws ConnectionStringError that says what to change
 */
export function readConnectionString(text: string): ConnectionSettings {
  const [, scheme, rest] = /^(esdb|esdb\+discover):\/\/(.*)$/.exec(text.trim()) ?? [];
  if (scheme === undefined || rest === undefined) {
    refuse('must begin with esdb://, esdb+discover:// or kurrentdb://, such as esdb://localhost:2113?tls=false');
  }
  const [place = '', query = ''] = splitAt(rest, rest.indexOf('?'));
  const [user, hosts] = splitAt(place, place.lastIndexOf('@'));
  const credentials = hosts === '' ? null : readCredentials(user);
  const parameters = readParameters(query);
  const tls = readSwitch(parameters, 'tls') ?? true;
  if (credentials !== null && !tls) {
    refuse('has a user with tls=false, and the password would cross the network in the clear: leave one of them out');
  }
  if (parameters.has('userCertFile') !== parameters.has('userKeyFile')) {
    refuse('must have userCertFile and userKeyFile together');
  }
  return {
    hosts: (hosts === '' ? user : hosts).replace(/\/+$/, '').split(',').map(readHost),
    discover: scheme === 'esdb+discover',
    credentials,
    tls,
    tlsCAFile: readText(parameters, 'tlsCAFile'),
    userCertFile: readText(parameters, 'userCertFile'),
    userKeyFile: readText(parameters, 'userKeyFile'),
    connectionName: readText(parameters, 'connectionName'),
    keepAliveIntervalMs: Math.max(MIN_KEEP_ALIVE_MS, readNumber(parameters, 'keepAliveInterval') ?? 0),
    keepAliveTimeoutMs: readNumber(parameters, 'keepAliveTimeout') ?? MIN_KEEP_ALIVE_MS,
  };
}

/** Returns the problem of a connection string, as the rest of "EVENTSTORE_URL …". Returns null if it is valid. */
export function connectionStringFault(text: string): string | null {
  try {
    readConnectionString(text);
    return null;
  } catch (error) {
    if (error instanceof ConnectionStringError) return error.message;
    throw error;
  }
}

function refuse(message: string): never {
  throw new ConnectionStringError(message);
}

/** Returns the text before and after `index`. For a negative index, returns the whole text and an empty one. */
function splitAt(text: string, index: number): [string, string] {
  return index < 0 ? [text, ''] : [text.slice(0, index), text.slice(index + 1)];
}

const ENCODE = 'percent-encode it, : as %3A, @ as %40, / as %2F and ? as %3F';

function readCredentials(text: string) {
  const [username = '', password = '', ...more] = text.split(':');
  if (more.length > 0 || /[@/]/.test(text)) refuse(`has a user name or password with a special character: ${ENCODE}`);
  if (username === '' || password === '') refuse('must name the user as USER:PASSWORD@ before the host');
  return { username: decode(username, 'the user name'), password: decode(password, 'the password') };
}

function readHost(text: string): Endpoint {
  const [, address, port] = /^(\[[0-9a-f:.]+\]|[^\s:/@[\]]+)(?::(\d{1,5}))?$/i.exec(text.trim()) ?? [];
  if (address === undefined) {
    refuse(
      `must list hosts as HOST:PORT, separated by commas; in a user name or password with a special character, ${ENCODE}`,
    );
  }
  return { address, port: port === undefined ? DEFAULT_PORT : Number(port) };
}

function readParameters(query: string): Parameters {
  const parameters = new Map<Parameter, string>();
  for (const part of query.split('&')) {
    if (part === '') continue;
    const [key, value] = splitAt(part, part.indexOf('='));
    const name = PARAMETERS.find((parameter) => normalize(parameter) === normalize(key));
    if (name === undefined) refuseUnknown(key, query);
    if (value === '') refuse(`has the parameter ${name} without a value: write ${name}=VALUE`);
    parameters.set(name, value.trim());
  }
  refuseUnusable(parameters);
  return parameters;
}

/** Refuses an unknown parameter. Names it, unless it may be part of a password. */
function refuseUnknown(key: string, query: string): never {
  if (query.includes('@')) refuse(`has a user name or password with a special character: ${ENCODE}`);
  const subject = /^\w{1,40}$/.test(key) ? `the unknown parameter ${key}` : 'an unknown parameter';
  refuse(`has ${subject}: remove it, or choose from ${PARAMETERS.filter(isOffered).join(', ')}`);
}

function isOffered(name: Parameter): boolean {
  return !['tlsVerifyCert', 'throwOnAppendFailure', ...WITHOUT_EFFECT].includes(name);
}

function refuseUnusable(parameters: Parameters): void {
  if (parameters.has('tlsVerifyCert')) {
    refuse('has tlsVerifyCert, but certificates are always verified: give tlsCAFile=PATH of your own CA instead');
  }
  if (readSwitch(parameters, 'throwOnAppendFailure') === false) {
    refuse('has throwOnAppendFailure=false, and a conflict would look like success: remove it');
  }
  if (!['leader', undefined].includes(parameters.get('nodePreference')?.toLowerCase())) {
    refuse('has a nodePreference other than leader, and only the leader knows the newest events: remove it');
  }
}

function readSwitch(parameters: Parameters, name: Parameter): boolean | null {
  const value = parameters.get(name);
  if (value === undefined) return null;
  if (value !== 'true' && value !== 'false') refuse(`must have ${name}=true or ${name}=false`);
  return value === 'true';
}

function readNumber(parameters: Parameters, name: (typeof NUMBERS)[number]): number | null {
  const value = parameters.get(name);
  if (value === undefined) return null;
  if (!/^(-1|\d{1,9})$/.test(value)) refuse(`must have ${name} as a whole number of milliseconds, or -1 for none`);
  // -1 means no limit; this is the longest interval of gRPC's timers.
  return value === '-1' ? 2 ** 31 - 1 : Number(value);
}

function readText(parameters: Parameters, name: (typeof TEXTS)[number]): string | null {
  const value = parameters.get(name);
  return value === undefined ? null : decode(value, name);
}

function decode(text: string, what: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    refuse(`has a % in ${what} that begins no percent-encoding: write it as %25`);
  }
}

/** Removes case, hyphens and underscores, which the client ignores in names of parameters. */
function normalize(name: string): string {
  return name.trim().toLowerCase().replace(/[_-]/g, '');
}
