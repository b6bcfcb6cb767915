import { idPrefix } from '../../commands/engine/ids.ts';
import { ACCESS_ENTRY_TYPES } from '../../identity/access-log/access-entry-types.ts';
import { isLibraryId, libraryFramework, listLibrary } from '../../library/framework-library.ts';
import { EVENT_TYPES_URI } from '../../queries/changes/refuse-unknown-event-types.ts';
import { FAMILY_QUERIES } from '../../queries/family-query.ts';
import { EVENT_TYPES } from '../../register/events.ts';
import type { CallTool } from './call-tool.ts';

const RECORD_URI_PREFIX = 'veritrail://records/';
const LIBRARY_URI = 'veritrail://frameworks/library';
const EVENT_TYPE_LISTS = { event_types: EVENT_TYPES, access_event_types: ACCESS_ENTRY_TYPES };
const JSON_TYPE = 'application/json';

export interface ResourceContents {
  uri: string;
  mimeType: string;
  text: string;
}

export interface ResourceResult {
  contents: ResourceContents[];
  /** True if it is the same for every caller until the next version of the service. */
  isStatic: boolean;
}

/** The `resources` of resources/list. */
export const RESOURCES = [
  {
    uri: LIBRARY_URI,
    name: 'framework-library',
    title: 'Framework library',
    description: 'The frameworks that addFramework adopts by library_id: name, version, publisher, licence, controls.',
    mimeType: JSON_TYPE,
  },
  {
    uri: EVENT_TYPES_URI,
    name: 'event-types',
    title: 'Event types',
    description: 'All values of filter.event_types in listChanges, for changes and for the access log.',
    mimeType: JSON_TYPE,
  },
];

/** The `resourceTemplates` of resources/templates/list. */
export const RESOURCE_TEMPLATES = [
  {
    uriTemplate: `${RECORD_URI_PREFIX}{id}`,
    name: 'record',
    title: 'A record of the register',
    description: 'Any record by its id, in full and current, with its links and evidence.',
    mimeType: JSON_TYPE,
  },
  {
    uriTemplate: `${LIBRARY_URI}/{library_id}`,
    name: 'library-framework',
    title: 'A framework of the library',
    description: 'The controls that adopting it adds: number and title.',
    mimeType: JSON_TYPE,
  },
];

const recordUri = (id: string): string => `${RECORD_URI_PREFIX}${id}`;

/**
 * Reads one resource.
 * @returns null if the caller can see no resource at this address
 * @throws ProtocolError if it can't be read now
 */
export async function readResource(callTool: CallTool, uri: string): Promise<ResourceResult | null> {
  if (uri === EVENT_TYPES_URI) return staticResource(uri, EVENT_TYPE_LISTS);
  if (uri === LIBRARY_URI) return staticResource(uri, { frameworks: listLibrary() });
  if (uri.startsWith(`${LIBRARY_URI}/`)) {
    const id = uri.slice(LIBRARY_URI.length + 1);
    return isLibraryId(id) ? staticResource(uri, libraryFramework(id)) : null;
  }
  if (!uri.startsWith(RECORD_URI_PREFIX)) return null;
  const record = await readRecord(callTool, uri.slice(RECORD_URI_PREFIX.length));
  return record === null ? null : { contents: [recordContents(record)], isStatic: false };
}

/** Returns a record as a resource. */
export function recordContents(record: { id: string }): ResourceContents {
  return { uri: recordUri(record.id), mimeType: JSON_TYPE, text: JSON.stringify(record) };
}

/** Returns a link to a record's resource, as content of a tool's answer. */
export function recordLink({ id, name }: { id: string; name: string }): object {
  return { type: 'resource_link', uri: recordUri(id), name, mimeType: JSON_TYPE };
}

/** Reads a record in full, with its links and evidence; null if the caller can see none with that id. */
export async function readRecord(callTool: CallTool, id: string, organizationId?: string): Promise<FullRecord | null> {
  if (!Object.hasOwn(FAMILY_QUERIES, idPrefix(id) ?? '')) return null;
  const { records } = await callTool<{ records: FullRecord[] }>('getRecords', {
    ids: [id],
    include: ['LINKS', 'EVIDENCE'],
    ...(organizationId === undefined ? {} : { organization_id: organizationId }),
  });
  return records[0] ?? null;
}

export interface FullRecord {
  id: string;
  organization_id: string;
  revision: number;
  [field: string]: unknown;
}

const staticResource = (uri: string, value: object): ResourceResult => ({
  contents: [{ uri, mimeType: JSON_TYPE, text: JSON.stringify(value) }],
  isStatic: true,
});
