import * as assert from 'uvu/assert';
import { callTool, callUntilAccepted, firstOrganization, getJson } from '../mcp/call-tool.ts';
import { until } from '../run/wait.ts';
import { startService } from '../service.ts';
import { checkStores } from './check-stores.ts';
import type { Pair } from './pairs.ts';
import { Writers } from './writers.ts';

/** An outage: the functions that start and end it, and the store that is down. */
export interface Outage {
  /** The store that health must name; others may be down too. Null if reads still work. */
  store: 'event_store' | 'read_store' | null;
  begin(service: { pid: number; dataDir: string }): Promise<void>;
  end(service: { pid: number; dataDir: string }): Promise<void>;
}

export interface Recovery {
  /** Longest answer during the outage, in milliseconds. */
  slowest: number;
  /** Milliseconds from the end of the outage to readiness. */
  ready: number;
}

const WRITERS = 6;
/** Limit for the answer to any call. */
const ANSWER_MS = 20_000;
const RECOVERY_MS = 15_000;

/**
 * Interrupts a store under load. During the outage, calls get `unavailable` and health names the store. Afterwards the
 * service recovers by itself, with no write lost and none done twice.
 */
export async function runOutage(pair: Pair, outage: Outage): Promise<Recovery> {
  const service = await startService({ ...pair.env, LOG_LEVEL: 'warn' });
  const { url, token } = service;
  const organization_id = await firstOrganization(url, token);
  const writers = await Writers.create(url, token, organization_id);
  writers.start([url], token, WRITERS);
  await until(() => writers.acknowledgedCount > 20, 20_000, 'writers make progress');

  await outage.begin(service);
  await writers.stop();
  const slowest = await checkDuring(url, token, writers, outage);
  await outage.end(service);

  const endedAt = performance.now();
  let lastError: unknown = null;
  const isReady = async () => {
    const [{ status }, { body }] = await Promise.all([
      getJson(`${url}/readyz`),
      getJson(`${url}/api/mcp/v1/health`, token),
    ]);
    lastError = body;
    return status === 200 && (body.projections as { state: string } | undefined)?.state === 'SERVING';
  };
  await until(isReady, RECOVERY_MS, 'ready again').catch((error: Error) => {
    throw new Error(`${error.message}: ${JSON.stringify(lastError)}\n${service.output().slice(-2_000)}`);
  });
  const ready = Math.round(performance.now() - endedAt);
  await writers.repeat(url, token);
  const { body } = await callUntilAccepted(url, token, 'listVendors', { organization_id, view: 'COUNT' });
  assert.is(body.total, writers.vendors, 'vendors');
  await service.stop();
  await checkStores(pair.env, writers);
  return { slowest, ready };
}

/** Checks the answers during the outage. @returns the slowest answer's milliseconds */
async function checkDuring(url: string, token: string, writers: Writers, outage: Outage): Promise<number> {
  let slowest = 0;
  const recordDuration = async <T>(work: Promise<T>) => {
    const startedAt = performance.now();
    const answer = await work;
    slowest = Math.max(slowest, Math.round(performance.now() - startedAt));
    return answer;
  };
  const callUntilRefused = async (tool: string, args: object) => {
    // A look-up of a token is cached for a second, so reads may still succeed at first.
    const reply = await until(
      async () => {
        const answer = await recordDuration(callTool(url, token, tool, args, { ms: ANSWER_MS }));
        return answer.status === 200 ? null : answer;
      },
      ANSWER_MS,
      `${tool} is refused`,
    );
    assert.is(reply.status, 503, JSON.stringify(reply.body));
    assert.is(reply.code, 'unavailable');
    assert.match(reply.retryAfter ?? '', /^[1-9]\d*$/);
  };
  const input = writers.newAddition('During the outage');
  const { organization_id } = input;
  const reads =
    outage.store === null
      ? []
      : [callUntilRefused('listVendors', { organization_id }), callUntilRefused('listOrganizations', {})];
  await Promise.all([callUntilRefused('addVendor', input), ...reads]);
  if (outage.store === null) await callUntilAccepted(url, token, 'listVendors', { organization_id }, 0);
  assert.is((await getJson(`${url}/livez`)).status, 200);
  if (outage.store === null) await untilFailing(url, token);
  else await untilDown(url, token, outage.store);
  return slowest;
}

async function untilDown(url: string, token: string, store: string): Promise<void> {
  await until(async () => (await getJson(`${url}/readyz`)).status === 503, ANSWER_MS, 'not ready');
  const { status, body } = await getJson(`${url}/api/mcp/v1/health`, token);
  assert.is(status, 503);
  assert.is((body.stores as Record<string, string> | undefined)?.[store], 'DOWN', JSON.stringify(body));
}

/** Waits until health reports that the projections fail, while reads still work. */
async function untilFailing(url: string, token: string): Promise<void> {
  const isFailing = async () => {
    const { status, body } = await getJson(`${url}/api/mcp/v1/health`, token);
    const { state } = body.projections as { state: string };
    return state === 'FAILING' && body.status === 'degraded' && status === 200;
  };
  await until(isFailing, ANSWER_MS, 'the projections are failing');
}
