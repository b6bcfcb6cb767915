import { type DestinationStream, type Logger, pino } from 'pino';
import type { LogLevel } from '../config.ts';

export type { Logger };

const SECRETS = ['authorization', 'token', 'password'];

/**
 * Creates a logger that writes JSON lines to standard error. Standard output is for the output of commands. Removes secrets
 * up to two levels deep.
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
