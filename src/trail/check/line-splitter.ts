/** The file isn't an export, or is too damaged to read. `line` counts from 1. */
export class NotAnExport extends Error {
  override readonly name = 'NotAnExport';
  constructor(
    readonly line: number,
    readonly why: string,
  ) {
    super(`line ${line} ${why}`);
  }
}

/** Limit of a line's length. One append to the log holds about half as much. */
export const MAX_LINE_BYTES = 2 * 1024 * 1024;

const NEWLINE = 10;

/** Splits a stream of bytes into lines of UTF-8. Holds at most one line and one piece in memory. */
export class LineSplitter {
  private pieces: Uint8Array[] = [];
  private heldBytes = 0;
  private count = 0;
  private readonly decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

  /** Yields the lines that end in this piece. @throws NotAnExport for a line that is too long or not UTF-8 */
  *push(piece: Uint8Array): Generator<string> {
    let start = 0;
    for (let end = piece.indexOf(NEWLINE); end >= 0; end = piece.indexOf(NEWLINE, start)) {
      yield this.line(piece.subarray(start, end));
      start = end + 1;
    }
    this.hold(piece.subarray(start));
  }

  /** Returns the text after the last line feed, or null if there is none. */
  remainingLine(): string | null {
    return this.heldBytes === 0 ? null : this.line(new Uint8Array());
  }

  private line(end: Uint8Array): string {
    this.hold(end);
    this.count += 1;
    const bytes = this.pieces.length === 1 ? this.pieces[0]! : concat(this.pieces, this.heldBytes);
    this.pieces = [];
    this.heldBytes = 0;
    try {
      return this.decoder.decode(bytes);
    } catch {
      throw new NotAnExport(this.count, 'is not UTF-8');
    }
  }

  private hold(bytes: Uint8Array): void {
    this.heldBytes += bytes.length;
    if (this.heldBytes > MAX_LINE_BYTES) {
      throw new NotAnExport(this.count + 1, `is longer than ${MAX_LINE_BYTES / 1024 / 1024} MiB`);
    }
    if (bytes.length > 0) this.pieces.push(bytes);
  }
}

function concat(pieces: readonly Uint8Array[], length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let end = 0;
  for (const piece of pieces) {
    bytes.set(piece, end);
    end += piece.length;
  }
  return bytes;
}
