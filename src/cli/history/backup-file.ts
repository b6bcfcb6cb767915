import { createHash } from 'node:crypto';
import { isSchema } from '../../identity/migrations/migrate.ts';
import { isSealKey } from '../../seal/seal-keys.ts';
import { ACCOUNT_TABLES, type AccountRecord, type AccountTableName } from '../../stores/account-store.ts';
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

type BackupLine = { event: TrailEvent } | { table: AccountTableName; record: AccountRecord };

export interface BackupSummary {
  events: number;
  records: number;
  /** Records of the keys that sign seals. */
  sealKeys: AccountRecord[];
  /** The number of the account store's newest migration. */
  schema: number;
}

/** Tables read after the log. The others are read before it: the service repairs entries that are older than the log. */
const READ_AFTER: readonly AccountTableName[] = ['access', 'secrets'];
const READ_BEFORE = (Object.keys(ACCOUNT_TABLES) as AccountTableName[]).filter((name) => !READ_AFTER.includes(name));

/** Yields the lines of a backup. The stores may be in use. @param onProgress receives the number of events so far */
export async function* backupLines(
  { events, accounts }: Stores,
  installation: string,
  onProgress: (events: number) => void,
): AsyncGenerator<string[]> {
  // Read first: if a newer version migrates the store in between, it migrates again after a restore.
  const schema = (await accounts.all('secrets'))
    .filter(isSchema)
    .map((record) => ({ table: 'secrets' as const, record }));
  const before = [...schema, ...(await recordsOf(accounts, READ_BEFORE))];
  const hash = createHash('sha256');
  const hashLines = (lines: string[]) => {
    for (const line of lines) hash.update(`${line}\n`, 'utf8');
    return lines;
  };
  yield hashLines([canonical({ format: FORMAT, installation, made_at: new Date().toISOString() })]);
  let count = 0;
  for await (const batch of events.readAll(null)) {
    yield hashLines(
      batch.map(({ id, stream, revision, type, data, metadata }) =>
        canonical({ event: { id, stream, revision, type, data, metadata } }),
      ),
    );
    count += batch.length;
    onProgress(count);
  }
  const after = (await recordsOf(accounts, READ_AFTER)).filter(({ record }) => !isSchema(record));
  const records = [...before, ...after];
  // Restored last: without this record the stores count as empty, so an interrupted restore can be repeated.
  const last = records.findIndex(({ table, record }) => table === 'secrets' && record.id === 'installation');
  records.push(...records.splice(last, 1));
  for (const line of records) yield hashLines([JSON.stringify(line)]);
  yield [canonical({ end: true, events: count, records: records.length, sha256: hash.digest('hex') })];
}

async function recordsOf(accounts: Stores['accounts'], tables: readonly AccountTableName[]) {
  const records: { table: AccountTableName; record: AccountRecord }[] = [];
  for (const table of tables) for (const record of await accounts.all(table)) records.push({ table, record });
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
    if ('event' in line) summary.events += 1;
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
  if ('event' in line || (typeof line.table === 'string' && Object.hasOwn(ACCOUNT_TABLES, line.table)))
    return line as BackupLine;
  throw unsuitableFile('has lines that this version does not know');
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
