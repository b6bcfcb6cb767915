import { EVENT_TYPES } from '../commands/event-types.ts';
import { kindOf } from '../commands/ids.ts';
import { LIBRARY_IDS, type LibraryId, libraryFramework, listLibrary } from '../library/library.ts';
import { ACCESS_ENTRY_TYPES } from '../queries/access-log-row.ts';
import { FAMILY_QUERIES } from '../queries/families.ts';
import { EVENT_TYPES_URI } from '../queries/known-event-types.ts';
import type { Ask } from './asking.ts';

const RECORDS = 'veritrail://records/';
const LIBRARY = 'veritrail://frameworks/library';
const EVENTS = { event_types: EVENT_TYPES, access_event_types: ACCESS_ENTRY_TYPES };
const JSON_TYPE = 'application/json';

/** A resource's text, as MCP has it. */
export interface ResourceContents {
  uri: string;
  mimeType: string;
  text: string;
}

export interface ReadResource {
  contents: ResourceContents[];
  /** Whether it is the same for every caller, and until the next version of the service. */
  fixed: boolean;
}

/** What there is to read without naming a record: the value of `resources`. */
export const RESOURCES = [
  {
    uri: LIBRARY,
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
    uriTemplate: `${RECORDS}{id}`,
    name: 'record',
    title: 'A record of the register',
    description: 'Any record by its id, whole and as of now, with its links and evidence.',
    mimeType: JSON_TYPE,
  },
  {
    uriTemplate: `${LIBRARY}/{library_id}`,
    name: 'library-framework',
    title: 'A framework of the library',
    description: 'The controls that adopting it brings: number and title.',
    mimeType: JSON_TYPE,
  },
];

/** A record's address as a resource. */
const recordUri = (id: string): string => `${RECORDS}${id}`;

/**
 * Reads one resource.
 * @returns null where there is none at this address that the caller may see
 * @throws ProtocolError where it can't be read now
 */
export async function readResource(ask: Ask, uri: string): Promise<ReadResource | null> {
  if (uri === EVENT_TYPES_URI) return fixed(uri, EVENTS);
  if (uri === LIBRARY) return fixed(uri, { frameworks: listLibrary() });
  if (uri.startsWith(`${LIBRARY}/`)) {
    const id = uri.slice(LIBRARY.length + 1);
    return isLibraryId(id) ? fixed(uri, libraryFramework(id)) : null;
  }
  if (!uri.startsWith(RECORDS)) return null;
  const record = await readRecord(ask, uri.slice(RECORDS.length));
  return record === null ? null : { contents: [recordContents(record)], fixed: false };
}

/** A record as its resource's text. */
export function recordContents(record: { id: string }): ResourceContents {
  return { uri: recordUri(record.id), mimeType: JSON_TYPE, text: JSON.stringify(record) };
}

/** A record whole, with what is linked to it; null where the caller sees none of that id. */
export async function readRecord(ask: Ask, id: string, organizationId?: string): Promise<FullRecord | null> {
  if (!Object.hasOwn(FAMILY_QUERIES, kindOf(id) ?? '')) return null;
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

const fixed = (uri: string, value: object): ReadResource => ({
  contents: [{ uri, mimeType: JSON_TYPE, text: JSON.stringify(value) }],
  fixed: true,
});

const isLibraryId = (id: string): id is LibraryId => (LIBRARY_IDS as readonly string[]).includes(id);
