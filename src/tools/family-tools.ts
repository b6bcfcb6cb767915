import { z } from 'zod';
import type { CommandResult } from '../commands/engine/handler.ts';
import { invalidField } from '../commands/engine/refusal.ts';
import { familyQueryOfType } from '../queries/family-query.ts';
import { listRecords } from '../queries/lists/list-records.ts';
import { hasRelations } from '../register/families.ts';
import type { FamilyDescription, FamilyTool } from '../register/family-description.ts';
import { fieldSources } from '../register/field-sources.ts';
import { pageOfList, pageOfWrittenRecord } from './answer-page.ts';
import { withAppliedFields } from './applied-fields.ts';
import { isObject } from './schema/client-values.ts';
import type { Example } from './schema/example.ts';
import { addedFields, asUpdateFields, listInput, updatedFields } from './schema/family-schema.ts';
import * as field from './schema/fields.ts';
import { once } from './schema/once.ts';
import { linkedControls, listOutput, type RecordSchemas, writeOutput } from './schema/output.ts';
import { recordSchemas } from './schema/record-schemas.ts';
import { defineTool, listLoad, type Tool, type ToolContext } from './tool.ts';
import { addRecord, changeRecord, type WriteInput } from './write.ts';

export interface FamilyTools {
  family: FamilyDescription;
  record: RecordSchemas;
  list?: Tool;
  add?: Tool<z.ZodObject>;
  update?: Tool<z.ZodObject>;
  /** Tools that only this family has, such as reviewVendor. */
  others?: readonly Tool[];
}

type ChangeInput = WriteInput & { id: string };

/** Returns a family's tools, in the order in which clients see them. */
export function toolsOf({ list, add, update, others = [] }: FamilyTools): Tool[] {
  return [list, add, update, ...others].filter((tool) => tool !== undefined);
}

/**
 * Returns the tools that a family's description asks for.
 * @param answerFields fields that only answers have, or that differ from their inputs
 * @param adding inputs that adding takes besides the fields
 */
export function familyTools(
  family: FamilyDescription,
  answerFields?: z.ZodRawShape,
  adding?: AddingOptions,
): FamilyTools {
  const record = recordSchemas(family, answerFields);
  const { list, add, update } = family.tools;
  return {
    family,
    record,
    ...(list ? { list: listTool(family, record, list) } : {}),
    ...(add ? { add: addTool(family, record, add, adding) } : {}),
    ...(update ? { update: updateTool(family, record, update) } : {}),
  };
}

function listTool(
  family: FamilyDescription,
  record: RecordSchemas,
  { name, title, description, example }: FamilyTool,
): Tool {
  const query = familyQueryOfType(family.type);
  return defineTool({
    name,
    title,
    permission: 'readRecords',
    description,
    input: () => listInput(family),
    output: () => listOutput(record, hasRelations(family) ? linkedControls : {}),
    example: { organization_id: '{organization}', ...example },
    record,
    namedRecords: ({ filter }) => (isObject(filter) && filter.include_archived ? 'ANY' : 'LIVE'),
    readsCurrentState: ({ as_of }) => as_of === undefined,
    load: listLoad,
    run: (input, { service, caller }) => listRecords(service.reader, query, name, caller, input),
    page: (input, answer, caller) => pageOfList(family, input, answer, caller),
  });
}

/** Adds a record. @param callerInput the part of the input that a repeated key must match, if not all of it */
type AddRecord = (input: WriteInput, callerInput?: object) => Promise<object>;

/** Inputs that adding takes besides the fields, and the call with them. */
export interface AddingOptions {
  fields: () => z.ZodRawShape;
  run(input: WriteInput, context: ToolContext, add: AddRecord): Promise<object>;
}

function addTool(
  family: FamilyDescription,
  record: RecordSchemas,
  { name, title, description, example }: FamilyTool,
  adding?: AddingOptions,
): Tool<z.ZodObject> {
  const { prefix, commands, singular } = family;
  return defineTool({
    name,
    title,
    permission: 'changeRecords',
    description,
    input: () =>
      z.strictObject({
        organization_id: field.impliedOrganizationId(),
        ...addedFields(family),
        ...adding?.fields(),
        ...field.writeFields,
      }),
    output: () => writeOutput(record, true),
    example: { organization_id: '{organization}', ...example },
    record,
    sources: fieldSources(family),
    run: (input, context) => {
      const add: AddRecord = ({ organization_id, idempotency_key, reason, ...fields }, callerInput) =>
        addRecord(
          context,
          { prefix },
          {
            input: { organization_id, idempotency_key },
            command: { type: commands.add, fields, ...(reason ? { reason } : {}) },
            ...(callerInput === undefined ? {} : { callerInput: () => callerInput }),
          },
        );
      return adding === undefined ? add(input) : adding.run(input, context, add);
    },
    page: pageOfWrittenRecord(singular),
  });
}

/** Returns the tool that changes a record's fields, such as updateVendor. */
function updateTool(
  family: FamilyDescription,
  record: RecordSchemas,
  { name, title, idempotent = false, description, example }: FamilyTool,
): Tool<z.ZodObject> {
  const settable = once(() => updatedFields(family));
  const names = () => Object.keys(settable());
  return changeTool(name, record, {
    title,
    idempotent,
    description,
    fields: () => ({
      ...asUpdateFields(settable()),
      ...reviewField(family),
      fields: field.appliedFields(names()),
      ...(family.withdrawal?.tool === name ? { withdraw: field.withdraw(family.withdrawal.noun) } : {}),
    }),
    example,
    sources: fieldSources(family),
    prepareInput: (input) => withAppliedFields(names(), input),
    command: ({ reason, reviewed, fields: _applied, withdraw, ...changes }) =>
      withdraw
        ? withdrawalCommand(family, changes, reason)
        : { type: family.commands.update!, changes, ...(reviewed ? { reviewed } : {}), ...(reason ? { reason } : {}) },
  });
}

/** Returns the input by which an update says that the record was reviewed, if the family has it. */
function reviewField({ reviewable }: FamilyDescription): z.ZodRawShape {
  return reviewable ? { reviewed: z.boolean().optional() } : {};
}

/** Returns the command that withdraws a record's newest decision. Nothing else is changed in the same call. */
export function withdrawalCommand(
  { commands, withdrawal }: FamilyDescription,
  others: Readonly<Record<string, unknown>>,
  reason: unknown,
): { type: string } {
  const [other] = Object.keys(others).filter((name) => (others[name] ?? null) !== null);
  if (other === undefined) return { type: commands.withdraw!, ...(reason ? { reason } : {}) };
  const message = `withdraw takes back the newest ${withdrawal!.noun}, and nothing else. Leave out ${other}, or withdraw.`;
  throw invalidField(other, message);
}

interface ChangeToolOptions {
  title: string;
  idempotent?: boolean;
  description: string;
  fields: () => z.ZodRawShape;
  /** An example input, without the id. */
  example: Example;
  prepareInput?(input: unknown): unknown;
  sources?: ReadonlyMap<string, string>;
  /** Members of the answer that only this tool has: their schemas, and their values for one call. */
  extraOutput?: { shape: () => z.ZodRawShape; of(command: object, executed: CommandResult<object>): object };
  command(input: Record<string, unknown>): { type: string; [field: string]: unknown };
}

/** Returns a tool that sends one command to one record, such as reviewVendor. */
export function changeTool(name: string, record: RecordSchemas, options: ChangeToolOptions): Tool<z.ZodObject> {
  const {
    title,
    idempotent = false,
    description,
    fields,
    example,
    prepareInput,
    sources,
    extraOutput,
    command,
  } = options;
  const { prefix, singular } = record;
  return defineTool({
    name,
    title,
    permission: 'changeRecords',
    idempotent,
    destructive: true,
    description,
    input: () =>
      z.strictObject({
        id: field.changedId(prefix),
        organization_id: field.optionalOrganizationId(),
        ...fields(),
        ...field.writeFields,
        expected_revision: field.expectedRevision(),
      }),
    output: () => writeOutput(record, false, extraOutput?.shape()),
    example: { id: `{${singular}}`, ...example },
    record,
    ...(prepareInput ? { prepareInput } : {}),
    ...(sources ? { sources } : {}),
    run: (input, context) => {
      const { id, organization_id, idempotency_key, expected_revision, ...rest } = input as ChangeInput;
      const changeCommand = command(rest);
      return changeRecord(context, id, {
        input: { organization_id, idempotency_key, expected_revision },
        command: changeCommand,
        ...(extraOutput ? { extraOutput: (executed) => extraOutput.of(changeCommand, executed) } : {}),
      });
    },
    page: pageOfWrittenRecord(singular),
  });
}
