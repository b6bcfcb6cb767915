import type { Readable } from 'node:stream';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { damagedFile, fileRefusal } from './cell.ts';

/** No spreadsheet program writes nearly as many; the directory is held in memory. */
const MAX_PARTS = 10_000;

/** The parts of a zip file, each read as a stream. */
export class Zip {
  /** Bytes of the part read last, so far. */
  bytesRead = 0;

  /** The part that is being read. */
  #stream: Readable | undefined;
  readonly #file: ZipFile;
  /** By lower case: part names of a package are compared so (ECMA-376 part 2). */
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

  /** The size of a part in bytes as the file states it; nothing may rely on it. */
  sizeOf(name: string): number {
    return this.#entries.get(name.toLowerCase())?.uncompressedSize ?? 0;
  }

  /**
   * A part's bytes, unpacked. One part is read at a time.
   * @param most bytes it may unpack to: a small file can hold a part that fills any memory
   */
  async *read(name: string, most = Number.POSITIVE_INFINITY): AsyncGenerator<Uint8Array, void, undefined> {
    const entry = this.#entries.get(name.toLowerCase());
    if (!entry) throw damagedFile();
    this.bytesRead = 0;
    this.#stream = await this.#file.openReadStreamPromise(entry).catch(() => {
      throw damagedFile();
    });
    for await (const chunk of intact(this.#stream)) {
      this.bytesRead += chunk.length;
      if (this.bytesRead > most) throw partTooLarge(most);
      yield chunk;
    }
  }

  /** Lets go of the file, also where a part has not been read to its end. */
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

async function* intact(stream: Readable): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* stream as AsyncIterable<Uint8Array>;
  } catch {
    throw damagedFile();
  }
}

function partTooLarge(most: number) {
  const megabytes = Math.round(most / 1_048_576);
  return fileRefusal(
    `The workbook's texts or formats unpack to more than ${megabytes} MiB, which must be held in memory: save the sheet as CSV.`,
  );
}
