/** The data folders that earlier versions wrote, to be opened by this one: test/support/keep-data-folder.ts makes them. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { folderOfTest } from './installed.ts';
import type { Change, Item } from './mcp-client.ts';

const FIXTURES = fileURLToPath(new URL('../fixtures/', import.meta.url));

interface Person {
  name: string;
  email: string;
  password: string;
}

/** What a kept folder read like to the version that wrote it. */
export interface Kept {
  made_at: string;
  organization_id: string;
  tokens: { first: string; live: string; revoked: string };
  people: { owner: Person; editor: Person & { totp: string; codes: string[] }; auditor: Person; gone: Person };
  /** What `veritrail seal-key` printed before a rotation and after it. */
  keys: [string, string];
  ids: Record<string, string>;
  /** All that follows is as of this position. */
  position: string;
  counts: Record<string, number>;
  records: Item[];
  digests: Record<string, string>;
  organizations: Item[];
  changes: Change[];
}

export interface KeptFolder {
  kept: Kept;
  /** A copy of the data folder. */
  dataDir: string;
  /** A folder with the files that the version wrote: export.jsonl.gz, backup.jsonl.gz, kept-seal.json. */
  cwd: string;
}

/** The names of all kept data folders. */
export function keptFolders(): string[] {
  return readdirSync(FIXTURES).filter((name) => name.startsWith('data-folder-'));
}

/** Copies a kept data folder, and the files beside it, into folders of the test. */
export function copyKept(name: string): KeptFolder {
  const [dataDir, cwd] = [folderOfTest(), folderOfTest()];
  for (const file of readdirSync(join(FIXTURES, name))) {
    const bytes = readFileSync(join(FIXTURES, name, file));
    if (file.endsWith('.db.gz')) writeFileSync(join(dataDir, file.slice(0, -3)), gunzipSync(bytes));
    else writeFileSync(join(cwd, file), bytes);
  }
  return { kept: JSON.parse(readFileSync(join(cwd, 'expected.json'), 'utf8')) as Kept, dataDir, cwd };
}

/** Whether a value has all that another has; it may have more members than those. */
export function holds(value: unknown, least: unknown): boolean {
  if (typeof least !== 'object' || least === null) return value === least;
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(least) && (value as unknown[]).length !== least.length) return false;
  return Object.entries(least).every(([key, each]) => holds((value as Record<string, unknown>)[key], each));
}
