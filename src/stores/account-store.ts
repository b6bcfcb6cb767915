/**
 * A small durable store of JSON records with unique and plain look-up fields. It has all data that is not in the log:
 * installation id, secrets and keys, token hashes, accounts, sessions, grants and the access log.
 * test/contract/account-store.ts tests what it promises.
 */
export interface AccountTable {
  /** Fields whose value no two records may share. Null and absent fields don't count. */
  unique: readonly string[];
  /** Fields by which `find` looks up records, in addition to the unique ones. */
  lookup: readonly string[];
}

/** Begins the ids of secrets that mark a restore in progress. While there is one, the log may be only a part. */
export const RESTORE_MARK_PREFIX = 'being-restored:';

/** All tables. If a record's key is secret (sessions, links, grants), its id is the hash of it. */
export const ACCOUNT_TABLES = {
  /** Installation id, signing and cursor keys, one record per name. */
  secrets: { unique: [], lookup: [] },
  accounts: { unique: ['email_key', 'subject'], lookup: [] },
  /** Every name that an account has had, with its date. */
  names: { unique: [], lookup: ['account_id', 'name_key'] },
  /** Names of people without accounts in imported files. Events have their ids. */
  imported_names: { unique: ['organization_name'], lookup: ['organization_id'] },
  tokens: { unique: ['hash'], lookup: ['account_id'] },
  /** Browsers that are signed in. */
  sessions: { unique: [], lookup: ['account_id', 'expires_at'] },
  passkeys: { unique: [], lookup: ['account_id'] },
  /** Links that create an account or recover one. */
  links: { unique: [], lookup: ['organization_id', 'account_id', 'expires_at'] },
  /** E-mail domains whose people organizations admit, looked up when somebody signs in with the OpenID provider. */
  domains: { unique: [], lookup: ['domain'] },
  /** Words in spreadsheets and the values that they mean, one record for each organization and family. */
  value_words: { unique: [], lookup: [] },
  /** Failed sign-ins, by account and by address. */
  attempts: { unique: [], lookup: ['expires_at'] },
  /** Records of the OAuth server: clients, codes, tokens, interactions. */
  oauth: { unique: [], lookup: ['kind', 'grant_id', 'uid', 'expires_at'] },
  /** The access log. Ids begin with a time, so they sort by it. */
  access: { unique: [], lookup: ['organization_id', 'expires_at'] },
} as const satisfies Record<string, AccountTable>;

export type AccountTableName = keyof typeof ACCOUNT_TABLES;

export interface AccountRecord {
  id: string;
  [field: string]: unknown;
}

export interface AccountStore {
  /**
   * Inserts a record. It is durable when the call returns.
   * @returns false if the id or a unique field is taken. Nothing is written then.
   */
  insert(table: AccountTableName, record: AccountRecord): Promise<boolean>;
  /** Inserts a record, or replaces the one with its id. @throws Error if a unique field is taken */
  put(table: AccountTableName, record: AccountRecord): Promise<void>;
  get<T extends AccountRecord>(table: AccountTableName, id: string): Promise<T | null>;
  /** Returns the records whose `field` (unique or lookup) equals `value`. */
  find<T extends AccountRecord>(table: AccountTableName, field: string, value: string): Promise<T[]>;
  /** Returns a page of the records that `find` would return, the highest ids first. */
  page<T extends AccountRecord>(table: AccountTableName, range: AccountRange): Promise<T[]>;
  all<T extends AccountRecord>(table: AccountTableName): Promise<T[]>;
  /** Changes fields of a record atomically, if it has the expected values. Returns true if it did. */
  update(
    table: AccountTableName,
    id: string,
    fields: Record<string, unknown>,
    expected?: Record<string, unknown>,
  ): Promise<boolean>;
  remove(table: AccountTableName, id: string): Promise<boolean>;
  /** Removes every record whose look-up `field` is a text below `below`. Returns their number. */
  sweep(table: AccountTableName, field: string, below: string): Promise<number>;
  /** Checks that the store answers. @throws StoreUnavailable, or StoreReplaced if other data took the place of the known ones */
  check(): Promise<void>;
  close(): Promise<void>;
}

/** Selects records whose look-up `field` equals `value`, with ids from `from` on and below `below`. */
export interface AccountRange {
  field: string;
  value: string;
  from?: string | undefined;
  below?: string | undefined;
  limit: number;
}
