import type { TrailCrypto } from '../crypto.ts';
import type { KeptSeal } from '../seals/kept-seal.ts';
import type { PublicKey } from '../seals/key.ts';
import { HistoryCheck } from './history-check.ts';
import { type ExportEnd, type ExportLine, readLine } from './line.ts';
import { LineSplitter, NotAnExport } from './line-splitter.ts';
import type { Verdict } from './verdict.ts';

export interface VerifierOptions {
  /** Trusted keys. One is enough if later keys follow from it by rotation. */
  keys: readonly PublicKey[];
  /** Kept seals, which the history must extend. */
  keptSeals?: readonly KeptSeal[];
  /** The reader's clock. Without it, events with a time in the future give no notice. */
  now?: Date;
}

/** Verifies an export line by line. Memory grows only by about 100 bytes a stream. */
export class Verifier {
  private lines = 0;
  private check: HistoryCheck | null = null;
  private end: ExportEnd | null = null;

  constructor(
    private readonly crypto: TrailCrypto,
    private readonly options: VerifierOptions,
  ) {}

  /** Checks the next line, without its line feed. @throws NotAnExport if it can't be a line of an export */
  push(text: string): void {
    this.lines += 1;
    const line = readNumberedLine(text, this.lines);
    if (this.check === null) {
      if (line.kind !== 'HEADER') throw new NotAnExport(this.lines, 'is not the header of an export');
      const { keys, keptSeals = [], now = null } = this.options;
      this.check = new HistoryCheck(this.crypto, line.header, keys, keptSeals, now);
    } else if (this.end !== null) throw new NotAnExport(this.lines, 'comes after the end of the export');
    else if (line.kind === 'HEADER') throw new NotAnExport(this.lines, 'is a second header');
    else if (line.kind === 'END') this.end = line.end;
    else this.check.checkEvent(line, this.lines);
  }

  /** Checks the text after the last line feed. Ignores it if it is a truncated line. */
  pushRest(text: string): void {
    try {
      this.push(text);
    } catch (error) {
      if (this.check === null || this.end !== null) throw error;
    }
  }

  /** Returns the verdict after the last line. @throws NotAnExport if there was no header */
  finish(): Verdict {
    if (this.check === null) throw new NotAnExport(1, 'is missing: the file is empty');
    return this.check.verdict(this.end);
  }
}

/** Reads a line of an export. @param number the line's number, from 1 @throws NotAnExport */
export function readNumberedLine(text: string, number: number): ExportLine {
  try {
    return readLine(text);
  } catch (error) {
    throw new NotAnExport(number, (error as TypeError).message);
  }
}

/**
 * Verifies an export from a stream of bytes.
 * @throws NotAnExport with the line's number
 */
export async function verifyExport(
  crypto: TrailCrypto,
  pieces: AsyncIterable<Uint8Array>,
  options: VerifierOptions,
): Promise<Verdict> {
  const verifier = new Verifier(crypto, options);
  const splitter = new LineSplitter();
  for await (const piece of pieces) for (const line of splitter.push(piece)) verifier.push(line);
  const remainingLine = remainingLineOf(splitter);
  if (remainingLine !== null) verifier.pushRest(remainingLine);
  return verifier.finish();
}

/** Returns the text after the last line feed. Empty if it ends within a UTF-8 character: the line is truncated. */
function remainingLineOf(splitter: LineSplitter): string | null {
  try {
    return splitter.remainingLine();
  } catch {
    return '';
  }
}
