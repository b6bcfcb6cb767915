import { createHash } from 'node:crypto';
import * as assert from 'uvu/assert';
import type { ToolCaller } from './mcp/mcp-client.ts';

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

/** All pages of a report as JSON, joined. */
export interface WholeReport extends Json {
  type: string;
  position: string;
  today: string;
  digest: string;
  about: { label: string; value: string }[];
  data: { figures: ReportFigure[]; sections: { name: string; note?: string; rows: Json[] }[] };
  people: Record<string, string>;
  /** Only in an audit pack. */
  proof?: { verification?: { verdict: string; complete: boolean } };
}

/** Calls getReport and returns its answer, or throws. */
export type GetReport = (input: object) => Promise<unknown>;

export const reportCaller = (session: ToolCaller, organization_id: string): GetReport => {
  return (input) => session.ok('getReport', { organization_id, ...input }) as Promise<unknown>;
};

/** The members of a report's head that its digest covers. */
const DIGESTED_HEAD_FIELDS = ['report_version', 'type', 'organization', 'inputs', 'as_of', 'position', 'today'];

/** Reads all pages of a report and joins them. Each page must fit an answer and have the same digest. */
export async function wholeReport(getReport: GetReport, input: object): Promise<WholeReport & { pages: number }> {
  let joinedReport: WholeReport | null = null;
  let pages = 0;
  let cursor: string | undefined;
  do {
    const answer = (await getReport({ ...input, format: 'JSON', ...(cursor ? { cursor } : {}) })) as {
      report: WholeReport;
      next_cursor?: string;
    };
    assert.ok(JSON.stringify(answer).length <= 60_000, 'an answer is too long');
    pages += 1;
    const { report } = answer;
    if (joinedReport === null) joinedReport = report;
    else join(joinedReport, report);
    cursor = answer.next_cursor;
    assert.is(
      report.left_out === undefined,
      cursor === undefined,
      'left_out is present if and only if another page follows',
    );
  } while (cursor !== undefined);
  return { ...joinedReport, pages };
}

function join(whole: WholeReport, page: WholeReport): void {
  assert.is(page.digest, whole.digest);
  assert.is(page.data.figures, undefined);
  Object.assign(whole.people, page.people);
  for (const { name, rows } of page.data.sections) {
    const section = whole.data.sections.find((candidate) => candidate.name === name);
    if (section) section.rows.push(...rows);
    else whole.data.sections.push({ name, rows });
  }
}

/** Returns the data that the digest covers: no labels or notes, and nothing that differs between two calls. */
export function digestedData(report: WholeReport): Json {
  const head = Object.fromEntries(DIGESTED_HEAD_FIELDS.map((name) => [name, report[name]]));
  const figures = report.data.figures.map(({ name, kind, value, change }) => {
    return { name, kind, value, ...(change === undefined ? {} : { change }) };
  });
  const sections = report.data.sections.map(({ name, rows }) => ({ name, rows }));
  return { ...head, data: { figures, sections } };
}

/** Computes a report's digest from an answer, as docs/tools.md describes it. */
export function digestOfAnswer(report: WholeReport): string {
  return createHash('sha256')
    .update(canonicalJson(digestedData(report)))
    .digest('hex');
}

/** Writes JSON with sorted names and no white space. That is RFC 8785 for the values in reports. */
function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(',')}}`;
}

export function figuresOf({ data }: WholeReport): Record<string, number | null> {
  return Object.fromEntries(data.figures.map(({ name, value }) => [name, value]));
}

export function rowsOf({ data }: WholeReport, section: string): Json[] {
  return data.sections.find(({ name }) => name === section)?.rows ?? [];
}

/** Reads the text of all pages of a report. */
export async function textOfReport(getReport: GetReport, input: object): Promise<{ pages: string[]; digest: string }> {
  const pages: string[] = [];
  let digest = '';
  let cursor: string | undefined;
  do {
    const answer = (await getReport({ ...input, ...(cursor ? { cursor } : {}) })) as {
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
