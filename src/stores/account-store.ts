/**
 * The only data that is not in the log: installation id, secrets and keys, token hashes, accounts, sessions, grants and
 * the access log. A small durable store of JSON records with unique and plain look-up fields.
 * The promises are tests in test/contract/account-store.ts.
 */
export interface AccountTable {
  /** Fields that no two records may share; a null or absent one is shared by any. */
  unique: readonly string[];
  /** Fields that `find` may be asked by, beside the unique ones. */
  lookup: readonly string[];
}

/** The tables there are. Adding one is adding a line. Ids of what is secret (sessions, links, grants) are its hashes. */
export const ACCOUNT_TABLES = {
  /** Installation id, signing and cursor keys: one record a name. */
  secrets: { unique: [], lookup: [] },
  accounts: { unique: ['email_key', 'subject'], lookup: [] },
  /** Every name that an account has had, with its date. */
  names: { unique: [], lookup: ['account_id', 'name_key'] },
  tokens: { unique: ['hash'], lookup: ['account_id'] },
  /** People signed in by a browser. */
  sessions: { unique: [], lookup: ['account_id', 'expires_at'] },
  passkeys: { unique: [], lookup: ['account_id'] },
  /** Links that make an account, or let somebody back into one. */
  links: { unique: [], lookup: ['organization_id', 'account_id', 'expires_at'] },
  /** Domains that organizations admit: where to look when somebody signs in by the OpenID provider. */
  domains: { unique: [], lookup: ['domain'] },
  /** Failures to sign in, by account and by address. */
  attempts: { unique: [], lookup: ['expires_at'] },
  /** What the OAuth server keeps: clients, codes, tokens, interactions. */
  oauth: { unique: [], lookup: ['kind', 'grant_id', 'uid', 'expires_at'] },
  /** The access log: ids begin with a time, so that they are in its order. */
  access: { unique: [], lookup: ['organization_id', 'expires_at'] },
} as const satisfies Record<string, AccountTable>;

export type AccountTableName = keyof typeof ACCOUNT_TABLES;

export interface AccountRecord {
  id: string;
  [field: string]: unknown;
}

export interface AccountStore {
  /**
   * Inserts a record. Durable when it answers.
   * @returns false when the id or a unique field is taken (nothing was written)
   */
  insert(table: AccountTableName, record: AccountRecord): Promise<boolean>;
  /** Inserts a record, or puts it in the place of the one that has its id. @throws Error when a unique field is taken */
  put(table: AccountTableName, record: AccountRecord): Promise<void>;
  get<T extends AccountRecord>(table: AccountTableName, id: string): Promise<T | null>;
  /** Records whose `field` (unique or lookup) equals `value`. */
  find<T extends AccountRecord>(table: AccountTableName, field: string, value: string): Promise<T[]>;
  /** A page of what `find` would give: the highest ids first. */
  page<T extends AccountRecord>(table: AccountTableName, range: AccountRange): Promise<T[]>;
  all<T extends AccountRecord>(table: AccountTableName): Promise<T[]>;
  /** Changes some fields of one record, atomically; `when` fields must have these values. Answers whether it did. */
  update(
    table: AccountTableName,
    id: string,
    fields: Record<string, unknown>,
    when?: Record<string, unknown>,
  ): Promise<boolean>;
  remove(table: AccountTableName, id: string): Promise<boolean>;
  /** Removes every record whose look-up `field` is a text below `below`, and says how many. */
  sweep(table: AccountTableName, field: string, below: string): Promise<number>;
  close(): Promise<void>;
}

/** Records whose look-up `field` equals `value`, their ids from `from` on and below `below`. */
export interface AccountRange {
  field: string;
  value: string;
  from?: string | undefined;
  below?: string | undefined;
  limit: number;
}
