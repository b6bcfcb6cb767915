import { z } from 'zod';
import type { CommandResult } from '../../commands/engine/handler.ts';
import type { FamilyName } from '../../commands/families.ts';
import { FAMILY_QUERIES } from '../../queries/family-queries.ts';
import type { FamilyQuery } from '../../queries/family-query.ts';
import { listRecords } from '../../queries/lists/list-records.ts';
import type { Example } from '../schema/example.ts';
import * as field from '../schema/fields.ts';
import {
  listOutput,
  type RecordSchemaOptions,
  type RecordSchemas,
  recordSchemas,
  writeOutput,
} from '../schema/output.ts';
import { withAppliedFields } from './applied-fields.ts';
import { defineTool, type Tool } from './tool.ts';
import { addRecord, changeRecord, type WriteInput } from './write.ts';

/** One family's tools. */
export interface FamilyTools {
  record: RecordSchemas;
  list?: Tool;
  add?: Tool<z.ZodObject>;
  update?: Tool<z.ZodObject>;
  /** Tools that only this family has, such as reviewVendor. */
  others?: readonly Tool[];
}

/** Returns a family's tools, in the order in which clients see them. */
export function toolsOf({ list, add, update, others = [] }: FamilyTools): Tool[] {
  return [list, add, update, ...others].filter((tool) => tool !== undefined);
}

/** The fields and texts of a family, from which its tools are made. */
type ToolFamily<Options extends RecordSchemaOptions = RecordSchemaOptions> = Options & { record: RecordSchemas };

/** Adds the schemas of its records to a family's description. */
export function toolFamily<Options extends RecordSchemaOptions>(options: Options): ToolFamily<Options> {
  return { ...options, record: recordSchemas(options) };
}

type ListedFamily<FilterName extends string> = ToolFamily & {
  query: FamilyQuery<FilterName>;
  /** The input schema of each of the query's filters. */
  filter: Record<FilterName, z.ZodType>;
  descriptions: { list: string };
  /** An example without organization_id. */
  examples: { list: Example };
};
type AddedFamily = ToolFamily & { descriptions: { add: string }; examples: { add: Example } };
type UpdatedFamily = ToolFamily & { descriptions: { update: string }; examples: { update: Example } };

type ChangeInput = WriteInput & { id: string };

/** Returns the tool that lists a family's records, such as listVendors. */
export function listTool<FilterName extends string>(name: string, family: ListedFamily<FilterName>): Tool {
  const { query, record } = family;
  const linkablePrefixes = Object.keys(FAMILY_QUERIES);
  const filter = z.strictObject({
    ...family.filter,
    ...field.commonFilters(query.prefix, query.missingOptions, linkablePrefixes),
  });
  return defineTool({
    name,
    permission: 'readRecords',
    description: family.descriptions.list,
    input: z.strictObject({
      organization_id: field.organizationId(),
      filter: filter.optional(),
      ...field.listFields(query.orders),
    }),
    output: listOutput(record),
    example: { organization_id: '{organization}', ...family.examples.list },
    record,
    file: query.plural,
    readsCurrentState: ({ as_of }) => as_of === undefined,
    run: (input, { service, caller }) => listRecords(service.reader, query, name, caller, input),
  });
}

/** Returns the tool that adds a record, such as addVendor. */
export function addTool(name: string, family: AddedFamily): Tool<z.ZodObject> {
  const { record } = family;
  const { type, title, singular } = record;
  return defineTool({
    name,
    permission: 'changeRecords',
    description: family.descriptions.add,
    input: z.strictObject({
      organization_id: field.organizationId(),
      ...family.required,
      ...family.settable,
      ...family.settableWhenAdding,
      ...field.writeFields,
    }),
    output: writeOutput(record, true),
    example: { organization_id: '{organization}', ...family.examples.add },
    record,
    run: (input, context) => {
      const { organization_id, idempotency_key, reason, ...fields } = input as WriteInput;
      return addRecord(context, {
        family: type as FamilyName,
        singular,
        input: { organization_id, idempotency_key },
        command: { type: `Add${title}`, fields, ...(reason ? { reason } : {}) },
      });
    },
  });
}

/** Returns the tool that changes a record's settable fields, such as updateVendor. */
export function updateTool(name: string, family: UpdatedFamily): Tool<z.ZodObject> {
  const { title } = family.record;
  const settable = { ...optional(family.required ?? {}), ...family.settable };
  const names = Object.keys(settable);
  return changeTool(name, family, {
    description: family.descriptions.update,
    fields: { ...asUpdateFields(settable), fields: field.appliedFields(names) },
    example: family.examples.update,
    prepareInput: (input) => withAppliedFields(names, input),
    command: ({ reason, fields: _applied, ...changes }) => ({
      type: `Update${title}`,
      changes,
      ...(reason ? { reason } : {}),
    }),
  });
}

interface ChangeToolOptions {
  description: string;
  fields: z.ZodRawShape;
  /** An example input, without the id. */
  example: Example;
  prepareInput?(input: unknown): unknown;
  /** Members of the answer that only this tool has: their schemas, and their values for one call. */
  extraOutput?: { shape: z.ZodRawShape; of(command: object, executed: CommandResult<object>): object };
  /** Turns the tool's own fields and the reason into a command. */
  command(input: Record<string, unknown>): { type: string; [field: string]: unknown };
}

/** Returns a tool that sends one command to one record, such as reviewVendor. */
export function changeTool(name: string, { record }: ToolFamily, options: ChangeToolOptions): Tool<z.ZodObject> {
  const { description, fields, example, prepareInput, extraOutput, command } = options;
  const { prefix, type, singular } = record;
  return defineTool({
    name,
    permission: 'changeRecords',
    description,
    input: z.strictObject({
      id: field.id(prefix),
      organization_id: field.optionalOrganizationId(),
      ...fields,
      ...field.writeFields,
      expected_revision: field.expectedRevision(),
    }),
    output: writeOutput(record, false, extraOutput?.shape),
    example: { id: `{${singular}}`, ...example },
    record,
    ...(prepareInput ? { prepareInput } : {}),
    run: (input, context) => {
      const { id, organization_id, idempotency_key, expected_revision, ...rest } = input as ChangeInput;
      const changeCommand = command(rest);
      return changeRecord(context, id, {
        family: type as FamilyName,
        singular,
        input: { organization_id, idempotency_key, expected_revision },
        command: changeCommand,
        ...(extraOutput ? { extraOutput: (executed) => extraOutput.of(changeCommand, executed) } : {}),
      });
    },
  });
}

/** Returns fields as an update accepts them, without descriptions. The add tool already publishes those. */
function asUpdateFields(shape: z.ZodRawShape): z.ZodRawShape {
  return Object.fromEntries(
    Object.entries(shape).map(([name, type]) => [
      name,
      field.clearedByNull(field.withoutDescription(type as z.ZodType)),
    ]),
  );
}

function optional(shape: z.ZodRawShape): z.ZodRawShape {
  return Object.fromEntries(Object.entries(shape).map(([name, type]) => [name, z.optional(type)]));
}
