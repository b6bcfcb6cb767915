import { type DestinationStream, type Logger, pino } from 'pino';
import type { LogLevel } from './config.ts';

export type { Logger };

const SECRETS = ['authorization', 'token', 'password'];

/**
 * A logger that writes JSON lines to standard error; standard output is for what people asked for. Secrets are taken
 * out of whatever is logged, up to two levels deep.
 */
export function createLogger(level: LogLevel, destination: DestinationStream = pino.destination(2)): Logger {
  return pino(
    {
      level,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: SECRETS.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]),
    },
    destination,
  );
}
