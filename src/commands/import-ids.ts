import { createHmac } from 'node:crypto';
import { canonical } from '../trail/canonical.ts';
import { base32OfUuid, commandId } from './ids.ts';

/*
 * An imported row is known again by what it says, not by when or by whom it was given: its record's id and the command
 * that began it follow from the row, so that the same import again meets what it wrote before.
 */

type Fields = Readonly<Record<string, unknown>>;

/** Equal for rows that say the same, in whatever order. */
export function contentOf(fields: Fields): string {
  return canonical(fields);
}

/**
 * The id of the record that a row becomes: the same one for the same reference_id, or where there is none for the same
 * content, and not to be guessed without the organization's key. A UUIDv8 (RFC 9562 section 5.8) of the first 16 bytes
 * of HMAC-SHA256(key, canonical form of [organization, type, member of the row, its value]).
 * @param fields as given and normalised, without defaults and without what is empty
 */
export function importedId(
  family: { prefix: string; type: string },
  key: string,
  organization: string,
  fields: Fields,
) {
  const { reference_id } = fields;
  const identity = typeof reference_id === 'string' ? ['reference_id', reference_id] : ['content', contentOf(fields)];
  const hash = createHmac('sha256', key)
    .update(canonical([organization, family.type, ...identity]))
    .digest('hex');
  const variant = ((Number.parseInt(hash[16]!, 16) & 0x3) | 0x8).toString(16);
  const uuid = `${hash.slice(0, 12)}8${hash.slice(13, 16)}${variant}${hash.slice(17, 32)}`;
  return `${family.prefix}_${base32OfUuid(uuid)}`;
}

/** The command that an imported record begins with: one for ever, whoever imports it and with whatever key. */
export function importCommandId(id: string): string {
  return commandId(['importRecords'], id);
}
