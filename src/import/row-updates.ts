import { recordAggregate } from '../commands/families.ts';
import { type LiveRecord, type LiveRecords, wholeNameKey } from '../queries/records/live-records.ts';
import { mapConcurrently } from '../tools/bulk-write.ts';
import { changedFields, settableValues } from './changed-fields.ts';
import { MAX_ERRORS_PER_ROW } from './import-answer.ts';
import { type ImportRow, isRefused, type Refused, type Rehearsed } from './import-row.ts';
import { type ImportCall, rehearseRow } from './row-commands.ts';
import type { Notes } from './sheet/notes.ts';

type RecordName = Pick<LiveRecord, 'id' | 'name'>;

interface Match {
  row: ImportRow;
  record: RecordName;
}

const MAX_NAMED_RECORDS = 3;

/** Lets rows without an id change the one live record that has their reference, or else their name. */
export class RowUpdates {
  /** By record: the first row that is about it. */
  private readonly claims = new Map<string, Pick<ImportRow, 'number' | 'content'>>();

  /** Fields of such rows that an update can't set. */
  readonly fieldsLeftOut = new Set<string>();

  constructor(
    private readonly records: LiveRecords,
    private readonly notes: Notes,
    /** The rows' names were taken from their descriptions, because no heading means the name. */
    private readonly takesNamesFromDescriptions: boolean,
  ) {}

  /**
   * Turns new rows into changes of the records that they are about. Rows that were imported before stay as they are.
   * @param judged the different rows of a call
   * @returns all of them
   */
  async apply(call: ImportCall, judged: readonly Rehearsed<ImportRow>[]): Promise<Rehearsed<ImportRow>[]> {
    const found = await mapConcurrently(judged, (one) => this.recordsOf(call, one));
    const outcomes = new Map(judged.map((one) => [one.row.row, one]));
    const set = (changed: readonly (Rehearsed<ImportRow> | null)[]) => {
      for (const one of changed) if (one !== null) outcomes.set(one.row.row, one);
    };
    const claiming = judged.filter((one) => one.row.isUpdate || isImportedBefore(one));
    set(claiming.map(({ row }) => this.claim({ row, record: { id: row.id!, name: nameOf(row) } })));
    await mapConcurrently(judged.filter(isImportedBefore), ({ row }) => this.findOutdated(call, row));
    set(judged.map(({ row }, index) => severalRecords(row, found[index]!)));
    const matches = judged.flatMap(({ row }, index): Match[] => {
      const [record, ...others] = found[index]!;
      return record === undefined || others.length > 0 ? [] : [{ row, record }];
    });
    const rivals = refuseRivals(matches.map(({ row, record }) => ({ row, key: record.id, name: record.name })));
    set(rivals);
    const rivalRows = new Set(rivals.map(({ row }) => row));
    const updated = await mapConcurrently(
      matches.filter(({ row }) => !rivalRows.has(row)).map((match) => ({ match, refused: this.claim(match) })),
      async ({ match, refused }) => refused ?? (await this.update(call, match)),
    );
    set(updated);
    const created = [...outcomes.values()].filter((one) => !isRefused(one) && one.result === 'CREATED');
    set(this.addNewRows(created.map(({ row }) => row)));
    return [...outcomes.values()];
  }

  private async recordsOf({ context }: ImportCall, judged: Rehearsed<ImportRow>): Promise<readonly RecordName[]> {
    const { row } = judged;
    if (row.isUpdate || row.hasWrongCells || isImportedBefore(judged)) return [];
    if (isRefused(judged) || judged.item !== null) return this.records.findSame(row.input);
    const { state } = await context.service.handler.load(recordAggregate(row.id!));
    return state?.archived_at === null ? [{ id: row.id!, name: nameOf(row) }] : [];
  }

  /** Notes a row that stays without effect, though its record has other values now. */
  private async findOutdated(call: ImportCall, { id, fields, number }: ImportRow): Promise<void> {
    const changes = await changedFields(call, id!, settableValues(call.reader, fields).values);
    if (Object.keys(changes).length > 0) this.notes.add({ kind: 'OUTDATED', text: String(number) });
  }

  /** Refuses a row if another row is about the record, unless both have the same content. */
  private claim({ row, record: { id, name } }: Match): Refused<ImportRow> | null {
    const first = this.claims.get(id);
    if (first === undefined) this.claims.set(id, row);
    if (first === undefined || first.content === row.content) return null;
    return refuse(row, '', `Row ${first.number} is about "${name}" too. Keep one of them.`);
  }

  /** Turns a row into a change of a record, and rehearses it. */
  private async update(call: ImportCall, { row, record: { id, name } }: Match): Promise<Rehearsed<ImportRow>> {
    const { values, leftOut } = settableValues(call.reader, row.input);
    for (const field of leftOut) this.fieldsLeftOut.add(field);
    const input = { ...(this.takesNamesFromDescriptions ? withoutOtherName(values, name) : values), id };
    const parsed = call.reader.read(input, MAX_ERRORS_PER_ROW);
    const { rowId: _rowId, personName: _personName, ...kept } = row;
    const change = { ...kept, id, input, isUpdate: true };
    if ('errors' in parsed) return { row: change, errors: parsed.errors };
    const fields = await changedFields(call, id, parsed.fields);
    const judged = await rehearseRow(call, { ...change, fields, given: fields });
    if (!isRefused(judged) && judged.result === 'UPDATED') {
      const text = `row ${row.number} "${name}" (${id}): ${Object.keys(fields).join(', ')}`;
      this.notes.add({ kind: 'UPDATED', text });
    }
    return judged;
  }

  /** Refuses new rows with one name, because a repeated import could not tell their records apart. */
  private addNewRows(rows: readonly ImportRow[]): Refused<ImportRow>[] {
    const rivals = refuseRivals(
      rows
        .filter(({ fields }) => typeof fields.name === 'string' && fields.reference_id === undefined)
        .map((row) => ({ row, key: wholeNameKey(String(row.fields.name)), name: nameOf(row) })),
    );
    const rivalRows = new Set(rivals.map(({ row }) => row));
    for (const row of rows) {
      if (rivalRows.has(row)) continue;
      this.claims.set(row.id!, row);
      this.records.add(row.id!, row.fields);
    }
    return rivals;
  }
}

/** Returns a row's values with the text as description alone, unless it is the record's name. */
function withoutOtherName(values: Readonly<Record<string, unknown>>, recordName: string): Record<string, unknown> {
  const { name, ...others } = values;
  return name === recordName ? values : { description: name, ...others };
}

function isImportedBefore(judged: Rehearsed<ImportRow>): boolean {
  return !isRefused(judged) && judged.result === 'UNCHANGED' && judged.item !== null;
}

function severalRecords(row: ImportRow, records: readonly RecordName[]): Refused<ImportRow> | null {
  if (records.length < 2) return null;
  const named = records.slice(0, MAX_NAMED_RECORDS).map(({ id, name }) => `"${name}" (${id})`);
  const more = records.length > named.length ? ' and more' : '';
  const field = 'reference_id' in row.input ? 'reference_id' : 'name';
  return refuse(
    row,
    field,
    `Several records have this ${field}: ${named.join(', ')}${more}. Give the row the id of one.`,
  );
}

function refuseRivals(rows: readonly { row: ImportRow; key: string; name: string }[]): Refused<ImportRow>[] {
  return [...new Set(rows.map(({ key }) => key))].flatMap((key) => {
    const rivals = rows.filter((row) => row.key === key);
    if (rivals.every(({ row }) => row.content === rivals[0]!.row.content)) return [];
    const numbers = rivals.map(({ row }) => row.number).join(', ');
    return rivals.map(({ row, name }) =>
      refuse(row, '', `Rows ${numbers} contradict each other about "${name}". Keep only one of them.`),
    );
  });
}

function refuse(row: ImportRow, field: string, message: string): Refused<ImportRow> {
  return { row, errors: [{ field, message }] };
}

function nameOf({ fields: { name, reference_id }, id }: ImportRow): string {
  return String(name ?? reference_id ?? id);
}
