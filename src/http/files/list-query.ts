import { listInput } from '../../mcp/schema/family-schema.ts';
import { InputParser } from '../../mcp/schema/input-parser.ts';
import { publishedFilters } from '../../mcp/schema/json-schema.ts';
import type { ListRecordsInput } from '../../queries/lists/list-records.ts';
import type { FamilyDescription } from '../../register/field.ts';
import { readFilter, singleParameter } from './file-query.ts';

/** The parameters of a list's address that are not filters. */
const LIST_PARAMETERS = ['as_of', 'cursor', 'before', 'order_by', 'direction'] as const;

/** Reads a family's list from an address, with the filters and checks of the list tool. */
export class ListQueryReader {
  private readonly parser: InputParser<ReturnType<typeof listInput>>;

  constructor(family: FamilyDescription) {
    this.parser = new InputParser(() => listInput(family));
  }

  /** Returns the list's input, except its page. @throws Refusal or HttpError invalid_input */
  read(organization_id: string, query: URLSearchParams): Pick<ListRecordsInput, 'filter' | 'order_by'> {
    const [field, direction] = [singleParameter(query, 'order_by'), singleParameter(query, 'direction')];
    const filterQuery = new URLSearchParams(query);
    for (const name of LIST_PARAMETERS) filterQuery.delete(name);
    const order_by = field === undefined && direction === undefined ? {} : { order_by: { field, direction } };
    return this.parser.parse({
      organization_id,
      filter: readFilter(filterQuery, publishedFilters(this.parser.schema)),
      ...order_by,
    });
  }
}
