import { LRUCache } from 'lru-cache';
import type { CollectionSpec, StoredDocument } from '../read-store.ts';
import { type Connection, quote } from './connection.ts';
import { tableName } from './read-schema.ts';

/** Documents that have a word at most for it to be worth looking them up one by one and sorting them. */
const RARE = 1_000;

/** Prefixes that are remembered to be of more documents than that: finding out takes as long as there are many. */
const COMMON = 10_000;

/** Newest rows that the text table may lack. Adding them together costs little more than adding one. */
const UNINDEXED = 128;

/**
 * Words as a JSON array's text with a space before each. No word holds a space, so ` "pre` is in the text exactly when
 * a word begins with `pre`.
 */
export function wordsText(words: readonly string[]): string {
  const known = texts.get(words);
  if (known !== undefined) return known;
  const text = `[${words.map((word) => ` ${JSON.stringify(word)}`)}]`;
  texts.set(words, text);
  return text;
}

/** A record's versions mostly share one list of words. */
const texts = new WeakMap<readonly string[], string>();

export const prefixText = (prefix: string): string => ` ${JSON.stringify(prefix).slice(0, -1)}`;

/**
 * Which rows of a collection have which words: a full-text table of row ids only, one small segment a write however
 * many words there are. It finds candidates; the `words` column confirms them. The newest rows are candidates always,
 * so that most writes need not touch it.
 */
export class WordIndex {
  readonly table: string;
  readonly #db: Connection;
  readonly #documents: string;
  readonly #words: string;
  readonly #common = new LRUCache<string, true>({ max: COMMON });

  constructor(db: Connection, spec: CollectionSpec) {
    this.table = `${spec.name}_words`;
    this.#db = db;
    this.#documents = quote(tableName(spec));
    this.#words = quote(this.table);
  }

  /** Makes the table from the documents that there are. Only a space ends a token; segments are merged in sixteens. */
  create(): void {
    const tokens = "unicode61 remove_diacritics 0 categories 'L* M* N* P* S* Z* C*' separators ' '";
    const options = `content = '', contentless_delete = 1, detail = none, tokenize = "${tokens}"`;
    this.#db.transaction(() => {
      this.#db.exec(`CREATE VIRTUAL TABLE ${this.#words} USING fts5 (words, ${options})`);
      this.#db.exec(`INSERT INTO ${this.#words} (${this.#words}, rank) VALUES ('automerge', 0)`);
      this.#add('rowid > ?', 0);
    });
  }

  /** The newest row in the table; all after it are candidates. */
  newest(): number {
    const row = this.#db.get(`SELECT max(id) FROM ${quote(`${this.table}_docsize`)}`);
    return (row?.[0] as number | null | undefined) ?? 0;
  }

  /** Whether the table will be wrong about a document when this is written over it. */
  isOutdatedBy({ id, words = [] }: StoredDocument, newest: number): boolean {
    const sql = `SELECT 1 FROM ${this.#documents} WHERE id = ? AND rowid <= ? AND words <> ?`;
    return this.#db.get(sql, [id, newest, wordsText(words)]) !== undefined;
  }

  /** Corrects what the table has of these documents, now written, and takes in new rows when there are many. */
  update(outdated: readonly string[], newest: number): void {
    if (outdated.length > 0) this.#add('id IN (SELECT value FROM json_each(?))', JSON.stringify(outdated));
    const last = this.#db.get(`SELECT max(rowid) FROM ${this.#documents}`)?.[0] as number | null;
    if ((last ?? 0) - newest > UNINDEXED) this.#add('rowid > ?', newest);
  }

  /** Rows that may have a word with each prefix, by the longest that few have; undefined where all are common. */
  candidates(prefixes: readonly string[]): number[] | undefined {
    for (const prefix of [...prefixes].sort((a, b) => b.length - a.length)) {
      if (prefix === '' || this.#common.has(prefix)) continue;
      const match = `"${prefix.replaceAll('"', '""')}"*`;
      const sql = `SELECT rowid FROM ${this.#words} WHERE ${this.#words} MATCH ? LIMIT ${RARE + 1}`;
      const found = this.#db.all(sql, [match]);
      if (found.length <= RARE) return [...found, ...this.#unindexed()].map((row) => row[0] as number);
      this.#common.set(prefix, true);
    }
    return undefined;
  }

  #unindexed() {
    return this.#db.all(`SELECT rowid FROM ${this.#documents} WHERE rowid > ?`, [this.newest()]);
  }

  #add(which: string, value: string | number): void {
    const words = "SELECT group_concat(value, ' ') FROM json_each(words)";
    const rows = `SELECT rowid, (${words}) FROM ${this.#documents} WHERE ${which} ORDER BY rowid`;
    this.#db.run(`INSERT OR REPLACE INTO ${this.#words} (rowid, words) ${rows}`, [value]);
  }
}
