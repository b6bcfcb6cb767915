import { z } from 'zod';
import type { Caller } from '../commands/caller.ts';
import { recordAggregate } from '../commands/families.ts';
import { adoptionCommand, type FrameworkInput } from '../commands/framework.ts';
import { commandId, derivedId, libraryFrameworkId } from '../commands/ids.ts';
import { requirePermission } from '../commands/permissions.ts';
import { Refusal } from '../commands/refusal.ts';
import { LIBRARY_IDS, type LibraryId, libraryFramework } from '../library/framework-library.ts';
import { frameworkQuery } from '../queries/frameworks.ts';
import { defineTool, type ToolService } from './define-tool.ts';
import { listTool } from './family-tools.ts';
import * as field from './fields.ts';
import { recordSchemas, writeOutput } from './output.ts';
import type { Tool } from './tool.ts';
import { addRecord } from './write.ts';

const TOOL_NAME = 'addFramework';
const MAX_CONTROLS = 500;
/** What the library says of a framework. */
const LIBRARY_FIELDS = ['name', 'version', 'controls'] as const;

const frameworks = {
  query: frameworkQuery,
  settable: {
    library_id: field.clearable(field.enumOf(LIBRARY_IDS)),
    name: field.name(),
    version: field.clearable(field.name()),
    description: field.clearable(field.text()),
  },
  derived: {
    control_count: z.int(),
    included_count: z.int().describe('controls INCLUDED'),
    implemented_count: z.int().describe('of those, fully implemented'),
    coverage: z.number().min(0).max(1).nullable().describe('implemented_count ÷ included_count'),
  },
  filter: {},
  descriptions: {
    list: 'Adopted frameworks and their coverage (controls implemented ÷ included), by name. Their controls: listControls.',
  },
  examples: { list: {} },
};

const control = z.strictObject({
  section_title: field.name().describe('its number, such as A.5.1'),
  name: field.name(),
  description: field.clearable(field.text()),
});

const inputSchema = z.strictObject({
  organization_id: field.organizationId(),
  library_id: field.enumOf(LIBRARY_IDS).optional(),
  name: field.name().optional(),
  version: field.clearable(field.name()),
  controls: z.array(control).min(1).max(MAX_CONTROLS).optional(),
  description: field.clearable(field.text()),
  owner_id: field.clearable(field.account()),
  ...field.writeFields,
});
type Input = z.infer<typeof inputSchema>;

/** A framework is adopted and listed; it is not changed, its controls are. */
export function frameworkTools(service: ToolService): Tool[] {
  return [
    listTool(service, frameworks),
    defineTool({
      name: TOOL_NAME,
      description:
        'Adopt a framework with all its controls (ADMIN): library_id, or name and up to 500 controls of your own. Each begins INCLUDED: see updateControl.',
      input: inputSchema,
      output: writeOutput(recordSchemas(frameworks), true),
      example: {
        organization_id: '{organization}',
        name: 'Backup policy',
        version: '2',
        controls: [
          { section_title: 'B.1', name: 'Backups are encrypted' },
          { section_title: 'B.2', name: 'Restores are tested' },
        ],
      },
      record: recordSchemas(frameworks),
      run: (input, { caller }) => adopt(service, caller, input),
    }),
  ];
}

async function adopt(service: ToolService, caller: Caller, input: Input): Promise<object> {
  const { organization_id, idempotency_key, reason } = input;
  requirePermission(caller, organization_id, TOOL_NAME);
  const framework =
    input.library_id === undefined ? customFramework(input) : adoptedFromLibrary(input.library_id, input);
  const id = await frameworkIdFor(service, input);
  return addRecord(service, caller, {
    tool: TOOL_NAME,
    family: 'FRAMEWORK',
    singular: frameworkQuery.singular,
    id,
    input: { organization_id, idempotency_key },
    command: adoptionCommand(id, framework, reason),
    ...(input.library_id === undefined ? {} : { callerInput: withoutLibraryFields }),
  });
}

/** @throws Refusal invalid_input where a name or the controls are missing */
function customFramework({ name, version, controls, description, owner_id }: Input): FrameworkInput {
  if (name !== undefined && controls !== undefined) return { name, version, controls, description, owner_id };
  const missing = name === undefined ? 'name' : 'controls';
  const neither = name === undefined && controls === undefined;
  throw new Refusal('invalid_input', 'Give library_id, or the name and the controls of a framework of your own.', {
    ...(neither ? { field: 'library_id', allowed: LIBRARY_IDS } : { field: missing }),
  });
}

/** @throws Refusal invalid_input where something is given that the library says itself */
function adoptedFromLibrary(library_id: LibraryId, { description, owner_id, ...others }: Input): FrameworkInput {
  for (const field of LIBRARY_FIELDS) {
    if (others[field] === undefined || others[field] === null) continue;
    const message = `The library's framework has its own ${field}: leave ${field} out, or library_id to adopt one of your own.`;
    throw new Refusal('invalid_input', message, { field });
  }
  const { name, version, controls } = libraryFramework(library_id);
  return { library_id, name, version, controls, description, owner_id };
}

/** The library may have been mended between a call and its repetition: it is no part of what was asked. */
function withoutLibraryFields(command: Record<string, unknown>): object {
  const fields = Object.entries(command.fields as object);
  const asked = fields.filter(([field]) => !LIBRARY_FIELDS.some((own) => own === field));
  return { ...command, fields: Object.fromEntries(asked) };
}

/**
 * A framework's id: of the library's by its name there, of an own one by the command. The former do not depend on the
 * key, so whether it was used for another framework is looked up where it would have been.
 * @throws Refusal idempotency_conflict
 */
async function frameworkIdFor(
  service: ToolService,
  { organization_id, library_id, idempotency_key }: Input,
): Promise<string> {
  const command_id = commandId([organization_id, TOOL_NAME], idempotency_key);
  const own = derivedId(frameworkQuery.prefix, command_id);
  const id = library_id === undefined ? own : libraryFrameworkId(organization_id, library_id);
  if (idempotency_key === undefined) return id;
  const possible = [own, ...LIBRARY_IDS.map((known) => libraryFrameworkId(organization_id, known))];
  for (const other of possible.filter((each) => each !== id)) {
    const { commands } = await service.handler.load(recordAggregate(other), true);
    if (!commands.has(command_id)) continue;
    throw new Refusal(
      'idempotency_conflict',
      'This idempotency_key was used for another framework: use a new key, or repeat the first input unchanged.',
      { field: 'idempotency_key' },
    );
  }
  return id;
}
