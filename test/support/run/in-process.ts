import { createLogger } from '../../../src/app/logger.ts';
import { startApp } from '../../../src/app.ts';
import { readConfig } from '../../../src/config.ts';
import { rememberClock } from '../clock.ts';
import type { Running } from '../service.ts';
import { until } from './wait.ts';

const START_MS = 30_000;

/**
 * Starts the service on the stores of `env` in the test's own process, because a separate process takes seconds of
 * computing before it listens. It logs warnings, or what LOG_LEVEL says.
 */
export async function startHere(env: Record<string, string>): Promise<Running> {
  rememberClock(env.DATA_DIR!);
  let output = '';
  const write = (line: string) => {
    output += line;
  };
  const config = readConfig({ CLIENT_METADATA_FETCH: 'off', LOG_LEVEL: 'warn', ...env, PORT: '0' }, env.DATA_DIR!);
  const { port, firstToken, setupLink, stop } = await startApp(config, createLogger(config.logLevel, { write }));
  const url = `http://127.0.0.1:${port}`;
  if (setupLink !== null) output += `${url}/welcome?key=${setupLink}\n`;
  await until(async () => (await fetch(`${url}/readyz`)).ok, START_MS, 'the service is ready');
  return { url, token: firstToken ?? '', output: () => output, stop };
}
