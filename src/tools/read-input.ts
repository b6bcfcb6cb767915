import type { Caller } from '../commands/organization/caller.ts';
import { readOrganizationNames } from '../queries/lists/list-organizations.ts';
import { isBlank } from './schema/client-values.ts';
import { type InputProblem, toSingleLine } from './schema/input-parser.ts';
import { isObject } from './schema/is-object.ts';
import type { Tool, ToolService } from './tool.ts';

/** A parsed input. */
interface ReadInput {
  input: unknown;
  /** The organization that the call left out; null if it named one. */
  impliedOrganization: string | null;
}

const MAX_LISTED_ORGANIZATIONS = 20;
const MAX_NAME_CHARACTERS = 80;

/**
 * Parses a call's input. An organization that it leaves out is the only one that the caller reaches now, with any role.
 * @throws Refusal invalid_input; if the caller reaches several organizations, it names them
 */
export async function readInput(
  tool: Tool,
  args: unknown,
  { reader }: Pick<ToolService, 'reader'>,
  caller: Caller,
): Promise<ReadInput> {
  const { parser } = tool;
  const given = (tool.prepareInput ? tool.prepareInput(args) : args) ?? {};
  if (!lacksOrganization(given) || !tool.impliesOrganization)
    return { input: parser.parse(given), impliedOrganization: null };
  const [only, ...others] = caller.roles.keys();
  if (only !== undefined && others.length === 0) {
    return { input: parser.parse({ ...given, organization_id: only }), impliedOrganization: only };
  }
  const organizations = await readOrganizationNames(reader, caller);
  return { input: parser.parse(given, ambiguousOrganization(organizations)), impliedOrganization: null };
}

function lacksOrganization(given: unknown): given is object {
  return isObject(given) && (given.organization_id === undefined || isBlank(given.organization_id));
}

/** Describes a missing organization_id. @param organizations those that the caller reaches */
function ambiguousOrganization(organizations: readonly { id: string; name: string }[]): InputProblem {
  const field = 'organization_id';
  if (organizations.length === 0) {
    return { field, message: 'is required, and this credential reaches no organization: ask an owner for access' };
  }
  const listed = organizations.slice(0, MAX_LISTED_ORGANIZATIONS);
  const names = listed.map(({ id, name }) => `${toSingleLine(name, MAX_NAME_CHARACTERS)} (${id})`).join(', ');
  const more = organizations.length - listed.length;
  return {
    field,
    message: 'is required, because this credential reaches several organizations: name one of them',
    allowed: listed.map(({ id }) => id),
    hint: () => (more === 0 ? names : `${names}, and ${more} more in listOrganizations`),
  };
}
