/**
 * The only data that is not in the log: installation id, secrets and keys, token hashes, accounts (later sessions and
 * grants). A small durable store of JSON records with unique and plain look-up fields.
 * The promises are tests in test/contract/account-store.ts.
 */
export interface AccountTable {
  /** Fields that no two records may share; a null or absent one is shared by any. */
  unique: readonly string[];
  /** Fields that `find` may be asked by, beside the unique ones. */
  lookup: readonly string[];
}

/** The tables there are. Adding one is adding a line. */
export const ACCOUNT_TABLES = {
  /** Installation id, signing and cursor keys: one record a name. */
  secrets: { unique: [], lookup: [] },
  accounts: { unique: [], lookup: [] },
  tokens: { unique: ['hash'], lookup: ['account_id'] },
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
  get<T extends AccountRecord>(table: AccountTableName, id: string): Promise<T | null>;
  /** Records whose `field` (unique or lookup) equals `value`. */
  find<T extends AccountRecord>(table: AccountTableName, field: string, value: string): Promise<T[]>;
  all<T extends AccountRecord>(table: AccountTableName): Promise<T[]>;
  /** Changes some fields of one record, atomically; `when` fields must have these values. Answers whether it did. */
  update(
    table: AccountTableName,
    id: string,
    fields: Record<string, unknown>,
    when?: Record<string, unknown>,
  ): Promise<boolean>;
  remove(table: AccountTableName, id: string): Promise<boolean>;
  close(): Promise<void>;
}
