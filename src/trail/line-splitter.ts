/** What was given is no export of a history, or is damaged beyond reading. `line` counts from 1. */
export class NotAnExport extends Error {
  override readonly name = 'NotAnExport';
  constructor(
    readonly line: number,
    readonly why: string,
  ) {
    super(`line ${line} ${why}`);
  }
}

/** The longest line, in bytes: one append to the log holds about half as much. */
export const MAX_LINE_BYTES = 2 * 1024 * 1024;

const NEWLINE = 10;

/** Makes lines of UTF-8 out of bytes that come in pieces. Holds no more than one line and one piece. */
export class LineSplitter {
  private pieces: Uint8Array[] = [];
  private heldBytes = 0;
  private count = 0;
  private readonly decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

  /** Lines that end in this piece. @throws NotAnExport for a line that is too long, or not UTF-8 */
  *push(piece: Uint8Array): Generator<string> {
    let start = 0;
    for (let end = piece.indexOf(NEWLINE); end >= 0; end = piece.indexOf(NEWLINE, start)) {
      yield this.line(piece.subarray(start, end));
      start = end + 1;
    }
    this.hold(piece.subarray(start));
  }

  /** What stands behind the last line's end; null where nothing does. */
  rest(): string | null {
    return this.heldBytes === 0 ? null : this.line(new Uint8Array());
  }

  private line(end: Uint8Array): string {
    this.hold(end);
    this.count += 1;
    const bytes = this.pieces.length === 1 ? this.pieces[0]! : Buffer.concat(this.pieces);
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
