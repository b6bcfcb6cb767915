import { createHash } from 'node:crypto';
import { isSchema } from '../../identity/migrations/migrate.ts';
import { isSealKey } from '../../seal/seal-keys.ts';
import {
  ACCOUNT_TABLES,
  type AccountRecord,
  type AccountStore,
  type AccountTableName,
} from '../../stores/account-store.ts';
import type { EventStore, RowBytes, StoredEvent, StorePosition, UncheckedRow } from '../../stores/event-store.ts';
import type { Stores } from '../../stores/open.ts';
import { canonical } from '../../trail/canonical.ts';
import { LineSplitter } from '../../trail/check/line-splitter.ts';
import type { TrailEvent } from '../../trail/event.ts';
import { UnsuitableFile } from '../command.ts';
import { beginsWith, readPieces } from './files.ts';

/**
 * A backup is JSON Lines: a header, all events in log order, all records of the account store, and an end. The record of
 * the installation is the last. The end has the number of events and records, and the SHA-256 of all lines before it.
 */
const FORMAT = 'veritrail-backup-1';

type StoredRecord = { table: AccountTableName; record: AccountRecord };
/** An event that can't be read has a `row`, with its bytes as they are stored. */
type BackupLine = { event: TrailEvent } | { row: UncheckedRow } | StoredRecord;

export interface BackupSummary {
  events: number;
  records: number;
  sealKeys: AccountRecord[];
  /** The number of the account store's newest migration. */
  schema: number;
}

/**
 * Yields the lines of a backup. The stores may be in use. The log's end is fixed first. The log is read up to there, and
 * the account store after it, so the backup has every person, name and key that an event needs. An account or token that
 * is newer than the end gives no access, because the log decides.
 * @param onProgress receives the number of events so far
 */
export async function* backupLines(
  { events, accounts, now }: Pick<Stores, 'events' | 'accounts'> & { now: () => Date },
  installation: string,
  onProgress: (events: number) => void,
): AsyncGenerator<string[]> {
  const end = await events.end();
  const hash = createHash('sha256');
  const hashLines = (lines: string[]) => {
    for (const line of lines) hash.update(`${line}\n`, 'utf8');
    return lines;
  };
  yield hashLines([canonical({ format: FORMAT, installation, made_at: now().toISOString() })]);
  let count = 0;
  for await (const batch of readUpTo(events, end)) {
    yield hashLines(batch.map(lineOf));
    count += batch.length;
    onProgress(count);
  }
  const records = await accountRecords(accounts);
  for (const line of records) yield hashLines([JSON.stringify(line)]);
  yield [canonical({ end: true, events: count, records: records.length, sha256: hash.digest('hex') })];
}

async function* readUpTo(events: EventStore, end: StorePosition): AsyncGenerator<readonly StoredEvent[]> {
  for await (const batch of events.readAll(null)) {
    const upToEnd = batch.filter(({ storePosition }) => events.compareStorePositions(storePosition, end) <= 0);
    if (upToEnd.length > 0) yield upToEnd;
    if (events.compareStorePositions(batch.at(-1)!.storePosition, end) >= 0) return;
  }
}

function lineOf(stored: StoredEvent): string {
  const { id, stream, revision, type, data, metadata } = stored;
  try {
    if (data !== null) return canonical({ event: { id, stream, revision, type, data, metadata } });
  } catch {
    // A damaged event may have no canonical form. It is kept as it is.
  }
  const row = { id, stream, revision, type, ...base64Of(bytesOf(stored)) };
  return JSON.stringify({ row });
}

function bytesOf(stored: StoredEvent): RowBytes {
  if (stored.data === null) return stored.bytes;
  const { data, metadata } = stored.texts ?? {
    data: JSON.stringify(stored.data),
    metadata: JSON.stringify(stored.metadata),
  };
  return { data: Buffer.from(data), metadata: Buffer.from(metadata) };
}

function base64Of({ data, metadata }: RowBytes): Record<keyof RowBytes, string> {
  return { data: Buffer.from(data).toString('base64'), metadata: Buffer.from(metadata).toString('base64') };
}

/** Returns all records of the account store. That of the installation is the last. */
async function accountRecords(accounts: AccountStore): Promise<StoredRecord[]> {
  // Read first: if a newer version migrates the store meanwhile, it migrates again after a restore.
  const schema = (await accounts.all('secrets')).filter(isSchema);
  const records: StoredRecord[] = schema.map((record) => ({ table: 'secrets', record }));
  for (const table of Object.keys(ACCOUNT_TABLES) as AccountTableName[]) {
    for (const record of await accounts.all(table)) {
      if (table !== 'secrets' || !isSchema(record)) records.push({ table, record });
    }
  }
  // Restored last: without this record the stores count as empty, so an interrupted restore can be repeated.
  const last = records.findIndex(({ table, record }) => table === 'secrets' && record.id === 'installation');
  records.push(...records.splice(last, 1));
  return records;
}

/** Returns true for a file that begins as a backup does. */
export function isBackup(path: string): Promise<boolean> {
  return beginsWith(path, `{"format":"${FORMAT}"`);
}

/** Reads a backup to its end. @throws UnsuitableFile if it is not a backup, or was cut or altered */
export async function readBackup(path: string): Promise<BackupSummary> {
  const summary: BackupSummary = { events: 0, records: 0, sealKeys: [], schema: 0 };
  for await (const line of linesOfBackup(path)) {
    if ('event' in line || 'row' in line) summary.events += 1;
    else {
      summary.records += 1;
      if (line.table === 'secrets' && isSealKey(line.record)) summary.sealKeys.push(line.record);
      if (line.table === 'secrets' && isSchema(line.record)) summary.schema = line.record.begun;
    }
  }
  return summary;
}

/** Yields a backup's lines. @throws UnsuitableFile at the end of a file that was cut or altered */
export async function* linesOfBackup(path: string): AsyncGenerator<BackupLine> {
  const splitter = new LineSplitter();
  const reader = new BackupReader();
  for await (const piece of readPieces(path)) {
    for (const text of splitter.push(piece)) {
      const line = reader.read(text);
      if (line !== null) yield line;
    }
  }
  reader.finish(splitter.remainingLine());
}

/** Reads the lines of a backup and checks that it is whole. */
class BackupReader {
  private readonly hash = createHash('sha256');
  private lines = 0;
  private isEnded = false;

  /** Returns a line's content; null for the header and the end. @throws UnsuitableFile */
  read(text: string): BackupLine | null {
    this.lines += 1;
    if (this.isEnded) throw unsuitableFile('has lines after its end');
    const line = parse(text);
    const isHeader = this.lines === 1;
    if (isHeader && line.format !== FORMAT) throw unsuitableFile('has no header of a backup');
    if (line.end === true) {
      this.readEnd(line);
      return null;
    }
    this.hash.update(`${text}\n`, 'utf8');
    return isHeader ? null : readLine(line);
  }

  /** @param lastLine the text after the last line break, or null. @throws UnsuitableFile if the last line is not the end */
  finish(lastLine: string | null): void {
    if (!this.isEnded) throw unsuitableFile('was cut');
    if (lastLine !== null) throw unsuitableFile('has lines after its end');
  }

  private readEnd({ sha256 }: Record<string, unknown>): void {
    if (sha256 !== this.hash.digest('hex')) throw unsuitableFile('does not match its SHA-256');
    this.isEnded = true;
  }
}

function readLine(line: Record<string, unknown>): BackupLine {
  if ('row' in line) return { row: toRow(line.row as Record<keyof TrailEvent, string>) };
  if ('event' in line || (typeof line.table === 'string' && Object.hasOwn(ACCOUNT_TABLES, line.table)))
    return line as BackupLine;
  throw unsuitableFile('has lines that this version does not know');
}

function toRow({ id, stream, revision, type, data, metadata }: Record<keyof TrailEvent, string>): UncheckedRow {
  const bytes = { data: Buffer.from(data, 'base64'), metadata: Buffer.from(metadata, 'base64') };
  return { id, stream, revision: Number(revision), type, bytes };
}

function parse(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text)) as Record<string, unknown>;
  } catch {
    throw unsuitableFile('has lines that are not JSON');
  }
}

function unsuitableFile(reason: string): UnsuitableFile {
  return new UnsuitableFile(`The file is not an intact backup of veritrail: it ${reason}. Use another backup.`);
}
