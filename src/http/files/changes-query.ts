import type { ChangesInput } from '../../queries/changes/changes-input.ts';
import type { ChangeRefinement } from '../../queries/changes/refined-changes.ts';
import { changesInput } from '../../tools/schema/changes-schema.ts';
import { InputParser } from '../../tools/schema/input-parser.ts';
import { publishedFilters } from '../../tools/schema/json-schema.ts';
import { invalidInput } from '../http-errors.ts';
import { filledParameters, filterParameters, readFilter, singleParameter } from './file-query.ts';

const REFINEMENTS = ['client', 'made_by'];

/** `?made_by=assistants` shows only the changes that were made with an assistant. */
export const ASSISTANTS = 'assistants';

const parser = new InputParser(changesInput);

/** A request for changes, and the conditions that only pages have. */
export interface ChangesQuery {
  input: ChangesInput;
  refinement: ChangeRefinement;
}

/**
 * Reads a page of changes from an address, with the filters and checks of listChanges.
 * @throws Refusal or HttpError invalid_input
 */
export function readChangesQuery(
  organization_id: string,
  query: URLSearchParams,
  page: Pick<ChangesInput, 'size' | 'as_of'>,
): ChangesQuery {
  const parameters = filledParameters(query);
  const [cursor, client = null, madeBy] = ['cursor', ...REFINEMENTS].map((name) => singleParameter(parameters, name));
  if (madeBy !== undefined && madeBy !== ASSISTANTS) {
    throw invalidInput(`made_by must be ${ASSISTANTS}.`, { field: 'made_by', allowed: [ASSISTANTS] });
  }
  const filterSchemas = publishedFilters(parser.schema);
  const filter = readFilter(filterParameters(parameters, filterSchemas), filterSchemas);
  return {
    input: parser.parse({ organization_id, filter, ...page, ...(cursor ? { cursor } : {}) }),
    refinement: { client, onlyAssistants: madeBy === ASSISTANTS },
  };
}
