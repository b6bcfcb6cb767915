import { withDatesAsTimes } from '../commands/engine/dates-as-times.ts';
import type { Rehearsal } from '../commands/engine/handler.ts';
import { hashedId, randomId } from '../commands/engine/ids.ts';
import { importedId, importedRowId, rowContent } from '../commands/engine/import-ids.ts';
import { FAMILIES, organizationAggregate, recordAggregate } from '../commands/families.ts';
import { isReservedName } from '../commands/organization/person-names.ts';
import type { CommonFields } from '../commands/record.ts';
import { undoOfAddition } from '../commands/undo.ts';
import { lookalikeKeys } from '../queries/records/similar-records.ts';
import type { FamilyDescription } from '../register/family-description.ts';
import { type BulkItem, mapConcurrently } from '../tools/bulk-write.ts';
import type { RecordNames } from '../tools/record-names.ts';
import {
  requireReasonForMany,
  requireSelection,
  type SelectedCall,
  selectionMembers,
  toRehearsed,
} from '../tools/selection.ts';
import type { WriteContext } from '../tools/tool.ts';
import { changedFields } from './changed-fields.ts';
import { type ImportAnswer, importAnswer, MAX_ERRORS_PER_ROW, refusedRows } from './import-answer.ts';
import {
  type Accepted,
  type Answered,
  type ImportRow,
  isRefused,
  type Read,
  type Rehearsed,
  type SimilarRecord,
} from './import-row.ts';
import type { ParsedRow, RowError, RowReader } from './import-rows.ts';
import { personFields, takePersonName } from './past-decisions.ts';
import {
  IMPORTED_BEFORE,
  type ImportCall,
  openRowCall,
  type RowCallInput,
  rehearseRow,
  rehearseRows,
  writeRows,
} from './row-commands.ts';
import { type RowWithIds, withRecordIds } from './row-names.ts';
import type { RowUpdates } from './row-updates.ts';

const MAX_DESCRIBED_ERRORS = 300;

export interface ImportRecordsInput extends RowCallInput {
  rows: readonly Readonly<Record<string, unknown>>[];
  dry_run?: boolean | undefined;
}

/** The row of a spreadsheet from which a row's fields were read. */
export interface RowSource {
  /** Its number in the sheet. */
  row: number;
  /** The file's name without its folder. */
  file: string;
  /** The texts of its cells by heading, without empty and computed ones. */
  cells: Readonly<Record<string, string>>;
  /** Fields as the sheet has them, such as an owner's name. Its account's id is in the row. */
  words: Readonly<Record<string, unknown>>;
  /** Problems of its cells. The row has none of these fields. */
  errors: readonly RowError[];
  /** The row as an earlier version read it, if that was another way. */
  former?: Readonly<Record<string, unknown>>;
}

export interface ImportRecordsOptions {
  /** The call of a tool, whose selection is required if it changes many records. A person confirms an import from a file. */
  selected?: SelectedCall;
  /** Writes the valid rows even when others are invalid. The command line needs this for files of any length. */
  writeValidRows?: boolean;
  /** For each row the spreadsheet's row, if there is one. */
  sources?: readonly RowSource[];
  /** Returns the ids under which there is no record, as far as is known without a look at the log. By default none. */
  findUnknown?(ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** Lets rows without an id change the records with their name or reference. By default such rows add records. */
  updates?: RowUpdates | undefined;
  /** Finds the records that rows name by number or name. By default rows have ids only. */
  names?: RecordNames | null;
  /** Finds records that look like a new or changed one. The answer names them. */
  findSimilar?(id: string, fields: Readonly<Record<string, unknown>>): Promise<readonly SimilarRecord[]>;
}

const ADVICE = 'Fix the rows that have errors, then send all rows again.';

/**
 * Checks every row, then writes them. A row that was imported before with the same content writes nothing.
 * @throws Refusal invalid_input if any row is invalid (unless `writeValidRows`). Its answer lists each row's errors.
 * @throws Refusal idempotency_conflict when an update with this key was done before with other fields
 */
export async function importRecords(
  context: WriteContext,
  reader: RowReader,
  input: ImportRecordsInput,
  options: ImportRecordsOptions = {},
): Promise<ImportAnswer> {
  const { selected, writeValidRows = false, sources = [], findUnknown, updates, findSimilar, names = null } = options;
  const call = await openImport(context, reader, input);
  const step = <From, To>(rows: readonly From[], work: (row: From) => Promise<To>) =>
    mapConcurrently(rows, work, { signal: context.signal });
  const rowsWithIds = await step(input.rows, (row) => withRecordIds(reader, row, names));
  const recognized = await step(readRows(call, rowsWithIds, sources), (row) => recognizeRow(call, row));
  const read = updates ? recognized : await step(recognized, (row) => asReadBefore(call, row, sources[row.row.row]));
  const { unique, firstOf } = findDuplicates(read);
  const rehearsed = await rehearseRows(call, await presumeNew(unique, findUnknown));
  const anew = await step(rehearsed, (row) => addAnew(call, row));
  const updated = (await updates?.apply(call, anew)) ?? anew;
  const named = await step(updated, (row) => refuseMisleadingName(call, row));
  const judged = await mapConcurrently(named, (row) => findFurtherErrors(call, row), context);
  const looksForSimilar = input.dry_run || findSimilar !== undefined;
  const compared = looksForSimilar ? await addSimilar(judged, options, context) : judged;
  const answered = (rows: readonly Rehearsed<ImportRow>[]) => withDuplicates(read, rows, firstOf);
  const { callId } = call;
  const changed = compared.filter(isChange);
  const records = changed.map(({ row, rehearsal }) => toRehearsed(row.id!, rehearsal));
  if (input.dry_run) {
    if (selected !== undefined) requireReasonForMany(selected, records);
    const answer = importAnswer(answered(compared), 'DRY_RUN', callId);
    return selected === undefined ? answer : { ...answer, ...(await selectionMembers(selected, records)) };
  }
  if (!writeValidRows && compared.some(isRefused)) throw refusedRows(answered(compared), 'rows', ADVICE);
  if (selected !== undefined) requireSelection(selected, records);
  const ready = await step(compared, (row) => storePersonName(call, row));
  const { rows, pending } = await writeRows(call, ready);
  return { ...importAnswer(answered(rows), 'WRITTEN', callId), ...(pending ? { pending: true as const } : {}) };
}

/** Returns true for a row whose command changes an existing record, or changes nothing on it. */
function isChange(row: Rehearsed<ImportRow>): row is Accepted<ImportRow> & { rehearsal: Rehearsal } {
  return !isRefused(row) && row.row.isUpdate && row.rehearsal !== undefined;
}

async function openImport(context: WriteContext, reader: RowReader, input: ImportRecordsInput): Promise<ImportCall> {
  const call = openRowCall(context, input);
  const { state } = await context.service.handler.load(organizationAggregate(input.organization_id));
  return { ...call, reader, importKey: state!.import_key };
}

/** Reads every row. With many errors some are only counted, because an answer could not hold them. */
function readRows(call: ImportCall, inputs: readonly RowWithIds[], sources: readonly RowSource[]): Read[] {
  let errorsLeft = MAX_DESCRIBED_ERRORS;
  return inputs.map((row, index) => {
    const maxErrors = Math.max(1, Math.min(errorsLeft, MAX_ERRORS_PER_ROW));
    const read = readRow(call, { ...row, row: index, source: sources[index] }, maxErrors);
    if (isRefused(read)) errorsLeft -= read.errors.length;
    return read;
  });
}

function readRow(
  call: ImportCall,
  { row, input, errors: wrongWords, source }: RowWithIds & { row: number; source: RowSource | undefined },
  maxErrors: number,
): Read {
  const parsedRow = call.reader.read(input, maxErrors);
  const sourceErrors = [...wrongWords, ...(source?.errors ?? [])];
  const common = {
    ...{ row, input, type: call.reader.type, number: source?.row ?? row },
    source: source === undefined ? null : `row ${source.row} of ${source.file}`,
    ...(sourceErrors.length > 0 ? { hasWrongCells: true as const } : {}),
  };
  if ('errors' in parsedRow) {
    const errors = [...sourceErrors, ...withoutFields(parsedRow.errors, sourceErrors)];
    // A row that can't add a record may still change one.
    const unread = { isUpdate: false, otherIds: [], fields: {}, given: {}, content: JSON.stringify(input) };
    return { row: { ...common, ...unread }, errors, moreErrors: parsedRow.moreErrors };
  }
  const identified = { ...common, ...identifyRow(call, parsedRow, source) };
  return sourceErrors.length > 0 ? { row: identified, errors: sourceErrors } : { row: identified };
}

function identifyRow(
  { reader, organizationId, importKey }: ImportCall,
  { id, fields: read }: Extract<ParsedRow, { fields: object }>,
  source: RowSource | undefined,
) {
  const family: FamilyDescription = FAMILIES[reader.type];
  // A row that an earlier version imported has the same identity as then.
  const rowFields = { ...family.pastDecision?.fields, ...family.fields };
  const words = withDatesAsTimes(rowFields, { ...read, ...source?.words });
  const { fields, personName } = takePersonName(family, read);
  const given = takePersonName(family, words).fields;
  const common = { fields, given, content: rowContent(words), ...(personName === undefined ? {} : { personName }) };
  if (id !== undefined) return { id, otherIds: [], isUpdate: true, ...common };
  const contentId = importedId(family, importKey, organizationId, words);
  if (source === undefined) return { id: contentId, otherIds: [], isUpdate: false, ...common };
  const rowId = importedRowId(family, importKey, organizationId, source.cells);
  const ids = typeof words.reference_id === 'string' ? [contentId, rowId] : [rowId, contentId];
  return { id: ids[0]!, rowId, otherIds: ids.slice(1), isUpdate: false, ...common };
}

function withoutFields(errors: readonly RowError[], known: readonly RowError[]): RowError[] {
  return errors.filter(({ field }) => known.every((error) => error.field !== field));
}

/**
 * Gives a new row the id under which it was imported before, with other columns or by an earlier version. A spreadsheet's row
 * with an id keeps only the fields that differ from the record.
 */
async function recognizeRow<Row extends Read>(call: ImportCall, read: Row): Promise<Row> {
  const { row } = read;
  if (row.isUpdate && row.source !== null) {
    return { ...read, row: { ...row, fields: await changedFields(call, row.id!, row.fields) } };
  }
  const exists = async (id: string) =>
    (await call.context.service.handler.load(recordAggregate(id))).organization_id !== null;
  for (const id of row.otherIds) {
    if ((await exists(id)) && !(await exists(row.id!))) return { ...read, row: { ...row, id } };
  }
  return read;
}

/** Returns a spreadsheet's row as an earlier version read it, if it was imported so. It stays as it is. */
async function asReadBefore(call: ImportCall, read: Read, source: RowSource | undefined): Promise<Read> {
  if (source?.former === undefined || read.row.isUpdate) return read;
  const { former } = source;
  const errors = source.errors.filter(({ field }) => !(field in former));
  const formerRow = { row: read.row.row, input: former, errors: [], source: { ...source, errors } };
  const before = await recognizeRow(call, readRow(call, formerRow, 1));
  if (isRefused(before)) return read;
  const rehearsed = await rehearseRow(call, before.row);
  return !isRefused(rehearsed) && rehearsed.result === 'UNCHANGED' ? before : read;
}

/** Marks the rows whose records probably don't exist. Their streams aren't read: the append finds out if one does. */
async function presumeNew(
  rows: readonly Read[],
  findUnknown: ImportRecordsOptions['findUnknown'],
): Promise<readonly Read[]> {
  const added = rows.filter((read) => !isRefused(read) && !read.row.isUpdate).map(({ row }) => row.id!);
  if (findUnknown === undefined || added.length === 0) return rows;
  const unknown = await findUnknown(added);
  return rows.map((read) =>
    isRefused(read) || !unknown.has(read.row.id!) ? read : { row: { ...read.row, isPresumedNew: true } },
  );
}

/** Gives a row another id, if an undo archived the record that it added before. So it adds the record anew. */
async function addAnew(call: ImportCall, rehearsed: Rehearsed<ImportRow>): Promise<Rehearsed<ImportRow>> {
  let current = rehearsed;
  while (wasImportedBefore(current)) {
    const { row } = current;
    const { handler } = call.context.service;
    const { state } = await handler.load(recordAggregate(row.id!));
    const isArchived = state !== null && (state as CommonFields).archived_at !== null;
    const undo = isArchived ? undoOfAddition(await handler.readPast(recordAggregate(row.id!))) : null;
    if (undo === null) break;
    const id = hashedId(FAMILIES[row.type].prefix, call.importKey, { type: row.type, after: undo.id });
    current = await rehearseRow(call, { ...row, id, isPresumedNew: false });
  }
  return current;
}

/** Returns true for a row whose record was imported before, from this row or another one. */
function wasImportedBefore(rehearsed: Rehearsed<ImportRow>): boolean {
  if (rehearsed.row.isUpdate) return false;
  return isRefused(rehearsed)
    ? rehearsed.errors.some(({ message }) => message.includes(IMPORTED_BEFORE))
    : rehearsed.result === 'UNCHANGED';
}

/**
 * Returns each record's first row, and for later rows with the same content the index of that row. Contradicting rows all
 * get an error.
 */
function findDuplicates(rows: readonly Read[]): { unique: Read[]; firstOf: ReadonlyMap<number, number> } {
  const byId = new Map<string, ImportRow[]>();
  for (const { row } of rows) {
    if (row.id !== undefined) byId.set(row.id, [...(byId.get(row.id) ?? []), row]);
  }
  const firstOf = new Map<number, number>();
  const contradictions = new Map<number, RowError>();
  for (const rowsOfRecord of byId.values()) {
    const [first, ...laterRows] = rowsOfRecord as [ImportRow, ...ImportRow[]];
    if (laterRows.every(({ isUpdate, content }) => isUpdate === first.isUpdate && content === first.content)) {
      for (const { row } of laterRows) firstOf.set(row, first.row);
    } else {
      for (const { row } of rowsOfRecord) contradictions.set(row, contradiction(rowsOfRecord, first));
    }
  }
  const unique = rows.filter(({ row }) => !firstOf.has(row.row));
  const judge = (read: Read): Read => {
    const error = contradictions.get(read.row.row);
    return error === undefined ? read : { row: read.row, errors: [error] };
  };
  return { unique: unique.map(judge), firstOf };
}

function contradiction(rows: readonly ImportRow[], first: ImportRow): RowError {
  const numbers = rows.map(({ number }) => number).join(', ');
  const subject = first.isUpdate ? first.id : (first.fields.reference_id ?? first.id);
  const message = `Rows ${numbers} contradict each other about ${subject}. Keep only one of them.`;
  return { field: first.isUpdate ? 'id' : 'reference_id', message };
}

/** Returns all rows of a call in their order, with the outcome of their first rows for duplicates. */
function withDuplicates(
  read: readonly Read[],
  judged: readonly Rehearsed<ImportRow>[],
  firstOf: ReadonlyMap<number, number>,
): Answered[] {
  const byIndex = new Map(judged.map((one) => [one.row.row, one]));
  return read.map(({ row }) => byIndex.get(row.row) ?? { row, first: byIndex.get(firstOf.get(row.row)!)! });
}

function nameIn({ type, fields }: ImportRow): string | null {
  const { titleField = 'name' }: FamilyDescription = FAMILIES[type];
  return (fields[titleField] ?? fields.reference_id ?? null) as string | null;
}

/** Names the records that look like a new or changed one: other rows of the call first, then those of the register. */
async function addSimilar(
  judged: readonly Rehearsed<ImportRow>[],
  { findSimilar }: ImportRecordsOptions,
  context: WriteContext,
): Promise<Rehearsed<ImportRow>[]> {
  const hasEffect = (one: Rehearsed<ImportRow>): one is Accepted<ImportRow> =>
    !isRefused(one) && one.result !== 'UNCHANGED';
  const rowsByKey = new Map<string, ImportRow[]>();
  const keysOf = ({ id, fields }: ImportRow) => lookalikeKeys(id!, fields).map((entry) => entry.join(' '));
  for (const { row } of judged.filter(hasEffect)) {
    for (const key of keysOf(row)) rowsByKey.set(key, [...(rowsByKey.get(key) ?? []), row]);
  }
  const withSimilar = async (one: Rehearsed<ImportRow>) => {
    if (!hasEffect(one)) return one;
    const { row } = one;
    const sameRows = new Set(keysOf(row).flatMap((key) => rowsByKey.get(key)!.filter((other) => other !== row)));
    const others = [...sameRows].map((other) => ({ id: other.id!, name: nameIn(other) }));
    return { ...one, similar: [...others, ...((await findSimilar?.(row.id!, row.fields)) ?? [])] };
  };
  return mapConcurrently(judged, withSimilar, context);
}

/** Refusals of one row that are searched for after the first. */
const MAX_FURTHER_REFUSALS = 3;

/**
 * Adds the errors that a wrong new row has besides its first ones, so that one round shows them all. It rehearses the row
 * without the wrong fields. After a wrong state the others would be wrong only because of it.
 */
async function findFurtherErrors(call: ImportCall, judged: Rehearsed<ImportRow>): Promise<Rehearsed<ImportRow>> {
  if (!isRefused(judged)) return judged;
  const { row } = judged;
  const family = FAMILIES[call.reader.type];
  let { errors } = judged;
  for (let refusals = 0; refusals < MAX_FURTHER_REFUSALS; refusals++) {
    const wrongFields = new Set(errors.map(({ field }) => field));
    const remaining = Object.entries(row.input).filter(([name]) => !wrongFields.has(name));
    if (wrongFields.has(family.workflow?.field ?? '')) break;
    const parsed = call.reader.read(Object.fromEntries(remaining), 1);
    if ('errors' in parsed || parsed.id !== undefined) break;
    const { fields } = takePersonName(family, parsed.fields);
    const partial = await rehearseRow(call, { ...row, id: randomId(family.prefix), fields, given: fields });
    const found = isRefused(partial) ? withoutFields(partial.errors, errors) : [];
    if (found.length === 0) break;
    errors = [...errors, ...found];
  }
  return { ...judged, errors };
}

/**
 * Refuses a new row whose decision would have a name that members may not choose either. It may be a member's own: the file
 * names somebody who has an account now.
 */
async function refuseMisleadingName(
  { owners, reader }: ImportCall,
  judged: Rehearsed<ImportRow>,
): Promise<Rehearsed<ImportRow>> {
  const { row } = judged;
  const { personName } = row;
  if (isRefused(judged) || personName === undefined || judged.result !== 'CREATED') return judged;
  if (!isReservedName(personName) && !(await owners.isLookalike(personName))) return judged;
  const message = isReservedName(personName)
    ? 'is an id, a role or a word that the service uses itself. Give the name of the person who decided'
    : 'looks like the name of a member, but has other letters. Give the member’s e-mail address, or the right letters';
  return { row, errors: [{ field: personFields(FAMILIES[reader.type])[0]!, message }] };
}

/** Stores the name of the person who made a new record's past decision. Its command then has the name's id. */
async function storePersonName(
  { context, organizationId }: ImportCall,
  judged: Rehearsed<ImportRow>,
): Promise<Rehearsed<ImportRow>> {
  const { personName, source } = judged.row;
  if (isRefused(judged) || judged.item === null || personName === undefined || judged.result !== 'CREATED')
    return judged;
  const name_id = await context.service.importedNames.idOf(organizationId, personName);
  const command = { ...judged.item.command, origin: { name_id, source } } as BulkItem['command'];
  return { ...judged, item: { ...judged.item, command } };
}
