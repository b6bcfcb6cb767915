import type { ListRecordsInput } from '../../queries/lists/list-records.ts';
import type { FamilyDescription } from '../../register/family-description.ts';
import { listInput } from '../../tools/schema/family-schema.ts';
import { InputParser } from '../../tools/schema/input-parser.ts';
import { publishedFilters } from '../../tools/schema/json-schema.ts';
import { filterParameters, readFilter, singleParameter } from './file-query.ts';

/** Reads a family's list from a page's address, with the filters and checks of the list tool. */
export class ListQueryReader {
  private readonly parser: InputParser<ReturnType<typeof listInput>>;

  constructor(family: FamilyDescription) {
    this.parser = new InputParser(() => listInput(family));
  }

  /** Returns the list's input, except its page. @throws Refusal or HttpError invalid_input */
  read(organization_id: string, query: URLSearchParams): Pick<ListRecordsInput, 'filter' | 'order_by'> {
    const [field, direction] = [singleParameter(query, 'order_by'), singleParameter(query, 'direction')];
    const filterSchemas = publishedFilters(this.parser.schema);
    const order_by = field === undefined && direction === undefined ? {} : { order_by: { field, direction } };
    return this.parser.parse({
      organization_id,
      filter: readFilter(filterParameters(query, filterSchemas), filterSchemas),
      ...order_by,
    });
  }
}
