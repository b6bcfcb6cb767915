import { FAMILIES, organizationAggregate } from '../../commands/families.ts';
import { requirePermission } from '../../commands/organization/permissions.ts';
import type { Snapshot } from '../../queries/moments/snapshot.ts';
import { findByWord } from '../../queries/records/find-by-word.ts';
import type { LiveRecords } from '../../queries/records/live-records.ts';
import { isMemberWord, type MemberWords } from '../../queries/records/member-words.ts';
import type { FamilyName } from '../../register/families.ts';
import { displayText } from '../../sheets/cells/cell.ts';
import type { FieldValue } from '../../sheets/cells/read-cell.ts';
import { ColumnReader, type ReadingChoices, type WordReading } from '../../sheets/columns/column-reader.ts';
import type { Sheet } from '../../sheets/read-sheet.ts';
import type { SheetRow } from '../../sheets/table-rows.ts';
import { mapConcurrently } from '../../tools/bulk-write.ts';
import type { WriteContext } from '../../tools/tool.ts';
import { settableValues } from '../changed-fields.ts';
import { importRecords, type RowSource } from '../import-records.ts';
import type { SimilarRecord } from '../import-row.ts';
import type { RowError, RowReader } from '../import-rows.ts';
import { personFields, withoutStrayDecision } from '../past-decisions.ts';
import { type RowUpdate, RowUpdates } from '../row-updates.ts';
import { isLeftOutColumn } from './left-out-columns.ts';
import { shortenName } from './long-names.ts';
import { type Reference, RowReferences } from './row-references.ts';
import type { SheetFields } from './sheet-fields.ts';

/** Rows that are checked and written together. */
export const ROWS_PER_WRITE = 200;

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
  snapshot: Pick<Snapshot, 'models'> | null;
  /** The live records of the type, which rows may resemble. */
  records: LiveRecords;
  /** Rows without an id change the records with their name or reference. */
  updatesExisting: boolean;
}

/** Receives what happens during an import. */
export interface SheetImportListener {
  /** Receives a row that was left out, with its problems. */
  leftOut(row: SheetRow, problems: readonly RowError[]): Promise<void>;
  /** Receives the number of rows so far, after each chunk. */
  progress(rows: number): void;
}

export interface SheetImportResult {
  rows: number;
  created: number;
  updated: number;
  unchanged: number;
  leftOut: number;
  links: number;
  /** Rows that were imported before with other values. Their records stay as they are. */
  readDifferently: number;
  /** Rows beside the table, such as notes. */
  asides: readonly number[];
  /** Cells such as "n/a" that were read as empty. */
  placeholders: number;
  /** Rows whose name was too long. Its whole text is in the description. */
  shortenedNames: number;
  words: readonly WordReading[];
  /** Records and other rows with the same name or reference_id as a new row. */
  similar: readonly SimilarToRow[];
  /** Rows that changed a record with their name or reference, or would in a dry run. */
  updates: readonly RowUpdate[];
  /** Rows that were imported before, and whose records differ from them now. They stay as they are. */
  outdatedRows: readonly number[];
  /** Columns that an update can't set. They were left out in rows about existing records. */
  columnsLeftOut: ReadonlySet<string>;
  /** Words that name no single member, with the number of their rows. Those rows have no owner. */
  unknownMembers: ReadonlyMap<string, number>;
  confusableMembers: ReadonlyMap<string, number>;
  /** Rows whose reviewer, conditions and the like were left out, because no state tells of a past decision. */
  strayDecisions: number;
  /** Words that name no record, with the number of their rows. */
  unknownRecords: ReadonlyMap<string, number>;
}

interface SimilarToRow extends SimilarRecord {
  row: number;
}

interface LeftOutRow {
  row: SheetRow;
  errors: readonly RowError[];
}

/** A row that can be sent to importRecords. */
interface PreparedRow {
  row: SheetRow;
  values: Record<string, unknown>;
  source: RowSource;
  references: readonly Reference[];
}

/** The numbers of rows beside the table, and the different words, that are remembered. */
const MAX_REMEMBERED = 1_000;
/** Characters of a word that a message quotes. */
const MAX_WORD_CHARACTERS = 60;

/**
 * Imports the rows of a sheet, a chunk at a time. Wrong rows are left out. The command line uses it, and it is made for any
 * other way in which a person gives a file.
 */
export class SheetImport {
  readonly columns: ColumnReader;
  private readonly result = {
    ...{ rows: 0, created: 0, updated: 0, unchanged: 0, leftOut: 0, links: 0, placeholders: 0, shortenedNames: 0 },
    ...{ readDifferently: 0, strayDecisions: 0 },
    asides: [] as number[],
    words: [] as readonly WordReading[],
    similar: [] as SimilarToRow[],
    unknownMembers: new Map<string, number>(),
    confusableMembers: new Map<string, number>(),
    unknownRecords: new Map<string, number>(),
  };
  private readonly updates: RowUpdates;
  private readonly fieldsLeftOut = new Set<string>();
  /** All its records and links belong to one call. */
  private readonly callId: string;

  /** @throws Refusal if the columns don't match */
  constructor(
    private readonly sheet: Sheet,
    private readonly options: SheetImportOptions,
  ) {
    const headers = sheet.headers.filter((header) => !isLeftOutColumn(header));
    this.columns = new ColumnReader({ ...sheet, headers }, options.fields.fields, options.choices);
    this.updates = new RowUpdates(options.records);
    const { context, organizationId } = options;
    this.callId = context.service.handler.commandId([organizationId], undefined);
  }

  /** Returns a field that every row needs and that no column fills; null if there is none. */
  get missingField(): string | null {
    const { headerOf } = this.columns.columns;
    const { fields, updatesExisting } = this.options;
    if (updatesExisting && ['name', 'reference_id'].some((name) => headerOf.has(name))) return null;
    return fields.required.find((name) => !headerOf.has(name)) ?? null;
  }

  /** Imports all rows. @throws Refusal unavailable when the store is down. The same import again resumes it. */
  async run(listener: SheetImportListener): Promise<SheetImportResult> {
    const references = await this.openReferences();
    let chunk: SheetRow[] = [];
    for await (const row of this.sheet.rows) {
      if (row.aside !== undefined) {
        if (this.result.asides.length < MAX_REMEMBERED) this.result.asides.push(row.row);
        continue;
      }
      chunk.push(row);
      if (chunk.length < ROWS_PER_WRITE) continue;
      await this.write(chunk, references, listener);
      chunk = [];
    }
    if (chunk.length > 0) await this.write(chunk, references, listener);
    const { placeholders, wordReadings: words } = this.columns;
    const updates = this.updates.updates.toSorted((a, b) => a.row - b.row);
    const outdatedRows = this.updates.outdatedRows.toSorted((a, b) => a - b);
    return { ...this.result, placeholders, words, updates, outdatedRows, columnsLeftOut: this.columnsLeftOut() };
  }

  private columnsLeftOut(): ReadonlySet<string> {
    const { headerOf, unused } = this.columns.columns;
    const { readOnlyColumns } = this.options.fields;
    const fields = [...this.fieldsLeftOut, ...this.updates.fieldsLeftOut];
    const columns = new Set([...fields.map((field) => headerOf.get(field)), ...readOnlyColumns]);
    return new Set([...headerOf.values(), ...unused].filter((header) => columns.has(header)));
  }

  /** The number of rows that were imported or left out so far. */
  get rowCount(): number {
    return this.result.rows;
  }

  private async openReferences(): Promise<RowReferences> {
    const { context, organizationId, reason } = this.options;
    const role = requirePermission(context.caller, organizationId, context.tool.permission);
    const { state } = await context.service.handler.load(organizationAggregate(organizationId));
    const { import_key: importKey } = state!;
    const { callId, findByWord } = this;
    return new RowReferences({ context, organizationId, role, importKey, reason, callId, findByWord });
  }

  private get findByWord() {
    const { snapshot, organizationId } = this.options;
    if (snapshot === null) return undefined;
    return (type: FamilyName, word: string) => findByWord(snapshot, organizationId, type, word);
  }

  private async write(chunk: readonly SheetRow[], references: RowReferences, listener: SheetImportListener) {
    const leftOut: LeftOutRow[] = [];
    const prepared: PreparedRow[] = [];
    for (const row of chunk) {
      if (row.problem === undefined) prepared.push(this.prepare(row));
      else leftOut.push({ row, errors: [{ field: '', message: row.problem }] });
    }
    if (prepared.length > 0) {
      const rows = await this.importPrepared(prepared);
      for (const { row, errors } of rows) if (errors !== undefined) leftOut.push({ row: row.row, errors });
      await this.linkRows(rows, references);
    }
    this.result.rows += chunk.length;
    this.result.leftOut += leftOut.length;
    for (const { row, errors } of leftOut.sort((a, b) => a.row.row - b.row.row)) await listener.leftOut(row, errors);
    listener.progress(this.result.rows);
  }

  /** Imports rows. Returns each with its record's id, or with its errors. */
  private async importPrepared(prepared: readonly PreparedRow[]) {
    const { context, reader, organizationId, dryRun, reason, records, updatesExisting } = this.options;
    const rows = prepared.map(({ values }) => values);
    const common = { organization_id: organizationId, dry_run: dryRun, call_id: this.callId };
    const input = { ...common, rows, ...(reason ? { reason } : {}) };
    const sources = prepared.map(({ source }) => source);
    const answer = await importRecords(context, reader, input, {
      writeValidRows: true,
      sources,
      findSimilar: (id, fields) => records.findSimilar(id, fields),
      ...(updatesExisting ? { updates: this.updates } : {}),
    });
    this.result.created += answer.created;
    this.result.updated += answer.updated;
    this.result.unchanged += answer.unchanged;
    this.result.readDifferently += answer.rows.filter(({ read_differently }) => read_differently).length;
    return answer.rows.map(({ row: index, id, errors, similar = [] }) => {
      const row = prepared[index]!;
      const found = similar.map((record) => ({ row: row.row.row, ...record }));
      if (this.result.similar.length < MAX_REMEMBERED) this.result.similar.push(...found);
      return { row, id, errors };
    });
  }

  /** Links the records of the imported rows with those that the rows name. */
  private async linkRows(
    rows: readonly { row: PreparedRow; id?: string | undefined; errors?: readonly RowError[] | undefined }[],
    references: RowReferences,
  ): Promise<void> {
    const imported = rows.filter(({ errors }) => errors === undefined);
    const linked = await mapConcurrently(imported, ({ row, id }) => this.link(id!, row.references, references));
    for (const { links, unknownWords } of linked) {
      this.result.links += links;
      for (const word of unknownWords) countWord(this.result.unknownRecords, word);
    }
  }

  /** Turns a row of the sheet into one of importRecords. */
  private prepare(row: SheetRow): PreparedRow {
    const { listFields, linkFields } = this.options.fields;
    const reading = this.columns.read(row);
    const shortened = shortenName(reading.values);
    if (shortened.name !== reading.values.name) this.result.shortenedNames++;
    const values: Record<string, unknown> = {};
    const words: Record<string, unknown> = {};
    const references: Reference[] = [];
    for (const [name, value] of Object.entries(shortened)) {
      const linked = linkFields.get(name);
      if (linked !== undefined) references.push(...wordsOfCell(value).map((word) => ({ type: linked, word })));
      else if (listFields.has(name)) values[name] = wordsOfCell(value).flatMap((word) => word.split(/\s+/));
      else values[name] = value;
    }
    const decided = this.withoutStrayDecision(this.withoutUnsettable(values));
    this.resolveMembers(decided, words);
    const source = { row: row.row, file: this.options.fileName, cells: rawCells(row), words, errors: reading.errors };
    return { row, values: decided, references, source };
  }

  /** Leaves out the fields that an update can't set, if the row has an id. */
  private withoutUnsettable(values: Record<string, unknown>): Record<string, unknown> {
    if (values.id === undefined) return values;
    const settable = settableValues(this.options.reader, values);
    for (const field of settable.leftOut) this.fieldsLeftOut.add(field);
    return settable.values;
  }

  /** Many registers have a column "Approved by" that says nothing about rows that aren't approved. */
  private withoutStrayDecision(values: Record<string, unknown>): Record<string, unknown> {
    const decided = withoutStrayDecision(FAMILIES[this.options.reader.type], values);
    if (decided !== values) this.result.strayDecisions++;
    return decided;
  }

  /** Replaces names of members by their accounts. A word that names no single member is left out. */
  private resolveMembers(values: Record<string, unknown>, words: Record<string, unknown>): void {
    this.resolveDeciders(values, words);
    for (const field of this.options.fields.accountFields) {
      const word = values[field];
      if (!isMemberWord(word)) continue;
      const meaning = this.options.members.find(word);
      words[field] = word;
      if ('account_id' in meaning) values[field] = meaning.account_id;
      else {
        delete values[field];
        const { unknownMembers, confusableMembers } = this.result;
        countWord(meaning.problem === 'UNKNOWN' ? unknownMembers : confusableMembers, word);
      }
    }
  }

  /** Replaces e-mail addresses of members who decided. A name alone makes nobody responsible for a past decision. */
  private resolveDeciders(values: Record<string, unknown>, words: Record<string, unknown>): void {
    for (const field of personFields(FAMILIES[this.options.reader.type])) {
      const word = values[field];
      const accountId = typeof word === 'string' ? this.options.members.findByAddress(word) : null;
      if (accountId === null) continue;
      words[field] = word;
      values[field] = accountId;
    }
  }

  /** Links a record with those that its row names. Returns the number of new links, and the words that name none. */
  private async link(id: string, named: readonly Reference[], references: RowReferences) {
    const ids: string[] = [];
    const unknownWords: string[] = [];
    for (const reference of named) {
      const found = await references.find(reference);
      if (found === null) unknownWords.push(reference.word);
      else ids.push(found);
    }
    const links = this.options.dryRun || ids.length === 0 ? ids.length : await references.link(id, ids);
    return { links, unknownWords };
  }
}

/** Splits a cell with several values: "R01; R03". */
export function wordsOfCell(value: FieldValue): string[] {
  return String(value)
    .split(/[,;\n]+/)
    .map((word) => word.trim())
    .filter((word) => word !== '');
}

/** Returns the texts from which a row's id is derived. Computed cells, such as days left, change by themselves. */
function rawCells({ cells, computed }: SheetRow): Record<string, string> {
  const texts = [...cells].map(([header, cell]) => [header, displayText(cell).replace(/\s+/g, ' ').trim()] as const);
  return Object.fromEntries(
    texts.filter(([header, text]) => text !== '' && !computed.has(header) && !isLeftOutColumn(header)),
  );
}

function countWord(counts: Map<string, number>, text: string): void {
  const word = text.slice(0, MAX_WORD_CHARACTERS);
  const count = counts.get(word);
  if (count !== undefined || counts.size < MAX_REMEMBERED) counts.set(word, (count ?? 0) + 1);
}
