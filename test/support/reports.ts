import { createHash } from 'node:crypto';
import * as assert from 'uvu/assert';
import type { Asker } from './mcp-client.ts';

type Json = Record<string, unknown>;

export interface ReportFigure {
  name: string;
  group: string;
  label: string;
  kind: 'COUNT' | 'SHARE';
  value: number | null;
  counts: string;
  change?: Record<string, number | null>;
}

/** A report as JSON, all of its pages. */
export interface WholeReport extends Json {
  type: string;
  position: string;
  today: string;
  digest: string;
  about: { label: string; value: string }[];
  data: { figures: ReportFigure[]; sections: { name: string; note?: string; rows: Json[] }[] };
  people: Record<string, string>;
  /** Of a pack alone. */
  proof?: { verification?: { verdict: string; complete: boolean } };
}

/** How a report is asked for: a tool's answer, or an error that is thrown. */
export type Ask = (input: object) => Promise<unknown>;

export const asking = (session: Asker, organization_id: string): Ask => {
  return (input) => session.ok('getReport', { organization_id, ...input }) as Promise<unknown>;
};

/** The members of a report that are not in its digest. */
const BESIDE = [
  'generated_at',
  'digest',
  'people',
  'incomplete',
  'left_out',
  'truncated',
  'whole',
  'proof',
  'pending_seal',
];

/** All pages of a report as one, each of which has to fit an answer and to have the same head. */
export async function wholeReport(ask: Ask, input: object): Promise<WholeReport & { pages: number }> {
  let whole: WholeReport | null = null;
  let pages = 0;
  let cursor: string | undefined;
  do {
    const answer = (await ask({ ...input, format: 'JSON', ...(cursor ? { cursor } : {}) })) as {
      report: WholeReport;
      next_cursor?: string;
    };
    assert.ok(JSON.stringify(answer).length <= 60_000, 'an answer is too long');
    pages += 1;
    const { report } = answer;
    if (whole === null) whole = report;
    else join(whole, report);
    cursor = answer.next_cursor;
    assert.is(report.left_out === undefined, cursor === undefined, 'what is left out is said, while there is any');
  } while (cursor !== undefined);
  return { ...whole, pages };
}

function join(whole: WholeReport, page: WholeReport): void {
  assert.is(page.digest, whole.digest);
  assert.is(page.data.figures, undefined);
  Object.assign(whole.people, page.people);
  for (const { name, rows } of page.data.sections) {
    const known = whole.data.sections.find((section) => section.name === name);
    if (known) known.rows.push(...rows);
    else whole.data.sections.push({ name, rows });
  }
}

/** A report's digest, worked out of what was answered, as the reference says. */
export function digestOfAnswer(report: WholeReport & { pages?: number }): string {
  const { pages: _pages, ...members } = report;
  const digested = Object.entries(members).filter(([name]) => !BESIDE.includes(name));
  return createHash('sha256')
    .update(sorted(Object.fromEntries(digested)))
    .digest('hex');
}

/** JSON with sorted names and nothing between: RFC 8785, for what reports hold. */
function sorted(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sorted).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${sorted(member)}`).join(',')}}`;
}

export function figuresOf({ data }: WholeReport): Record<string, number | null> {
  return Object.fromEntries(data.figures.map(({ name, value }) => [name, value]));
}

export function rowsOf({ data }: WholeReport, section: string): Json[] {
  return data.sections.find(({ name }) => name === section)?.rows ?? [];
}

/** The text of a report in a format, all of its pages put behind one another. */
export async function textOfReport(ask: Ask, input: object): Promise<{ pages: string[]; digest: string }> {
  const pages: string[] = [];
  let digest = '';
  let cursor: string | undefined;
  do {
    const answer = (await ask({ ...input, ...(cursor ? { cursor } : {}) })) as {
      report: { content: string; digest: string };
      next_cursor?: string;
    };
    assert.ok(JSON.stringify(answer).length <= 60_000, 'an answer is too long');
    pages.push(answer.report.content);
    digest = answer.report.digest;
    cursor = answer.next_cursor;
  } while (cursor !== undefined);
  return { pages, digest };
}
