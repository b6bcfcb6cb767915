import type { FileRequest, RecordFiles } from '../mcp/record-files.ts';
import { formatNamed } from './file-format.ts';
import { invalidInput } from './http-errors.ts';
import { LINE_FORMATS, type LineFormat } from './line-formats.ts';
import { jsonOrText } from './parse-json.ts';

/** Query parameters that are no filters. */
const OWN = new Set(['filter', 'as_of', 'cursor', 'after', 'format']);

/** @throws HttpError for a format that there is not */
export function formatOf(query: URLSearchParams): LineFormat {
  return formatNamed(LINE_FORMATS, single(query, 'format') ?? 'jsonl');
}

/** What a file's address asks for. @throws HttpError, and Refusal for a file that there is not */
export function requestOf(
  files: RecordFiles,
  what: string,
  organization_id: string,
  query: URLSearchParams,
): FileRequest {
  const [as_of, cursor, after] = ['as_of', 'cursor', 'after'].map((name) => single(query, name));
  return { what, organization_id, filter: filterOf(query, files.filters(what)), as_of, cursor, after };
}

type Filters = ReturnType<RecordFiles['filters']>;

/** The JSON of `filter`, and beside it any of its members by name: a list's values each as a parameter of its own. */
function filterOf(query: URLSearchParams, known: Filters): object {
  const filter = jsonOf(single(query, 'filter') ?? '{}');
  const members = new Set([...query.keys()].filter((name) => !OWN.has(name)));
  for (const name of members) {
    if (Object.hasOwn(filter, name))
      throw invalidInput(`Give ${name} once: in filter, or by its name.`, { field: name });
  }
  return Object.fromEntries([
    ...Object.entries(filter),
    ...[...members].map((name) => [name, memberOf(query, name, known)]),
  ]);
}

function memberOf(query: URLSearchParams, name: string, known: Filters): unknown {
  const { type, items } = (Object.hasOwn(known, name) ? known[name] : undefined) ?? {};
  if (type === 'array') return query.getAll(name).map((text) => spelt(text, items?.type));
  return spelt(single(query, name) ?? '', type);
}

/** The text itself where a text is meant or nothing is known, else the JSON value that it spells. */
function spelt(text: string, type: string | undefined): unknown {
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
