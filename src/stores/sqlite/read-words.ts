import { LRUCache } from 'lru-cache';
import type { Condition } from '../read-store.ts';
import { quote, type SqliteConnection } from './connection.ts';

/** If more documents have a word, it isn't worth looking them up one by one and sorting them. */
const RARE = 1_000;

/** Limit of cached prefixes that more documents have. Counting those documents takes long. */
const COMMON = 10_000;

/** The text table may lack this many of the newest rows. Adding them together costs little more than adding one. */
const UNINDEXED = 128;

/** Turns lists of words into texts. Caches the texts by list, because most versions of a record share one list of words. */
export class WordTexts {
  readonly #texts = new WeakMap<readonly string[], string>();

  /**
   * Returns words as a text with a space before each. No word contains a space, so the text contains ` pre` exactly if a
   * word begins with `pre`.
   */
  textOf(words: readonly string[]): string {
    const cached = this.#texts.get(words);
    if (cached !== undefined) return cached;
    const text = words.map((word) => ` ${word}`).join('');
    this.#texts.set(words, text);
    return text;
  }
}

export const prefixText = (prefix: string): string => ` ${prefix}`;

/** Returns the full-text expression for a prefix, or for a whole word if it ends in a space. */
function matchText(prefix: string): string {
  const isWhole = prefix.endsWith(' ');
  const text = isWhole ? prefix.slice(0, -1) : prefix;
  return `"${text.replaceAll('"', '""')}"${isWhole ? '' : '*'}`;
}

/**
 * Finds the rows of a collection that may have certain words, by a full-text table of row ids. The `words` column then
 * confirms them. A write adds one small segment, however many words it has. The newest rows are always candidates, so
 * most writes don't touch the table.
 */
export class WordIndex {
  readonly table: string;
  readonly #db: SqliteConnection;
  readonly #documents: string;
  readonly #words: string;
  readonly #texts: WordTexts;
  /** Limited by size, because `max` would reserve 0.2 MB in each of many collections. */
  readonly #common = new LRUCache<string, true>({ maxSize: COMMON, sizeCalculation: () => 1 });

  /** @param documents the table of the collection's documents */
  constructor(db: SqliteConnection, collection: string, documents: string, texts: WordTexts) {
    this.table = `${collection}_words`;
    this.#db = db;
    this.#documents = quote(documents);
    this.#words = quote(this.table);
    this.#texts = texts;
  }

  /** Creates the table from the existing documents. Only spaces end tokens. Segments are merged sixteen at a time. */
  create(): void {
    const tokens = "unicode61 remove_diacritics 0 categories 'L* M* N* P* S* Z* C*' separators ' '";
    const options = `content = '', contentless_delete = 1, detail = none, tokenize = "${tokens}"`;
    this.#db.transaction(() => {
      this.#db.exec(`CREATE VIRTUAL TABLE ${this.#words} USING fts5 (words, ${options})`);
      this.#db.exec(`INSERT INTO ${this.#words} (${this.#words}, rank) VALUES ('automerge', 0)`);
      this.#add('rowid > ?', 0);
    });
  }

  /** Returns the newest row in the table. All later rows are candidates. */
  newest(): number {
    const row = this.#db.get(`SELECT max(id) FROM ${quote(`${this.table}_docsize`)}`);
    return (row?.[0] as number | null | undefined) ?? 0;
  }

  /** Returns true if writing a document with these words makes the table's words for it wrong. */
  isOutdatedBy(id: string, words: readonly string[], newest: number): boolean {
    const sql = `SELECT 1 FROM ${this.#documents} WHERE id = ? AND rowid <= ? AND words <> ?`;
    return this.#db.get(sql, [id, newest, this.#texts.textOf(words)]) !== undefined;
  }

  /** Updates the table for documents that were just written, and adds new rows if there are many. */
  update(outdated: readonly string[], newest: number): void {
    if (outdated.length > 0) this.#add('id IN (SELECT value FROM json_each(?))', JSON.stringify(outdated));
    const last = this.#db.get(`SELECT max(rowid) FROM ${this.#documents}`)?.[0] as number | null;
    if ((last ?? 0) - newest > UNINDEXED) this.#add('rowid > ?', newest);
  }

  /** Returns rows that may match the conditions on words, if one of these is rare; undefined if all are common. */
  candidates(where: readonly Condition[]): number[] | undefined {
    const prefixes = where.flatMap((condition) => (condition.op === 'words' ? condition.prefixes : []));
    let rows = this.#rowsOf(prefixes);
    for (const condition of where) {
      if (rows === undefined && condition.op === 'anyWords') rows = this.#rowsOfAny(condition.alternatives);
    }
    return rows && [...rows, ...this.#unindexed()];
  }

  /** Returns rows that may match all prefixes, found by the longest rare prefix; undefined if all are common. */
  #rowsOf(prefixes: readonly string[]): number[] | undefined {
    for (const prefix of [...prefixes].sort((a, b) => b.length - a.length)) {
      if (prefix === '' || this.#common.has(prefix)) continue;
      const sql = `SELECT rowid FROM ${this.#words} WHERE ${this.#words} MATCH ? LIMIT ${RARE + 1}`;
      const rows = this.#db.all(sql, [matchText(prefix)]);
      if (rows.length <= RARE) return rows.map((row) => row[0] as number);
      this.#common.set(prefix, true);
    }
    return undefined;
  }

  /** Returns rows that may match any alternative; undefined if one of these is common. */
  #rowsOfAny(alternatives: readonly (readonly string[])[]): number[] | undefined {
    const found = new Set<number>();
    for (const prefixes of alternatives) {
      const rows = this.#rowsOf(prefixes);
      if (rows === undefined || found.size + rows.length > RARE) return undefined;
      for (const row of rows) found.add(row);
    }
    return [...found];
  }

  #unindexed(): number[] {
    const rows = this.#db.all(`SELECT rowid FROM ${this.#documents} WHERE rowid > ?`, [this.newest()]);
    return rows.map((row) => row[0] as number);
  }

  #add(which: string, value: string | number): void {
    const rows = `SELECT rowid, words FROM ${this.#documents} WHERE ${which} ORDER BY rowid`;
    this.#db.run(`INSERT OR REPLACE INTO ${this.#words} (rowid, words) ${rows}`, [value]);
  }
}
