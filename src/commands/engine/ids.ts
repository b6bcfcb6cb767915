import { randomUUID } from 'node:crypto';
import { randomHex } from '../../trail/bytes.ts';
import { saltedHash, uuidV5 } from '../../trail/hash.ts';
import { nodeCrypto } from '../../trail/node/node-crypto.ts';

/** Crockford's base32 alphabet: no I, L, O, U. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const ID = /^[a-z]{3}_[0-9A-HJKMNP-TV-Z]{26}$/;
/** A control's id: the letters of its framework's id, then three letters for its index in the adoption. */
const CONTROL_ID = /^ctl_[0-9A-HJKMNP-TV-Z]{29}$/;
const INDEX_LETTERS = 3;
/** The greatest index that an id can hold. */
export const MAX_CONTROL_INDEX = 32 ** INDEX_LETTERS - 1;

/** Namespace of ids derived from commands: UUIDv5(DNS, "commands.veritrail"). */
const COMMAND_NAMESPACE = '33901b64-d039-5c68-b381-d2c69ecc34af';

/** Writes a UUID's 128 bits as 26 letters, most significant first. */
export function base32OfUuid(uuid: string): string {
  let bits = BigInt(`0x${uuid.replaceAll('-', '')}`);
  let text = '';
  for (let i = 0; i < 26; i++) {
    text = ALPHABET[Number(bits & 31n)] + text;
    bits >>= 5n;
  }
  return text;
}

/** Hex digits of a UUIDv7 that hold its time. */
const TIME_DIGITS = 12;

/**
 * Returns a new record's id, derived from the command id, so that a repeated command adds no second record.
 *
 * The id is a UUIDv8 (RFC 9562 section 5.8). It begins with the command id's time, so that records added one after the
 * other are neighbours in the stores' indexes. The rest is a hash.
 */
export function derivedId(prefix: string, commandId: string, index = 0): string {
  const command = commandId.replaceAll('-', '');
  const hashed = uuidV5(nodeCrypto, commandId, `${prefix}:${index}`).replaceAll('-', '');
  return `${prefix}_${base32OfUuid(`${command.slice(0, TIME_DIGITS)}8${hashed.slice(TIME_DIGITS + 1)}`)}`;
}

/** Returns a library framework's id in an organization. It is the same for every adoption by every member. */
export function libraryFrameworkId(organizationId: string, libraryId: string): string {
  return `frm_${base32OfUuid(uuidV5(nodeCrypto, COMMAND_NAMESPACE, JSON.stringify([organizationId, 'library', libraryId])))}`;
}

/** Returns a random UUID that is ordered by time, version 7 (RFC 9562 section 5.7). */
export function uuidV7(now: Date): string {
  const time = now.getTime().toString(16).padStart(TIME_DIGITS, '0');
  const random = randomHex(10);
  const variant = ((Number.parseInt(random[4]!, 16) & 0x3) | 0x8).toString(16);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(1, 4)}-${variant}${random.slice(5, 8)}-${random.slice(8)}`;
}

export function randomId(prefix: string): string {
  return `${prefix}_${base32OfUuid(randomUUID())}`;
}

/**
 * Returns the id that is a salted hash of a value, as a UUIDv8 with 120 bits of it. Random ids are of version 4.
 * @param salt bytes in hex
 */
export function hashedId(prefix: string, salt: string, value: object): string {
  const hash = saltedHash(nodeCrypto, salt, value);
  return `${prefix}_${base32OfUuid(`${hash.slice(0, 12)}8${hash.slice(12, 15)}8${hash.slice(15, 30)}`)}`;
}

/** The letter whose first four bits are the version of an id's UUID, after the prefix. */
const VERSION_LETTER = 14;

/** Returns true for an id that is a hash, and false for a random one. */
export function isHashedId(id: string): boolean {
  return ALPHABET.indexOf(id[VERSION_LETTER]!) >> 1 === 8;
}

/** Returns an id's prefix, such as `vnd`, or null if the text isn't an id. */
export function idPrefix(id: string): string | null {
  const prefix = id.slice(0, 3);
  return (prefix === 'ctl' ? CONTROL_ID : ID).test(id) ? prefix : null;
}

/** Returns the id of the control at an index (from 0) of a framework's adoption. */
export function controlId(frameworkId: string, index: number): string {
  let letters = '';
  for (let quotient = index, i = 0; i < INDEX_LETTERS; i++, quotient = Math.floor(quotient / 32))
    letters = ALPHABET[quotient % 32] + letters;
  return `ctl_${frameworkId.slice(4)}${letters}`;
}

export function frameworkOfControl(id: string): string {
  return `frm_${id.slice(4, -INDEX_LETTERS)}`;
}

/** Returns a control's index in its framework's adoption. */
export function controlIndex(id: string): number {
  return [...id.slice(-INDEX_LETTERS)].reduce((index, letter) => index * 32 + ALPHABET.indexOf(letter), 0);
}

/**
 * Returns the id of a command with an idempotency key: always the same for the same scope and key.
 * @param scope the organization, the tool and, if the call names one, the record
 */
export function commandId(scope: readonly string[], idempotencyKey: string): string {
  return uuidV5(nodeCrypto, COMMAND_NAMESPACE, JSON.stringify([...scope, idempotencyKey]));
}

/** Returns the command id of one item of a command on many records. */
export function itemCommandId(command: string, item: string): string {
  return uuidV5(nodeCrypto, command, item);
}
