import { rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { organizationAddress, reportFileAddress } from '../src/addresses/page-addresses.ts';
import { requireOwnerAccount } from '../src/cli/accounts/caller-for.ts';
import { withInstallation } from '../src/cli/with-installation.ts';
import { randomId } from '../src/commands/engine/ids.ts';
import { accountActor } from '../src/identity/memberships/actor.ts';
import { tempFolder } from './bench-register.ts';
import type { RepeatedRequest } from './concurrent-calls.ts';
import { callRequest, latencies, percentile, post, whileSending } from './http.ts';
import { callOf, importVendors } from './import-vendors.ts';
import { atMost, type Figure, figure, median } from './measure.ts';
import { spawnService, stop } from './start.ts';

/** The tokens of one member, each of which waits for an answer at any time. */
const TOKENS = 100;
/** Calls of the other member, one after another, or fewer if these seconds are over. */
const CALLS = 300;
const MAX_MS = 5_000;
/** Until the reads whose clients left have ended. */
const SETTLE_MS = 2_000;

/** A member who takes as much as the service gives. */
interface GreedyMember {
  tokens: readonly string[];
  /** The value of the session's cookie. */
  cookie: string;
}

/**
 * Measures the calls of a member on the started service, while another member with 100 tokens sends the dearest requests
 * that a role with history and reports may send. The other member is an AUDITOR.
 */
export async function fairnessFigures(vendors: number): Promise<Figure[]> {
  const folder = tempFolder();
  const first = await spawnService(folder);
  const token = /\bvtr_\w+/.exec(first.output)![0];
  const { organizationId, id, position } = await importVendors(first.url, token, vendors);
  await stop(first.child);
  const member = await addGreedyMember(folder, organizationId);
  const { child, url } = await spawnService(folder);
  try {
    const port = Number(new URL(url).port);
    const call = (name: string, args: object) =>
      post(port, '/api/mcp/v1', token, callOf(name, { organization_id: organizationId, ...args }));
    const calls = new Map([
      ['getRecords', post(port, '/api/mcp/v1', token, callOf('getRecords', { ids: [id] }))],
      ['listVendors COUNT', call('listVendors', { view: 'COUNT', filter: { query: 'provides' } })],
      ['DUE_ITEMS', call('getReport', { type: 'DUE_ITEMS' })],
    ]);
    const requests = dearestRequests(organizationId, position, member);
    return await compareCalls(port, calls, requests, vendors.toLocaleString('en'));
  } finally {
    await stop(child);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Adds the member while no service runs. */
async function addGreedyMember(folder: string, organizationId: string): Promise<GreedyMember> {
  const env = { ...process.env, DATA_DIR: folder, EVENTSTORE_URL: '', MONGODB_URL: '' };
  const shell = { env, cwd: folder, out: () => undefined, err: () => undefined };
  const tokens: string[] = [];
  let cookie = '';
  await withInstallation(
    shell,
    async (service) => {
      const { accounts, members, people, tokens: issued } = service;
      const ownerId = await requireOwnerAccount(service, organizationId);
      const fields = { name: 'Greedy', email: null, password: null, subject: null, totp: null, recovery: [] };
      const account = { id: randomId('acc'), generation: 0, erased_at: null, organizations: [], ...fields };
      await accounts.insert('accounts', account);
      await members.add(organizationId, account.id, 'AUDITOR', accountActor(ownerId));
      for (let index = 0; index < TOKENS; index++) {
        const name = `token ${index}`;
        const newToken = { name, account_id: account.id, role: 'AUDITOR', organizations: [organizationId] } as const;
        tokens.push((await issued.create(newToken)).token);
      }
      cookie = (await people.sessions.create(account, { address: '127.0.0.1', agent: 'bench' }, 'SIGNED_IN')).cookie;
    },
    { writes: true },
  );
  return { tokens, cookie };
}

/** Returns the dearest requests that a member may send, one for each token or connection, by name. */
function dearestRequests(
  organization_id: string,
  position: string,
  { tokens, cookie }: GreedyMember,
): Map<string, RepeatedRequest[]> {
  const calls = (name: string, args: object) =>
    tokens.map((token) => callRequest(token, JSON.stringify(callOf(name, { organization_id, ...args }))));
  const get = (path: string, headers: Record<string, string>): RepeatedRequest => ({
    method: 'GET',
    path,
    headers,
    body: '',
  });
  const files = (path: string) => tokens.map((token) => get(path, { Authorization: `Bearer ${token}` }));
  const pages = (path: string) => tokens.map(() => get(path, { Cookie: `veritrail=${cookie}` }));
  const reports = calls('getReport', { type: 'CHANGES_BETWEEN', from: '1', to: position });
  const counts = calls('listVendors', { view: 'COUNT', filter: { query: 'provides' }, as_of: position });
  const htmlFiles = files(reportFileAddress(organization_id, 'CHANGES_BETWEEN', { from: '1', format: 'html' }));
  const comparisons = pages(organizationAddress(organization_id, '/compare', { from: '1' }));
  const mixture = [reports, counts, htmlFiles, comparisons].flatMap((requests, kind) =>
    requests.filter((_, index) => index % 4 === kind),
  );
  return new Map([
    ['reports of all changes', reports],
    ['postures of each month', calls('getReport', { type: 'POSTURE', trend: 'MONTH' })],
    ['counts of words in the past', counts],
    ['verifications of all changes', calls('listChanges', { verify: true, view: 'COUNT' })],
    ['full pages of 100', calls('listVendors', { view: 'FULL', size: 100 })],
    ['HTML files of all changes', htmlFiles],
    ['pages that compare with the beginning', comparisons],
    ['reports, counts, files and pages', mixture],
  ]);
}

/** Returns each call's 99th percentile during the requests that delay it most, and that without any. */
async function compareCalls(
  port: number,
  calls: ReadonlyMap<string, Buffer>,
  requests: ReadonlyMap<string, readonly RepeatedRequest[]>,
  vendors: string,
): Promise<Figure[]> {
  const measure = async () => {
    const p99s = new Map<string, number>();
    for (const [name, call] of calls) p99s.set(name, await p99Of(port, call));
    return p99s;
  };
  await measure();
  const idle: Map<string, number>[] = [];
  const busy: [string, Map<string, number>][] = [];
  for (const [name, repeated] of requests) {
    await delay(SETTLE_MS);
    idle.push(await measure());
    busy.push([name, await whileSending(port, repeated, measure, 2)]);
  }
  return [...calls.keys()].map((name) => {
    const [worst, p99s] = busy.reduce((a, b) => (b[1].get(name)! > a[1].get(name)! ? b : a));
    const title = `${name}, ${vendors} vendors, p99 while another member’s ${TOKENS} tokens ask for ${worst}`;
    const baseline = median(idle.map((p99) => p99.get(name)!));
    return figure(`${title}; baseline: p99 without them`, 'ms', p99s.get(name)!, baseline, atMost(3));
  });
}

async function p99Of(port: number, call: Buffer): Promise<number> {
  const end = performance.now() + MAX_MS;
  let left = CALLS;
  const durationsMs = await latencies(port, call, () => left-- > 0 && performance.now() < end, 1);
  return percentile(durationsMs, 0.99);
}
