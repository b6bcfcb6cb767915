import { z } from 'zod';
import type { FamilyName } from '../commands/families.ts';
import type { FamilyQuery } from '../queries/family.ts';
import { listRecords } from '../queries/list.ts';
import * as field from './fields.ts';
import { type Service, tool } from './service.ts';
import type { CallContext, Tool } from './tool.ts';
import { addRecord, changeRecord, type WriteInput } from './write.ts';

/** What is a family's own in its list, add and update: everything else about them is the same for all. */
export interface FamilyTools {
  family: FamilyName;
  query: FamilyQuery;
  /** As tools and commands spell it: Vendor gives listVendors, addVendor, AddVendor. */
  title: string;
  /** Required to add. */
  required: z.ZodRawShape;
  /** Settable always, and only when adding. */
  settable: z.ZodRawShape;
  whenAdding?: z.ZodRawShape;
  filter: z.ZodRawShape;
  missing: readonly [string, ...string[]];
  orders: readonly [string, ...string[]];
  descriptions: { list: string; add: string; update: string };
}

type Given = WriteInput & { id: string };

/** A family's list, add and update. */
export function familyTools(service: Service, own: FamilyTools): Tool[] {
  const prefix = own.query.prefix;
  const listName = `list${own.title}s`;
  const filter = z.strictObject({ ...field.commonFilters(prefix, own.missing), ...own.filter });
  return [
    tool({
      name: listName,
      description: own.descriptions.list,
      readOnly: true,
      input: z.strictObject({
        organization_id: field.organizationId(),
        filter: filter.optional(),
        ...field.listFields(own.orders),
      }),
      run: (input, { caller }) => listRecords(service.reader, own.query, listName, caller, input),
    }),
    tool({
      name: `add${own.title}`,
      description: own.descriptions.add,
      input: z.strictObject({
        organization_id: field.organizationId(),
        ...own.required,
        ...own.settable,
        ...own.whenAdding,
        ...field.writeFields,
      }),
      run: (input, { caller }) => {
        const { organization_id, idempotency_key, reason, ...fields } = input as WriteInput;
        return addRecord(service, caller, {
          tool: `add${own.title}`,
          family: own.family,
          singular: own.query.singular,
          input: { organization_id, idempotency_key },
          command: { type: `Add${own.title}`, fields, ...(reason ? { reason } : {}) },
        });
      },
    }),
    changeTool(service, own, {
      name: `update${own.title}`,
      description: own.descriptions.update,
      fields: { ...optional(own.required), ...own.settable },
      command: ({ reason, ...changes }) => ({ type: `Update${own.title}`, changes, ...(reason ? { reason } : {}) }),
    }),
  ];
}

/** A tool that gives a command to one record of a family. */
export function changeTool(
  service: Service,
  own: Pick<FamilyTools, 'family' | 'query'>,
  definition: {
    name: string;
    description: string;
    fields: z.ZodRawShape;
    /** The command that the input stands for; what every write takes is left out of it, but for the reason. */
    command(input: Record<string, unknown>): { type: string; [field: string]: unknown };
  },
): Tool {
  const { name, description, fields, command } = definition;
  return tool({
    name,
    description,
    input: z.strictObject({
      id: field.id(own.query.prefix),
      organization_id: field.organizationId().optional(),
      ...fields,
      ...field.writeFields,
      expected_revision: field.expectedRevision(),
    }),
    run: (input: unknown, { caller }: CallContext) => {
      const { id, organization_id, idempotency_key, expected_revision, ...rest } = input as Given;
      return changeRecord(service, caller, id, {
        tool: name,
        family: own.family,
        singular: own.query.singular,
        input: { organization_id, idempotency_key, expected_revision },
        command: command(rest),
      });
    },
  });
}

function optional(shape: z.ZodRawShape): z.ZodRawShape {
  return Object.fromEntries(Object.entries(shape).map(([name, type]) => [name, z.optional(type)]));
}
