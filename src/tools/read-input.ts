import { idPrefix } from '../commands/engine/ids.ts';
import { withConfirmedRoles } from '../commands/organization/caller.ts';
import { requirePermission } from '../commands/organization/permissions.ts';
import { readOrganizationNames } from '../queries/lists/list-organizations.ts';
import { problemsByField, recordNamesFor } from './record-names.ts';
import { isBlank, isObject, type UncheckedObject } from './schema/client-values.ts';
import { type InputProblem, toSingleLine } from './schema/input-parser.ts';
import type { RecordWord } from './schema/record-words.ts';
import type { CallContext, Tool, ToolService } from './tool.ts';

interface ReadInput {
  input: unknown;
  /** The organization that the call left out; null if it named one. */
  impliedOrganization: string | null;
}

const MAX_LISTED_ORGANIZATIONS = 20;
const MAX_NAME_CHARACTERS = 80;

/**
 * Parses a call's input. An organization that it leaves out is the only one that the caller reaches now, with any role.
 * Records that it names by number or name become ids.
 * @throws Refusal invalid_input; if the caller reaches several organizations, it names them
 */
export async function readInput(
  tool: Tool,
  args: unknown,
  service: ToolService,
  context: Pick<CallContext, 'caller' | 'signal'>,
): Promise<ReadInput> {
  const { caller } = context;
  const { parser, impliesOrganization } = tool;
  const given = parser.plain(tool.prepareInput ? tool.prepareInput(args) : args);
  const words = parser.recordWords(given);
  if (!lacksOrganization(given)) {
    const { organization_id } = (isObject(given) ? given : {}) as { organization_id?: unknown };
    const named = await resolveWords(tool, given, words, String(organization_id), service, context);
    return { input: parser.parse(named.input, named.problems), impliedOrganization: null };
  }
  if (!impliesOrganization && words.length === 0) return { input: parser.parse(given), impliedOrganization: null };
  const [only, ...others] = caller.roles.keys();
  if (only !== undefined && others.length === 0) {
    const named = await resolveWords(tool, given, words, only, service, context);
    if (!impliesOrganization) return { input: parser.parse(named.input, named.problems), impliedOrganization: null };
    const input = { ...(named.input as object), organization_id: only };
    return { input: parser.parse(input, named.problems), impliedOrganization: only };
  }
  const problem = ambiguousOrganization(await readOrganizationNames(service.reader, caller));
  // The words can't be looked up, so their fields are not wrong yet.
  const problems = new Map([problem.field, ...words.map(fieldOf)].map((field) => [field, problem]));
  return { input: parser.parse(given, problems), impliedOrganization: null };
}

function lacksOrganization(given: unknown): given is object {
  return isObject(given) && (given.organization_id === undefined || isBlank(given.organization_id));
}

const fieldOf = ({ path }: RecordWord): string => path.join('.');

/**
 * Returns an input with ids in place of the words that name records, and the problems of the other words by field.
 * @throws Refusal if the caller may not read the organization
 */
async function resolveWords(
  tool: Tool,
  input: unknown,
  words: readonly RecordWord[],
  organizationId: string,
  service: ToolService,
  context: Pick<CallContext, 'caller' | 'signal'>,
): Promise<{ input: unknown; problems: ReadonlyMap<string, InputProblem> }> {
  if (words.length === 0 || idPrefix(organizationId) !== 'org') return { input, problems: new Map() };
  const { caller, signal } = context;
  // A name that a refusal shows needs a right that holds now. What a read answers may be shown with older rights.
  requirePermission(tool.readOnly ? caller : await withConfirmedRoles(caller), organizationId, 'readRecords');
  const { idempotency_key, selection } = input as UncheckedObject;
  const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined);
  const names = recordNamesFor({ service, tool, caller, signal }, organizationId, {
    scope: tool.namedRecords?.(input as UncheckedObject) ?? 'LIVE',
    input: { idempotency_key: textOf(idempotency_key), selection: textOf(selection) },
  });
  const { input: named, problems } = await names.replace(input, words);
  const isProblem = ({ isUnknown }: { isUnknown: boolean }) => !isUnknown || !tool.takesUnknownNames;
  return { input: named, problems: problemsByField(problems.filter(isProblem)) };
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
