import { z } from 'zod';
import { Refusal } from '../commands/engine/refusal.ts';
import type { Caller } from '../commands/organization/caller.ts';
import { familyQueryOfType } from '../queries/family-query.ts';
import { openChangeFile } from '../queries/files/change-file.ts';
import { linkColumns } from '../queries/files/linked-words.ts';
import type { FileInput, OpenedFile } from '../queries/files/open-file.ts';
import { openRecordFile } from '../queries/files/record-file.ts';
import type { Reader } from '../queries/moments/snapshot.ts';
import { FAMILY_TOOLS } from './all-family-tools.ts';
import { changesInput } from './schema/changes-schema.ts';
import { listInput } from './schema/family-schema.ts';
import { InputParser } from './schema/input-parser.ts';
import { type PublishedFilter, publishedFilters } from './schema/json-schema.ts';
import type { RecordSchemas } from './schema/output.ts';

/** The name of the file of changes. Other files are named by their family's plural. */
export const CHANGES_FILE = 'changes';

/** An opened file with its columns, ready to be written. */
export interface RecordFile extends OpenedFile {
  /** The fields of a line, in the order of columns. `record.id` is a nested one. */
  columns: readonly string[];
}

export interface FileRequest extends Omit<FileInput, 'filter'> {
  /** A family's plural, or `changes`. */
  file: string;
  /** The list's filter. It is checked by the list's schema. */
  filter: unknown;
}

/** The files of records and changes. Each has everything that its list finds, with the same filters and permissions. */
export interface RecordFileCatalog {
  /** Returns a file's filters and their types, as its list publishes them. @throws Refusal not_found */
  filters(file: string): Readonly<Record<string, PublishedFilter>>;
  /** @throws Refusal as the list does */
  open(caller: Caller, request: FileRequest): Promise<RecordFile>;
}

/** A file of a family's records or of changes, and its input: that of the list with the same content. */
interface RecordFileDefinition {
  /** A family's plural, or `changes`. */
  name: string;
  input: () => z.ZodObject;
  /** The schemas of its records. Absent for changes. */
  record?: RecordSchemas;
}

/** All files. Evidence has one too, though no tool lists it: pages do, with the same filters. */
export const RECORD_FILES: readonly RecordFileDefinition[] = [
  { name: CHANGES_FILE, input: changesInput },
  ...FAMILY_TOOLS.map(({ family, record }) => ({ name: family.plural, input: () => listInput(family), record })),
];

interface FileSource {
  parser: InputParser<z.ZodObject>;
  columns(withLinks: boolean): readonly string[];
  open(caller: Caller, input: FileInput): Promise<OpenedFile>;
}

const CHANGE_COLUMNS = [
  'position',
  'event_type',
  'record.id',
  'record.type',
  'record.name',
  'linked.id',
  'linked.type',
  'linked.name',
  'revision',
  'recorded_at',
  'effective_at',
  'actor.id',
  'actor.kind',
  'actor.name',
  'client',
  'reason',
  'changes',
  'stale',
  'call_id',
];
/** The field of tool answers that says which texts were cut. Files cut nothing. */
const ANSWER_ONLY_FIELD = 'truncated';

export function createRecordFileCatalog(reader: Reader): RecordFileCatalog {
  const sources = new Map(RECORD_FILES.map((definition) => [definition.name, fileSource(reader, definition)]));
  const sourceOf = (file: string): FileSource => {
    const source = sources.get(file);
    if (source !== undefined) return source;
    const allowed = [...sources.keys()];
    throw new Refusal('not_found', `There is no such file. Use one of ${allowed.join(', ')}.`, { allowed });
  };
  return {
    filters: (file) => publishedFilters(sourceOf(file).parser.schema),
    async open(caller, { file, organization_id, filter, as_of, cursor, after, withLinks = false }) {
      const source = sourceOf(file);
      const fileInput = { organization_id, filter, ...(as_of === undefined ? {} : { as_of }) };
      const input = source.parser.parse(fileInput) as unknown as FileInput;
      const openedFile = await source.open(caller, { ...input, cursor, after, withLinks });
      return { ...openedFile, columns: source.columns(withLinks) };
    },
  };
}

function fileSource(reader: Reader, { input, record }: RecordFileDefinition): FileSource {
  const parser = new InputParser(input);
  if (record === undefined) {
    return {
      parser,
      columns: () => CHANGE_COLUMNS,
      open: (caller, request) => openChangeFile(reader, caller, request),
    };
  }
  const family = familyQueryOfType(record.type);
  const columns = (withLinks: boolean) => [...recordColumns(record), ...(withLinks ? linkColumns(family) : [])];
  return { parser, columns, open: (caller, request) => openRecordFile(reader, family, caller, request) };
}

/** Returns the columns of a family's file. */
export function recordColumns({ full }: RecordSchemas): string[] {
  return columnsOf(full).filter((field) => field !== ANSWER_ONLY_FIELD);
}

/** Returns a schema's fields. A nested object gives one column for each member, such as `acceptance.until`. */
function columnsOf({ shape }: z.ZodObject): string[] {
  return Object.entries(shape).flatMap(([field, value]) => {
    const type = value instanceof z.ZodNullable ? value.unwrap() : value;
    return type instanceof z.ZodObject ? columnsOf(type).map((member) => `${field}.${member}`) : [field];
  });
}
