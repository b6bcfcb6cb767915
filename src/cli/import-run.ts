import type { Caller } from '../commands/caller.ts';
import { Refusal } from '../commands/refusal.ts';
import { UnreadableEvent } from '../commands/unreadable-event.ts';
import { type ImportInput, type ImportService, importRecords } from '../mcp/import.ts';
import type { RowReader } from '../mcp/import-rows.ts';
import type { ImportRow } from '../sheets/rows.ts';
import { CommandError } from './command.ts';
import { asRow } from './import-fields.ts';
import { namingAccounts, type RefusedRows } from './import-report.ts';
import type { ProgressBar } from './progress.ts';

/** Rows that are judged and written together. */
export const CHUNK = 200;

interface Parts {
  service: ImportService;
  caller: Caller;
  reader: RowReader;
  /** Fields whose cell holds several values. */
  lists: ReadonlySet<string>;
  /** Fields that name a member by its account. */
  accounts: ReadonlySet<string>;
  input: Omit<ImportInput, 'rows'>;
  refused: RefusedRows;
  bar: ProgressBar;
}

/** The import of a file's rows, a chunk at a time: what is wrong is left out, the rest goes in. */
export class ImportRun {
  private rows = 0;
  private created = 0;
  private updated = 0;
  private unchanged = 0;

  constructor(private readonly parts: Parts) {}

  /** @param share of the file that has been read, 0 to 1 */
  async all(rows: AsyncIterable<ImportRow>, share: () => number): Promise<void> {
    let chunk: ImportRow[] = [];
    for await (const row of rows) {
      chunk.push(row);
      if (chunk.length < CHUNK) continue;
      await this.write(chunk);
      chunk = [];
      this.parts.bar.at(this.rows, share());
    }
    if (chunk.length > 0) await this.write(chunk);
  }

  summary(): string {
    const { input, refused } = this.parts;
    const counts = `created ${this.created}, updated ${this.updated}, unchanged ${this.unchanged}, refused ${refused.count}`;
    return `${input.dry_run ? 'Nothing was written. It would be: ' : ''}${counts} (of ${this.rows} rows)`;
  }

  private async write(chunk: readonly ImportRow[]): Promise<void> {
    const { refused, bar } = this.parts;
    const errors = new Map<number, Parameters<RefusedRows['add']>[1]>();
    const right: { row: number; values: Record<string, unknown> }[] = [];
    for (const read of chunk) {
      if ('errors' in read) errors.set(read.row, read.errors);
      else right.push({ row: read.row, values: asRow(read.values, this.parts.lists) });
    }
    if (right.length > 0) {
      const answer = await this.send(right.map(({ values }) => values));
      this.created += answer.created;
      this.updated += answer.updated;
      this.unchanged += answer.unchanged;
      for (const { row, errors: wrong } of answer.rows) {
        if (wrong) errors.set(right[row]!.row, namingAccounts(wrong, right[row]!.values, this.parts.accounts));
      }
    }
    this.rows += chunk.length;
    if (errors.size > 0) bar.clear();
    for (const [row, wrong] of [...errors].sort(([a], [b]) => a - b)) await refused.add(row, wrong);
  }

  private async send(rows: ImportInput['rows']) {
    const { service, caller, reader, input } = this.parts;
    try {
      return await importRecords(service, caller, reader, { ...input, rows }, { partly: true });
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'unavailable' || error instanceof UnreadableEvent) throw error;
      const done = this.rows === 0 ? '' : ` after ${this.rows} rows`;
      throw new CommandError(`The store does not answer${done}. Run it again: it goes on where it stopped.`);
    }
  }
}
