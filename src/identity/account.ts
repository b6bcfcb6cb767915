import { normalize } from '../commands/normalize.ts';
import { Refusal } from '../commands/refusal.ts';
import type { AccountRecord, AccountStore } from '../stores/account-store.ts';

/** Ways to prove oneself beside the password. */
export type Factor = 'TOTP' | 'PASSKEY' | 'RECOVERY_CODE';

/** A person, as far as the service knows them. Stands in the account store only; events know the id. */
export interface Account extends AccountRecord {
  /** `acc_…` */
  id: string;
  /** Null once erased. */
  name: string | null;
  /** As it was typed. */
  email: string | null;
  /** Folded by `emailKey`: no two accounts share one. */
  email_key: string | null;
  /** An argon2id hash in PHC form. */
  password: string | null;
  /** Who they are at the OpenID provider: issuer, a space, subject. */
  subject: string | null;
  /** Of the address that the provider last vouched for. */
  vouched_domain: string | null;
  /** The secret in base32, and the last step that a code was taken for. */
  totp: { secret: string; step: number } | null;
  /** SHA-256 of the recovery codes that are left. */
  recovery: string[];
  /** Where to look for memberships; what counts is each organization's stream. */
  organizations: string[];
  /** Raised when what was proven before counts no longer: by a new password, and by a first second factor. */
  generation: number;
  created_at: string;
  erased_at: string | null;
}

const EMPTY_ACCOUNT: Pick<Account, 'name' | 'email' | 'email_key' | 'password' | 'subject' | 'totp' | 'recovery'> &
  Pick<Account, 'vouched_domain' | 'organizations' | 'generation' | 'created_at' | 'erased_at'> = {
  name: null,
  email: null,
  email_key: null,
  password: null,
  subject: null,
  vouched_domain: null,
  totp: null,
  recovery: [],
  organizations: [],
  generation: 0,
  created_at: '',
  erased_at: null,
};

/** What erasing an account puts in the place of all that tells who it was. */
export const ERASED_FIELDS = {
  ...{ name: null, email: null, email_key: null, password: null, subject: null, totp: null },
  vouched_domain: null,
  recovery: [],
} satisfies Partial<Account>;

/** An account as it is stored. Those of earlier versions, and of the first start, have fewer fields. */
export function toAccount(record: AccountRecord): Account {
  return { ...EMPTY_ACCOUNT, ...record };
}

/** An account by its id, an erased one too: see `erased_at`. */
export async function findAccount(accounts: AccountStore, id: string): Promise<Account | null> {
  const record = await accounts.get('accounts', id);
  return record && toAccount(record);
}

const MAX_NAME_LENGTH = 200;
/** What RFC 5321 lets an address have between its angle brackets. */
const MAX_EMAIL_LENGTH = 254;
/** Control characters, and those that turn the direction of text around. */
const FORBIDDEN = /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/u;
const EACH_FORBIDDEN = new RegExp(FORBIDDEN, 'gu');
const EMAIL = /^[^\s@<>"(),:;\\[\]]+@[^\s@<>"(),:;\\[\]]+$/u;

/** The name to store. @throws Refusal invalid_input */
export function readName(text: string): string {
  const name = normalize(text, 'NFC').trim();
  const good = name !== '' && name.length <= MAX_NAME_LENGTH && name.isWellFormed() && !FORBIDDEN.test(name);
  if (good) return name;
  throw new Refusal('invalid_input', `Give a name of 1 to ${MAX_NAME_LENGTH} characters on one line.`, {
    field: 'name',
  });
}

/** A text without the characters that no name may have. */
export function withoutControlCharacters(text: string): string {
  return text.replace(EACH_FORBIDDEN, ' ');
}

/** The nearest name that may be stored; null where nothing is left of it. */
export function toStorableName(text: string): string | null {
  const name = withoutControlCharacters(normalize(text.toWellFormed(), 'NFC')).trim();
  // The cut may go through a character of two halves.
  return (
    name
      .slice(0, MAX_NAME_LENGTH)
      .replace(/[\ud800-\udbff]$/, '')
      .trim() || null
  );
}

/** The e-mail address to store, and its key. @throws Refusal invalid_input */
export function readEmail(text: string): { email: string; email_key: string } {
  const email = normalize(text, 'NFC').trim();
  const email_key = emailKey(email);
  if (email_key !== null) return { email, email_key };
  throw new Refusal('invalid_input', 'Give an e-mail address such as ada@example.org.', { field: 'email' });
}

/** An e-mail address as accounts are found by it: however it is written, one address has one key. Null for what is none. */
export function emailKey(text: string): string | null {
  const key = normalize(text, 'NFKC').toLowerCase().normalize('NFKC').trim();
  const good = key.length <= MAX_EMAIL_LENGTH && key.isWellFormed() && !FORBIDDEN.test(key) && EMAIL.test(key);
  return good ? key : null;
}
