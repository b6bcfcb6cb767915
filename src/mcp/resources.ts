import { EVENT_TYPES } from '../commands/event-types.ts';
import { idPrefix } from '../commands/ids.ts';
import { LIBRARY_IDS, type LibraryId, libraryFramework, listLibrary } from '../library/framework-library.ts';
import { ACCESS_ENTRY_TYPES } from '../queries/access-log-row.ts';
import { FAMILY_QUERIES } from '../queries/families.ts';
import { EVENT_TYPES_URI } from '../queries/known-event-types.ts';
import type { CallTool } from './call-tool.ts';

const RECORD_URI_PREFIX = 'veritrail://records/';
const LIBRARY_URI = 'veritrail://frameworks/library';
const EVENT_TYPE_LISTS = { event_types: EVENT_TYPES, access_event_types: ACCESS_ENTRY_TYPES };
const JSON_TYPE = 'application/json';

/** A resource's text, as MCP has it. */
export interface ResourceContents {
  uri: string;
  mimeType: string;
  text: string;
}

export interface ResourceResult {
  contents: ResourceContents[];
  /** Whether it is the same for every caller, and until the next version of the service. */
  isStatic: boolean;
}

/** What there is to read without naming a record: the value of `resources`. */
export const RESOURCES = [
  {
    uri: LIBRARY_URI,
    name: 'framework-library',
    title: 'Framework library',
    description: 'Frameworks that addFramework takes by library_id: name, version, publisher, licence, controls.',
    mimeType: JSON_TYPE,
  },
  {
    uri: EVENT_TYPES_URI,
    name: 'event-types',
    title: 'Event types',
    description: 'What filter.event_types of listChanges can name, and what it can of the access log.',
    mimeType: JSON_TYPE,
  },
];

/** The value of `resourceTemplates`. */
export const RESOURCE_TEMPLATES = [
  {
    uriTemplate: `${RECORD_URI_PREFIX}{id}`,
    name: 'record',
    title: 'A record of the register',
    description: 'Any record by its id, whole and as of now, with its links and evidence.',
    mimeType: JSON_TYPE,
  },
  {
    uriTemplate: `${LIBRARY_URI}/{library_id}`,
    name: 'library-framework',
    title: 'A framework of the library',
    description: 'The controls that adopting it brings: number and title.',
    mimeType: JSON_TYPE,
  },
];

/** A record's address as a resource. */
const recordUri = (id: string): string => `${RECORD_URI_PREFIX}${id}`;

/**
 * Reads one resource.
 * @returns null where there is none at this address that the caller may see
 * @throws ProtocolError where it can't be read now
 */
export async function readResource(ask: CallTool, uri: string): Promise<ResourceResult | null> {
  if (uri === EVENT_TYPES_URI) return staticResource(uri, EVENT_TYPE_LISTS);
  if (uri === LIBRARY_URI) return staticResource(uri, { frameworks: listLibrary() });
  if (uri.startsWith(`${LIBRARY_URI}/`)) {
    const id = uri.slice(LIBRARY_URI.length + 1);
    return isLibraryId(id) ? staticResource(uri, libraryFramework(id)) : null;
  }
  if (!uri.startsWith(RECORD_URI_PREFIX)) return null;
  const record = await readRecord(ask, uri.slice(RECORD_URI_PREFIX.length));
  return record === null ? null : { contents: [recordContents(record)], isStatic: false };
}

/** A record as its resource's text. */
export function recordContents(record: { id: string }): ResourceContents {
  return { uri: recordUri(record.id), mimeType: JSON_TYPE, text: JSON.stringify(record) };
}

/** A record whole, with what is linked to it; null where the caller sees none of that id. */
export async function readRecord(ask: CallTool, id: string, organizationId?: string): Promise<FullRecord | null> {
  if (!Object.hasOwn(FAMILY_QUERIES, idPrefix(id) ?? '')) return null;
  const { records } = await ask<{ records: FullRecord[] }>('getRecords', {
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

const isLibraryId = (id: string): id is LibraryId => (LIBRARY_IDS as readonly string[]).includes(id);
