import { Refusal, UnreadableEvent } from '../../commands/engine/refusal.ts';
import { type ImportRecordsInput, importRecords } from '../../mcp/import/import-records.ts';
import type { RowReader } from '../../mcp/import/import-rows.ts';
import type { WriteContext } from '../../mcp/tools/tool.ts';
import type { SheetImportRow } from '../../sheets/sheet-rows.ts';
import { CommandError } from '../command.ts';
import type { ProgressBar } from '../progress.ts';
import { asRow } from './import-fields.ts';
import { explainAccountErrors, type RefusedRows } from './refused-rows.ts';

/** Rows that are checked and written together. */
export const ROWS_PER_WRITE = 200;

interface ImportRunOptions {
  context: WriteContext;
  reader: RowReader;
  /** Fields with several values in one cell. */
  listFields: ReadonlySet<string>;
  /** Fields that take a member's account id. */
  accountFields: ReadonlySet<string>;
  input: Omit<ImportRecordsInput, 'rows'>;
  refused: RefusedRows;
  bar: ProgressBar;
}

/** Imports the rows of a file, a chunk at a time. Invalid rows are left out. */
export class ImportRun {
  private rows = 0;
  private created = 0;
  private updated = 0;
  private unchanged = 0;

  constructor(private readonly parts: ImportRunOptions) {}

  /** @param share returns the share of the file that has been read, 0 to 1 */
  async all(rows: AsyncIterable<SheetImportRow>, share: () => number): Promise<void> {
    let chunk: SheetImportRow[] = [];
    for await (const row of rows) {
      chunk.push(row);
      if (chunk.length < ROWS_PER_WRITE) continue;
      await this.write(chunk);
      chunk = [];
      this.parts.bar.update(this.rows, share());
    }
    if (chunk.length > 0) await this.write(chunk);
  }

  summary(): string {
    const { input, refused } = this.parts;
    const counts = `created ${this.created}, updated ${this.updated}, unchanged ${this.unchanged}, refused ${refused.count}`;
    return `${input.dry_run ? 'Dry run, nothing was written: ' : ''}${counts} (of ${this.rows} rows)`;
  }

  private async write(chunk: readonly SheetImportRow[]): Promise<void> {
    const { refused, bar } = this.parts;
    const errors = new Map<number, Parameters<RefusedRows['add']>[1]>();
    const validRows: { row: number; values: Record<string, unknown> }[] = [];
    for (const read of chunk) {
      if ('errors' in read) errors.set(read.row, read.errors);
      else validRows.push({ row: read.row, values: asRow(read.values, this.parts.listFields) });
    }
    if (validRows.length > 0) {
      const answer = await this.send(validRows.map(({ values }) => values));
      this.created += answer.created;
      this.updated += answer.updated;
      this.unchanged += answer.unchanged;
      for (const { row, errors: wrong } of answer.rows) {
        if (wrong)
          errors.set(
            validRows[row]!.row,
            explainAccountErrors(wrong, validRows[row]!.values, this.parts.accountFields),
          );
      }
    }
    this.rows += chunk.length;
    if (errors.size > 0) bar.clear();
    for (const [row, wrong] of [...errors].sort(([a], [b]) => a - b)) await refused.add(row, wrong);
  }

  private async send(rows: ImportRecordsInput['rows']) {
    const { context, reader, input } = this.parts;
    try {
      return await importRecords(context, reader, { ...input, rows }, { writeValidRows: true });
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'unavailable' || error instanceof UnreadableEvent) throw error;
      const progressSoFar = this.rows === 0 ? '' : ` after ${this.rows} rows`;
      throw new CommandError(
        `The store does not answer${progressSoFar}. Run the import again. It continues where it stopped.`,
      );
    }
  }
}
