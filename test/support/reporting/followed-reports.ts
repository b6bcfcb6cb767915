/** Waits for the reporting database of a service in its own process, and compares it with one that is made anew. */
import * as assert from 'uvu/assert';
import { REPORTING_SCHEMA } from '../../../src/reporting/tables.ts';
import { Session } from '../mcp/mcp-client.ts';
import { until } from '../run/wait.ts';
import type { Service } from '../service.ts';
import { veritrail } from '../stores/shared-pair.ts';
import type { ReportingDatabase } from './reporting-database.ts';

const LIMIT_MS = 60_000;

/** Tables that another loop writes, or that say how far the others are. */
const OTHERS = ['people', 'progress'];

export interface ReportingHealth {
  state: string;
  problem?: string;
}

export async function reportingHealth({ url }: Pick<Service, 'url'>, token: string): Promise<ReportingHealth> {
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(`${url}/api/mcp/v1/health`, { headers });
  return ((await answer.json()) as { reporting?: ReportingHealth }).reporting ?? { state: 'UNKNOWN' };
}

/** Waits until a service's reporting database is in this state. */
export function reportingBecomes(service: Pick<Service, 'url'>, token: string, state: string): Promise<unknown> {
  const is = async () => (await reportingHealth(service, token)).state === state;
  return until(is, LIMIT_MS, `the reporting database is ${state}`);
}

export async function firstOrganizationId({ url }: Pick<Service, 'url'>, token: string): Promise<string> {
  return (await new Session(url, token).ok('listOrganizations')).organizations[0]!.id;
}

/** Adds vendors to the first organization. */
export async function addVendors(service: Pick<Service, 'url'>, token: string, count: number): Promise<void> {
  const session = new Session(service.url, token);
  const organization_id = await firstOrganizationId(service, token);
  for (let number = 0; number < count; number += 1)
    await session.ok('addVendor', { organization_id, name: `Vendor ${crypto.randomUUID()}` });
}

/** Waits until the database has every event of the first organization. */
export async function followed(
  service: Pick<Service, 'url'>,
  token: string,
  database: ReportingDatabase,
): Promise<void> {
  const session = new Session(service.url, token);
  const organization_id = await firstOrganizationId(service, token);
  const { changes } = await session.ok('listChanges', { organization_id, size: 1 });
  const newest = Number(changes[0]!.position);
  const reached = async () =>
    Math.min(
      ...(await database.rows('progress'))
        .filter((row) => row.organization_id === organization_id)
        .map(({ position }) => Number(position)),
    );
  const isThere = async () => Number.isFinite(await reached()) && (await reached()) >= newest;
  await until(isThere, LIMIT_MS, 'the database follows');
}

/** Returns what the rows were made from; null while they must be made anew. */
export async function sourceOf(database: ReportingDatabase): Promise<string | null> {
  return ((await database.rows('_source'))[0]?.source as string | undefined) ?? null;
}

/** Waits until all rows are made from another source. */
export async function madeAnew(database: ReportingDatabase, before: string | null): Promise<void> {
  const isAnew = async () => ![before, null].includes(await sourceOf(database));
  await until(isAnew, LIMIT_MS, 'the rows are made anew');
}

/** Makes all rows anew, and compares them with those before. */
export async function assertEqualsRebuild(env: Record<string, string>, database: ReportingDatabase): Promise<void> {
  const rows = await dump(database);
  assert.ok(rows.vendors!.length > 0);
  const before = await sourceOf(database);
  await veritrail(env, 'rebuild');
  await madeAnew(database, before);
  const again = await dump(database);
  for (const [table, content] of Object.entries(rows)) assert.equal(content, again[table], table);
}

/** Returns the sorted rows of the tables that follow the read models. */
async function dump(database: ReportingDatabase): Promise<Record<string, string[]>> {
  const names = REPORTING_SCHEMA.tables.map(({ name }) => name).filter((name) => !OTHERS.includes(name));
  const rowsOf = async (name: string) =>
    [name, (await database.rows(name)).map((row) => JSON.stringify(row)).sort()] as const;
  return Object.fromEntries(await Promise.all(names.map(rowsOf)));
}
