import { createReadStream } from 'node:fs';
import { TextDecoder } from 'node:util';
import { fileRefusal } from '../cells/cell.ts';

/** The encoding of a CSV, and a sentence about it if it was guessed. */
interface TextEncoding {
  /** A label of the Encoding Standard, such as utf-8. */
  label: string;
  notice?: string;
  /** Single bytes aren't of the encoding. Rows that have one can't be read. */
  hasWrongBytes?: true;
}

/** The letter that stands for a byte that isn't of the encoding. */
export const WRONG_BYTE = '\uFFFD';

/** The encoding of CSV files from Excel in western Europe and America. It has a letter for nearly every byte. */
const GUESSED_ENCODING = 'windows-1252';
/** Bytes that no text contains: control characters without tab, line feed, form feed and carriage return. */
const CONTROL_BYTE = /[\x00-\x08\x0b\x0e-\x1f]/;

/**
 * Returns the encoding of a text file: the requested one, else that of its byte order mark. Else it is UTF-8, if the file
 * is valid in it but for single bytes. Else it is windows-1252.
 * @throws Refusal for an unknown encoding, and for a file that isn't a text
 */
export async function findEncoding(path: string, requested: string | undefined): Promise<TextEncoding> {
  if (requested !== undefined) return { label: knownLabel(requested) };
  const marked = await encodingOfMark(path);
  if (marked !== null) return { label: marked };
  const { letters, wrongBytes } = await countAsUtf8(path);
  if (wrongBytes === 0 || (await isValidUtf8(path))) return { label: 'utf-8' };
  await refuseBinary(path);
  // The accents of another encoding are hardly ever letters of UTF-8 too.
  if (letters > wrongBytes) return { label: 'utf-8', hasWrongBytes: true };
  return {
    label: GUESSED_ENCODING,
    notice: `The text is not UTF-8, so it was read as ${GUESSED_ENCODING}. If letters are wrong, give another --encoding.`,
  };
}

function knownLabel(requested: string): string {
  try {
    return new TextDecoder(requested).encoding;
  } catch {
    throw fileRefusal(
      `"${requested}" is not a known encoding. Give one such as utf-8, utf-16le, windows-1252, windows-1250 or iso-8859-15.`,
    );
  }
}

async function encodingOfMark(path: string): Promise<string | null> {
  for await (const chunk of createReadStream(path, { end: 1 })) {
    const [first, second] = chunk as Buffer;
    if (first === 0xff && second === 0xfe) return 'utf-16le';
    if (first === 0xfe && second === 0xff) return 'utf-16be';
  }
  return null;
}

/** Counts the letters beyond ASCII of a text in UTF-8, and what isn't a letter in it. */
async function countAsUtf8(path: string): Promise<{ letters: number; wrongBytes: number }> {
  const decoder = new TextDecoder('utf-8');
  const counts = { letters: 0, wrongBytes: 0 };
  const count = (text: string) => {
    const wrong = text.match(/\uFFFD/g)?.length ?? 0;
    counts.wrongBytes += wrong;
    counts.letters += (text.match(/[^\x00-\x7f]/gu)?.length ?? 0) - wrong;
  };
  for await (const chunk of createReadStream(path)) count(decoder.decode(chunk as Buffer, { stream: true }));
  count(decoder.decode());
  return counts;
}

/** Returns true for a text in UTF-8, also for one that contains the letter which stands for a wrong byte. */
async function isValidUtf8(path: string): Promise<boolean> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const chunk of createReadStream(path)) decoder.decode(chunk as Buffer, { stream: true });
    decoder.decode();
    return true;
  } catch (thrown) {
    if (thrown instanceof TypeError) return false;
    throw thrown;
  }
}

/** Refuses pictures, archives and the like. Any of their bytes would be a letter in windows-1252. */
async function refuseBinary(path: string): Promise<void> {
  for await (const chunk of createReadStream(path)) {
    if (!CONTROL_BYTE.test((chunk as Buffer).toString('latin1'))) continue;
    throw fileRefusal('The file is not a text. Give a CSV, or save the spreadsheet as .xlsx or .ods.');
  }
}
