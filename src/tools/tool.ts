import { z } from 'zod';
import type { CommandResult, Commands } from '../commands/engine/handler.ts';
import type { Caller } from '../commands/organization/caller.ts';
import { PERMISSIONS, type Permission } from '../commands/organization/permissions.ts';
import type { DownloadDetails } from '../queries/files/download-details.ts';
import type { Reader } from '../queries/moments/snapshot.ts';
import type { NameReader } from '../queries/records/member-names.ts';
import type { RecordScope } from '../queries/records/named-records.ts';
import type { AnswerPage } from './answer-page.ts';
import type { UncheckedObject } from './schema/client-values.ts';
import type { Example } from './schema/example.ts';
import { InputParser } from './schema/input-parser.ts';
import { type JsonSchema, publishedSchema } from './schema/json-schema.ts';
import { once } from './schema/once.ts';
import type { RecordSchemas } from './schema/output.ts';

/** The parts of the service that writes use. */
export interface WriteService {
  handler: Commands;
  names: NameReader;
  /** Waits up to `ms` until an organization's read models include a position. Returns true if they do. */
  waitUntilProjected(
    organizationId: string,
    storePosition: NonNullable<CommandResult<unknown>['storePosition']>,
    ms: number,
  ): Promise<boolean>;
  /** Stores names of people without accounts in imported files. */
  importedNames: { idOf(organizationId: string, name: string): Promise<string> };
  /** The time a write waits until its result is readable. After that it answers `pending`. */
  writeWaitMs: number;
}

export interface ToolService extends WriteService {
  reader: Reader;
  /** Records in the access log that the caller generated a report. */
  reportGenerated(caller: Caller, report: DownloadDetails): void;
}

/**
 * The most that a call may read. LIGHT: a few documents by index. SCAN: all of a collection, in a few statements. LONG: the
 * whole register, batch after batch. BULK: hundreds of records, to change them. Other calls that write are LIGHT.
 */
export type CallLoad = 'LIGHT' | 'SCAN' | 'LONG' | 'BULK';

/** A tool call's context, as the transports know it. */
export interface CallContext {
  caller: Caller;
  /** Aborted when the client disconnects or the service stops. */
  signal?: AbortSignal | undefined;
  /** The address under which people reach the pages, without a trailing slash. Without it, answers name no page. */
  publicUrl?: string | undefined;
  /** Reports progress, if the client asked for it. */
  progress?: ((done: number, total?: number, message?: string) => void) | undefined;
}

/** The context in which a tool writes. The command line has it too, without read models. */
export interface WriteContext extends CallContext {
  service: WriteService;
  tool: Pick<Tool, 'name' | 'permission'>;
}

/** A tool call's context, as the tool gets it. */
export interface ToolContext extends WriteContext {
  service: ToolService;
}

/** States a tool: its published definition, its input and the call it makes. It needs no service until it runs. */
interface ToolDefinition<Schema extends z.ZodType> {
  name: string;
  /** The tool's name for people, as clients show it. */
  title: string;
  /** The permission that every call needs. It also says whether the tool writes. */
  permission: Permission;
  /** When to use this tool, and when another. */
  description: string;
  /** Makes the input's type, limits and published schema, when they are first needed. */
  input: () => Schema;
  /** Makes the schema of every member that an answer can have. Documentation: only tests check answers by it. */
  output: () => z.ZodType;
  example: Example;
  /** By field of the record that the input can't set: where its value comes from. Refusals say it. */
  sources?: ReadonlyMap<string, string>;
  /** The family's record schemas, if the tool is about one family. */
  record?: RecordSchemas;
  /** Published as destructiveHint: the tool overwrites, removes or hides something. */
  destructive?: boolean;
  /** Published as idempotentHint: the same call again changes nothing more, without idempotency_key and on any later day. */
  idempotent?: boolean;
  /** Changes an input before the schema reads it. @throws Refusal */
  prepareInput?(input: unknown): unknown;
  /** Returns the records that a number or name in an input may mean. By default those that are not archived. */
  namedRecords?(input: UncheckedObject): RecordScope;
  /** A number or name that no record has is no error: the answer says so. */
  takesUnknownNames?: true;
  /** Returns true if a call reads only the current state. Such calls are served while the log is down. */
  readsCurrentState?(input: z.infer<Schema>): boolean;
  /** Returns how much a call may read. By default it is LIGHT; a tool that writes returns BULK, if anything. @param events the size of the organization's log */
  load?(input: z.infer<Schema>, events: number): CallLoad;
  /** Returns true if a successful answer says that the input was invalid, such as an import's row errors. */
  rejectsInput?(answer: object): boolean;
  run(input: z.infer<Schema>, context: ToolContext): Promise<object>;
  /**
   * Returns an answer's text for models, if they read something else better than JSON. Over MCP it replaces the JSON.
   * Returns null for an answer without one.
   */
  text?(input: z.infer<Schema>, answer: object): string | null;
  /** Returns the page that shows an answer; null if none does. */
  page?(input: z.infer<Schema>, answer: object, caller: Caller): AnswerPage | null;
}

/** One tool. It makes its schemas when they are first read. */
export interface Tool<Schema extends z.ZodType = z.ZodType> extends Omit<ToolDefinition<Schema>, 'input' | 'output'> {
  readonly input: Schema;
  readonly output: z.ZodType;
  readOnly: boolean;
  destructive: boolean;
  idempotent: boolean;
  /** A call may leave out organization_id if the caller reaches one organization only. */
  readonly impliesOrganization: boolean;
  parser: InputParser<Schema>;
  /** The input's schema as clients see it. */
  readonly publishedInput: JsonSchema;
}

/** Defines a tool. `run` gets the type that the input schema parses. */
export function defineTool<Schema extends z.ZodType>(definition: ToolDefinition<Schema>): Tool<Schema> {
  const parser = new InputParser(definition.input, definition.sources);
  const output = once(definition.output);
  let impliesOrganization: boolean | undefined;
  return {
    ...definition,
    readOnly: !PERMISSIONS[definition.permission].writes,
    destructive: definition.destructive ?? false,
    idempotent: definition.idempotent ?? false,
    parser,
    get input() {
      return parser.schema;
    },
    get output() {
      return output();
    },
    get impliesOrganization() {
      impliesOrganization ??= isImplied(parser.schema, 'organization_id');
      return impliesOrganization;
    },
    get publishedInput() {
      return publishedSchema(parser.schema);
    },
  };
}

function isImplied(input: z.ZodType, name: string): boolean {
  return input instanceof z.ZodObject && (input.shape[name] as z.ZodType | undefined)?.meta()?.implied === true;
}

/** With a smaller log, an organization has too few records and changes for a long scan. */
export const MIN_EVENTS_OF_SCAN = 2_000;

/** Presenting more records in full than this takes as long as a scan. */
const MAX_LIGHT_RECORDS = 25;

/** The documents of one record with its links, evidence or changes, about. */
const DOCUMENTS_WITH_INCLUDED = 5;

interface ListInput {
  filter?: object | undefined;
  view: string;
  size: number;
  as_of?: string | undefined;
}

/**
 * Returns how much a list may read. A page without a filter is read from its index, however many records there are. A count
 * reads all that match; the matches of a filter, or of an early moment, may be the last ones in the index.
 */
export function listLoad({ filter = {}, view, size, as_of }: ListInput, events: number): CallLoad {
  const isScan = view === 'COUNT' || as_of !== undefined || Object.keys(filter).length > 0;
  if (isScan && events >= MIN_EVENTS_OF_SCAN) return 'SCAN';
  return view === 'FULL' && size > MAX_LIGHT_RECORDS ? 'SCAN' : 'LIGHT';
}

/** Returns how much a read of records by id may read. Links, evidence and changes are several documents for each record. */
export function recordsLoad({
  ids,
  include = [],
}: {
  ids: readonly string[];
  include?: readonly string[] | undefined;
}) {
  const documents = ids.length * (include.length === 0 ? 1 : DOCUMENTS_WITH_INCLUDED);
  return documents > MAX_LIGHT_RECORDS ? 'SCAN' : 'LIGHT';
}
