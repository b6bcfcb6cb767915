import { createHash } from 'node:crypto';
import type { EventMetadata } from '../trail/event.ts';
import { NO_ORGANIZATION, type RowBytes, type StoredEvent, type UnreadableRow } from './event-store.ts';

type RowHead = Pick<StoredEvent, 'id' | 'stream' | 'revision' | 'type' | 'storePosition'>;

const ORGANIZATION_ID = /^org_[0-9A-HJKMNP-TV-Z]{26}$/;
const STREAM_OF_ORGANIZATION = /^[a-z]+-(org_[0-9A-HJKMNP-TV-Z]{26})$/;
const HASH = /^[0-9a-f]{64}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Returns what is wrong with the data and metadata of a row, as parsed from JSON; null if they are those of an event. */
export function rowFault(data: unknown, metadata: unknown): string | null {
  if (data === undefined) return 'its data is not JSON';
  if (metadata === undefined) return 'its metadata is not JSON';
  if (!isObject(data)) return 'its data is not an object';
  if (!isObject(metadata) || !hasAllMembers(metadata)) return 'its metadata lacks members';
  return TIME.test(metadata.recorded_at) ? null : 'its recorded_at is not a time';
}

function hasAllMembers(metadata: Record<string, unknown>): metadata is EventMetadata & Record<string, unknown> {
  const { token_id, client, causation_id, previous_hash, schema_version } = metadata;
  return (
    typeof metadata.organization_id === 'string' &&
    typeof metadata.actor_id === 'string' &&
    (token_id === null || typeof token_id === 'string') &&
    typeof client === 'object' &&
    typeof metadata.command_id === 'string' &&
    typeof metadata.input_hash === 'string' &&
    typeof metadata.correlation_id === 'string' &&
    (causation_id === null || typeof causation_id === 'string') &&
    typeof schema_version === 'number' &&
    typeof metadata.recorded_at === 'string' &&
    typeof metadata.salt === 'string' &&
    typeof metadata.data_hash === 'string' &&
    (previous_hash === null || typeof previous_hash === 'string') &&
    typeof metadata.hash === 'string'
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns an unreadable row with what its bytes still show. @param fault what is wrong: "its data is not JSON" */
export function unreadableRow(head: RowHead, bytes: RowBytes, fault: string): UnreadableRow {
  const text = Buffer.from(bytes.metadata).toString('utf8');
  const find = (name: keyof EventMetadata, valid = /^/) => {
    const value = new RegExp(`"${name}" *: *"([^"\\\\]*)"`).exec(text)?.[1] ?? '';
    return valid.test(value) ? value : '';
  };
  const streamsOrganization = STREAM_OF_ORGANIZATION.exec(head.stream)?.[1] ?? NO_ORGANIZATION;
  const { id, stream, revision, type, storePosition } = head;
  return {
    id,
    stream,
    revision,
    type,
    data: null,
    metadata: {
      organization_id: find('organization_id', ORGANIZATION_ID) || streamsOrganization,
      actor_id: find('actor_id'),
      token_id: find('token_id') || null,
      client: null,
      command_id: find('command_id'),
      input_hash: '',
      correlation_id: find('correlation_id'),
      causation_id: null,
      schema_version: 0,
      recorded_at: find('recorded_at', TIME),
      salt: '',
      data_hash: '',
      previous_hash: find('previous_hash', HASH) || null,
      hash: find('hash', HASH) || createHash('sha256').update(bytes.metadata).digest('hex'),
    },
    storePosition,
    fault,
    bytes,
  };
}
