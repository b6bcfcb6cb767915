import type { SqliteConnection } from './connection.ts';

export const ORGANIZATIONS_TABLE = 'organization_numbers';

/** Begins a stored id in which the organization's number stands for its id. No other id begins with it. */
const NUMBER_MARK = '#';

/** The characters that may follow the organization's id in the id of a document, such as `org_…@000000000000001`. */
const AFTER_ORGANIZATION = /[@^]/;

/**
 * Gives each organization a number, which rows and indexes have in place of its long id: in the column `organization`, and
 * at the beginning of documents' ids.
 */
export class OrganizationNumbers {
  readonly #db: SqliteConnection;
  readonly #numbers = new Map<string, number>();

  constructor(db: SqliteConnection) {
    this.#db = db;
  }

  /** Creates the table within the caller's transaction, if there is none. */
  create(): void {
    this.#db.exec(
      `CREATE TABLE IF NOT EXISTS ${ORGANIZATIONS_TABLE} (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE)`,
    );
  }

  /** Returns the number of an organization, or undefined if it has no documents. */
  find(organizationId: string): number | undefined {
    const known = this.#numbers.get(organizationId);
    if (known !== undefined) return known;
    const row = this.#db.get(`SELECT number FROM ${ORGANIZATIONS_TABLE} WHERE id = ?`, [organizationId]);
    if (row === undefined) return undefined;
    this.#numbers.set(organizationId, row[0] as number);
    return row[0] as number;
  }

  /** Returns the number of an organization. Gives it one, within the caller's transaction, if it has none. */
  findOrAdd(organizationId: string): number {
    const found = this.find(organizationId);
    if (found !== undefined) return found;
    return this.#db.run(`INSERT INTO ${ORGANIZATIONS_TABLE} (id) VALUES (?)`, [organizationId]).rowid;
  }

  /** Forgets all numbers, so that they are read again. Call it after a transaction that was rolled back. */
  forget(): void {
    this.#numbers.clear();
  }

  /**
   * Returns the form in which a document's id is stored.
   * @param organizationId by default the one that the id may begin with
   */
  storedId(id: string, organizationId = id.slice(0, id.search(AFTER_ORGANIZATION))): string {
    const end = organizationId.length;
    if (!AFTER_ORGANIZATION.test(id.charAt(end)) || !id.startsWith(organizationId)) return id;
    const number = this.find(organizationId);
    return number === undefined ? id : `${NUMBER_MARK}${number}${id.slice(end)}`;
  }
}

/** Returns the id of an organization's document from its stored form. */
export function fromStoredId(stored: string, organizationId: string): string {
  return stored.startsWith(NUMBER_MARK) ? organizationId + stored.slice(stored.search(AFTER_ORGANIZATION)) : stored;
}
