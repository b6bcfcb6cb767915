import { recordAggregate } from '../../commands/families.ts';
import { requirePermission } from '../../commands/organization/permissions.ts';
import { omit } from '../../commands/record.ts';
import type { LiveRecords } from '../../queries/records/live-records.ts';
import type { MemberWords } from '../../queries/records/member-words.ts';
import type { NameSource } from '../../queries/records/named-records.ts';
import type { LogSource } from '../../queries/records/recent-records.ts';
import { displayText } from '../../sheets/cells/cell.ts';
import { ColumnReader, type ReadingChoices } from '../../sheets/columns/column-reader.ts';
import type { Sheet } from '../../sheets/read-sheet.ts';
import type { SheetRow } from '../../sheets/table-rows.ts';
import { mapConcurrently } from '../../tools/bulk-write.ts';
import { RecordNames } from '../../tools/record-names.ts';
import type { WriteContext } from '../../tools/tool.ts';
import { changedFields } from '../changed-fields.ts';
import type { ImportedRow } from '../import-answer.ts';
import { importRecords } from '../import-records.ts';
import { neverChanges, type RowError, type RowReader } from '../import-rows.ts';
import { RowUpdates } from '../row-updates.ts';
import type { ControlNumbers } from './control-numbers.ts';
import { isLeftOutColumn } from './left-out-columns.ts';
import { type Note, Notes } from './notes.ts';
import { withOneOwner } from './owner-column.ts';
import { haveSameCell, withValuesOfNumber } from './repeated-numbers.ts';
import { recordRowTest } from './report-rows.ts';
import type { RowImport, RowImportListener, RowImportResult } from './row-import.ts';
import { type Reference, RowReferences } from './row-references.ts';
import type { SheetFields } from './sheet-fields.ts';
import { type SheetRecord, sheetRecord, wordsOfCell } from './sheet-record.ts';

/** Rows that are checked and written together. */
export const ROWS_PER_WRITE = 200;
/** Rows of one number stay together beyond that. */
const MAX_ROWS_PER_WRITE = 2 * ROWS_PER_WRITE;

export interface SheetImportOptions {
  context: WriteContext;
  reader: RowReader;
  fields: SheetFields;
  organizationId: string;
  /** The file's name without its folder, for the origin of past decisions. */
  fileName: string;
  dryRun: boolean;
  reason?: string | undefined;
  choices: ReadingChoices;
  /** The present members, for columns of owners. */
  members: MemberWords;
  /** The read models, for records that rows name. Null if there are none. They may lag behind the log. */
  snapshot: { models: NameSource['models'] & NonNullable<LogSource['models']> } | null;
  /** The log, for records that the read models don't have yet. */
  events: LogSource['events'];
  /** The live records of the type, which rows may resemble. */
  records: LiveRecords;
  /** Finds the controls of a list of controls by their numbers. Null for any other sheet. */
  controls?: ControlNumbers | null;
  /** The end of past acceptances whose rows have none. */
  acceptedUntil?: string | undefined;
  /** Rows without an id change the records with their name or reference. */
  updatesExisting: boolean;
}

interface SentRow {
  record: SheetRecord;
  answer: ImportedRow;
}

interface LeftOutRow {
  row: SheetRow;
  errors: readonly RowError[];
}

/**
 * Imports the rows of a sheet, a chunk at a time: reads each, sends the chunk to importRecords, links the records. The
 * command line uses it, and it is made for any other way in which a person gives a file.
 */
export class SheetImport implements RowImport {
  readonly columns: ColumnReader;
  private readonly notes = new Notes();
  private readonly counts = { rows: 0, leftOut: 0, created: 0, updated: 0, unchanged: 0, links: 0 };
  private readonly updates: RowUpdates;
  /** All its records and links belong to one call. */
  private readonly callId: string;

  /** @throws Refusal if the columns don't match */
  constructor(
    private readonly sheet: Sheet,
    private readonly options: SheetImportOptions,
  ) {
    const headers = sheet.headers.filter((header) => !isLeftOutColumn(header));
    this.columns = new ColumnReader({ ...sheet, headers }, options.fields.fields, options.choices);
    const { headerOf } = this.columns.columns;
    const isNamedByText = headerOf.has('name') && headerOf.get('name') === headerOf.get('description');
    this.updates = new RowUpdates(options.records, this.notes, isNamedByText);
    const { context, organizationId } = options;
    this.callId = context.service.handler.commandId([organizationId], undefined);
  }

  get missingField(): string | null {
    const { headerOf } = this.columns.columns;
    const { fields, updatesExisting } = this.options;
    if (updatesExisting && ['name', 'reference_id'].some((name) => headerOf.has(name))) return null;
    const namesRecords = [...fields.linkFields.keys()].some((name) => headerOf.has(name));
    const isFilled = (name: string) => headerOf.has(name) || (fields.listFields.has(name) && namesRecords);
    return fields.required.find((name) => !isFilled(name)) ?? null;
  }

  get changesRecords(): boolean {
    return this.options.updatesExisting || this.columns.columns.headerOf.has('id');
  }

  async run(listener: RowImportListener): Promise<RowImportResult> {
    const references = await this.openReferences();
    const isRecordRow = recordRowTest(this.sheet, this.options.reader);
    const numberColumn = this.columns.columns.headerOf.get('reference_id');
    let chunk: SheetRow[] = [];
    for await (const row of this.sheet.rows) {
      if (row.aside !== undefined || !isRecordRow(row)) {
        this.notes.add(row.aside === undefined ? { kind: 'REPORT_LINE' } : { kind: 'ASIDE', text: String(row.row) });
        continue;
      }
      const isNext = !haveSameCell(chunk.at(-1), row, numberColumn) || chunk.length === MAX_ROWS_PER_WRITE;
      if (chunk.length >= ROWS_PER_WRITE && isNext) {
        await this.write(chunk, references, listener);
        chunk = [];
      }
      chunk.push(row);
    }
    if (chunk.length > 0) await this.write(chunk, references, listener);
    this.noteLeftOutColumns();
    return { ...this.counts, notes: this.notes };
  }

  /** Notes the columns that rows about existing records have, and that an update can't set. */
  private noteLeftOutColumns(): void {
    const { headerOf, unused } = this.columns.columns;
    const fields = [...this.updates.fieldsLeftOut].map((field) => headerOf.get(field));
    const leftOut = new Set([...fields, ...this.options.fields.readOnlyColumns]);
    const headers = new Set([...headerOf.values(), ...unused].filter((header) => leftOut.has(header)));
    this.notes.add(...[...headers].map((text) => ({ kind: 'LEFT_OUT_COLUMN', text }) as const));
  }

  private async openReferences(): Promise<RowReferences> {
    const { context, organizationId, reason, snapshot, events } = this.options;
    const role = requirePermission(context.caller, organizationId, context.tool.permission);
    const { handler } = context.service;
    const names = snapshot && new RecordNames({ models: snapshot.models, organizationId });
    const log = { organizationId, events, handler, models: snapshot?.models ?? null };
    const { callId, numbers } = this;
    return new RowReferences({ context, organizationId, role, reason, callId, names, log, numbers });
  }

  /** The heading of the column of controls, and the words in its first rows. */
  private get numbers() {
    const heading = this.columns.columns.headerOf.get('controls');
    if (heading === undefined) return { heading: '', words: [] };
    const cells = this.sheet.sample.flatMap((row) => row.cells.get(heading) ?? []);
    return { heading, words: cells.flatMap((cell) => wordsOfCell(displayText(cell))) };
  }

  private async write(chunk: readonly SheetRow[], references: RowReferences, listener: RowImportListener) {
    const damaged = chunk.flatMap((row): LeftOutRow[] =>
      row.problem === undefined ? [] : [{ row, errors: [{ field: '', message: row.problem }] }],
    );
    const readable = chunk.filter(({ problem }) => problem === undefined);
    const read = await mapConcurrently(readable, (row) => this.readRecord(row));
    const records = withValuesOfNumber(read.filter((record) => record !== null));
    for (const { notes, fieldsLeftOut } of records) {
      this.notes.add(...notes);
      for (const field of fieldsLeftOut) this.updates.fieldsLeftOut.add(field);
    }
    const [added, compared] = this.splitUnchanging(records);
    const news = await mapConcurrently(added, (record) => this.withRecordIds(record, references));
    const differing = await this.compare(compared);
    const sent = news.length === 0 ? [] : await this.send(news);
    const refused = sent.flatMap(({ record: { row }, answer: { errors } }) =>
      errors === undefined ? [] : [{ row, errors }],
    );
    await this.linkRows(sent, references);
    const leftOut = [...damaged, ...differing, ...refused].sort((a, b) => a.row.row - b.row.row);
    this.counts.rows += chunk.length;
    this.counts.leftOut += leftOut.length;
    for (const { row, errors } of leftOut) await listener.leftOut(row, errors);
    listener.progress(this.counts.rows);
  }

  /** Returns a row's record; null for a row that heads a group of controls. */
  private async readRecord(row: SheetRow): Promise<SheetRecord | null> {
    const { context, reader, members, controls } = this.options;
    const cells = this.columns.read(row);
    const identified = controls ? await controls.withId(cells) : cells;
    if (identified === null) {
      this.notes.add({ kind: 'ASIDE', text: String(row.row) });
      return null;
    }
    const reading = await withOneOwner(identified, { service: context.service, reader, members });
    return sheetRecord(row, reading, this.options);
  }

  /** Returns evidence with the ids of the records that its other columns name, because it is added with its links. */
  private async withRecordIds(record: SheetRecord, references: RowReferences): Promise<SheetRecord> {
    const [listField] = this.options.fields.listFields;
    if (listField === undefined || record.references.length === 0) return record;
    const named = await mapConcurrently(record.references, (reference) => references.find(reference));
    for (const { notes } of named) this.notes.add(...notes);
    const ids = [...((record.values[listField] as string[] | undefined) ?? []), ...named.flatMap((one) => one.ids)];
    if (ids.length === 0) return record;
    return { ...record, values: { ...record.values, [listField]: [...new Set(ids)] } };
  }

  /** Returns the records to send, and those that exist and never change, such as evidence in a downloaded file. */
  private splitUnchanging(records: readonly SheetRecord[]): [SheetRecord[], SheetRecord[]] {
    const { updateParser } = this.options.reader;
    const isCompared = ({ values }: SheetRecord) => updateParser === null && values.id !== undefined;
    return [records.filter((record) => !isCompared(record)), records.filter(isCompared)];
  }

  /** Counts the rows that say what their records say, and returns the others. */
  private async compare(records: readonly SheetRecord[]): Promise<LeftOutRow[]> {
    const { reader, fields } = this.options;
    const judged = await mapConcurrently(records, async ({ row, values: { id, ...values } }) => {
      const compared = omit(values, [...fields.listFields]);
      const [field] = Object.keys(await changedFields(this.options, String(id), compared));
      return field === undefined ? [] : [{ row, errors: [{ field, message: neverChanges(reader.type) }] }];
    });
    const differing = judged.flat();
    this.counts.unchanged += records.length - differing.length;
    return differing;
  }

  private async send(records: readonly SheetRecord[]): Promise<SentRow[]> {
    const { context, reader, organizationId, dryRun, reason, records: live, updatesExisting, snapshot } = this.options;
    const rows = records.map(({ values }) => values);
    const common = { organization_id: organizationId, dry_run: dryRun, call_id: this.callId };
    const names = snapshot && new RecordNames({ models: snapshot.models, organizationId });
    const input = { ...common, rows, ...(reason ? { reason } : {}) };
    const answer = await importRecords(context, reader, input, {
      writeValidRows: true,
      names,
      sources: records.map(({ source }) => source),
      findSimilar: (id, fields) => live.findSimilar(id, fields),
      ...(updatesExisting ? { updates: this.updates } : {}),
    });
    for (const name of ['created', 'updated', 'unchanged'] as const) this.counts[name] += answer[name];
    const sent = answer.rows.map((row) => ({ record: records[row.row]!, answer: row }));
    for (const { record, answer: row } of sent) this.noteAnswer(record.row.row, row);
    return sent;
  }

  private noteAnswer(row: number, { read_differently, similar = [] }: ImportedRow): void {
    if (read_differently) this.notes.add({ kind: 'READ_DIFFERENTLY' });
    for (const { id, name } of similar) {
      this.notes.add({ kind: 'SIMILAR', text: `row ${row} and "${name ?? ''}" (${id})` });
    }
  }

  /**
   * Links the records of the imported rows with those that the rows name. Evidence was added with those that existed then,
   * and its words have been told: only an earlier import's is linked with the others.
   */
  private async linkRows(sent: readonly SentRow[], references: RowReferences): Promise<void> {
    const [listField] = this.options.fields.listFields;
    const imported = sent.filter(({ answer: { errors, result } }) =>
      listField === undefined ? errors === undefined : result === 'UNCHANGED',
    );
    const linked = await mapConcurrently(imported, async ({ record, answer }) =>
      this.link(answer.id!, record.references, references, await this.idsAddedWith(answer.id!)),
    );
    for (const { links, notes } of linked) {
      this.counts.links += links;
      if (listField === undefined) this.notes.add(...notes);
    }
  }

  /** Returns the ids of the records that evidence was added with. Somebody may have removed those links since. */
  private async idsAddedWith(id: string): Promise<readonly string[]> {
    const [listField] = this.options.fields.listFields;
    if (listField === undefined) return [];
    const { state } = await this.options.context.service.handler.load(recordAggregate(id));
    return (state as unknown as Record<string, string[]>)[listField]!;
  }

  /** Returns the number of new links, and notes about words that name no record. */
  private async link(
    id: string,
    cells: readonly Reference[],
    references: RowReferences,
    linkedBefore: readonly string[],
  ) {
    const ids: string[] = [];
    const notes: Note[] = [];
    for (const cell of cells) {
      const named = await references.find(cell);
      ids.push(...named.ids.filter((one) => !linkedBefore.includes(one)));
      notes.push(...named.notes);
    }
    const links = this.options.dryRun || ids.length === 0 ? ids.length : await references.link(id, ids);
    return { links, notes };
  }
}
