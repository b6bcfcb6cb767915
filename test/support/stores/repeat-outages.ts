import { setTimeout as pause } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { callTool, callUntilAccepted, firstOrganization, getJson } from '../mcp/call-tool.ts';
import { until } from '../run/wait.ts';
import { type Service, startService } from '../service.ts';
import type { KillableMongo } from './mongodb.ts';

export interface OutageReport {
  calls: number;
  /** Number of answers by status; 0 means no answer. */
  statuses: Record<string, number>;
  /** Milliseconds of the slowest call that began during an outage, and of the slowest that an outage interrupted. */
  slowestNew: number;
  slowestNewWrite: number;
  slowestUnderWay: number;
  stopped: number;
}

const CALLERS = 8;
const ANSWER_MS = 20_000;
const BACK_MS = 20_000;

/** A call with its start and end time. */
interface TimedCall {
  tool: string;
  from: number;
  to: number;
  status: number;
  body: unknown;
}

/**
 * Repeatedly interrupts the server of read models and accounts under load, at different moments. No call may be
 * answered `internal`, and every acknowledged write must be readable in the end.
 * @param fault kills and restarts the server, or freezes and resumes it
 */
export async function repeatOutages(
  mongo: KillableMongo,
  rounds: number,
  fault: 'KILL' | 'FREEZE',
): Promise<OutageReport> {
  const service = await startService({ MONGODB_URL: mongo.url, LOG_LEVEL: 'warn' });
  const { url, token } = service;
  const organization_id = await firstOrganization(url, token);
  const first = await callUntilAccepted(url, token, 'addVendor', { organization_id, name: 'First' });
  const { id } = first.body.vendor as { id: string };
  const calls: TimedCall[] = [];
  const outages: { from: number; to: number }[] = [];
  const addedIds = new Set<string>();
  let isRunning = true;
  const callOnce = async (tool: string, args: object) => {
    const from = performance.now();
    const reply = await callTool(url, token, tool, args, { ms: ANSWER_MS }).catch(() => null);
    calls.push({ tool, from, to: performance.now(), status: reply?.status ?? 0, body: reply?.body });
    return reply;
  };
  const callers = Array.from({ length: CALLERS }, async (_, index) => {
    for (let n = 0; isRunning; n++) {
      if (index % 4 === 0) {
        const name = `Vendor ${index} ${n}`;
        if ((await callOnce('addVendor', { organization_id, name }))?.status === 200) addedIds.add(name);
      } else if (index % 4 === 1) await callOnce('getRecords', { ids: [id] });
      else if (index % 4 === 2) await callOnce('listVendors', { organization_id, filter: { query: 'vendor' } });
      else await callOnce('listOrganizations', {});
      // `unavailable` is answered immediately, so wait before the next call, as a client does.
      if (calls.at(-1)?.status !== 200) await pause(20);
    }
  });
  for (let round = 0; round < rounds; round++) {
    await pause(50 + Math.random() * 400);
    const from = performance.now();
    if (fault === 'KILL') await mongo.kill();
    else mongo.freeze();
    await pause(round % 3 === 0 ? 2_500 : Math.random() * 600);
    outages.push({ from, to: performance.now() });
    if (fault === 'KILL') await mongo.start();
    else mongo.resume();
    await until(async () => (await getJson(`${url}/readyz`)).status === 200, BACK_MS, `round ${round}: ready again`);
  }
  isRunning = false;
  await Promise.all(callers);
  const total = async () =>
    (await callUntilAccepted(url, token, 'listVendors', { organization_id, view: 'COUNT' })).body.total;
  await until(async () => Number(await total()) > addedIds.size, BACK_MS, 'every acknowledged write can be read');
  const stopped = await stopWithout(service, mongo);
  const internal = calls.filter(({ status }) => status === 500 || status === 0);
  assert.equal(internal, [], service.output().slice(-4_000));
  assert.not.match(service.output(), /access log lost/);
  return { calls: calls.length, statuses: countByStatus(calls), ...slowest(calls, outages), stopped };
}

/** Stops the service while the server is down. @returns the milliseconds that it took */
async function stopWithout(service: Service, mongo: KillableMongo): Promise<number> {
  await mongo.kill();
  const startedAt = performance.now();
  await service.stop();
  return Math.round(performance.now() - startedAt);
}

function countByStatus(calls: readonly TimedCall[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status } of calls) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

function slowest(calls: readonly TimedCall[], outages: readonly { from: number; to: number }[]) {
  const maxDuration = (timed: readonly TimedCall[]) =>
    Math.round(Math.max(0, ...timed.map(({ from, to }) => to - from)));
  const isDuringOutage = (moment: number) => outages.some(({ from, to }) => moment >= from && moment < to);
  const isWrite = ({ tool }: TimedCall) => tool === 'addVendor';
  const isCutShort = ({ from, to }: TimedCall) =>
    !isDuringOutage(from) && outages.some((outage) => from < outage.from && to > outage.from);
  return {
    slowestNew: maxDuration(calls.filter((call) => isDuringOutage(call.from) && !isWrite(call))),
    slowestNewWrite: maxDuration(calls.filter((call) => isDuringOutage(call.from) && isWrite(call))),
    slowestUnderWay: maxDuration(calls.filter(isCutShort)),
  };
}
