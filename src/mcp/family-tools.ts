import { z } from 'zod';
import type { FamilyName } from '../commands/families.ts';
import type { Executed } from '../commands/handler.ts';
import { FAMILY_QUERIES } from '../queries/families.ts';
import type { FamilyQuery } from '../queries/family.ts';
import { listRecords } from '../queries/list.ts';
import type { Example } from './example.ts';
import * as field from './fields.ts';
import { listOutput, type RecordOptions, recordKind, writeOutput } from './output.ts';
import { type Service, tool } from './service.ts';
import type { CallContext, Tool } from './tool.ts';
import { withAppliedFields } from './update-fields.ts';
import { addRecord, changeRecord, type WriteInput } from './write.ts';

/** What is a family's own in its list, add and update: everything else about them is the same for all. */
export interface FamilyTools<FilterName extends string = string> extends RecordOptions {
  query: FamilyQuery<FilterName>;
  /** Required to add. */
  required: z.ZodRawShape;
  /** Settable always, and only when adding. */
  settable: z.ZodRawShape;
  whenAdding?: z.ZodRawShape;
  /** What its records hold beside that. */
  derived?: z.ZodRawShape;
  /** Each filter of the query as an input. */
  filter: Record<FilterName, z.ZodType>;
  descriptions: { list: string; add: string; update: string };
  /** A worked example of each, without what is the same for all. */
  examples: { list: Example; add: Example; update: Example };
}

/** What of a family its list needs, and so on. */
type ForList<FilterName extends string> = RecordOptions &
  Pick<FamilyTools<FilterName>, 'query' | 'filter'> & { descriptions: { list: string }; examples: { list: Example } };
type ForAdd = RecordOptions & { descriptions: { add: string }; examples: { add: Example } };
type ForUpdate = RecordOptions & { descriptions: { update: string }; examples: { update: Example } };

type Given = WriteInput & { id: string };

/** A family's list, add and update. */
export function familyTools<FilterName extends string>(service: Service, own: FamilyTools<FilterName>): Tool[] {
  return [listTool(service, own), addTool(service, own), updateTool(service, own)];
}

/** A list of a family's records. */
export function listTool<FilterName extends string>(service: Service, own: ForList<FilterName>): Tool {
  const { query } = own;
  const record = recordKind(own);
  const name = `list${query.plural[0]!.toUpperCase()}${query.plural.slice(1)}`;
  const kinds = Object.keys(FAMILY_QUERIES);
  const filter = z.strictObject({ ...own.filter, ...field.commonFilters(query.prefix, query.lacks, kinds) });
  return tool({
    name,
    description: own.descriptions.list,
    input: z.strictObject({
      organization_id: field.organizationId(),
      filter: filter.optional(),
      ...field.listFields(query.orders),
    }),
    output: listOutput(record),
    example: { organization_id: '{organization}', ...own.examples.list },
    record,
    readsToday: ({ as_of }) => as_of === undefined,
    run: (input, { caller }) => listRecords(service.reader, query, name, caller, input),
  });
}

/** Adds a record of a family. */
export function addTool(service: Service, own: ForAdd): Tool {
  const { type, title, singular } = own.query;
  const record = recordKind(own);
  const name = `add${title}`;
  return tool({
    name,
    description: own.descriptions.add,
    input: z.strictObject({
      organization_id: field.organizationId(),
      ...own.required,
      ...own.settable,
      ...own.whenAdding,
      ...field.writeFields,
    }),
    output: writeOutput(record, true),
    example: { organization_id: '{organization}', ...own.examples.add },
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

/** Changes the settable fields of a record. */
export function updateTool(service: Service, own: ForUpdate): Tool {
  const { title } = own.query;
  const settable = { ...optional(own.required ?? {}), ...own.settable };
  const names = Object.keys(settable);
  return changeTool(service, own, {
    name: `update${title}`,
    description: own.descriptions.update,
    fields: { ...inUpdates(settable), fields: field.appliedFields(names) },
    example: own.examples.update,
    prepare: (input) => withAppliedFields(names, input),
    command: ({ reason, fields: _applied, ...changes }) => ({
      type: `Update${title}`,
      changes,
      ...(reason ? { reason } : {}),
    }),
  });
}

/** A tool that gives a command to one record of a family. */
export function changeTool(
  service: Service,
  own: RecordOptions,
  definition: {
    name: string;
    description: string;
    fields: z.ZodRawShape;
    /** A worked example, without the id. */
    example: Example;
    prepare?(input: unknown): unknown;
    /** Members of the answer that only this tool has: their types, and their values. */
    more?: { shape: z.ZodRawShape; of(command: object, executed: Executed<object>): object };
    /** The command that the input stands for; what every write takes is left out of it, but for the reason. */
    command(input: Record<string, unknown>): { type: string; [field: string]: unknown };
  },
): Tool {
  const { name, description, fields, example, prepare, more, command } = definition;
  const { query: family } = own;
  const record = recordKind(own);
  return tool({
    name,
    description,
    input: z.strictObject({
      id: field.id(family.prefix),
      organization_id: field.knownOrganizationId(),
      ...fields,
      ...field.writeFields,
      expected_revision: field.expectedRevision(),
    }),
    output: writeOutput(record, false, more?.shape),
    example: { id: `{${family.singular}}`, ...example },
    record,
    ...(prepare ? { prepare } : {}),
    run: (input: unknown, { caller }: CallContext) => {
      const { id, organization_id, idempotency_key, expected_revision, ...rest } = input as Given;
      const given = command(rest);
      return changeRecord(service, caller, id, {
        tool: name,
        family: family.type as FamilyName,
        singular: family.singular,
        input: { organization_id, idempotency_key, expected_revision },
        command: given,
        ...(more ? { more: (executed) => more.of(given, executed) } : {}),
      });
    },
  });
}

/** Fields as an update takes them. The add tool says what they mean. */
function inUpdates(shape: z.ZodRawShape): z.ZodRawShape {
  return Object.fromEntries(
    Object.entries(shape).map(([name, type]) => [name, field.clearedByNull(field.unsaid(type as z.ZodType))]),
  );
}

function optional(shape: z.ZodRawShape): z.ZodRawShape {
  return Object.fromEntries(Object.entries(shape).map(([name, type]) => [name, z.optional(type)]));
}
