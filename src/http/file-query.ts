import type { FileRequest, RecordFileCatalog } from '../mcp/record-file-catalog.ts';
import { formatNamed } from './file-format.ts';
import { invalidInput } from './http-errors.ts';
import { LINE_FORMATS, type LineFormat } from './line-formats.ts';
import { jsonOrText } from './parse-json.ts';

/** Query parameters that are no filters. */
const NON_FILTER_PARAMETERS = new Set(['filter', 'as_of', 'cursor', 'after', 'format']);

/** @throws HttpError for a format that there is not */
export function requestedFormat(query: URLSearchParams): LineFormat {
  return formatNamed(LINE_FORMATS, single(query, 'format') ?? 'jsonl');
}

/** What a file's address asks for. @throws HttpError, and Refusal for a file that there is not */
export function readFileRequest(
  files: RecordFileCatalog,
  fileName: string,
  organization_id: string,
  query: URLSearchParams,
): FileRequest {
  const [as_of, cursor, after] = ['as_of', 'cursor', 'after'].map((name) => single(query, name));
  return { file: fileName, organization_id, filter: filterOf(query, files.filters(fileName)), as_of, cursor, after };
}

type Filters = ReturnType<RecordFileCatalog['filters']>;

/** The JSON of `filter`, and beside it any of its members by name: a list's values each as a parameter of its own. */
function filterOf(query: URLSearchParams, filterSchemas: Filters): object {
  const filter = jsonOf(single(query, 'filter') ?? '{}');
  const members = new Set([...query.keys()].filter((name) => !NON_FILTER_PARAMETERS.has(name)));
  for (const name of members) {
    if (Object.hasOwn(filter, name))
      throw invalidInput(`Give ${name} once: in filter, or by its name.`, { field: name });
  }
  return Object.fromEntries([
    ...Object.entries(filter),
    ...[...members].map((name) => [name, memberOf(query, name, filterSchemas)]),
  ]);
}

function memberOf(query: URLSearchParams, name: string, filterSchemas: Filters): unknown {
  const { type, items } = (Object.hasOwn(filterSchemas, name) ? filterSchemas[name] : undefined) ?? {};
  if (type === 'array') return query.getAll(name).map((text) => parseValue(text, items?.type));
  return parseValue(single(query, name) ?? '', type);
}

/** The text itself where a text is meant or nothing is known, else the JSON value that it spells. */
function parseValue(text: string, type: string | undefined): unknown {
  return type === 'string' || type === undefined ? text : jsonOrText(text);
}

function jsonOf(text: string): object {
  const value = jsonOrText(text);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw invalidInput('filter must be a JSON object, as the list’s tool takes it.', { field: 'filter' });
}

function single(query: URLSearchParams, name: string): string | undefined {
  const [value, another] = query.getAll(name);
  if (another !== undefined) throw invalidInput(`${name} may be given once.`, { field: name });
  return value;
}
