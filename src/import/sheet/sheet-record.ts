import { idPrefix } from '../../commands/engine/ids.ts';
import { FAMILIES } from '../../commands/families.ts';
import { omit, pick } from '../../commands/record.ts';
import { isMemberWord, type MemberWords } from '../../queries/records/member-words.ts';
import { displayText } from '../../sheets/cells/cell.ts';
import type { FieldValue } from '../../sheets/cells/read-cell.ts';
import type { RowReading } from '../../sheets/columns/column-reader.ts';
import type { SheetRow } from '../../sheets/table-rows.ts';
import { settableValues } from '../changed-fields.ts';
import type { RowSource } from '../import-records.ts';
import type { RowReader } from '../import-rows.ts';
import { personFields, withAcceptanceEnd, withoutStrayDecision } from '../past-decisions.ts';
import { isLeftOutColumn } from './left-out-columns.ts';
import { shortenName } from './long-names.ts';
import { type Note, shortWord } from './notes.ts';
import type { Reference } from './row-references.ts';
import type { SheetFields } from './sheet-fields.ts';

/** A row of a sheet as importRecords takes it. */
export interface SheetRecord {
  readonly row: SheetRow;
  readonly values: Values;
  readonly source: RowSource;
  readonly references: readonly Reference[];
  /** Fields that the row has, and that an update can't set. */
  readonly fieldsLeftOut: readonly string[];
  readonly notes: readonly Note[];
}

interface RecordContext {
  reader: RowReader;
  fields: SheetFields;
  /** The file's name without its folder, for the origin of past decisions. */
  fileName: string;
  /** The present members, for columns of owners. */
  members: MemberWords;
  /** The end of past acceptances whose rows have none. */
  acceptedUntil?: string | undefined;
}

type Values = Readonly<Record<string, unknown>>;

/** Turns a row into one of importRecords: with accounts for names of members, and references for names of records. */
export function sheetRecord(row: SheetRow, reading: RowReading, context: RecordContext): SheetRecord {
  const { reader, fields, fileName, acceptedUntil } = context;
  const shortened = shortenName(reading.values);
  const entries = Object.entries(shortened);
  const references = entries.flatMap(([name, value]) => {
    const type = fields.linkFields.get(name);
    return type === undefined ? [] : [{ type, cell: String(value) }];
  });
  const own = entries
    .filter(([name]) => !fields.linkFields.has(name))
    .map(([name, value]) => [name, fields.listFields.has(name) ? idsOfCell(value) : value] as const);
  const values: Values = Object.fromEntries(own);
  const isChange = values.id !== undefined && reader.updateParser !== null;
  const settable = isChange ? settableValues(reader, values) : { values, leftOut: [] };
  // Many registers have a column "Approved by" that says nothing about rows that aren't approved.
  const decided = withoutStrayDecision(FAMILIES[reader.type], settable.values);
  const resolved = resolveMembers(withAcceptanceEnd(FAMILIES[reader.type], decided, acceptedUntil), context);
  const { words } = resolved;
  const former = formerValues(reading, resolved.values);
  return {
    ...{ row, references, values: resolved.values, fieldsLeftOut: settable.leftOut },
    source: { row: row.row, file: fileName, cells: rawCells(row), words, errors: reading.errors, ...former },
    notes: [
      ...reading.words.map(
        ({ field, word, value }): Note => ({ kind: 'WORD', text: `${field} "${word}" as ${value}` }),
      ),
      ...Array.from({ length: reading.placeholders }, (): Note => ({ kind: 'PLACEHOLDER' })),
      ...(shortened.name === reading.values.name ? [] : [{ kind: 'SHORTENED_NAME' } as const]),
      ...(decided === settable.values ? [] : [{ kind: 'STRAY_DECISION' } as const]),
      ...resolved.notes,
    ],
  };
}

/** Fields that no column filled in earlier versions. */
const NEWER_FIELDS = ['closed_at', 'last_assessed_at'];

/** Returns the values that an earlier version read, if it read some cells in another way. */
function formerValues({ values, former }: RowReading, current: Values): { former?: Values } {
  if (Object.keys(former).length === 0 && NEWER_FIELDS.every((name) => !(name in current))) return {};
  const names = ['name', 'description', ...Object.keys(former)];
  const others = omit(current, [...names, ...NEWER_FIELDS]);
  return { former: { ...others, ...pick(shortenName({ ...values, ...former }), names) } };
}

/**
 * Replaces names of members by their accounts, and e-mail addresses of members who decided: a name alone makes nobody
 * responsible for a past decision. An owner's word that names no single member is left out.
 */
function resolveMembers(values: Values, { reader, fields, members }: RecordContext) {
  const words: Record<string, string> = {};
  const accounts: Record<string, string> = {};
  const notes: Note[] = [];
  for (const field of personFields(FAMILIES[reader.type])) {
    const word = values[field];
    const account = typeof word === 'string' ? members.findByAddress(word) : null;
    if (account === null) continue;
    words[field] = word as string;
    accounts[field] = account;
  }
  for (const field of fields.accountFields) {
    const word = values[field];
    if (!isMemberWord(word)) continue;
    const meaning = members.find(word);
    words[field] = word;
    if ('account_id' in meaning) accounts[field] = meaning.account_id;
    else notes.push({ kind: `${meaning.problem}_MEMBER`, text: shortWord(word) });
  }
  return { values: { ...omit(values, Object.keys(words)), ...accounts }, words, notes };
}

/** Splits a cell with several values: "R01; R03". */
export function wordsOfCell(value: FieldValue): string[] {
  return String(value)
    .split(/[,;\n]+/)
    .map((word) => word.trim())
    .filter((word) => word !== '');
}

/** Returns the ids in a cell, or the numbers and names of records. */
function idsOfCell(value: FieldValue): string[] {
  const ids = wordsOfCell(value).flatMap((word) => word.split(/\s+/));
  return ids.every((id) => idPrefix(id) !== null) ? ids : wordsOfCell(value);
}

/** Returns the texts from which a row's id is derived. Computed cells, such as days left, change by themselves. */
function rawCells({ cells, computed }: SheetRow): Record<string, string> {
  const texts = [...cells].map(([header, cell]) => [header, displayText(cell).replace(/\s+/g, ' ').trim()] as const);
  return Object.fromEntries(
    texts.filter(([header, text]) => text !== '' && !computed.has(header) && !isLeftOutColumn(header)),
  );
}
