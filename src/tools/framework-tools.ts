import { z } from 'zod';
import { derivedId, libraryFrameworkId } from '../commands/engine/ids.ts';
import { invalidField, Refusal } from '../commands/engine/refusal.ts';
import { recordAggregate } from '../commands/families.ts';
import { adoptionCommand, type FrameworkInput } from '../commands/framework.ts';
import { requirePermission } from '../commands/organization/permissions.ts';
import { LIBRARY_IDS, type LibraryId, libraryFramework } from '../library/framework-library.ts';
import { fieldSources } from '../register/field-sources.ts';
import { FRAMEWORK } from '../register/framework.ts';
import { pageOfWrittenRecord } from './answer-page.ts';
import { type FamilyTools, familyTools } from './family-tools.ts';
import * as field from './schema/fields.ts';
import { writeOutput } from './schema/output.ts';
import { defineTool, type ToolContext } from './tool.ts';
import { addRecord } from './write.ts';

const MAX_CONTROLS = 500;
/** Fields that the library provides. A call with library_id can't set them. */
const LIBRARY_FIELDS = ['name', 'version', 'controls'] as const;

const frameworks = familyTools(FRAMEWORK, { library_id: field.enumOf(LIBRARY_IDS).nullable() });

const control = () =>
  z.strictObject({
    section_title: field.name().describe('the control number, such as A.5.1'),
    name: field.name(),
    description: field.clearable(field.text()),
  });

const inputSchema = () =>
  z.strictObject({
    organization_id: field.impliedOrganizationId(),
    library_id: field.enumOf(LIBRARY_IDS).optional(),
    name: field.name().optional(),
    version: field.clearable(field.name()),
    controls: z.array(control()).min(1).max(MAX_CONTROLS).optional(),
    description: field.clearable(field.text()),
    owner_id: field.clearable(field.owner()),
    ...field.writeFields,
  });
type Input = z.infer<ReturnType<typeof inputSchema>>;

const addFramework = defineTool({
  name: 'addFramework',
  title: 'Adopt a framework',
  permission: 'adoptFrameworks',
  description:
    'Adopt a framework (standard) with all its controls (ADMIN): library_id, or name and up to 500 own controls. They start INCLUDED: see updateControl.',
  input: inputSchema,
  output: () => writeOutput(frameworks.record, true),
  example: {
    organization_id: '{organization}',
    name: 'Backup policy',
    version: '2',
    controls: [
      { section_title: 'B.1', name: 'Backups are encrypted' },
      { section_title: 'B.2', name: 'Restores are tested' },
    ],
  },
  record: frameworks.record,
  sources: fieldSources(FRAMEWORK),
  run: adopt,
  page: pageOfWrittenRecord(FRAMEWORK.singular),
});

/** The tools that list and adopt frameworks. Only the owner of a framework changes: see importRecords. */
export const frameworkTools: FamilyTools = { ...frameworks, add: addFramework };

async function adopt(input: Input, context: ToolContext): Promise<object> {
  const { organization_id, library_id, idempotency_key, reason } = input;
  const { caller, tool } = context;
  // Before the look at streams, which may refuse an idempotency key.
  requirePermission(caller, organization_id, tool.permission);
  const framework = library_id === undefined ? customFramework(input) : frameworkFromLibrary(library_id, input);
  const id = await frameworkIdFor(input, context);
  return addRecord(
    context,
    { id },
    {
      input: { organization_id, idempotency_key },
      command: adoptionCommand(id, framework, reason),
      ...(library_id === undefined ? {} : { callerInput: withoutLibraryFields }),
    },
  );
}

/** @throws Refusal invalid_input if the name or the controls are missing */
function customFramework({ name, version, controls, description, owner_id }: Input): FrameworkInput {
  if (name !== undefined && controls !== undefined) return { name, version, controls, description, owner_id };
  const missingField = name === undefined ? 'name' : 'controls';
  const isEmpty = name === undefined && controls === undefined;
  throw new Refusal('invalid_input', 'Give library_id, or the name and the controls of a framework of your own.', {
    ...(isEmpty ? { field: 'library_id', allowed: LIBRARY_IDS } : { field: missingField }),
  });
}

/** @throws Refusal invalid_input if the input has a field that comes from the library */
function frameworkFromLibrary(
  library_id: LibraryId,
  { description, owner_id, ...libraryFields }: Input,
): FrameworkInput {
  for (const name of LIBRARY_FIELDS) {
    if (libraryFields[name] === undefined || libraryFields[name] === null) continue;
    const message = `The library framework has its own ${name}. Leave out ${name}, or leave out library_id to adopt a framework of your own.`;
    throw invalidField(name, message);
  }
  const { name, version, controls } = libraryFramework(library_id);
  return { library_id, name, version, controls, description, owner_id };
}

/**
 * Returns a command without the library's fields. A repeated call is recognised by the rest, because a new version may
 * correct the library's fields between the two calls.
 */
function withoutLibraryFields(command: Record<string, unknown>): object {
  const fields = Object.entries(command.fields as object);
  const callerFields = fields.filter(([name]) => !LIBRARY_FIELDS.some((libraryField) => libraryField === name));
  return { ...command, fields: Object.fromEntries(callerFields) };
}

/**
 * Returns a new framework's id. It is derived from library_id, or for a custom framework from the command. An id from
 * library_id doesn't depend on the key, so this checks every framework for which the key could have been used.
 * @throws Refusal idempotency_conflict
 */
async function frameworkIdFor(
  { organization_id, library_id, idempotency_key }: Input,
  { service, tool }: ToolContext,
): Promise<string> {
  const command_id = service.handler.commandId([organization_id, tool.name], idempotency_key);
  const customId = derivedId(FRAMEWORK.prefix, command_id);
  const id = library_id === undefined ? customId : libraryFrameworkId(organization_id, library_id);
  if (idempotency_key === undefined) return id;
  const possibleIds = [customId, ...LIBRARY_IDS.map((libraryId) => libraryFrameworkId(organization_id, libraryId))];
  for (const otherId of possibleIds.filter((possibleId) => possibleId !== id)) {
    const { commands } = await service.handler.load(recordAggregate(otherId), true);
    if (!commands.has(command_id)) continue;
    throw new Refusal(
      'idempotency_conflict',
      'This idempotency_key was used for another framework. Use a new key, or repeat the first input unchanged.',
      { field: 'idempotency_key' },
    );
  }
  return id;
}
