import { changesInput } from '../../mcp/schema/changes-schema.ts';
import { InputParser } from '../../mcp/schema/input-parser.ts';
import { publishedSchema } from '../../mcp/schema/json-schema.ts';
import type { PublishedInput } from '../../mcp/tools/record-file-catalog.ts';
import type { ChangesInput } from '../../queries/changes/changes-input.ts';
import { readFilter, singleParameter } from './file-query.ts';

const parser = new InputParser(changesInput);
const filters = (publishedSchema(changesInput) as PublishedInput).properties?.filter?.properties ?? {};

/**
 * Reads a page of changes from an address, with the filters and checks of listChanges. An empty parameter is none,
 * because a form sends all its fields.
 * @throws Refusal or HttpError invalid_input
 */
export function readChangesQuery(
  organization_id: string,
  query: URLSearchParams,
  page: Pick<ChangesInput, 'size' | 'as_of'>,
): ChangesInput {
  const parameters = new URLSearchParams([...query].filter(([, value]) => value !== ''));
  const cursor = singleParameter(parameters, 'cursor');
  return parser.parse({
    organization_id,
    filter: readFilter(parameters, filters),
    ...page,
    ...(cursor ? { cursor } : {}),
  });
}
