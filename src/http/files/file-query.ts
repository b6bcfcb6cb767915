import type { FileRequest, RecordFileCatalog } from '../../tools/record-file-catalog.ts';
import { isObject } from '../../tools/schema/client-values.ts';
import { parseJson } from '../body.ts';
import { invalidInput } from '../http-errors.ts';
import { findFormat } from './file-format.ts';
import { RECORD_FILE_FORMATS, type RecordFileFormat } from './record-file-formats.ts';

/** Query parameters that are not filters. */
const NON_FILTER_PARAMETERS = new Set(['filter', 'as_of', 'cursor', 'after', 'format', 'delimiter']);

/** The delimiters of a CSV. Spreadsheet programs of many countries expect a semicolon. */
const DELIMITERS: readonly string[] = [',', ';'];

/** Returns the requested format. @throws HttpError for an unknown format, and for one that can't be resumed with `after` */
export function requestedFormat(query: URLSearchParams): RecordFileFormat {
  const format = findFormat(RECORD_FILE_FORMATS, singleParameter(query, 'format') ?? 'jsonl');
  if (format.isResumable || !query.has('after')) return format;
  const message = `A file in ${format.name} can’t be resumed. Leave out after to get the whole file.`;
  throw invalidInput(message, { field: 'after' });
}

/** Returns the requested delimiter of a CSV; undefined by default. @throws HttpError for another one, or another format */
export function requestedDelimiter(query: URLSearchParams, { name }: RecordFileFormat): string | undefined {
  const delimiter = singleParameter(query, 'delimiter');
  if (delimiter === undefined || (name === 'csv' && DELIMITERS.includes(delimiter))) return delimiter;
  const message = name === 'csv' ? 'delimiter takes , or ; alone.' : 'delimiter is for files with format csv alone.';
  throw invalidInput(message, { field: 'delimiter', allowed: DELIMITERS });
}

/** Reads the request for a file from its address. @throws HttpError, or Refusal for an unknown file */
export function readFileRequest(
  files: Pick<RecordFileCatalog, 'filters'>,
  fileName: string,
  organization_id: string,
  query: URLSearchParams,
): FileRequest {
  const [as_of, cursor, after] = ['as_of', 'cursor', 'after'].map((name) => singleParameter(query, name));
  return { file: fileName, organization_id, filter: readFilter(query, files.filters(fileName)), as_of, cursor, after };
}

/** The filters of a list and their types, as its tool publishes them. */
type Filters = ReturnType<RecordFileCatalog['filters']>;

/**
 * Reads the filters: the JSON of `filter`, and further filters by name. A list has one parameter for each value, such as
 * `status=OPEN&status=ACCEPTED`. The list's input reads the texts as its types, and checks the values.
 * @throws HttpError
 */
export function readFilter(query: URLSearchParams, filterSchemas: Filters): object {
  const filter = jsonOf(singleParameter(query, 'filter') ?? '{}');
  const members = new Set([...query.keys()].filter((name) => !NON_FILTER_PARAMETERS.has(name)));
  for (const name of members) {
    if (Object.hasOwn(filter, name))
      throw invalidInput(`Give ${name} only once: in filter, or as a parameter of its own.`, { field: name });
  }
  return Object.fromEntries([
    ...Object.entries(filter),
    ...[...members].map((name) => [name, memberOf(query, name, filterSchemas)]),
  ]);
}

function memberOf(
  query: URLSearchParams,
  name: string,
  filterSchemas: Filters,
): string | readonly string[] | undefined {
  const isList = Object.hasOwn(filterSchemas, name) && filterSchemas[name]?.type === 'array';
  return isList ? query.getAll(name) : singleParameter(query, name);
}

function jsonOf(text: string): object {
  try {
    const value = parseJson(Buffer.from(text));
    if (isObject(value)) return value;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw invalidInput('filter must be a JSON object, as in the list tool’s input.', { field: 'filter' });
}

/**
 * Returns the parameters that are filters. A page ignores others, such as those that mail programs and campaigns append.
 * A file refuses them, because a misspelled filter would give too many records.
 */
export function filterParameters(query: URLSearchParams, filterSchemas: Filters): URLSearchParams {
  const isFilter = (name: string) => name === 'filter' || Object.hasOwn(filterSchemas, name);
  return new URLSearchParams([...query].filter(([name]) => isFilter(name)));
}

/** Returns the parameters that have a value. A form sends all its fields, also the empty ones. */
export function filledParameters(query: URLSearchParams): URLSearchParams {
  return new URLSearchParams([...query].filter(([, value]) => value !== ''));
}

export function singleParameter(query: URLSearchParams, name: string): string | undefined {
  const [value, another] = query.getAll(name);
  if (another !== undefined) throw invalidInput(`${name} can be given only once.`, { field: name });
  return value;
}
