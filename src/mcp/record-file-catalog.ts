import { z } from 'zod';
import type { Caller } from '../commands/caller.ts';
import { toolPermission } from '../commands/permissions.ts';
import { Refusal } from '../commands/refusal.ts';
import { openChangeFile } from '../queries/change-file.ts';
import { queryOfType } from '../queries/families.ts';
import type { FileInput, OpenedFile } from '../queries/file.ts';
import type { Reader } from '../queries/reader.ts';
import { openRecordFile } from '../queries/record-file.ts';
import { readInput } from './input.ts';
import { publishedSchema } from './publish.ts';
import type { Tool } from './tool.ts';

/** What stands for changes among the families. */
export const CHANGES_FILE = 'changes';

/** A file that was asked for, ready to be written. */
export interface RecordFile extends OpenedFile {
  /** What its lines hold, in the order of a table; `record.id` is a member of a member. */
  columns: readonly string[];
}

/** A filter's value as a published schema has it. */
interface PublishedFilter {
  type?: string;
  items?: { type?: string };
}

export interface FileRequest extends Omit<FileInput, 'filter'> {
  /** A family's plural, or `changes`. */
  file: string;
  /** What is to be the tool's filter; it is checked as the tool checks it. */
  filter: unknown;
}

/** Files of records and changes: what their lists read, by the same inputs and roles, whole. */
export interface RecordFileCatalog {
  /** Filters and their types, as the list's tool publishes them. @throws Refusal not_found */
  filters(what: string): Readonly<Record<string, PublishedFilter>>;
  /** @throws Refusal as the list's tool does */
  open(caller: Caller, request: FileRequest): Promise<RecordFile>;
}

interface FileSource {
  tool: Tool;
  columns: readonly string[];
  open(caller: Caller, input: FileInput): Promise<OpenedFile>;
  published?: PublishedInput;
}
type PublishedInput = { properties?: { filter?: { properties?: Record<string, PublishedFilter> } } };

const CHANGE_COLUMNS = [
  ...['position', 'event_type', 'record.id', 'record.type', 'record.name', 'linked.id', 'linked.type', 'linked.name'],
  ...['revision', 'recorded_at', 'effective_at', 'actor.id', 'actor.kind', 'actor.name', 'client', 'reason'],
  ...['changes', 'stale'],
];
/** What only an answer of bounded size has. */
const ANSWER_ONLY_FIELD = 'truncated';

/** @param tools all tools: the lists among them say what there is, and by which filters */
export function createRecordFileCatalog(reader: Reader, tools: readonly Tool[]): RecordFileCatalog {
  const kinds = new Map(listToolsByFile(tools).map(([what, tool]) => [what, fileSource(reader, tool)]));
  const kindOf = (what: string): FileSource => {
    const kind = kinds.get(what);
    if (kind !== undefined) return kind;
    const allowed = [...kinds.keys()];
    throw new Refusal('not_found', `There is no file of that name: ask for one of ${allowed.join(', ')}.`, { allowed });
  };
  return {
    filters: (what) => publishedInputOf(kindOf(what)).properties?.filter?.properties ?? {},
    async open(caller, { file: what, organization_id, filter, as_of, cursor, after }) {
      const kind = kindOf(what);
      const given = { organization_id, filter, ...(as_of === undefined ? {} : { as_of }) };
      const input = readInput(kind.tool.input, given) as FileInput;
      const opened = await kind.open(caller, { ...input, cursor, after });
      return { ...opened, columns: kind.columns };
    },
  };
}

/** The lists that come as files, by what stands for each in addresses. */
export function listToolsByFile(tools: readonly Tool[]): [what: string, list: Tool][] {
  return tools.flatMap((tool) => {
    if (tool.name === 'listChanges') return [[CHANGES_FILE, tool]];
    return tool.name.startsWith('list') && tool.record !== undefined ? [[tool.record.plural, tool]] : [];
  });
}

function fileSource(reader: Reader, tool: Tool): FileSource {
  const { name, record } = tool;
  if (record === undefined) {
    return { tool, columns: CHANGE_COLUMNS, open: (caller, input) => openChangeFile(reader, caller, input) };
  }
  const family = queryOfType(record.type);
  const columns = columnsOf(record.full).filter((field) => field !== ANSWER_ONLY_FIELD);
  return {
    tool,
    columns,
    open: (caller, input) => openRecordFile(reader, family, toolPermission(name), caller, input),
  };
}

/** Fields, and of one that is an object its members: `acceptance.until`. */
function columnsOf({ shape }: z.ZodObject): string[] {
  return Object.entries(shape).flatMap(([field, value]) => {
    const type = value instanceof z.ZodNullable ? value.unwrap() : value;
    return type instanceof z.ZodObject ? columnsOf(type).map((member) => `${field}.${member}`) : [field];
  });
}

function publishedInputOf(kind: FileSource): PublishedInput {
  kind.published ??= publishedSchema(kind.tool.input) as PublishedInput;
  return kind.published;
}
