import { recordAggregate } from '../commands/families.ts';
import type { LiveRecord, LiveRecords } from '../queries/records/live-records.ts';
import { lookalikeKeys } from '../queries/records/similar-records.ts';
import { mapConcurrently } from '../tools/bulk-write.ts';
import { changedFields, settableValues } from './changed-fields.ts';
import { MAX_ERRORS_PER_ROW } from './import-answer.ts';
import type { ImportCall, ImportRow } from './import-row.ts';
import { type AcceptedRow, rehearseRow } from './row-commands.ts';

/** A row that changes a record which it doesn't name by id. */
export interface RowUpdate {
  row: number;
  id: string;
  /** The name that the record has so far. */
  name: string;
  fields: readonly string[];
}

/** A row that could change these records. */
interface RowMatch {
  row: ImportRow;
  records: readonly Pick<LiveRecord, 'id' | 'name'>[];
}

/** Records that a message names. */
const MAX_NAMED_RECORDS = 3;

/** Lets rows without an id change the one live record that has their reference, or else their name. */
export class RowUpdates {
  /** The rows that changed a record, or would in a dry run. */
  readonly updates: RowUpdate[] = [];
  /** Fields of such rows that an update can't set. */
  readonly fieldsLeftOut = new Set<string>();
  /** Rows that were imported before, and whose records differ from them now. */
  readonly outdatedRows: number[] = [];
  /** By record: the first row that is about it. */
  private readonly claims = new Map<string, Pick<ImportRow, 'number' | 'content'>>();

  constructor(private readonly records: LiveRecords) {}

  /**
   * Turns new rows into changes of the records that they are about. Rows that were imported before stay as they are.
   * @param rows the different rows of a call, rehearsed
   * @param accepted those of them that were not refused
   * @returns the rows that are accepted now
   */
  async apply(call: ImportCall, rows: readonly ImportRow[], accepted: readonly AcceptedRow<ImportRow>[]) {
    const matches = await mapConcurrently(rows, (row) => this.match(call, row));
    for (const row of rows) if (row.isUpdate || isImportedBefore(row)) this.claim(row, row.id!, nameOf(row));
    await mapConcurrently(rows.filter(isImportedBefore), (row) => this.findOutdated(call, row));
    const chosen = matches.flatMap((match) => this.choose(match));
    refuseRivals(chosen.map(({ row, record }) => ({ row, key: record.id, name: record.name })));
    const claimed = chosen.filter(({ row, record }) => !row.errors && this.claim(row, record.id, record.name));
    const updated = await mapConcurrently(claimed, ({ row, record }) => this.update(call, row, record));
    this.addNewRows(rows.filter(({ result, isUpdate }) => result === 'CREATED' && !isUpdate));
    const kept = accepted.filter(({ row }) => !row.errors && !row.isChangeOfMatch);
    return [...kept, ...updated.flat()];
  }

  private async match({ context }: ImportCall, row: ImportRow): Promise<RowMatch> {
    if (row.isUpdate || row.hasWrongCells || isImportedBefore(row)) return { row, records: [] };
    // A row that can't add a record may still change one.
    if (row.content === '') row.content = JSON.stringify(row.input);
    if (!row.isReadDifferently) return { row, records: await this.records.findSame(row.input) };
    const { state } = await context.service.handler.load(recordAggregate(row.id!));
    return { row, records: state?.archived_at === null ? [{ id: row.id!, name: nameOf(row) }] : [] };
  }

  /** Notes a row that stays without effect, though its record has other values now. */
  private async findOutdated(call: ImportCall, { id, fields, number }: ImportRow): Promise<void> {
    const changes = await changedFields(call, id!, settableValues(call.reader, fields).values);
    if (Object.keys(changes).length > 0) this.outdatedRows.push(number);
  }

  /** Returns a row with the only record that it can be about. Refuses the row if there are several. */
  private choose({ row, records }: RowMatch) {
    const [record, ...others] = records;
    if (record === undefined) return [];
    if (others.length === 0) {
      delete row.errors;
      return [{ row, record }];
    }
    const named = records.slice(0, MAX_NAMED_RECORDS).map(({ id, name }) => `"${name}" (${id})`);
    const more = records.length > named.length ? ' and more' : '';
    const field = 'reference_id' in row.input ? 'reference_id' : 'name';
    refuse(row, field, `Several records have this ${field}: ${named.join(', ')}${more}. Give the row the id of one.`);
    return [];
  }

  /** Returns true if no other row is about the record. Else it refuses the row, unless both have the same content. */
  private claim(row: ImportRow, id: string, name: string): boolean {
    const first = this.claims.get(id);
    if (first === undefined) this.claims.set(id, row);
    if (first === undefined || first.content === row.content) return true;
    refuse(row, '', `Row ${first.number} is about "${name}" too. Keep one of them.`);
    return false;
  }

  /** Turns a row into a change of a record, and rehearses it. */
  private async update(call: ImportCall, row: ImportRow, { id, name }: Pick<LiveRecord, 'id' | 'name'>) {
    const { values, leftOut } = settableValues(call.reader, row.input);
    for (const field of leftOut) this.fieldsLeftOut.add(field);
    const input = { ...values, id };
    const parsed = call.reader.read(input, MAX_ERRORS_PER_ROW);
    for (const member of ['result', 'rowId', 'isReadDifferently', 'personName', 'moreErrors'] as const)
      delete row[member];
    Object.assign(row, { id, input, isUpdate: true, isChangeOfMatch: true });
    if ('errors' in parsed) {
      row.errors = parsed.errors;
      return [];
    }
    row.fields = await changedFields(call, id, parsed.fields);
    row.given = row.fields;
    const item = await rehearseRow(call, row);
    if (row.result === 'UPDATED') this.updates.push({ row: row.number, id, name, fields: Object.keys(row.fields) });
    return item === null ? [] : [{ row, item }];
  }

  /** Refuses new rows with one name, because a repeated import could not tell their records apart. */
  private addNewRows(rows: readonly ImportRow[]): void {
    refuseRivals(
      rows
        .filter(({ fields }) => typeof fields.name === 'string' && fields.reference_id === undefined)
        .map((row) => ({ row, key: keyOfName(row), name: nameOf(row) })),
    );
    for (const row of rows) {
      if (row.errors) continue;
      this.claims.set(row.id!, row);
      this.records.add(row.id!, row.fields);
    }
  }
}

function isImportedBefore({ result, isReadDifferently }: ImportRow): boolean {
  return result === 'UNCHANGED' && !isReadDifferently;
}

/** Refuses rows with the same key and different contents. */
function refuseRivals(rows: readonly { row: ImportRow; key: string; name: string }[]): void {
  for (const key of new Set(rows.map((row) => row.key))) {
    const rivals = rows.filter((row) => row.key === key);
    if (rivals.every(({ row }) => row.content === rivals[0]!.row.content)) continue;
    const numbers = rivals.map(({ row }) => row.number).join(', ');
    for (const { row, name } of rivals) {
      refuse(row, '', `Rows ${numbers} contradict each other about "${name}". Keep only one of them.`);
    }
  }
}

function refuse(row: ImportRow, field: string, message: string): void {
  delete row.result;
  row.errors = [{ field, message }];
}

/** Returns a key that is equal for rows with the same name. */
function keyOfName({ id, fields: { name } }: ImportRow): string {
  return lookalikeKeys(id!, { name }).join();
}

function nameOf({ fields: { name, reference_id }, id }: ImportRow): string {
  return String(name ?? reference_id ?? id);
}
