import { canonical, isInCanonicalOrder } from '../canonical.ts';
import type { TrailEvent } from '../event.ts';
import { type EventTexts, eventTexts } from '../hash.ts';
import type { TreeHead } from '../seals/seal-events.ts';

/** The first line of an export. */
export interface ExportHeader {
  format: 'veritrail-export-1';
  organization_id: string;
  /** The log's installation. */
  installation: string;
  exported_at: string;
}

/** The last line of an export. It shows if the file is complete. */
export interface ExportEnd {
  end: true;
  /** Position of the last event, 0 if there is none. */
  position: number;
  /** Tree head over all events. Nobody signed it, so it detects accidents but no attack. */
  head: TreeHead;
}

export type ExportLine =
  | { kind: 'HEADER'; header: ExportHeader }
  | { kind: 'EVENT'; position: number; event: TrailEvent; texts: EventTexts }
  | { kind: 'END'; end: ExportEnd };

export const EXPORT_FORMAT = 'veritrail-export-1';

/** Limit of nesting in a line. Events are never nested this deep. */
const MAX_DEPTH = 64;

export function headerLine(header: ExportHeader): string {
  return canonical(header);
}

/** An event's data and metadata as JSON.stringify wrote them. */
export interface StoredJson {
  data: string;
  metadata: string;
}

/**
 * Returns an event's line.
 * @param texts the event's data and metadata as stored. They are used as they are if they are in canonical form
 * @throws TypeError if the event has no canonical form
 */
export function eventLine(position: number, event: TrailEvent, texts?: StoredJson): string {
  const { id, revision, stream, type } = event;
  const eventText =
    texts && isInCanonicalOrder(event.data) && isInCanonicalOrder(event.metadata)
      ? `{"data":${texts.data},"id":${canonical(id)},"metadata":${texts.metadata},"revision":${revision},` +
        `"stream":${canonical(stream)},"type":${canonical(type)}}`
      : eventTexts(event).event;
  return `{"event":${eventText},"position":${position}}`;
}

export function endLine(end: ExportEnd): string {
  return canonical(end);
}

/**
 * Reads a line of an export. It must be in canonical form, so that there is only one way to read it.
 * @throws TypeError whose message continues a sentence that begins with "line 7"
 */
export function readLine(text: string): ExportLine {
  const value = parse(text);
  if (hasExactly(value, EVENT_LINE_MEMBERS) && hasExactly(value.event, EVENT_MEMBERS)) return readEvent(text, value);
  const line = hasExactly(value, HEADER_MEMBERS)
    ? readHeader(value)
    : hasExactly(value, END_MEMBERS)
      ? readEnd(value)
      : null;
  if (line === null) throw new TypeError('is not a line of an export: neither header, event nor end');
  requireCanonical(text, canonicalOf(value));
  return line;
}

function parse(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new TypeError('is not JSON');
  }
  if (isNestedDeeper(value, MAX_DEPTH)) throw new TypeError(`is nested more than ${MAX_DEPTH} deep`);
  return value;
}

function isNestedDeeper(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (depth === 0) return true;
  for (const name in value) if (isNestedDeeper((value as Record<string, unknown>)[name], depth - 1)) return true;
  return false;
}

function readEvent(text: string, { position, event }: Record<string, unknown>): ExportLine {
  if (!isCount(position) || position === 0 || !isEvent(event)) throw new TypeError('is not a valid event');
  const texts = canonicalOf(event, eventTexts);
  requireCanonical(text, `{"event":${texts.event},"position":${position}}`);
  return { kind: 'EVENT', position, event, texts };
}

function canonicalOf<T, Texts = string>(
  value: T,
  write: (value: T) => Texts = canonical as (value: T) => Texts,
): Texts {
  try {
    return write(value);
  } catch {
    throw new TypeError('contains text that is not valid Unicode');
  }
}

function requireCanonical(text: string, canonicalText: string): void {
  if (text !== canonicalText) {
    throw new TypeError('is not in canonical form (RFC 8785): it was changed after the export, or has a member twice');
  }
}

function readHeader(header: Record<string, unknown>): ExportLine {
  if (header.format !== EXPORT_FORMAT) throw new TypeError(`does not have the format ${EXPORT_FORMAT}`);
  const texts = [header.organization_id, header.installation, header.exported_at];
  if (!texts.every((text) => typeof text === 'string')) throw new TypeError('is not a valid header of an export');
  return { kind: 'HEADER', header: header as unknown as ExportHeader };
}

function readEnd(end: Record<string, unknown>): ExportLine {
  const { head, position } = end;
  const isValid = end.end === true && isCount(position) && hasExactly(head, HEAD_MEMBERS);
  if (!isValid || !isCount(head.size) || typeof head.root !== 'string')
    throw new TypeError('is not a valid end of an export');
  return { kind: 'END', end: end as unknown as ExportEnd };
}

const HEADER_MEMBERS = ['exported_at', 'format', 'installation', 'organization_id'];
const EVENT_LINE_MEMBERS = ['event', 'position'];
const EVENT_MEMBERS = ['data', 'id', 'metadata', 'revision', 'stream', 'type'];
const END_MEMBERS = ['end', 'head', 'position'];
const HEAD_MEMBERS = ['root', 'size'];

/** Returns true if a value is an object with exactly these members. */
function hasExactly(value: unknown, members: readonly string[]): value is Record<string, unknown> {
  if (!isObject(value)) return false;
  const names = Object.keys(value);
  return names.length === members.length && members.every((name) => Object.hasOwn(value, name));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** Returns true if an event has all members that its hashes need. Doesn't check the hashes. */
function isEvent(event: unknown): event is TrailEvent {
  if (!isObject(event) || !isObject(event.data) || !isObject(event.metadata) || !isCount(event.revision)) return false;
  return [event.id, event.stream, event.type, event.metadata.hash, event.metadata.salt].every(
    (text) => typeof text === 'string',
  );
}
