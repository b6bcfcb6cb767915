/** Data folders that earlier versions wrote, for this version to open. test/support/trail/keep-data-folder.ts records them. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import type { Change, Item } from '../mcp/mcp-client.ts';
import { folderOfTest } from '../run/installed.ts';

const FIXTURES = fileURLToPath(new URL('../../fixtures/', import.meta.url));

interface Person {
  name: string;
  email: string;
  password: string;
}

/** The answers that a recorded folder gave to the version that wrote it. */
export interface ExpectedAnswers {
  made_at: string;
  organization_id: string;
  tokens: { first: string; live: string; revoked: string };
  people: { owner: Person; editor: Person & { totp: string; codes: string[] }; auditor: Person; gone: Person };
  /** Output of `veritrail seal-key` before and after a rotation. */
  keys: [string, string];
  ids: Record<string, string>;
  /** The members below are as of this position. */
  position: string;
  counts: Record<string, number>;
  records: Item[];
  digests: Record<string, string>;
  organizations: Item[];
  changes: Change[];
}

export interface RecordedFolder {
  expected: ExpectedAnswers;
  /** A copy of the data folder. */
  dataDir: string;
  /** The folder of files that the version wrote: export.jsonl.gz, backup.jsonl.gz, kept-seal.json. */
  cwd: string;
}

/** Returns the names of all recorded data folders. */
export function recordedFolders(): string[] {
  return readdirSync(FIXTURES).filter((name) => name.startsWith('data-folder-'));
}

/** Copies a recorded data folder and its files into temporary folders. */
export function copyRecordedFolder(name: string): RecordedFolder {
  const [dataDir, cwd] = [folderOfTest(), folderOfTest()];
  for (const file of readdirSync(join(FIXTURES, name))) {
    const bytes = readFileSync(join(FIXTURES, name, file));
    if (file.endsWith('.db.gz')) writeFileSync(join(dataDir, file.slice(0, -3)), gunzipSync(bytes));
    else writeFileSync(join(cwd, file), bytes);
  }
  const expected = JSON.parse(readFileSync(join(cwd, 'expected.json'), 'utf8')) as ExpectedAnswers;
  return { expected: { ...expected, digests: digestsOf(expected, cwd) }, dataDir, cwd };
}

/** Returns the folder's report digests. Before `report_version` 1 they covered wording too, so a second file has new ones. */
function digestsOf({ digests }: ExpectedAnswers, cwd: string): Record<string, string> {
  const file = join(cwd, 'report-digests.json');
  if (!existsSync(file)) return digests;
  return (JSON.parse(readFileSync(file, 'utf8')) as Pick<ExpectedAnswers, 'digests'>).digests;
}

/** Returns true if a value has all members of another, and perhaps more. */
export function contains(value: unknown, least: unknown): boolean {
  if (typeof least !== 'object' || least === null) return value === least;
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(least) && (value as unknown[]).length !== least.length) return false;
  return Object.entries(least).every(([key, each]) => contains((value as Record<string, unknown>)[key], each));
}
