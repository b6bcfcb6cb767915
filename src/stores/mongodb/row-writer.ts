import { LRUCache } from 'lru-cache';
import { type Collection, type Db, MongoBulkWriteError, type OptionalUnlessRequiredId } from 'mongodb';
import type { MongoRow } from './client.ts';
import type { DocumentRow } from './document.ts';
import { DUPLICATE_KEY } from './translate-errors.ts';

/** A document to write, and the collection's name in the database. */
export interface RowPut {
  collection: string;
  row: DocumentRow;
}

/** Replacements per command. */
const MAX_PARALLEL_REPLACEMENTS = 20;
const MAX_KNOWN_ROWS = 20_000;

/**
 * Writes the documents of a batch, each unless a newer batch wrote it. A document that exists is replaced, another one
 * inserted. Which of the two is needed is guessed from the last writes and reads, so that most batches are written in one
 * round trip.
 */
export class RowWriter {
  /** Documents that exist, as `collection/id`. */
  readonly #known = new LRUCache<string, true>({ max: MAX_KNOWN_ROWS });

  constructor(private readonly db: Db) {}

  /** Notes that documents exist. */
  noteRows(collection: string, ids: readonly string[]): void {
    for (const id of ids) this.#known.set(`${collection}/${id}`, true);
  }

  /** Writes the documents of batch `n`. */
  async write(n: number, puts: readonly RowPut[]): Promise<void> {
    const names = [...new Set(puts.map(({ collection }) => collection))];
    await Promise.all(
      names.map(async (name) => {
        const rows = puts.filter(({ collection }) => collection === name).map(({ row }) => row);
        await this.#writeRows(name, n, rows);
        this.noteRows(
          name,
          rows.map(({ _id }) => _id),
        );
      }),
    );
  }

  async #writeRows(name: string, n: number, rows: readonly DocumentRow[]): Promise<void> {
    const collection = this.db.collection<DocumentRow>(name);
    const isKnown = ({ _id }: DocumentRow) => this.#known.has(`${name}/${_id}`);
    const known = rows.filter(isKnown);
    const [present, areReplaced] = await Promise.all([
      insertAbsent(
        collection,
        rows.filter((row) => !isKnown(row)),
      ),
      replaceOlder(collection, n, known),
    ]);
    await replaceOlder(collection, n, present);
    // Those not replaced are newer, or were removed.
    if (!areReplaced) await insertAbsent(collection, known);
  }
}

/** Replaces the documents that an older batch wrote. Returns false if that isn't all of them. */
async function replaceOlder(
  collection: Collection<DocumentRow>,
  n: number,
  rows: readonly DocumentRow[],
): Promise<boolean> {
  let replacedCount = 0;
  const replacements = rows.map((row) => ({
    replaceOne: { filter: { _id: row._id, _n: { $lt: n } }, replacement: row },
  }));
  // Several commands, so that other clients of the server get their turn in between.
  for (let first = 0; first < replacements.length; first += MAX_PARALLEL_REPLACEMENTS) {
    const some = replacements.slice(first, first + MAX_PARALLEL_REPLACEMENTS);
    replacedCount += (await collection.bulkWrite(some, { ordered: false })).matchedCount;
  }
  return replacedCount === rows.length;
}

/** Inserts documents and returns those whose ids are taken. */
export async function insertAbsent<Row extends MongoRow>(
  collection: Collection<Row>,
  rows: readonly Row[],
): Promise<Row[]> {
  if (rows.length === 0) return [];
  try {
    await collection.insertMany(rows as readonly OptionalUnlessRequiredId<Row>[], { ordered: false });
    return [];
  } catch (error) {
    if (!(error instanceof MongoBulkWriteError)) throw error;
    const failures = [error.writeErrors].flat();
    if (failures.length === 0 || failures.some((failure) => failure.code !== DUPLICATE_KEY)) throw error;
    return failures.map((failure) => rows[failure.index]!);
  }
}
