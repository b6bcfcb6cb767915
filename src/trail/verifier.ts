import { HistoryCheck } from './history-check.ts';
import type { KeptSeal } from './kept-seal.ts';
import type { PublicKey } from './key.ts';
import { type ExportEnd, type ExportLine, readLine } from './line.ts';
import { LineSplitter, NotAnExport } from './line-splitter.ts';
import type { Verdict } from './verdict.ts';

export interface VerifierOptions {
  /** The keys that are trusted: one is enough where later ones follow by rotation. */
  keys: readonly PublicKey[];
  /** Seals kept elsewhere earlier, which the history must extend. */
  keptSeals?: readonly KeptSeal[];
}

/** Verifies an export line by line, in flat memory but for about 100 bytes a stream. */
export class Verifier {
  private lines = 0;
  private check: HistoryCheck | null = null;
  private end: ExportEnd | null = null;

  constructor(private readonly options: VerifierOptions) {}

  /** Takes the next line, without its end. @throws NotAnExport where it is none of an export's */
  push(text: string): void {
    this.lines += 1;
    const line = readNumbered(text, this.lines);
    if (this.check === null) {
      if (line.kind !== 'HEADER') throw new NotAnExport(this.lines, 'is not the header that an export begins with');
      this.check = new HistoryCheck(line.header, this.options.keys, this.options.keptSeals ?? []);
    } else if (this.end !== null) throw new NotAnExport(this.lines, 'stands behind the end of the export');
    else if (line.kind === 'HEADER') throw new NotAnExport(this.lines, 'is a second header');
    else if (line.kind === 'END') this.end = line.end;
    else this.check.checkEvent(line, this.lines);
  }

  /** Takes what stands behind the last line's end: a last line without one, or what is left of one that was cut. */
  pushRest(text: string): void {
    try {
      this.push(text);
    } catch (error) {
      if (this.check === null || this.end !== null) throw error;
    }
  }

  /** The verdict, when there is no further line. @throws NotAnExport where not even a header came */
  finish(): Verdict {
    if (this.check === null) throw new NotAnExport(1, 'is missing: the file is empty');
    return this.check.verdict(this.end);
  }
}

/** Reads a file's line of this number, from 1. @throws NotAnExport where it is none of an export's */
export function readNumbered(text: string, number: number): ExportLine {
  try {
    return readLine(text);
  } catch (error) {
    throw new NotAnExport(number, (error as TypeError).message);
  }
}

/**
 * Verifies a whole export that comes in pieces of bytes.
 * @throws NotAnExport with the line's number
 */
export async function verifyExport(pieces: AsyncIterable<Uint8Array>, options: VerifierOptions): Promise<Verdict> {
  const verifier = new Verifier(options);
  const splitter = new LineSplitter();
  for await (const piece of pieces) for (const line of splitter.push(piece)) verifier.push(line);
  const rest = restOf(splitter);
  if (rest !== null) verifier.pushRest(rest);
  return verifier.finish();
}

/** Bytes that break off within a character are no line at all, as other halves of one. */
function restOf(splitter: LineSplitter): string | null {
  try {
    return splitter.rest();
  } catch {
    return '';
  }
}
