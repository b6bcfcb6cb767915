import { setImmediate as nextTurn } from 'node:timers/promises';
import { specTypeSchemas } from '@modelcontextprotocol/server';
import { listLibrary } from '../../library/framework-library.ts';
import { FAMILY_DESCRIPTIONS } from '../../register/families.ts';
import type { RecordList } from '../prompts/find-candidates.ts';
import { argumentText, isPromptFamily, PROMPT_FAMILIES } from '../prompts/prompt.ts';
import { PROMPT_LIST } from '../prompts/prompts.ts';
import type { CallTool } from './call-tool.ts';
import { checkParams } from './check-params.ts';
import { invalidParams } from './protocol-message.ts';
import { RESOURCE_TEMPLATES } from './resources.ts';

/** The protocol allows no more values in an answer. */
const MAX_VALUES = 100;

/** Organizations that one completion searches, because clients ask at every key. */
const MAX_SEARCHED_ORGANIZATIONS = 5;

const LISTS_OF_ALL_FAMILIES: readonly RecordList[] = FAMILY_DESCRIPTIONS.flatMap(({ tools, plural }) =>
  'list' in tools ? [{ list: tools.list.name, plural }] : [],
);

/** The values that complete an argument, and true if there are more. */
interface Completion {
  values: string[];
  hasMore: boolean;
}

/** The text that a person has typed so far, and where to look for its completions. */
interface Search {
  callTool: CallTool;
  /** Null for all organizations that the caller reaches. */
  organizationId: string | null;
  text: string;
}

/**
 * Completes an argument of a prompt or resource template. It reads the register through tools only, so it suggests nothing
 * that the caller can't list.
 * @throws ProtocolError if there is no such argument, or a tool refuses
 */
export async function completeArgument(callTool: CallTool, params: object): Promise<{ completion: Completion }> {
  // Servers may ignore a `_meta` that they can't use.
  const withoutMeta = { ...params, _meta: undefined };
  const rule = 'completion/complete needs ref and argument, with name and value.';
  const { ref, argument, context } = checkParams(specTypeSchemas.CompleteRequestParams, withoutMeta, rule);
  const organizationId = context?.arguments?.organization_id?.trim() || null;
  const search: Search = { callTool, organizationId, text: argumentText(argument.name, argument.value) };
  const completion =
    ref.type === 'ref/prompt'
      ? await completePrompt(ref.name, argument.name, search)
      : await completeTemplate(ref.uri, argument.name, search);
  return { completion };
}

/** Completes a prompt's argument: an organization by its id, a record by its name. */
async function completePrompt(promptName: string, argumentName: string, search: Search): Promise<Completion> {
  const prompt = PROMPT_LIST.find(({ name }) => name === promptName);
  if (prompt === undefined) throw invalidParams(`Unknown prompt: ${promptName.slice(0, 100)}`);
  const argument = prompt.arguments.find(({ name }) => name === argumentName);
  if (argument === undefined) throw unknownArgument(argumentName);
  if (!isPromptFamily(argument.name)) return completeOrganization(search);
  const { records, hasMore } = await findRecords([PROMPT_FAMILIES[argument.name]], search);
  return { values: [...new Set(records.map(({ name }) => name))], hasMore };
}

/** Completes a resource template's variable: a record's id by the words in the record, or a library framework's id. */
async function completeTemplate(uriTemplate: string, variable: string, search: Search): Promise<Completion> {
  const template = RESOURCE_TEMPLATES.find((candidate) => candidate.uriTemplate === uriTemplate);
  if (template === undefined) throw invalidParams(`Unknown resource template: ${uriTemplate.slice(0, 100)}`);
  if (!template.uriTemplate.includes(`{${variable}}`)) throw unknownArgument(variable);
  if (variable === 'library_id') {
    const frameworks = listLibrary().filter(({ library_id, name }) => matches(search.text, library_id, name));
    return { values: frameworks.map(({ library_id }) => library_id), hasMore: false };
  }
  const { records, hasMore } = await findRecords(LISTS_OF_ALL_FAMILIES, search);
  return { values: records.map(({ id }) => id), hasMore };
}

async function completeOrganization({ callTool, text }: Search): Promise<Completion> {
  const values: string[] = [];
  for await (const { id, name } of organizationsOf(callTool)) {
    if (!matches(text, id, name)) continue;
    if (values.length === MAX_VALUES) return { values, hasMore: true };
    values.push(id);
  }
  return { values, hasMore: false };
}

/** An organization, or a record. Obligations and nonconformities have no name, and only their ids are used. */
interface ListedItem {
  id: string;
  name: string;
}

/** Yields the organizations that the caller reaches, by name. */
async function* organizationsOf(callTool: CallTool): AsyncGenerator<ListedItem> {
  let cursor: string | undefined;
  do {
    const page: { organizations: ListedItem[]; next_cursor?: string } = await callTool('listOrganizations', {
      size: 100,
      ...(cursor === undefined ? {} : { cursor }),
    });
    yield* page.organizations;
    cursor = page.next_cursor;
  } while (cursor !== undefined);
}

/** Returns the records with the typed words, from one list after the other, until there are enough. */
async function findRecords(lists: readonly RecordList[], search: Search) {
  const { callTool, text } = search;
  const { organizationIds, hasMore: hasMoreOrganizations } = await searchedOrganizations(search);
  const records: ListedItem[] = [];
  let hasMore = hasMoreOrganizations;
  for (const organization_id of organizationIds) {
    for (const { list, plural } of lists) {
      if (records.length > MAX_VALUES) break;
      // With all values found, one more record tells that there are more.
      const size = Math.max(1, MAX_VALUES - records.length);
      const page = await callTool(list, { organization_id, filter: { query: text }, size });
      records.push(...(page[plural] as ListedItem[]));
      hasMore ||= page.next_cursor !== undefined;
      // An embedded store answers synchronously, so other calls get a turn between two lists.
      await nextTurn();
    }
  }
  return { records: records.slice(0, MAX_VALUES), hasMore: hasMore || records.length > MAX_VALUES };
}

async function searchedOrganizations({ callTool, organizationId }: Search) {
  if (organizationId !== null) return { organizationIds: [organizationId], hasMore: false };
  const organizationIds: string[] = [];
  for await (const { id } of organizationsOf(callTool)) {
    if (organizationIds.length === MAX_SEARCHED_ORGANIZATIONS) return { organizationIds, hasMore: true };
    organizationIds.push(id);
  }
  return { organizationIds, hasMore: false };
}

/** Returns true if an id or name contains the typed text, whatever its case. */
function matches(text: string, ...candidates: string[]): boolean {
  return candidates.some((candidate) => candidate.toLowerCase().includes(text.toLowerCase()));
}

const unknownArgument = (name: string) =>
  invalidParams(`Unknown argument: ${name.slice(0, 100)}. See prompts/list and resources/templates/list.`);
