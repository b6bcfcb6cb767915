import { firstOrganization } from '../mcp/call-tool.ts';
import { startService } from '../service.ts';
import { checkStores } from '../stores/check-stores.ts';
import type { Pair } from '../stores/pairs.ts';
import { Writers } from '../stores/writers.ts';
import { until } from './wait.ts';

const WRITERS = 8;
/** Acknowledged writes before each kill, plus a few. */
const WRITES_PER_ROUND = 20;

export interface KillReport {
  rounds: number;
  writes: number;
  /** Milliseconds from the start of a killed service's process until it was ready. */
  slowestStart: number;
}

/**
 * Kills the service under load, again and again. Each time, no acknowledged write may be lost, and repeated writes must be
 * done once. Chains must verify, and a rebuild must equal the stored read models.
 */
export async function killRounds(pair: Pair, rounds: number): Promise<KillReport> {
  let service = await startService({ ...pair.env, LOG_LEVEL: 'warn' });
  const { token } = service;
  const writers = await Writers.create(service.url, token, await firstOrganization(service.url, token));
  let slowestStart = 0;
  for (let round = 0; round < rounds; round++) {
    const before = writers.acknowledgedCount;
    const firstWrite = writers.writes.length;
    writers.start([service.url], token, WRITERS);
    await until(
      () => writers.acknowledgedCount >= before + WRITES_PER_ROUND + (round % 7),
      20_000,
      'writers make progress',
    );
    await service.kill();
    await writers.stop();
    await checkStores(pair.env, writers);

    const startedAt = performance.now();
    service = await startService({ ...pair.env, LOG_LEVEL: 'warn' });
    slowestStart = Math.max(slowestStart, performance.now() - startedAt);
    await writers.repeat(service.url, token, writers.writes.slice(firstWrite));
  }
  await writers.repeat(service.url, token);
  await service.stop();
  await checkStores(pair.env, writers);
  return { rounds, writes: writers.acknowledgedCount, slowestStart: Math.round(slowestStart) };
}
