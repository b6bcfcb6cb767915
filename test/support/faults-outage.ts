import * as assert from 'uvu/assert';
import { call, firstOrganization, insist, look } from './faults-calls.ts';
import { checkStores } from './faults-check.ts';
import { Writers } from './faults-writers.ts';
import type { Pair } from './pairs.ts';
import { startService } from './service.ts';
import { until } from './wait.ts';

/** What goes wrong, and how it ends. */
export interface Outage {
  /** The store that health must name; others may be away with it. Null where stores can be read all the same. */
  store: 'event_store' | 'read_store' | null;
  begin(service: { pid: number; dataDir: string }): Promise<void>;
  end(service: { pid: number; dataDir: string }): Promise<void>;
}

export interface Recovery {
  /** Longest answer during the outage, in milliseconds. */
  slowest: number;
  /** From the end of the outage to readiness. */
  ready: number;
}

const WRITERS = 6;
/** No call may leave its caller without an answer for longer. */
const ANSWER_MS = 20_000;
const RECOVERY_MS = 15_000;

/**
 * A store goes away under writers and comes back: meanwhile calls are answered `unavailable`, health names the store,
 * and afterwards the service goes on by itself with nothing lost and nothing doubled.
 */
export async function goThrough(pair: Pair, outage: Outage): Promise<Recovery> {
  const service = await startService({ ...pair.env, LOG_LEVEL: 'warn' });
  const { url, token } = service;
  const organization_id = await firstOrganization(url, token);
  const writers = await Writers.on(url, token, organization_id);
  writers.start([url], token, WRITERS);
  await until(() => writers.acknowledged > 20, 20_000, 'writers get on');

  await outage.begin(service);
  await writers.stop();
  const slowest = await during(url, token, writers, outage);
  await outage.end(service);

  const ended = performance.now();
  let seen: unknown = null;
  const isReady = async () => {
    const [{ status }, { body }] = await Promise.all([look(`${url}/readyz`), look(`${url}/api/mcp/v1/health`, token)]);
    seen = body;
    return status === 200 && (body.projections as { state: string } | undefined)?.state === 'SERVING';
  };
  await until(isReady, RECOVERY_MS, 'ready again').catch((error: Error) => {
    throw new Error(`${error.message}: ${JSON.stringify(seen)}\n${service.output().slice(-2_000)}`);
  });
  const ready = Math.round(performance.now() - ended);
  await writers.repeat(url, token);
  const { body } = await insist(url, token, 'listVendors', { organization_id, view: 'COUNT' });
  assert.is(body.total, writers.vendors, 'vendors');
  await service.stop();
  await checkStores(pair.env, writers);
  return { slowest, ready };
}

/** @returns the slowest answer's time */
async function during(url: string, token: string, writers: Writers, outage: Outage): Promise<number> {
  let slowest = 0;
  const timed = async <T>(work: Promise<T>) => {
    const started = performance.now();
    const answer = await work;
    slowest = Math.max(slowest, Math.round(performance.now() - started));
    return answer;
  };
  const refused = async (tool: string, args: object) => {
    // A token that has just been looked up is believed for a second, and reads may need no more than what is left.
    const reply = await until(
      async () => {
        const answer = await timed(call(url, token, tool, args, { ms: ANSWER_MS }));
        return answer.status === 200 ? null : answer;
      },
      ANSWER_MS,
      `${tool} is refused`,
    );
    assert.is(reply.status, 503, JSON.stringify(reply.body));
    assert.is(reply.code, 'unavailable');
    assert.match(reply.retryAfter ?? '', /^[1-9]\d*$/);
  };
  const args = writers.oneMore('In bad times');
  const { organization_id } = args;
  const reads =
    outage.store === null ? [] : [refused('listVendors', { organization_id }), refused('listOrganizations', {})];
  await Promise.all([refused('addVendor', args), ...reads]);
  if (outage.store === null) await insist(url, token, 'listVendors', { organization_id }, 0);
  assert.is((await look(`${url}/livez`)).status, 200);
  if (outage.store === null) await untilFailing(url, token);
  else await untilDown(url, token, outage.store);
  return slowest;
}

async function untilDown(url: string, token: string, store: string): Promise<void> {
  await until(async () => (await look(`${url}/readyz`)).status === 503, ANSWER_MS, 'not ready');
  const { status, body } = await look(`${url}/api/mcp/v1/health`, token);
  assert.is(status, 503);
  assert.is((body.stores as Record<string, string> | undefined)?.[store], 'DOWN', JSON.stringify(body));
}

/** What can be read still is, but it is no secret that it falls behind. */
async function untilFailing(url: string, token: string): Promise<void> {
  const state = async () => (await look(`${url}/api/mcp/v1/health`, token)).body.projections as { state: string };
  await until(async () => (await state()).state === 'FAILING', ANSWER_MS, 'the projections are failing');
}
