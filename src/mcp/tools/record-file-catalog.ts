import { z } from 'zod';
import { Refusal } from '../../commands/engine/refusal.ts';
import type { Caller } from '../../commands/organization/caller.ts';
import { familyQueryOfType } from '../../queries/family-query.ts';
import { openChangeFile } from '../../queries/files/change-file.ts';
import type { FileInput, OpenedFile } from '../../queries/files/open-file.ts';
import { openRecordFile } from '../../queries/files/record-file.ts';
import type { Reader } from '../../queries/moments/snapshot.ts';
import type { Tool } from './tool.ts';

/** The name of the file of changes. Other files are named by their family's plural. */
export const CHANGES_FILE = 'changes';

/** An opened file with its columns, ready to be written. */
export interface RecordFile extends OpenedFile {
  /** The fields of a line, in the order of columns. `record.id` is a nested one. */
  columns: readonly string[];
}

/** A filter's type in the published schema. */
interface PublishedFilter {
  type?: string;
  items?: { type?: string };
}

export interface FileRequest extends Omit<FileInput, 'filter'> {
  /** A family's plural, or `changes`. */
  file: string;
  /** The list tool's filter. It is checked by the tool's schema. */
  filter: unknown;
}

/** The files of records and changes. Each has everything that its list tool finds, with the same filters and permissions. */
export interface RecordFileCatalog {
  /** Returns a file's filters and their types, as the list tool publishes them. @throws Refusal not_found */
  filters(file: string): Readonly<Record<string, PublishedFilter>>;
  /** @throws Refusal as the list tool does */
  open(caller: Caller, request: FileRequest): Promise<RecordFile>;
}

interface FileSource {
  tool: Tool;
  columns: readonly string[];
  open(caller: Caller, input: FileInput): Promise<OpenedFile>;
}
export type PublishedInput = { properties?: { filter?: { properties?: Record<string, PublishedFilter> } } };

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
];
/** The field of tool answers that says which texts were cut. Files cut nothing. */
const ANSWER_ONLY_FIELD = 'truncated';

/** @param tools all tools. The list tools among them define the files and their filters */
export function createRecordFileCatalog(reader: Reader, tools: readonly Tool[]): RecordFileCatalog {
  const sources = new Map(tools.flatMap((tool) => (tool.file ? [[tool.file, fileSource(reader, tool)]] : [])));
  const sourceOf = (file: string): FileSource => {
    const source = sources.get(file);
    if (source !== undefined) return source;
    const allowed = [...sources.keys()];
    throw new Refusal('not_found', `There is no such file. Use one of ${allowed.join(', ')}.`, { allowed });
  };
  return {
    filters: (file) => (sourceOf(file).tool.publishedInput as PublishedInput).properties?.filter?.properties ?? {},
    async open(caller, { file, organization_id, filter, as_of, cursor, after }) {
      const source = sourceOf(file);
      const listInput = { organization_id, filter, ...(as_of === undefined ? {} : { as_of }) };
      const input = source.tool.parser.parse(listInput) as FileInput;
      const openedFile = await source.open(caller, { ...input, cursor, after });
      return { ...openedFile, columns: source.columns };
    },
  };
}

function fileSource(reader: Reader, tool: Tool): FileSource {
  const { record } = tool;
  if (record === undefined) {
    return { tool, columns: CHANGE_COLUMNS, open: (caller, input) => openChangeFile(reader, caller, input) };
  }
  const family = familyQueryOfType(record.type);
  const columns = columnsOf(record.full).filter((field) => field !== ANSWER_ONLY_FIELD);
  return { tool, columns, open: (caller, input) => openRecordFile(reader, family, caller, input) };
}

/** Returns a schema's fields. A nested object gives one column for each member, such as `acceptance.until`. */
function columnsOf({ shape }: z.ZodObject): string[] {
  return Object.entries(shape).flatMap(([field, value]) => {
    const type = value instanceof z.ZodNullable ? value.unwrap() : value;
    return type instanceof z.ZodObject ? columnsOf(type).map((member) => `${field}.${member}`) : [field];
  });
}
