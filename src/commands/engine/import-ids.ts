import { createHmac } from 'node:crypto';
import { canonical } from '../../trail/canonical.ts';
import { base32OfUuid, commandId } from './ids.ts';

/*
 * Ids of imported records and their commands. Both are derived from the row's content, so that a repeated import finds
 * the records that it added before, also for another member.
 */

type Fields = Readonly<Record<string, unknown>>;

/** Returns the same text for rows with the same fields, in any order. */
export function rowContent(fields: Fields): string {
  return canonical(fields);
}

/**
 * Returns the id of the record that a row becomes. Rows with the same `reference_id` get the same id, rows without one
 * get it by their content. Nobody can guess it without the organization's key.
 *
 * The id is a UUIDv8 (RFC 9562 section 5.8) of the first 16 bytes of
 * HMAC-SHA256(key, canonical form of [organization, type, 'reference_id' or 'content' or 'row', its value]).
 * @param fields the row's normalised fields, without defaults and empty ones
 */
export function importedId(
  family: { prefix: string; type: string },
  key: string,
  organization: string,
  fields: Fields,
) {
  const { reference_id } = fields;
  const identity =
    typeof reference_id === 'string'
      ? (['reference_id', reference_id] as const)
      : (['content', rowContent(fields)] as const);
  return idOf(family, key, organization, identity);
}

/**
 * Returns the id of the record that a row of a spreadsheet becomes, from the row's own cells. So it stays the same when
 * another mapping fills more fields.
 * @param cells the texts of the row's cells by heading, without empty and computed ones
 */
export function importedRowId(
  family: { prefix: string; type: string },
  key: string,
  organization: string,
  cells: Readonly<Record<string, string>>,
) {
  return idOf(family, key, organization, ['row', rowContent(cells)]);
}

function idOf(
  family: { prefix: string; type: string },
  key: string,
  organization: string,
  identity: readonly [what: string, value: string],
) {
  const hash = createHmac('sha256', key)
    .update(canonical([organization, family.type, ...identity]))
    .digest('hex');
  const variant = ((Number.parseInt(hash[16]!, 16) & 0x3) | 0x8).toString(16);
  const uuid = `${hash.slice(0, 12)}8${hash.slice(13, 16)}${variant}${hash.slice(17, 32)}`;
  return `${family.prefix}_${base32OfUuid(uuid)}`;
}

/** Returns the command id that adds an imported record. It is the same for every import by every member. */
export function importCommandId(id: string): string {
  return commandId(['importRecords'], id);
}
