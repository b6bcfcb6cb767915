import { randomUUID } from 'node:crypto';
import { uuidV5 } from '../trail/uuid.ts';

/** Crockford's base32 alphabet: no I, L, O, U. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const ID = /^([a-z]{3})_([0-9A-HJKMNP-TV-Z]{26})$/;

/** Namespace of ids derived from commands: UUIDv5(DNS, "commands.veritrail"). */
const COMMAND_NAMESPACE = '33901b64-d039-5c68-b381-d2c69ecc34af';

/** 26 letters for a UUID's 128 bits, most significant first. */
export function base32OfUuid(uuid: string): string {
  let bits = BigInt(`0x${uuid.replaceAll('-', '')}`);
  let text = '';
  for (let i = 0; i < 26; i++) {
    text = ALPHABET[Number(bits & 31n)] + text;
    bits >>= 5n;
  }
  return text;
}

/** A new record's id, derived from its command so that a repeated command makes the same record. */
export function derivedId(prefix: string, commandId: string, index = 0): string {
  return `${prefix}_${base32OfUuid(uuidV5(commandId, `${prefix}:${index}`))}`;
}

export function randomId(prefix: string): string {
  return `${prefix}_${base32OfUuid(randomUUID())}`;
}

/** The kind an id claims to be, or null when it is no id at all. */
export function kindOf(id: string): string | null {
  return ID.exec(id)?.[1] ?? null;
}

/**
 * A command's id: random, or the same one for the same key. `scope` is the organization, the tool and, where the call
 * names one, the record.
 */
export function commandId(scope: readonly string[], idempotencyKey: string | undefined): string {
  return idempotencyKey === undefined
    ? randomUUID()
    : uuidV5(COMMAND_NAMESPACE, JSON.stringify([...scope, idempotencyKey]));
}

/** The id of one item of a command on many records. */
export function itemCommandId(command: string, item: string): string {
  return uuidV5(command, item);
}
