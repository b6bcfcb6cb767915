import { z } from 'zod';
import type { CommandResult } from '../../commands/engine/handler.ts';
import type { FamilyName } from '../../commands/families.ts';
import { FAMILY_QUERIES } from '../../queries/family-queries.ts';
import type { FamilyQuery } from '../../queries/family-query.ts';
import { listRecords } from '../../queries/lists/list-records.ts';
import type { Example } from '../schema/example.ts';
import * as field from '../schema/fields.ts';
import { listOutput, type RecordSchemaOptions, recordSchemas, writeOutput } from '../schema/output.ts';
import { withAppliedFields } from './applied-fields.ts';
import { defineTool, type ToolService } from './define-tool.ts';
import type { CallContext, Tool } from './tool.ts';
import { addRecord, changeRecord, type WriteInput } from './write.ts';

/** The part of the list, add and update tools that differs between families. */
export interface FamilyToolOptions<FilterName extends string = string> extends RecordSchemaOptions {
  query: FamilyQuery<FilterName>;
  /** Fields that adding a record requires. */
  required: z.ZodRawShape;
  /** Fields that adding and updating can set. */
  settable: z.ZodRawShape;
  /** Fields that only adding can set. */
  settableWhenAdding?: z.ZodRawShape;
  /** Fields that only answers have, and fields that differ from their inputs. */
  derived?: z.ZodRawShape;
  /** The input schema of each of the query's filters. */
  filter: Record<FilterName, z.ZodType>;
  descriptions: { list: string; add: string; update: string };
  /** One example for each tool, without the id and organization_id. */
  examples: { list: Example; add: Example; update: Example };
}

type ListToolOptions<FilterName extends string> = RecordSchemaOptions &
  Pick<FamilyToolOptions<FilterName>, 'query' | 'filter'> & {
    descriptions: { list: string };
    examples: { list: Example };
  };
type AddToolOptions = RecordSchemaOptions & { descriptions: { add: string }; examples: { add: Example } };
type UpdateToolOptions = RecordSchemaOptions & { descriptions: { update: string }; examples: { update: Example } };

type ChangeInput = WriteInput & { id: string };

/** Returns a family's list, add and update tools. */
export function familyTools<FilterName extends string>(
  service: ToolService,
  family: FamilyToolOptions<FilterName>,
): Tool[] {
  return [listTool(service, family), addTool(service, family), updateTool(service, family)];
}

/** Returns the tool that lists a family's records, such as listVendors. */
export function listTool<FilterName extends string>(service: ToolService, family: ListToolOptions<FilterName>): Tool {
  const { query } = family;
  const record = recordSchemas(family);
  const name = `list${query.plural[0]!.toUpperCase()}${query.plural.slice(1)}`;
  const linkablePrefixes = Object.keys(FAMILY_QUERIES);
  const filter = z.strictObject({
    ...family.filter,
    ...field.commonFilters(query.prefix, query.missingOptions, linkablePrefixes),
  });
  return defineTool({
    name,
    description: family.descriptions.list,
    input: z.strictObject({
      organization_id: field.organizationId(),
      filter: filter.optional(),
      ...field.listFields(query.orders),
    }),
    output: listOutput(record),
    example: { organization_id: '{organization}', ...family.examples.list },
    record,
    readsCurrentState: ({ as_of }) => as_of === undefined,
    run: (input, { caller }) => listRecords(service.reader, query, name, caller, input),
  });
}

/** Returns the tool that adds a record, such as addVendor. */
export function addTool(service: ToolService, family: AddToolOptions): Tool {
  const { type, title, singular } = family.query;
  const record = recordSchemas(family);
  const name = `add${title}`;
  return defineTool({
    name,
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
    run: (input, { caller }) => {
      const { organization_id, idempotency_key, reason, ...fields } = input as WriteInput;
      return addRecord(service, caller, {
        tool: name,
        family: type as FamilyName,
        singular,
        input: { organization_id, idempotency_key },
        command: { type: `Add${title}`, fields, ...(reason ? { reason } : {}) },
      });
    },
  });
}

/** Returns the tool that changes a record's settable fields, such as updateVendor. */
export function updateTool(service: ToolService, family: UpdateToolOptions): Tool {
  const { title } = family.query;
  const settable = { ...optional(family.required ?? {}), ...family.settable };
  const names = Object.keys(settable);
  return changeTool(service, family, {
    name: `update${title}`,
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

/** Returns a tool that sends one command to one record, such as reviewVendor. */
export function changeTool(
  service: ToolService,
  family: RecordSchemaOptions,
  definition: {
    name: string;
    description: string;
    fields: z.ZodRawShape;
    /** An example input, without the id. */
    example: Example;
    prepareInput?(input: unknown): unknown;
    /** Members of the answer that only this tool has: their schemas, and their values for one call. */
    extraOutput?: { shape: z.ZodRawShape; of(command: object, executed: CommandResult<object>): object };
    /** Turns the tool's own fields and the reason into a command. */
    command(input: Record<string, unknown>): { type: string; [field: string]: unknown };
  },
): Tool {
  const { name, description, fields, example, prepareInput, extraOutput, command } = definition;
  const { prefix, type, singular } = family.query;
  const record = recordSchemas(family);
  return defineTool({
    name,
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
    run: (input: unknown, { caller }: CallContext) => {
      const { id, organization_id, idempotency_key, expected_revision, ...rest } = input as ChangeInput;
      const changeCommand = command(rest);
      return changeRecord(service, caller, id, {
        tool: name,
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
