import { firstOrganization } from './faults-calls.ts';
import { checkStores } from './faults-check.ts';
import { Writers } from './faults-writers.ts';
import type { Pair } from './pairs.ts';
import { startService } from './service.ts';
import { until } from './wait.ts';

const WRITERS = 8;
/** A round's kill comes after this many further acknowledged writes, or a few more. */
const WRITES = 20;

export interface Killed {
  rounds: number;
  writes: number;
  /** Milliseconds from the start of a killed service's process until it was ready. */
  slowestStart: number;
}

/**
 * Kills the service under writers, again and again. Each time nothing acknowledged may be lost, nothing done twice when
 * all is given again, the chains must hold, and a rebuild must equal the kept read models.
 */
export async function killRounds(pair: Pair, rounds: number): Promise<Killed> {
  let service = await startService({ ...pair.env, LOG_LEVEL: 'warn' });
  const { token } = service;
  const writers = await Writers.on(service.url, token, await firstOrganization(service.url, token));
  let slowestStart = 0;
  for (let round = 0; round < rounds; round++) {
    const before = writers.acknowledged;
    const given = writers.writes.length;
    writers.start([service.url], token, WRITERS);
    await until(() => writers.acknowledged >= before + WRITES + (round % 7), 20_000, 'writers get on');
    await service.kill();
    await writers.stop();
    await checkStores(pair.env, writers);

    const started = performance.now();
    service = await startService({ ...pair.env, LOG_LEVEL: 'warn' });
    slowestStart = Math.max(slowestStart, performance.now() - started);
    await writers.repeat(service.url, token, writers.writes.slice(given));
  }
  await writers.repeat(service.url, token);
  await service.stop();
  await checkStores(pair.env, writers);
  return { rounds, writes: writers.acknowledged, slowestStart: Math.round(slowestStart) };
}
