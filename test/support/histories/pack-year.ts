/** Simulates a year that changes every record that an audit covered, on a test calendar. */
import type { Caller } from '../../../src/commands/organization/caller.ts';
import { firstOwnerId } from '../../../src/identity/installation/installation.ts';
import type { Calendar } from '../calendar.ts';
import { confirm, type Item, type Result, type ToolCaller } from '../mcp/mcp-client.ts';
import type { InstalledRegister } from '../run/installed.ts';
import { writeSmallRegister } from './small-register.ts';
import { daysAgo } from './story.ts';

const MONTHS = 12;
const MONTH_DAYS = 30;
/** Days from the audit's end to the present. */
export const YEAR_DAYS = MONTHS * MONTH_DAYS;

/** Families with the text field that changes each month. */
const TEXTS = {
  VENDOR: ['Vendors', 'name'],
  RISK: ['Risks', 'name'],
  MEASURE: ['Measures', 'name'],
  CONTROL: ['Controls', 'name'],
  OBLIGATION: ['Obligations', 'requirement'],
  NONCONFORMITY: ['Nonconformities', 'description'],
} as const;

/** Returns a caller of tools: the installation's owner, on stores that are open in this process. */
export function toolCallerOn({ register, installation }: InstalledRegister, organizationId: string): ToolCaller {
  const account_id = firstOwnerId(installation);
  const roles = new Map([[organizationId, 'OWNER' as const]]);
  const caller: Caller = { account_id, token_id: null, client: null, roles, members: roles, read_only: false };
  return {
    async ok(tool, args = {}) {
      const { json, status } = await register.tools.call(tool, args, { caller });
      if (status !== 200) throw new Error(`${tool} was refused: ${json}\n${JSON.stringify(args).slice(0, 500)}`);
      return JSON.parse(json) as Result;
    },
  };
}

/** Writes a register, and completes an audit with a finding and evidence. Returns the audit's id. */
export async function completeAudit(owner: ToolCaller, organization_id: string): Promise<string> {
  await writeSmallRegister(owner, organization_id);
  const { frameworks } = (await owner.ok('listFrameworks', { organization_id })) as unknown as { frameworks: Item[] };
  const plan = {
    name: 'Audit of the year',
    kind: 'INTERNAL',
    framework_id: frameworks[0]!.id,
    starts_on: daysAgo(0),
    period_from: daysAgo(30),
    period_until: daysAgo(-30),
  };
  const { audit } = (await owner.ok('addAudit', { organization_id, ...plan })) as unknown as { audit: Item };
  const finding = { description: 'Restores are not tested', severity: 'MAJOR', audit_id: audit.id };
  await owner.ok('addNonconformity', { organization_id, ...finding });
  const report = { name: 'The auditor’s report', sha256: 'ab'.repeat(32), record_ids: [audit.id] };
  await owner.ok('addEvidence', { organization_id, ...report });
  await owner.ok('updateAudit', { id: audit.id, state: 'COMPLETED', reason: 'Found out' });
  return audit.id;
}

/** The records that an audit saw, and the caller who changes them. */
interface Seen {
  owner: ToolCaller;
  organization_id: string;
  audit: string;
  /** Ids of the audit's evidence. */
  evidence: readonly string[];
}

/** Changes every record month by month. At the year's end, closes, archives and unlinks all of them. */
export async function changeEverything(
  { owner, organization_id, audit, evidence }: Seen,
  { forward }: Calendar,
): Promise<void> {
  const newIds: string[] = [];
  for (let month = 1; month <= MONTHS; month++) {
    forward(MONTH_DAYS);
    for (const [type, [plural, field]] of Object.entries(TEXTS)) {
      const ids = await idsOf(owner, organization_id, plural);
      const rows = ids.map((id, index) => ({ id, [field]: `${type} ${index}, as of month ${month}` }));
      await confirm(owner, 'importRecords', { organization_id, type, rows, reason: 'A new month' });
    }
    const [measure] = await idsOf(owner, organization_id, 'Measures');
    const screenshot = { name: `Seen in month ${month}`, url: `https://example.org/${month}`, record_ids: [measure] };
    const addAnswer = (await owner.ok('addEvidence', { organization_id, ...screenshot })) as unknown as {
      evidence: Item;
    };
    newIds.push(addAnswer.evidence.id);
    await owner.ok('addRisk', { organization_id, name: `New in month ${month}` });
  }
  await owner.ok('updateAudit', { id: audit, state: 'OUTDATED', reason: 'the year is over' });
  const measures = await idsOf(owner, organization_id, 'Measures');
  const findings = await idsOf(owner, organization_id, 'Nonconformities');
  const ids = [...evidence, ...newIds.slice(1), ...measures, ...findings];
  await confirm(owner, 'archiveRecords', { organization_id, ids, action: 'ARCHIVE', reason: 'a new beginning' });
}

async function idsOf(owner: ToolCaller, organization_id: string, plural: string): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await owner.ok(`list${plural}`, { organization_id, size: 100, ...(cursor ? { cursor } : {}) });
    const records = (page as unknown as Record<string, Item[]>)[plural.toLowerCase()]!;
    ids.push(...records.map(({ id }) => id));
    cursor = page.next_cursor;
  } while (cursor !== undefined);
  return ids;
}
