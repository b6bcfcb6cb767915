import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { z } from 'zod';
import { isBrowserOrigin, isLoopback, isNetwork, isOrigin, isSecureAddress, isWildcard } from './config/addresses.ts';
import { connectionStringFault } from './config/connection-string.ts';
import { SECRET_FILE_NAMES, withSecretFiles } from './config/secret-files.ts';

export interface Config {
  /** The port to listen on; 0 for any free port. */
  port: number;
  host: string;
  /** An absolute path. */
  dataDir: string;
  /** The folder of the reporting database, if it is embedded. An absolute path. */
  reportsDir: string;
  /** The public origin, without a trailing slash; null for the address that the service listens on. */
  baseUrl: string | null;
  /** Absolute paths of a PEM certificate and its key, to serve https; null to serve plain http. */
  tls: { cert: string; key: string } | null;
  /** Addresses and networks whose X-Forwarded-For is trusted. */
  trustedProxies: readonly string[];
  /** Origins of web pages that may call tools with a token. */
  allowedOrigins: readonly string[];
  /** Requests per minute for one credential; null for no limit. */
  rateLimitPerMinute: number | null;
  maxEventsPerHour: number;
  /** The OpenID provider that people can sign in with. */
  oidc: { issuer: string; clientId: string; clientSecret: string } | null;
  /** When to fetch client metadata documents of OAuth clients from the Internet. */
  clientMetadataFetch: (typeof CLIENT_METADATA_FETCH_MODES)[number];
  /** Replaces the embedded event store. */
  eventStoreUrl: string | null;
  /** Replaces the embedded read models and accounts. */
  mongodbUrl: string | null;
  riskAcceptanceMaxDays: number;
  /** The path of Chromium, which prints PDFs if it exists. */
  chromiumPath: string;
  /** The longest time that a write waits until its effect can be read. */
  writeWaitMs: number;
  logLevel: LogLevel;
  /** True to write sign-ins, refusals and changes of rights to the log. */
  logSecurityEvents: boolean;
  /** Access to the metrics for Prometheus, by a token or on a port of 127.0.0.1; null if they are off. */
  metrics: { token: string | null; port: number | null } | null;
  /** The names in `.env` that are no settings, such as misspelled ones. */
  unknownNames: readonly string[];
}

/** The default if the service is reachable from other machines. */
const DEFAULT_RATE_LIMIT_PER_MINUTE = 6_000;
const CLIENT_METADATA_FETCH_MODES = ['auto', 'on', 'off'] as const;
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Invalid settings. `message` has one line for each wrong variable, with the next step. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  constructor(readonly issues: readonly string[]) {
    super(`The settings cannot be used:\n${issues.map((issue) => `  ${issue}`).join('\n')}`);
  }
}

/** Relative to the folder where the service or a command is started. */
export const DEFAULT_DATA_DIR = './data';

// Messages never contain a value, because an address may contain a password.
const SETTINGS = z.object({
  PORT: wholeNumber(0, 65_535).default(8080),
  HOST: z.string().default('127.0.0.1'),
  DATA_DIR: z.string().default(DEFAULT_DATA_DIR),
  REPORTS_DIR: z.string().optional(),
  BASE_URL: z
    .string()
    .refine(isOrigin, 'must be an http:// or https:// address without path or query, such as https://grc.example.com')
    .transform((url) => new URL(url).origin)
    .optional(),
  TLS_CERT: z.string().optional(),
  TLS_KEY: z.string().optional(),
  TRUSTED_PROXIES: z
    .string()
    .transform((text) => text.split(/[\s,]+/).filter((part) => part !== ''))
    .refine((parts) => parts.every(isNetwork), 'must list IP addresses or networks, such as 127.0.0.1, 10.0.0.0/8')
    .default([]),
  ALLOWED_ORIGINS: z
    .string()
    .transform((text) => text.split(/[\s,]+/).filter((part) => part !== ''))
    .refine(
      (parts) => parts.every(isBrowserOrigin),
      'must list origins of web pages, such as https://app.example.com (http:// on this machine)',
    )
    .default([]),
  RATE_LIMIT_PER_MINUTE: wholeNumber(1, 1_000_000).optional(),
  MAX_EVENTS_PER_HOUR: wholeNumber(1_000, 100_000_000).default(500_000),
  OIDC_ISSUER: z
    .string()
    .refine(
      isSecureAddress,
      'must be the https:// address of an OpenID provider, without query (http:// on this machine)',
    )
    .optional(),
  OIDC_CLIENT_ID: z.string().optional(),
  OIDC_CLIENT_SECRET: z.string().optional(),
  CLIENT_METADATA_FETCH: z
    .enum(CLIENT_METADATA_FETCH_MODES, `must be one of ${CLIENT_METADATA_FETCH_MODES.join(', ')}`)
    .default('auto'),
  EVENTSTORE_URL: z
    .string()
    // The client library accepts only the earlier name of the scheme.
    .transform((url) => url.replace(/^kurrentdb/, 'esdb'))
    .superRefine((url, context) => {
      const message = connectionStringFault(url);
      if (message !== null) context.addIssue({ code: 'custom', message });
    })
    .optional(),
  MONGODB_URL: z
    .string()
    .regex(
      /^mongodb(\+srv)?:\/\/[^/?]+/,
      'must begin with mongodb:// or mongodb+srv://, such as mongodb://localhost:27017',
    )
    .optional(),
  ALLOW_PLAIN_HTTP: trueOrFalse('false'),
  CHROMIUM_PATH: z.string().default('/usr/bin/chromium'),
  RISK_ACCEPTANCE_MAX_DAYS: wholeNumber(1, 36_600).default(366),
  WRITE_WAIT_MS: wholeNumber(0, 60_000).default(5000),
  METRICS_TOKEN: z
    .string()
    .regex(/^[A-Za-z0-9\-._~+/]{32,}=*$/, 'must have at least 32 characters, such as openssl rand -hex 32 prints')
    .optional(),
  METRICS_PORT: wholeNumber(1, 65_535).optional(),
  LOG_LEVEL: z.enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}`).default('info'),
  LOG_SECURITY_EVENTS: trueOrFalse('true'),
});

/** The environment variables of all settings. */
export const SETTING_NAMES: readonly string[] = [...Object.keys(SETTINGS.shape), ...SECRET_FILE_NAMES];

/**
 * Reads the settings from environment variables, then from `.env` in `cwd`, and secrets from files that `<NAME>_FILE`
 * settings name.
 * @throws ConfigError listing every invalid setting or, if each is valid, every conflict between them
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>, cwd: string): Config {
  const envFile = readEnvFile(cwd);
  const secretFiles = withSecretFiles({ ...withoutEmpty(envFile), ...withoutEmpty(env) }, cwd);
  const result = SETTINGS.safeParse(secretFiles.settings);
  const issues = result.error?.issues.map((issue) => `${issue.path.join('.')} ${issue.message}.`) ?? [];
  if (!result.success || secretFiles.faults.length > 0) throw new ConfigError([...secretFiles.faults, ...issues]);
  const settings = result.data;
  const faults = faultsBetween(settings);
  if (faults.length > 0) throw new ConfigError(faults);
  const { TLS_CERT, TLS_KEY, OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET } = settings;
  return {
    port: settings.PORT,
    host: settings.HOST,
    dataDir: resolve(cwd, settings.DATA_DIR),
    reportsDir: resolve(cwd, settings.REPORTS_DIR ?? join(settings.DATA_DIR, 'reports')),
    baseUrl: settings.BASE_URL ?? null,
    tls: TLS_CERT && TLS_KEY ? { cert: resolve(cwd, TLS_CERT), key: resolve(cwd, TLS_KEY) } : null,
    trustedProxies: settings.TRUSTED_PROXIES,
    allowedOrigins: settings.ALLOWED_ORIGINS,
    rateLimitPerMinute:
      settings.RATE_LIMIT_PER_MINUTE ?? (isReachableFromOutside(settings) ? DEFAULT_RATE_LIMIT_PER_MINUTE : null),
    maxEventsPerHour: settings.MAX_EVENTS_PER_HOUR,
    oidc:
      OIDC_ISSUER && OIDC_CLIENT_ID && OIDC_CLIENT_SECRET
        ? { issuer: OIDC_ISSUER, clientId: OIDC_CLIENT_ID, clientSecret: OIDC_CLIENT_SECRET }
        : null,
    clientMetadataFetch: settings.CLIENT_METADATA_FETCH,
    eventStoreUrl: settings.EVENTSTORE_URL ?? null,
    mongodbUrl: settings.MONGODB_URL ?? null,
    chromiumPath: resolve(cwd, settings.CHROMIUM_PATH),
    riskAcceptanceMaxDays: settings.RISK_ACCEPTANCE_MAX_DAYS,
    writeWaitMs: settings.WRITE_WAIT_MS,
    logLevel: settings.LOG_LEVEL,
    logSecurityEvents: settings.LOG_SECURITY_EVENTS,
    metrics: metricsOf(settings),
    unknownNames: Object.keys(envFile).filter((name) => !SETTING_NAMES.includes(name)),
  };
}

function metricsOf({ METRICS_TOKEN, METRICS_PORT }: Settings): Config['metrics'] {
  if (METRICS_TOKEN === undefined && METRICS_PORT === undefined) return null;
  return { token: METRICS_TOKEN ?? null, port: METRICS_PORT ?? null };
}

type Settings = z.output<typeof SETTINGS>;

/** Returns errors between settings that are each valid. */
function faultsBetween(settings: Settings): string[] {
  const faults = [plainHttpFault(settings)];
  if (settings.TLS_CERT !== undefined && settings.BASE_URL?.startsWith('http:')) {
    faults.push('BASE_URL must begin with https://, since TLS_CERT makes the service serve https.');
  }
  if (settings.METRICS_PORT === settings.PORT) faults.push('METRICS_PORT must differ from PORT.');
  faults.push(...missingCompanions(settings, ['TLS_CERT', 'TLS_KEY']));
  faults.push(...missingCompanions(settings, ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET']));
  return faults.filter((fault) => fault !== null);
}

/** Returns an error for each missing one of settings that belong together. */
function missingCompanions(settings: Settings, names: readonly (keyof Settings)[]): string[] {
  const setNames = names.filter((name) => settings[name] !== undefined);
  if (setNames.length === 0) return [];
  return names
    .filter((name) => !setNames.includes(name))
    .map((name) => `${name} must be set too, since ${setNames.join(' and ')} ${setNames.length === 1 ? 'is' : 'are'}.`);
}

/** Tokens must not cross a network unencrypted, so plain HTTP beyond this machine needs ALLOW_PLAIN_HTTP. */
function plainHttpFault({ HOST, BASE_URL, TLS_CERT, ALLOW_PLAIN_HTTP }: Settings): string | null {
  if (ALLOW_PLAIN_HTTP || TLS_CERT !== undefined || BASE_URL?.startsWith('https:')) return null;
  const remedy =
    'Set BASE_URL to the https:// address of a proxy in front, serve https here with TLS_CERT and TLS_KEY, or allow it with ALLOW_PLAIN_HTTP=true.';
  if (!isLoopback(HOST)) return `HOST would serve plain HTTP beyond this machine. ${remedy}`;
  return isReachableFromOutside({ HOST, BASE_URL }) ? `BASE_URL is plain HTTP beyond this machine. ${remedy}` : null;
}

function isReachableFromOutside({ HOST, BASE_URL }: Pick<Settings, 'HOST' | 'BASE_URL'>): boolean {
  return !isLoopback(HOST) || (BASE_URL !== undefined && !isLoopback(new URL(BASE_URL).hostname));
}

/** Returns true if, by the settings, only this machine can reach the service. */
export function isLoopbackOnly(config: Pick<Config, 'host' | 'baseUrl' | 'trustedProxies'>): boolean {
  const { host, baseUrl, trustedProxies } = config;
  return !isReachableFromOutside({ HOST: host, BASE_URL: baseUrl ?? undefined }) && trustedProxies.length === 0;
}

/** Returns warnings about valid settings that probably don't do what the operator wants. */
export function warningsOf(
  config: Pick<Config, 'host' | 'baseUrl' | 'tls' | 'trustedProxies' | 'unknownNames'>,
): string[] {
  const { host, baseUrl, tls, trustedProxies, unknownNames } = config;
  const warnings = unknownNames.map((name) => `.env names ${name}, which is not a setting. This line has no effect.`);
  if (baseUrl === null && !isLoopback(host)) {
    const names = isWildcard(host) ? 'localhost' : `localhost or ${host}`;
    warnings.push(
      `BASE_URL is not set. Requests to host names other than ${names} get 403. Set it to the address that clients use.`,
    );
  }
  if (baseUrl?.startsWith('https:') && tls === null && trustedProxies.length === 0) {
    warnings.push(
      'TRUSTED_PROXIES is not set. All clients behind the proxy count as one address, so one who guesses passwords blocks the others. Set it to the address that the proxy calls from.',
    );
  }
  return warnings;
}

function wholeNumber(min: number, max: number) {
  return z
    .string()
    .refine(
      (text) => /^\d{1,9}$/.test(text) && Number(text) >= min && Number(text) <= max,
      `must be a whole number from ${min} to ${max}`,
    )
    .transform(Number);
}

function trueOrFalse(byDefault: 'true' | 'false') {
  return z
    .enum(['true', 'false'], 'must be true or false')
    .default(byDefault)
    .transform((text) => text === 'true');
}

function readEnvFile(cwd: string): Readonly<Record<string, string | undefined>> {
  const settings = parseEnv(envFileText(cwd));
  // Node.js 20 joins a line without "=" to the name in the next line, which would then have no effect.
  const joined = Object.keys(settings).filter((name) => name.includes('\n'));
  if (joined.length === 0) return settings;
  throw new ConfigError(joined.map((name) => `.env has a line without "=" before ${name.split('\n').at(-1)}.`));
}

function envFileText(cwd: string): string {
  try {
    return readFileSync(join(cwd, '.env'), 'utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw new ConfigError([`.env in ${cwd} cannot be read: ${(error as Error).message}.`]);
  }
}

/** Trims values and drops empty ones, which count as not set. */
function withoutEmpty(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const settings: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) if (value?.trim()) settings[name] = value.trim();
  return settings;
}
