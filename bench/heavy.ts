import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { tempFolder } from './bench-register.ts';
import { compareDuringCalls, post } from './http.ts';
import { MCP_HEADERS } from './http-requests.ts';
import { atMost, type Figure, figure } from './measure.ts';
import { spawnService, stop } from './start.ts';

const COMMAND = fileURLToPath(new URL('../bin/veritrail.js', import.meta.url));
const IMPORT_ROWS = 200;

/** Measures getRecords on the started service while another credential sends the most expensive calls that it may. */
export async function heavyFigures(vendors: number): Promise<Figure[]> {
  const folder = tempFolder();
  const first = await spawnService(folder);
  const token = /\bvtr_\w+/.exec(first.output)![0];
  await stop(first.child);
  const otherToken = createToken(folder);
  const { child, url } = await spawnService(folder);
  try {
    const { organizationId, id, position } = await importVendors(url, token, vendors);
    const port = Number(new URL(url).port);
    const read = post(port, '/api/mcp/v1', token, callOf('getRecords', { ids: [id] }));
    const calls = expensiveCalls(organizationId, position);
    for (const body of calls.values()) await requireAnswer(url, otherToken, body);
    const { value, baseline, worst } = await compareDuringCalls(port, read, otherToken, calls);
    const name = `getRecords, ${vendors.toLocaleString('en')} vendors, p99 while another credential sends ${worst}`;
    return [figure(`${name}, 20 concurrent; baseline: p99 without them`, 'ms', value, baseline, atMost(2))];
  } finally {
    await stop(child);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The most expensive valid calls, by name. @param position the newest one */
function expensiveCalls(organization_id: string, position: string): Map<string, string> {
  const calls: [string, string, object][] = [
    ['a report of all changes', 'getReport', { type: 'CHANGES_BETWEEN', from: '1', to: position }],
    ['a report of due items', 'getReport', { type: 'DUE_ITEMS' }],
    ['a verification of all changes', 'listChanges', { verify: true, view: 'COUNT' }],
    ['a count of words', 'listVendors', { filter: { query: 'provides' }, view: 'COUNT' }],
    ['a full page of 100', 'listVendors', { view: 'FULL', size: 100 }],
  ];
  return new Map(
    calls.map(([title, name, args]) => [title, JSON.stringify(callOf(name, { organization_id, ...args }))]),
  );
}

export const callOf = (name: string, args: object) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: args },
});

/** Sends a call once. The first ones start what only such calls need. @throws Error if the call is refused */
async function requireAnswer(url: string, token: string, body: string): Promise<void> {
  const headers = { ...MCP_HEADERS, Authorization: `Bearer ${token}` };
  const answer = await (await fetch(`${url}/api/mcp/v1`, { method: 'POST', headers, body })).text();
  if (!answer.includes('"structuredContent"') || answer.includes('"isError"')) throw new Error(`${body}: ${answer}`);
}

/** Creates another credential of the same organization, while no service runs. */
function createToken(folder: string): string {
  const env = { ...process.env, DATA_DIR: folder, EVENTSTORE_URL: '', MONGODB_URL: '' };
  const args = [COMMAND, 'token', 'create', '--name', 'other', '--role', 'ADMIN'];
  const { stdout, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' });
  return /\bvtr_\w+/.exec(stdout + stderr)![0];
}

/** Imports vendors. Returns their organization, one's id, and the newest position. */
export async function importVendors(url: string, token: string, vendors: number) {
  const call = async (tool: string, args: object) => {
    const headers = { ...MCP_HEADERS, Authorization: `Bearer ${token}` };
    const response = await fetch(`${url}/api/mcp/tools/${tool}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(args),
    });
    if (!response.ok) throw new Error(`${tool}: ${await response.text()}`);
    return response.json();
  };
  const { organizations } = (await call('listOrganizations', {})) as { organizations: { id: string }[] };
  const organization_id = organizations[0]!.id;
  for (let imported = 0; imported < vendors; imported += IMPORT_ROWS) {
    const rows = Array.from({ length: Math.min(IMPORT_ROWS, vendors - imported) }, (_, row) => ({
      name: `Supplier ${imported + row}`,
      description: `Provides thing ${row} to the company`,
      country: 'DE',
      criticality: 'HIGH',
    }));
    await call('importRecords', { organization_id, type: 'VENDOR', rows });
  }
  const [vendor] = ((await call('listVendors', { size: 1 })) as { vendors: { id: string }[] }).vendors;
  const [change] = ((await call('listChanges', { size: 1 })) as { changes: { position: string }[] }).changes;
  return { organizationId: organization_id, id: vendor!.id, position: change!.position };
}
