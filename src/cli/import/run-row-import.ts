import { openWorkbookInProcess } from '../../app/reading/files-in-process.ts';
import { MAX_UNSELECTED_RECORDS } from '../../commands/autonomy.ts';
import { isOutage, OperatorNeeded, UnreadableEvent } from '../../commands/engine/refusal.ts';
import type { RowError } from '../../import/import-rows.ts';
import { importTool } from '../../import/import-tool.ts';
import type { RowImport, RowImportResult } from '../../import/sheet/row-import.ts';
import { readSheet, type Sheet } from '../../sheets/read-sheet.ts';
import type { ReadModels } from '../../stores/read-store.ts';
import type { WriteContext } from '../../tools/tool.ts';
import { callerFor } from '../accounts/caller-for.ts';
import { CommandError, type Shell } from '../command.ts';
import { ProgressBar } from '../progress.ts';
import { type OpenInstallation, withInstallation } from '../with-installation.ts';
import { type ImportMode, matchedColumnsText, noteTexts, summaryText } from './import-texts.ts';
import { openReadModels } from './open-read-models.ts';
import { RefusedRows } from './refused-rows.ts';
import type { RowImportOptions } from './row-import-options.ts';
import { writeService } from './write-service.ts';

/** The stores and the caller of a command that imports rows. */
export interface RowImportCall {
  stores: OpenInstallation;
  organizationId: string;
  /** The read models, which may be behind. Null if the service has made none. */
  models: ReadModels | null;
  context: WriteContext;
}

/** A command that imports the rows of a sheet. */
export interface RowImportCommand extends Omit<ImportMode, 'dryRun'> {
  name: string;
  /** The things that are written twice by no second import. */
  unit: 'row' | 'pair';
  /** Prepares the import, before the file is opened. */
  prepare(call: RowImportCall): Promise<{
    namesField(heading: string): boolean;
    /** Matches the columns. */
    open(sheet: Sheet, dryRun: boolean): Promise<RowImport>;
    /** Returns a message about the columns that fill no field, or null. */
    unusedText?(columns: RowImport['columns']['columns']): string | null;
    /** Says what to do about a wrong row on the command line. */
    withHint?(error: RowError): RowError;
    finish?(): Promise<void>;
  }>;
}

/** Imports the rows of a file, and tells how it was read, what was refused and what was written. */
export async function runRowImport(command: RowImportCommand, options: RowImportOptions, shell: Shell): Promise<void> {
  const run = async (stores: OpenInstallation & { organizationId: string }) => {
    const organizationId = options.organization ?? stores.organizationId;
    const caller = await callerFor(stores, command.name, organizationId, options.account);
    const models = await openReadModels(stores.reads);
    const context = { service: writeService(stores), caller, tool: importTool };
    try {
      const call = { stores, organizationId, models, context };
      if (!options.dryRun && !options.isConfirmed) await confirmChanges(command, options, shell, call);
      const { leftOut } = (await importFile(command, options, shell, call))!;
      if (leftOut === 0) return;
      throw new CommandError(`Some rows were refused. Fix them and run it again. No ${command.unit} is written twice.`);
    } finally {
      await models?.close();
    }
  };
  await withInstallation(shell, run, { writes: true });
}

/**
 * Makes the dry run of an import that can change existing records. If it would change more than five, shows it and asks.
 * @throws CommandError before anything is written, unless a person says yes
 */
async function confirmChanges(command: RowImportCommand, options: RowImportOptions, shell: Shell, call: RowImportCall) {
  const messages: { print: (text: string) => void; text: string }[] = [];
  const keep = (print: (text: string) => void) => (text: string) => void messages.push({ print, text });
  const silent = { env: shell.env, cwd: shell.cwd, out: keep(shell.out), err: keep(shell.err) };
  const rehearsal = { ...options, dryRun: true, report: null, leftOut: null };
  const result = await importFile(command, rehearsal, silent, call, true).catch((error: unknown) => {
    for (const { print, text } of messages) print(text);
    throw error;
  });
  if (result === null || result.updated <= MAX_UNSELECTED_RECORDS) return;
  for (const { text } of messages) shell.err(text);
  const things = command.unit === 'pair' ? 'links' : 'records';
  if (await shell.confirm?.(`Change these ${result.updated} ${things}?`)) return;
  const problem = `This import changes ${result.updated} ${things} that exist, and nobody confirmed it. Nothing was written.`;
  throw new CommandError(`${problem} Look at the dry run above, then repeat the command with --yes.`);
}

/** Imports the file. @param isRehearsal true to return null at once if the import can change no existing record */
async function importFile(
  command: RowImportCommand,
  options: RowImportOptions,
  shell: Shell,
  call: RowImportCall,
  isRehearsal = false,
): Promise<RowImportResult | null> {
  const { path, sheet: name, headingRow, encoding, dryRun } = options;
  const mode = { ...command, dryRun };
  const tell = (texts: readonly (string | null)[]) => {
    for (const text of texts) if (text !== null) shell.err(text);
  };
  const { namesField, open, unusedText, withHint, finish } = await command.prepare(call);
  const sheet = await readSheet(openWorkbookInProcess, path, { sheet: name, headingRow, encoding, namesField });
  try {
    tell(sheet.notices);
    const rowImport = await open(sheet, dryRun);
    if (isRehearsal && !rowImport.changesRecords) return null;
    const { columns, notices } = rowImport.columns;
    tell([...notices, matchedColumnsText(columns), unusedText?.(columns) ?? null]);
    requireColumns(rowImport, sheet);
    const result = await runRows(rowImport, sheet, options, shell, withHint);
    if (!dryRun) await finish?.();
    tell(noteTexts(result.notes, mode));
    shell.out(summaryText(result, mode));
    return result;
  } finally {
    sheet.close();
  }
}

/** @throws CommandError if a column is missing that every row needs */
function requireColumns({ missingField }: RowImport, { headingRow }: Sheet): void {
  if (missingField === null) return;
  throw new CommandError(
    `No column fills ${missingField}, which every row needs. Map one with --map ${missingField}=COLUMN. ` +
      `The headings are those of row ${headingRow}; give another row with --header-row.`,
  );
}

async function runRows(
  rowImport: RowImport,
  sheet: Sheet,
  options: RowImportOptions,
  shell: Shell,
  withHint: (error: RowError) => RowError = (error) => error,
): Promise<RowImportResult> {
  const refusedRows = await RefusedRows.open(shell, options, sheet.headers);
  const bar = new ProgressBar(shell, 'rows');
  let done = 0;
  try {
    const result = await rowImport.run({
      async leftOut(row, errors) {
        bar.clear();
        await refusedRows.add(row, errors.map(withHint));
      },
      progress(rows) {
        done = rows;
        bar.update(rows, sheet.progress());
      },
    });
    bar.clear();
    refusedRows.listOptions();
    return result;
  } catch (error) {
    if (!isOutage(error) || error instanceof UnreadableEvent || error instanceof OperatorNeeded) throw error;
    const progressSoFar = done === 0 ? '' : ` after ${done} rows`;
    throw new CommandError(
      `The store does not answer${progressSoFar}. Run the import again. It continues where it stopped.`,
    );
  } finally {
    bar.clear();
    await refusedRows.close();
  }
}
