import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'dotenv';
import { z } from 'zod';

export interface Config {
  /** 0: any free one. */
  port: number;
  host: string;
  /** Absolute. */
  dataDir: string;
  /** Where clients reach the service, without a trailing slash; null: where it listens. */
  baseUrl: string | null;
  /** Replaces the embedded event store. */
  eventStoreUrl: string | null;
  /** Replaces the embedded read models and accounts. */
  mongodbUrl: string | null;
  riskAcceptanceMaxDays: number;
  /** How long a write waits until its own effect can be read. */
  writeWaitMs: number;
  logLevel: LogLevel;
}

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Settings that cannot be served by. `message` names every variable at fault and says what to do, one a line. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  constructor(readonly issues: readonly string[]) {
    super(`The settings cannot be used:\n${issues.map((issue) => `  ${issue}`).join('\n')}`);
  }
}

// Messages never repeat a value: an address may hold a password.
const SETTINGS = z.object({
  PORT: wholeNumber(0, 65_535).default(8080),
  HOST: z.string().default('127.0.0.1'),
  DATA_DIR: z.string().default('./data'),
  BASE_URL: z
    .string()
    .refine(isBaseUrl, 'must be an http:// or https:// address without query, such as https://compliance.example.com')
    .transform((url) => url.replace(/\/+$/, ''))
    .optional(),
  EVENTSTORE_URL: z
    .string()
    .regex(
      /^(esdb|kurrentdb)(\+discover)?:\/\/[^/?]+/,
      'must begin with esdb://, esdb+discover:// or kurrentdb://, such as esdb://localhost:2113?tls=false',
    )
    // The client library knows the servers by their earlier name only.
    .transform((url) => url.replace(/^kurrentdb/, 'esdb'))
    .optional(),
  MONGODB_URL: z
    .string()
    .regex(
      /^mongodb(\+srv)?:\/\/[^/?]+/,
      'must begin with mongodb:// or mongodb+srv://, such as mongodb://localhost:27017',
    )
    .optional(),
  ALLOW_PLAIN_HTTP: z
    .enum(['true', 'false'], 'must be true or false')
    .default('false')
    .transform((text) => text === 'true'),
  RISK_ACCEPTANCE_MAX_DAYS: wholeNumber(1, 36_600).default(366),
  WRITE_WAIT_MS: wholeNumber(0, 60_000).default(5000),
  LOG_LEVEL: z.enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}`).default('info'),
});

/** Names of all settings, as environment variables. */
export const SETTING_NAMES: readonly string[] = Object.keys(SETTINGS.shape);

/**
 * Reads the settings from environment variables, and from `.env` in `cwd` for those that are not set.
 * @throws ConfigError with everything that is wrong
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>, cwd: string): Config {
  const read = SETTINGS.safeParse({ ...withoutEmpty(readEnvFile(cwd)), ...withoutEmpty(env) });
  if (!read.success)
    throw new ConfigError(read.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}.`));
  const settings = read.data;
  const fault = plainHttpFault(settings.HOST, settings.BASE_URL);
  if (fault !== null && !settings.ALLOW_PLAIN_HTTP) throw new ConfigError([fault]);
  return {
    port: settings.PORT,
    host: settings.HOST,
    dataDir: resolve(cwd, settings.DATA_DIR),
    baseUrl: settings.BASE_URL ?? null,
    eventStoreUrl: settings.EVENTSTORE_URL ?? null,
    mongodbUrl: settings.MONGODB_URL ?? null,
    riskAcceptanceMaxDays: settings.RISK_ACCEPTANCE_MAX_DAYS,
    writeWaitMs: settings.WRITE_WAIT_MS,
    logLevel: settings.LOG_LEVEL,
  };
}

/** Tokens must not cross a network in the clear: plain HTTP is for this machine alone, unless it is allowed by name. */
function plainHttpFault(host: string, baseUrl: string | undefined): string | null {
  if (baseUrl?.startsWith('https:')) return null;
  const remedy = 'Set BASE_URL to the https:// address of the proxy in front, or allow it with ALLOW_PLAIN_HTTP=true.';
  if (!isLoopback(host)) return `HOST would serve plain HTTP beyond this machine. ${remedy}`;
  if (baseUrl !== undefined && !isLoopback(new URL(baseUrl).hostname)) {
    return `BASE_URL is plain HTTP beyond this machine. ${remedy}`;
  }
  return null;
}

/** What can be served by, but hardly as it was meant. The guard against rebound names knows only what it is told. */
export function warningsOf({ host, baseUrl }: Pick<Config, 'host' | 'baseUrl'>): string[] {
  if (baseUrl !== null || isLoopback(host)) return [];
  const names = isWildcard(host) ? 'localhost' : `localhost or ${host}`;
  return [
    `BASE_URL is not set: requests to any other host name than ${names} are answered 403. Set it to what clients use.`,
  ];
}

/** Whether a host stands for every address of the machine. */
export function isWildcard(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || /^127(\.\d{1,3}){3}$/.test(host) || host === '::1' || host === '[::1]';
}

function isBaseUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null;
  return url !== null && /^https?:$/.test(url.protocol) && !/[?#]/.test(text) && url.username === '';
}

function wholeNumber(least: number, most: number) {
  return z
    .string()
    .refine(
      (text) => /^\d{1,9}$/.test(text) && Number(text) >= least && Number(text) <= most,
      `must be a whole number from ${least} to ${most}`,
    )
    .transform(Number);
}

function readEnvFile(cwd: string): Record<string, string> {
  try {
    return parse(readFileSync(join(cwd, '.env')));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw new ConfigError([`.env in ${cwd} cannot be read: ${(error as Error).message}.`]);
  }
}

/** A variable set to nothing is a variable that is not set. */
function withoutEmpty(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const filled: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) if (value?.trim()) filled[name] = value.trim();
  return filled;
}
