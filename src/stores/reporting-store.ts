/** The types of columns. Each is a type of its own in SQL, and a BSON type in MongoDB. */
export type ColumnType = 'TEXT' | 'INTEGER' | 'REAL' | 'BOOLEAN' | 'DATE' | 'TIMESTAMP';

export interface ReportingColumn {
  name: string;
  type: ColumnType;
  /** Explains the column to people who make reports. */
  description: string;
}

/** A table of the reporting database. In MongoDB it is a collection, with a document per row. */
export interface ReportingTable {
  name: string;
  /** Says what a row is: "a risk as it is now". */
  description: string;
  columns: readonly ReportingColumn[];
  /** The columns that identify a row. */
  key: readonly string[];
  /** The columns by which `end` finds the open row of something: see RowChange. */
  openBy?: readonly string[];
}

/** A view, in stores that have SQL. */
export interface ReportingView extends Pick<ReportingTable, 'name' | 'description' | 'columns'> {
  /** A SELECT that SQLite and DuckDB understand. */
  sql: string;
}

export interface ReportingSchema {
  tables: readonly ReportingTable[];
  views: readonly ReportingView[];
}

/** A value of a column. A DATE is `YYYY-MM-DD`, a TIMESTAMP is in RFC 3339. */
export type ReportingValue = string | number | boolean | null;

/** The values of a row by column. Absent ones are null. */
export type Row = Readonly<Record<string, ReportingValue>>;

/** A change of a table. Changes are made in their order. */
export type RowChange =
  /** Inserts a row, or replaces the one with its key. */
  | { put: Row }
  /**
   * Sets columns of the row that has these values of `openBy`, no `until_position`, and a `from_position` before the one that
   * is set. There may be none.
   */
  | { end: Row; set: Row }
  /** Removes the row with this key. */
  | { remove: Row };

/** Changes rows. */
export type WriteRows = (table: string, changes: readonly RowChange[]) => Promise<void>;

/**
 * The database that reporting tools read. Only one connection writes it: in MongoDB the one that was opened last, and
 * another one gets `Fenced`. test/contract/reporting-store.ts tests what it
 * promises.
 */
export interface ReportingStore {
  /** Returns what the rows were made from, as `rebuild` got it; null if they must be made anew. */
  source(): Promise<string | null>;
  /** Returns all rows of a small table. */
  read(table: string): Promise<Row[]>;
  /** Changes rows. SQL stores change all of them in one transaction, or none. */
  update(work: (write: WriteRows) => Promise<void>): Promise<void>;
  /**
   * Makes all rows anew. Readers see each row as it was before, or as it is after. In SQL stores all change at the end, in
   * one transaction. In MongoDB only the rows that differ are written, table by table.
   * @param confirm called now and then while rows are written. It throws if another instance writes now
   */
  rebuild(source: string, work: (write: WriteRows) => Promise<void>, confirm?: () => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

/** Rows that a store without transactions collects, to compare them with its own. */
export interface RowScratch {
  write: WriteRows;
  /** Returns the row with the key that these values have; null if there is none. */
  get(table: string, key: Row): Row | null;
  /** Returns all rows of a table, so many at a time. */
  parts(table: string, size: number): Iterable<Row[]>;
  close(): void;
}
