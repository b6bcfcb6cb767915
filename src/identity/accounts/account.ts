import { EACH_FORBIDDEN_IN_NAMES, FORBIDDEN_IN_NAMES } from '../../commands/engine/forbidden-characters.ts';
import { normalize } from '../../commands/engine/normalize.ts';
import { invalidField } from '../../commands/engine/refusal.ts';
import { isReservedName } from '../../commands/organization/person-names.ts';
import type { AccountRecord, AccountStore } from '../../stores/account-store.ts';

/** The second factors, asked for after the password. */
export type Factor = 'TOTP' | 'PASSKEY' | 'RECOVERY_CODE';

/** A person's account. It is in the account store only; events contain nothing but its id. */
export interface Account extends AccountRecord {
  /** `acc_…` */
  id: string;
  /** Null once erased. */
  name: string | null;
  /** The address as typed. */
  email: string | null;
  /** The address normalized by `emailKey`. Unique. */
  email_key: string | null;
  /** An argon2id hash in PHC form. */
  password: string | null;
  /** The person at the OpenID provider: issuer, a space, subject. */
  subject: string | null;
  /** The domain of the address that the provider last verified. */
  vouched_domain: string | null;
  /** True if the person's last sign-in at the provider used two factors there, as its ID token says. */
  provider_factors: boolean;
  /** The secret in base32, and the last time step whose code was accepted. */
  totp: { secret: string; step: number } | null;
  /** SHA-256 of the unused recovery codes. */
  recovery: string[];
  /** The membership index: where to look for memberships. Each organization's stream decides. */
  organizations: string[];
  /** Raised by a new password and by the first second factor. Sessions of an earlier generation end. */
  generation: number;
  /** The time at which a link of somebody else, an owner or the operator, last set the password. */
  reset_at: string | null;
  created_at: string;
  erased_at: string | null;
}

/** The values that replace personal data when an account is erased. */
export const ERASED_FIELDS = {
  name: null,
  email: null,
  email_key: null,
  password: null,
  subject: null,
  totp: null,
  vouched_domain: null,
  provider_factors: false,
  recovery: [],
} satisfies Partial<Account>;

const EMPTY_ACCOUNT = {
  ...ERASED_FIELDS,
  organizations: [],
  generation: 0,
  reset_at: null,
  created_at: '',
  erased_at: null,
} satisfies Partial<Account>;

/** Returns true for an erased account whose record has more than its id and dates: these are removed last. */
export function isErasureUnfinished(record: AccountRecord): boolean {
  const erasedFields = new Set(['id', 'created_at', 'erased_at']);
  return typeof record.erased_at === 'string' && Object.keys(record).some((field) => !erasedFields.has(field));
}

/** Returns a stored account with all fields. Records of earlier versions and of the first start have fewer. */
export function toAccount(record: AccountRecord): Account {
  return { ...EMPTY_ACCOUNT, ...record };
}

/** Returns an account by its id, also an erased one (see `erased_at`). */
export async function findAccount(accounts: AccountStore, id: string): Promise<Account | null> {
  const record = await accounts.get('accounts', id);
  return record && toAccount(record);
}

const MAX_NAME_LENGTH = 200;
/** The longest address that RFC 5321 allows. */
const MAX_EMAIL_LENGTH = 254;
const EMAIL = /^[^\s@<>"(),:;\\[\]]+@[^\s@<>"(),:;\\[\]]+$/u;

/** Returns the name to store. @throws Refusal invalid_input */
export function readName(text: string): string {
  const name = normalize(text, 'NFC').trim();
  const isValid =
    name !== '' && name.length <= MAX_NAME_LENGTH && name.isWellFormed() && !FORBIDDEN_IN_NAMES.test(name);
  if (isValid) return name;
  throw invalidField('name', `Give a name of 1 to ${MAX_NAME_LENGTH} characters on one line.`);
}

/** Returns an organization's name to store. @throws Refusal invalid_input, also for a word that the service uses itself */
export function readOrganizationName(text: string): string {
  const name = readName(text);
  if (!isReservedName(name)) return name;
  const message = 'Ids, roles and words that the service uses itself are no names. Enter the name that people know.';
  throw invalidField('name', message);
}

/**
 * Returns a person's name to store.
 * @param email the person's own address, the only one that can be a name
 * @throws Refusal invalid_input, also for a name that callers could take for an id, a reserved word or another's address
 */
export function readPersonName(text: string, email: string | null): string {
  const name = readName(text);
  if (isPersonName(name, email)) return name;
  const message =
    'Ids, e-mail addresses of others, roles, ME and SYSTEM are no names. Enter the name that colleagues know.';
  throw invalidField('name', message);
}

/** Returns true for a name that means nothing else, such as an id or another person's address. */
export function isPersonName(name: string, email: string | null): boolean {
  if (isReservedName(name)) return false;
  const key = emailKey(name);
  return key === null || (email !== null && key === emailKey(email));
}

/** Replaces characters that no name may contain with spaces. */
export function withoutControlCharacters(text: string): string {
  return text.replace(EACH_FORBIDDEN_IN_NAMES, ' ');
}

/** Returns the closest valid name, or null if nothing remains. */
export function toStorableName(text: string): string | null {
  const name = withoutControlCharacters(normalize(text.toWellFormed(), 'NFC')).trim();
  // The cut may split a surrogate pair.
  return (
    name
      .slice(0, MAX_NAME_LENGTH)
      .replace(/[\ud800-\udbff]$/, '')
      .trim() || null
  );
}

/** Returns the e-mail address to store, and its key. @throws Refusal invalid_input */
export function readEmail(text: string): { email: string; email_key: string } {
  const email = normalize(text, 'NFC').trim();
  const email_key = emailKey(email);
  if (email_key !== null) return { email, email_key };
  throw invalidField('email', 'Give an e-mail address such as ada@example.org.');
}

/** Returns the key of an e-mail address: the same for every spelling. Null if the text is no address. */
export function emailKey(text: string): string | null {
  const key = normalize(text, 'NFKC').toLowerCase().normalize('NFKC').trim();
  const isValid =
    key.length <= MAX_EMAIL_LENGTH && key.isWellFormed() && !FORBIDDEN_IN_NAMES.test(key) && EMAIL.test(key);
  return isValid ? key : null;
}
