import { withDatesAsTimes } from '../commands/engine/dates-as-times.ts';
import { randomId } from '../commands/engine/ids.ts';
import { importedId, importedRowId, rowContent } from '../commands/engine/import-ids.ts';
import { FAMILIES, organizationAggregate, recordAggregate } from '../commands/families.ts';
import { isReservedName } from '../commands/organization/person-names.ts';
import { lookalikeKeys } from '../queries/records/similar-records.ts';
import type { FamilyDescription } from '../register/family-description.ts';
import { type BulkItem, mapConcurrently } from '../tools/bulk-write.ts';
import type { WriteContext } from '../tools/tool.ts';
import { changedFields } from './changed-fields.ts';
import {
  type ImportAnswer,
  importAnswer,
  MAX_ERRORS_PER_ROW,
  refusedRows,
  type SimilarRecord,
} from './import-answer.ts';
import type { ImportCall, ImportRow } from './import-row.ts';
import type { ParsedRow, RowError, RowReader } from './import-rows.ts';
import { personFields, takePersonName } from './past-decisions.ts';
import {
  type AcceptedRow,
  openRowCall,
  type RowCallInput,
  rehearseRow,
  rehearseRows,
  writeRows,
} from './row-commands.ts';
import type { RowUpdates } from './row-updates.ts';

/** Errors that an answer describes. It counts the others. */
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
}

export interface ImportRecordsOptions {
  /** Writes the valid rows even when others are invalid. The command line needs this for files of any length. */
  writeValidRows?: boolean;
  /** For each row the spreadsheet's row, if there is one. */
  sources?: readonly RowSource[];
  /** Returns the ids under which there is no record, as far as is known without a look at the log. By default none. */
  findUnknown?(ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** Lets rows without an id change the records with their name or reference. By default such rows add records. */
  updates?: RowUpdates | undefined;
  /** Finds records that look like a new one. The answer names them. */
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
  { writeValidRows = false, sources = [], findUnknown, updates, findSimilar }: ImportRecordsOptions = {},
): Promise<ImportAnswer> {
  const call = await openImport(context, reader, input);
  const rows = readRows(call, input.rows, sources);
  await mapConcurrently(rows, (row) => recognizeRow(call, row), context.signal);
  const uniqueRows = markDuplicates(rows);
  const readableRows = uniqueRows.filter(({ errors }) => !errors);
  await presumeNew(readableRows, findUnknown);
  const rehearsed = await rehearseRows(call, readableRows);
  const updated = (await updates?.apply(call, uniqueRows, rehearsed)) ?? rehearsed;
  const accepted = await refuseMisleadingNames(call, updated);
  await mapConcurrently(uniqueRows, (row) => findFurtherErrors(call, row), context.signal);
  if (input.dry_run || findSimilar !== undefined) {
    await addSimilar(
      accepted.map(({ row }) => row),
      findSimilar,
    );
  }
  if (input.dry_run) return importAnswer(rows, 'DRY_RUN');
  if (!writeValidRows && uniqueRows.some(({ errors }) => errors)) throw refusedRows(rows, 'rows', ADVICE);
  const named = await mapConcurrently(accepted, (acceptedRow) => storePersonName(call, acceptedRow), context.signal);
  const pending = await writeRows(call, named);
  return { ...importAnswer(rows, 'WRITTEN'), ...(pending ? { pending: true as const } : {}) };
}

async function openImport(context: WriteContext, reader: RowReader, input: ImportRecordsInput): Promise<ImportCall> {
  const call = openRowCall(context, input);
  const { state } = await context.service.handler.load(organizationAggregate(input.organization_id));
  return { ...call, reader, importKey: state!.import_key };
}

/** Reads every row. With many errors some are only counted, because an answer could not hold them. */
function readRows(call: ImportCall, inputs: ImportRecordsInput['rows'], sources: readonly RowSource[]): ImportRow[] {
  let errorsLeft = MAX_DESCRIBED_ERRORS;
  return inputs.map((input, index) => {
    const maxErrors = Math.max(1, Math.min(errorsLeft, MAX_ERRORS_PER_ROW));
    const row = readRow(call, { row: index, input, source: sources[index] }, maxErrors);
    errorsLeft -= row.errors?.length ?? 0;
    return row;
  });
}

function readRow(
  call: ImportCall,
  { row, input, source }: { row: number; input: ImportRecordsInput['rows'][number]; source: RowSource | undefined },
  maxErrors: number,
): ImportRow {
  const parsedRow = call.reader.read(input, maxErrors);
  const sourceErrors = source?.errors ?? [];
  const { type } = call.reader;
  const origin = source === undefined ? null : `row ${source.row} of ${source.file}`;
  const number = source?.row ?? row;
  if ('errors' in parsedRow) {
    const errors = [...sourceErrors, ...withoutFields(parsedRow.errors, sourceErrors)];
    const { moreErrors } = parsedRow;
    const nothing = { isUpdate: false, otherIds: [], fields: {}, given: {}, content: '' };
    const hasWrongCells = sourceErrors.length > 0 ? { hasWrongCells: true as const } : {};
    return { row, number, type, input, source: origin, errors, moreErrors, ...hasWrongCells, ...nothing };
  }
  return {
    row,
    number,
    type,
    input,
    source: origin,
    ...identifyRow(call, parsedRow, source),
    ...(sourceErrors.length > 0 ? { errors: [...sourceErrors], hasWrongCells: true as const } : {}),
  };
}

/** Returns a row's fields, and the ids of its record that follow from them. */
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

/** Returns the errors about other fields than those that have errors already. */
function withoutFields(errors: readonly RowError[], known: readonly RowError[]): RowError[] {
  return errors.filter(({ field }) => known.every((error) => error.field !== field));
}

/**
 * Gives a new row the id under which it was imported before, with other columns or by an earlier version. A spreadsheet's row
 * with an id keeps only the fields that differ from the record.
 */
async function recognizeRow(call: ImportCall, row: ImportRow): Promise<void> {
  const { context } = call;
  if (row.isUpdate && row.source !== null) row.fields = await changedFields(call, row.id!, row.fields);
  const exists = async (id: string) =>
    (await context.service.handler.load(recordAggregate(id))).organization_id !== null;
  for (const id of row.otherIds) {
    if ((await exists(id)) && !(await exists(row.id!))) row.id = id;
  }
}

/** Marks the rows whose records probably don't exist. Their streams aren't read: the append finds out if one does. */
async function presumeNew(rows: readonly ImportRow[], findUnknown: ImportRecordsOptions['findUnknown']): Promise<void> {
  const added = rows.filter(({ isUpdate }) => !isUpdate);
  if (findUnknown === undefined || added.length === 0) return;
  const unknown = await findUnknown(added.map(({ id }) => id!));
  for (const row of added) row.isPresumedNew = unknown.has(row.id!);
}

/** Returns each record's first row. Later rows with the same content are its duplicates; contradicting rows all get an error. */
function markDuplicates(rows: readonly ImportRow[]): ImportRow[] {
  const byId = new Map<string, ImportRow[]>();
  for (const row of rows) {
    if (row.id === undefined) continue;
    const rowsOfRecord = byId.get(row.id);
    if (rowsOfRecord === undefined) byId.set(row.id, [row]);
    else rowsOfRecord.push(row);
  }
  for (const rowsOfRecord of byId.values()) compareRows(rowsOfRecord);
  return rows.filter(({ duplicateOf }) => duplicateOf === undefined);
}

/** Marks the rows of one record as duplicates of the first, or as contradicting each other. */
function compareRows(rowsOfRecord: readonly ImportRow[]): void {
  const [first, ...laterRows] = rowsOfRecord as [ImportRow, ...ImportRow[]];
  if (laterRows.every(({ isUpdate, content }) => isUpdate === first.isUpdate && content === first.content)) {
    for (const row of laterRows) row.duplicateOf = first;
    return;
  }
  const numbers = rowsOfRecord.map(({ number }) => number).join(', ');
  const subject = first.isUpdate ? first.id : (first.fields.reference_id ?? first.id);
  const message = `Rows ${numbers} contradict each other about ${subject}. Keep only one of them.`;
  for (const row of rowsOfRecord) row.errors = [{ field: first.isUpdate ? 'id' : 'reference_id', message }];
}

function nameIn({ name, reference_id }: Readonly<Record<string, unknown>>): string | null {
  return (name ?? reference_id ?? null) as string | null;
}

/** Names the records that look like a new one: other new rows of the call first, then those of the register. */
async function addSimilar(rows: readonly ImportRow[], findSimilar: ImportRecordsOptions['findSimilar']): Promise<void> {
  const newRows = rows.filter(({ result }) => result === 'CREATED');
  const rowsByKey = new Map<string, ImportRow[]>();
  const keysOf = ({ id, fields }: ImportRow) => lookalikeKeys(id!, fields).map((entry) => entry.join(' '));
  for (const row of newRows) {
    for (const key of keysOf(row)) rowsByKey.set(key, [...(rowsByKey.get(key) ?? []), row]);
  }
  await mapConcurrently(newRows, async (row) => {
    const sameRows = new Set(keysOf(row).flatMap((key) => rowsByKey.get(key)!.filter((other) => other !== row)));
    const others = [...sameRows].map(({ id, fields }) => ({ id: id!, name: nameIn(fields) }));
    row.similar = [...others, ...((await findSimilar?.(row.id!, row.fields)) ?? [])];
  });
}

/** Refusals of one row that are searched for after the first. */
const MAX_FURTHER_REFUSALS = 3;

/**
 * Adds the errors that a wrong new row has besides its first ones, so that one round shows them all. It rehearses the row
 * without the wrong fields. After a wrong state the others would be wrong only because of it.
 */
async function findFurtherErrors(call: ImportCall, row: ImportRow): Promise<void> {
  const { errors = [], input } = row;
  const family = FAMILIES[call.reader.type];
  for (let refusals = 0; refusals < MAX_FURTHER_REFUSALS; refusals++) {
    const wrongFields = new Set(errors.map(({ field }) => field));
    const remaining = Object.entries(input).filter(([name]) => !wrongFields.has(name));
    if (errors.length === 0 || wrongFields.has(family.workflow?.field ?? '')) return;
    const parsed = call.reader.read(Object.fromEntries(remaining), 1);
    if ('errors' in parsed || parsed.id !== undefined) return;
    const { fields } = takePersonName(family, parsed.fields);
    const partialRow: ImportRow = { ...row, id: randomId(family.prefix), fields, given: fields };
    delete partialRow.errors;
    if ((await rehearseRow(call, partialRow)) !== null) return;
    const found = withoutFields(partialRow.errors ?? [], errors);
    if (found.length === 0) return;
    errors.push(...found);
  }
}

/**
 * Refuses new rows whose decision would have a name that members may not choose either. It may be a member's own: the file
 * names somebody who has an account now. Returns the other rows.
 */
async function refuseMisleadingNames(
  { owners, reader }: ImportCall,
  accepted: readonly AcceptedRow<ImportRow>[],
): Promise<AcceptedRow<ImportRow>[]> {
  for (const { row } of accepted) {
    const { personName, result } = row;
    if (personName === undefined || result !== 'CREATED') continue;
    const message = isReservedName(personName)
      ? 'is an id, a role or a word that the service uses itself. Give the name of the person who decided'
      : 'looks like the name of a member, but has other letters. Give the member’s e-mail address, or the right letters';
    if (!isReservedName(personName) && !(await owners.isLookalike(personName))) continue;
    delete row.result;
    row.errors = [{ field: personFields(FAMILIES[reader.type])[0]!, message }];
  }
  return accepted.filter(({ row }) => row.errors === undefined);
}

/** Stores the name of the person who made a new record's past decision. Its command then has the name's id. */
async function storePersonName(
  { context, organizationId }: ImportCall,
  accepted: AcceptedRow<ImportRow>,
): Promise<AcceptedRow<ImportRow>> {
  const { row, item } = accepted;
  const { personName, result, source } = row;
  if (personName === undefined || result !== 'CREATED') return accepted;
  const name_id = await context.service.importedNames.idOf(organizationId, personName);
  return { row, item: { ...item, command: { ...item.command, origin: { name_id, source } } as BulkItem['command'] } };
}
