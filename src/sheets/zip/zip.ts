import type { Readable } from 'node:stream';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { damagedFile, fileRefusal } from '../cells/cell.ts';

/** Limits the directory, which is in memory. Spreadsheet programs write far fewer parts. */
const MAX_PARTS = 10_000;
/**
 * Limits the unzipped bytes of all reads together, because a small file can have many huge parts, or one under many names.
 * A sheet with a million rows has about 150 MiB and is read three times.
 */
const MAX_UNZIPPED_BYTES = 512 * 1_048_576;

/** The parts of a zip file, each read as a stream. */
export class Zip {
  /** Bytes read so far of the current part. */
  bytesRead = 0;
  /** Bytes read so far of all parts. */
  #bytesInAll = 0;

  /** The part that is being read. */
  #stream: Readable | undefined;
  readonly #file: ZipFile;
  /** Entries by name in lower case: part names are case-insensitive (ECMA-376 part 2). */
  readonly #entries: ReadonlyMap<string, Entry>;

  private constructor(file: ZipFile, entries: ReadonlyMap<string, Entry>) {
    this.#file = file;
    this.#entries = entries;
  }

  static async open(path: string): Promise<Zip> {
    const file = await openPromise(path, { autoClose: false }).catch(() => {
      throw damagedFile();
    });
    try {
      return new Zip(file, await entriesOf(file));
    } catch (error) {
      file.close();
      throw error;
    }
  }

  has(name: string): boolean {
    return this.#entries.has(name.toLowerCase());
  }

  /** Returns the size of a part as the file states it. It may be wrong. */
  sizeOf(name: string): number {
    return this.#entries.get(name.toLowerCase())?.uncompressedSize ?? 0;
  }

  /**
   * Reads a part's bytes, unzipped. Only one part can be read at a time.
   * @param maxBytes limits the unzipped size, because a small file can have a huge part
   */
  async *read(name: string, maxBytes = Number.POSITIVE_INFINITY): AsyncGenerator<Uint8Array, void, undefined> {
    const entry = this.#entries.get(name.toLowerCase());
    if (!entry) throw damagedFile();
    this.bytesRead = 0;
    this.#stream = await this.#file.openReadStreamPromise(entry).catch(() => {
      throw damagedFile();
    });
    for await (const chunk of withoutDamage(this.#stream)) {
      this.bytesRead += chunk.length;
      this.#bytesInAll += chunk.length;
      if (this.bytesRead > maxBytes) throw partTooLarge(maxBytes);
      if (this.#bytesInAll > MAX_UNZIPPED_BYTES) throw fileTooLarge();
      yield chunk;
    }
  }

  /** Closes the file, even if a part has not been read to its end. */
  close(): void {
    this.#stream?.destroy();
    this.#file.close();
  }
}

async function entriesOf(file: ZipFile): Promise<ReadonlyMap<string, Entry>> {
  const entries = new Map<string, Entry>();
  if (file.entryCount > MAX_PARTS) throw damagedFile();
  try {
    for await (const entry of file.eachEntry()) entries.set(entry.fileName.toLowerCase(), entry);
  } catch {
    throw damagedFile();
  }
  return entries;
}

async function* withoutDamage(stream: Readable): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* stream as AsyncIterable<Uint8Array>;
  } catch {
    throw damagedFile();
  }
}

function partTooLarge(maxBytes: number) {
  const mebibytes = Math.round(maxBytes / 1_048_576);
  return fileRefusal(
    `The workbook's texts or formats are larger than ${mebibytes} MiB unzipped. Save the sheet as CSV.`,
  );
}

function fileTooLarge() {
  const mebibytes = MAX_UNZIPPED_BYTES / 1_048_576;
  return fileRefusal(`The workbook has more than ${mebibytes} MiB unzipped. Save the sheet as CSV.`);
}
