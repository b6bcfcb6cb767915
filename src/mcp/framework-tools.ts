import { z } from 'zod';
import type { Caller } from '../commands/caller.ts';
import { recordAggregate } from '../commands/families.ts';
import { adoption, type GivenFramework } from '../commands/framework.ts';
import { commandId, derivedId, libraryFrameworkId } from '../commands/ids.ts';
import { Refusal } from '../commands/refusal.ts';
import { permit } from '../commands/roles.ts';
import { LIBRARY_IDS, type LibraryId, libraryFramework } from '../library/library.ts';
import { frameworkQuery } from '../queries/frameworks.ts';
import { listTool } from './family.ts';
import * as field from './fields.ts';
import { recordKind, writeOutput } from './output.ts';
import { type Service, tool } from './service.ts';
import type { Tool } from './tool.ts';
import { addRecord } from './write.ts';

const NAME = 'addFramework';
const MOST_CONTROLS = 500;
/** What the library says of a framework. */
const FROM_LIBRARY = ['name', 'version', 'controls'] as const;

const frameworks = {
  query: frameworkQuery,
  settable: {
    library_id: field.clearable(field.oneOf(LIBRARY_IDS)),
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

const input = z.strictObject({
  organization_id: field.organizationId(),
  library_id: field.oneOf(LIBRARY_IDS).optional(),
  name: field.name().optional(),
  version: field.clearable(field.name()),
  controls: z.array(control).min(1).max(MOST_CONTROLS).optional(),
  description: field.clearable(field.text()),
  owner_id: field.clearable(field.account()),
  ...field.writeFields,
});
type Input = z.infer<typeof input>;

/** A framework is adopted and listed; it is not changed, its controls are. */
export function frameworkTools(service: Service): Tool[] {
  return [
    listTool(service, frameworks),
    tool({
      name: NAME,
      description:
        'Adopt a framework with all its controls (ADMIN): library_id, or name and up to 500 controls of your own. Each begins INCLUDED: see updateControl.',
      input,
      output: writeOutput(recordKind(frameworks), true),
      example: {
        organization_id: '{organization}',
        name: 'Backup policy',
        version: '2',
        controls: [
          { section_title: 'B.1', name: 'Backups are encrypted' },
          { section_title: 'B.2', name: 'Restores are tested' },
        ],
      },
      record: recordKind(frameworks),
      run: (given, { caller }) => adopt(service, caller, given),
    }),
  ];
}

async function adopt(service: Service, caller: Caller, given: Input): Promise<object> {
  const { organization_id, idempotency_key, reason } = given;
  permit(caller, organization_id, NAME);
  const framework = given.library_id === undefined ? ofOwn(given) : ofLibrary(given.library_id, given);
  const id = await idFor(service, given);
  return addRecord(service, caller, {
    tool: NAME,
    family: 'FRAMEWORK',
    singular: frameworkQuery.singular,
    id,
    input: { organization_id, idempotency_key },
    command: adoption(id, framework, reason),
    ...(given.library_id === undefined ? {} : { asked: withoutLibrary }),
  });
}

/** @throws Refusal invalid_input where a name or the controls are missing */
function ofOwn({ name, version, controls, description, owner_id }: Input): GivenFramework {
  if (name !== undefined && controls !== undefined) return { name, version, controls, description, owner_id };
  const missing = name === undefined ? 'name' : 'controls';
  const neither = name === undefined && controls === undefined;
  throw new Refusal('invalid_input', 'Give library_id, or the name and the controls of a framework of your own.', {
    ...(neither ? { field: 'library_id', allowed: LIBRARY_IDS } : { field: missing }),
  });
}

/** @throws Refusal invalid_input where something is given that the library says itself */
function ofLibrary(library_id: LibraryId, { description, owner_id, ...others }: Input): GivenFramework {
  for (const field of FROM_LIBRARY) {
    if (others[field] === undefined || others[field] === null) continue;
    const message = `The library's framework has its own ${field}: leave ${field} out, or library_id to adopt one of your own.`;
    throw new Refusal('invalid_input', message, { field });
  }
  const { name, version, controls } = libraryFramework(library_id);
  return { library_id, name, version, controls, description, owner_id };
}

/** The library may have been mended between a call and its repetition: it is no part of what was asked. */
function withoutLibrary(command: Record<string, unknown>): object {
  const fields = Object.entries(command.fields as object);
  const asked = fields.filter(([field]) => !FROM_LIBRARY.some((own) => own === field));
  return { ...command, fields: Object.fromEntries(asked) };
}

/**
 * A framework's id: of the library's by its name there, of an own one by the command. The former do not depend on the
 * key, so whether it was used for another framework is looked up where it would have been.
 * @throws Refusal idempotency_conflict
 */
async function idFor(service: Service, { organization_id, library_id, idempotency_key }: Input): Promise<string> {
  const command_id = commandId([organization_id, NAME], idempotency_key);
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
