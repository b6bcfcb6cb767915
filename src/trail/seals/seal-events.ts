import { fromBase64, toBase64, utf8 } from '../bytes.ts';
import { canonical } from '../canonical.ts';
import type { TrailEvent } from '../event.ts';
import type { PublicKey, SigningKey, VerificationKey } from './key.ts';

/** Part of every signed text, so that no signature made for another purpose is valid for a seal. */
const SIGNATURE_FORMAT = 'veritrail-seal-1';
const SIGNATURE_BYTES = 64;

/** A Merkle tree's size and its root (hex), which stand for the first `size` events of a log. */
export interface TreeHead {
  size: number;
  root: string;
}

/** A seal: a signed tree head over positions 1 to `size`. */
export interface LogSealed extends TreeHead {
  sealed_at: string;
  /** `hash` of the event with the previous seal, null on the first. */
  previous_seal: string | null;
  key_id: string;
  signature: string;
}

/** An organization's first key. It signs its own introduction. */
export interface SealKeyIntroduced {
  key_id: string;
  /** Base64 of the key's 32 bytes. */
  public_key: string;
  signature: string;
}

/** A new key takes over. Both keys sign. */
export interface SealKeyRotated {
  from_key_id: string;
  key_id: string;
  public_key: string;
  previous_seal: string | null;
  old_signature: string;
  new_signature: string;
}

/** A new key takes over because the old one is lost. Only the new key signs. */
export interface SealKeyReplaced extends SealKeyIntroduced {
  previous_seal: string | null;
}

/** An event of an organization's seal stream. */
export type SealEvent =
  | { type: 'SealKeyIntroduced'; data: SealKeyIntroduced }
  | { type: 'LogSealed'; data: LogSealed }
  | { type: 'SealKeyRotated'; data: SealKeyRotated }
  | { type: 'SealKeyReplaced'; data: SealKeyReplaced };

export type SealEventType = SealEvent['type'];

/** Returns the name of an organization's seal stream. */
export function sealStream(organizationId: string): string {
  return `seal-${organizationId}`;
}

/** Returns true if an event is in its organization's seal stream. */
export function isSealStreamEvent({ stream, metadata }: Pick<TrailEvent, 'stream' | 'metadata'>): boolean {
  return stream === sealStream(metadata.organization_id);
}

/** Returns the signed text: the event's data without signatures, its type and its organization. */
function signedText(organization_id: string, type: SealEventType, data: object): Uint8Array {
  const { signature: _one, old_signature: _old, new_signature: _new, ...members } = data as Record<string, unknown>;
  return utf8(canonical({ ...members, format: SIGNATURE_FORMAT, organization_id, type }));
}

/** Signs an event's data. Returns the signature in base64. */
function signSealEvent(organizationId: string, type: SealEventType, data: object, key: SigningKey): string {
  return toBase64(key.sign(signedText(organizationId, type, data)));
}

/** Returns true if this key's private half signed the data. */
export function isSigned(
  organizationId: string,
  type: SealEventType,
  data: object,
  signature: string,
  key: VerificationKey,
): boolean {
  const bytes = fromBase64(signature, SIGNATURE_BYTES);
  return bytes !== null && key.verify(signedText(organizationId, type, data), bytes);
}

/** Returns true if an event is signed by its key and, for a rotation, also by the key `before` it. */
export function isSealEventSigned(
  organizationId: string,
  { type, data }: SealEvent,
  key: PublicKey,
  before: PublicKey | null,
): boolean {
  const isSignedBy = (signature: string, signer: PublicKey) =>
    isSigned(organizationId, type, data, signature, signer.key);
  if (type !== 'SealKeyRotated') return isSignedBy(data.signature, key);
  return before !== null && isSignedBy(data.old_signature, before) && isSignedBy(data.new_signature, key);
}

type Unsigned<T> = Omit<T, 'key_id' | 'public_key' | 'from_key_id' | 'signature' | 'old_signature' | 'new_signature'>;

export function makeSeal(organizationId: string, head: Unsigned<LogSealed>, key: SigningKey): SealEvent {
  const { size, root, sealed_at, previous_seal } = head;
  const data = { size, root, sealed_at, previous_seal, key_id: key.key_id };
  return { type: 'LogSealed', data: { ...data, signature: signSealEvent(organizationId, 'LogSealed', data, key) } };
}

export function introduceKey(organizationId: string, key: SigningKey): SealEvent {
  const data = { key_id: key.key_id, public_key: key.public_key };
  const signature = signSealEvent(organizationId, 'SealKeyIntroduced', data, key);
  return { type: 'SealKeyIntroduced', data: { ...data, signature } };
}

export function rotateKey(
  organizationId: string,
  previous_seal: string | null,
  from: SigningKey,
  to: SigningKey,
): SealEvent {
  const data = { from_key_id: from.key_id, key_id: to.key_id, public_key: to.public_key, previous_seal };
  const [old_signature, new_signature] = [from, to].map((key) =>
    signSealEvent(organizationId, 'SealKeyRotated', data, key),
  ) as [string, string];
  return { type: 'SealKeyRotated', data: { ...data, old_signature, new_signature } };
}

export function replaceKey(organizationId: string, previous_seal: string | null, key: SigningKey): SealEvent {
  const data = { key_id: key.key_id, public_key: key.public_key, previous_seal };
  const signature = signSealEvent(organizationId, 'SealKeyReplaced', data, key);
  return { type: 'SealKeyReplaced', data: { ...data, signature } };
}

const HASH = /^[0-9a-f]{64}$/;
const KEY_ID = /^[0-9a-f]{16}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const isPublicKey = (value: unknown) => typeof value === 'string' && fromBase64(value, 32) !== null;
const isText = (value: unknown) => typeof value === 'string';
const matches = (pattern: RegExp) => (value: unknown) => typeof value === 'string' && pattern.test(value);
/** Returns true if a value is a SHA-256 in lower-case hex. */
export const isHash = matches(HASH);
const isPreviousSeal = (value: unknown) => value === null || isHash(value);
const isSize = (value: unknown) => Number.isSafeInteger(value) && (value as number) > 0;
const isKeyId = matches(KEY_ID);

/** The members of each event's data, with a check for each. Other members aren't allowed. */
const SHAPES: Record<SealEventType, Record<string, (value: unknown) => boolean>> = {
  SealKeyIntroduced: { key_id: isKeyId, public_key: isPublicKey, signature: isText },
  LogSealed: {
    size: isSize,
    root: isHash,
    sealed_at: matches(TIME),
    previous_seal: isPreviousSeal,
    key_id: isKeyId,
    signature: isText,
  },
  SealKeyRotated: {
    from_key_id: isKeyId,
    key_id: isKeyId,
    public_key: isPublicKey,
    previous_seal: isPreviousSeal,
    old_signature: isText,
    new_signature: isText,
  },
  SealKeyReplaced: { key_id: isKeyId, public_key: isPublicKey, previous_seal: isPreviousSeal, signature: isText },
};

export const SEAL_EVENT_TYPES = Object.keys(SHAPES) as SealEventType[];

/** Returns true for the event types of a seal stream. */
export function isSealEventType(type: string): type is SealEventType {
  return Object.hasOwn(SHAPES, type);
}

/** Returns a seal event with its typed data. Null if the data has another shape. */
export function readSealEvent(type: SealEventType, data: Record<string, unknown>): SealEvent | null {
  const shape = SHAPES[type];
  const isValid =
    Object.keys(data).every((name) => Object.hasOwn(shape, name)) &&
    Object.entries(shape).every(([name, isValidMember]) => isValidMember(data[name]));
  return isValid ? ({ type, data } as unknown as SealEvent) : null;
}
