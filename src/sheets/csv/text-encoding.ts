import { createReadStream } from 'node:fs';
import { TextDecoder } from 'node:util';
import { fileRefusal } from '../cells/cell.ts';

/** The encoding of a CSV, and a sentence about it if it was guessed. */
interface TextEncoding {
  /** A label of the Encoding Standard, such as utf-8. */
  label: string;
  notice?: string;
}

/** The encoding of CSV files from Excel in western Europe and America. It has a letter for nearly every byte. */
const GUESSED_ENCODING = 'windows-1252';
/** Bytes that no text contains: control characters without tab, line feed, form feed and carriage return. */
const CONTROL_BYTE = /[\x00-\x08\x0b\x0e-\x1f]/;

/**
 * Returns the encoding of a text file: the requested one, else that of its byte order mark, else UTF-8 if the whole file
 * is valid in it, else windows-1252.
 * @throws Refusal for an unknown encoding, and for a file that isn't a text
 */
export async function findEncoding(path: string, requested: string | undefined): Promise<TextEncoding> {
  if (requested !== undefined) return { label: knownLabel(requested) };
  const marked = await encodingOfMark(path);
  if (marked !== null) return { label: marked };
  if (await isUtf8(path)) return { label: 'utf-8' };
  await refuseBinary(path);
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

async function isUtf8(path: string): Promise<boolean> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const chunk of createReadStream(path)) decoder.decode(chunk as Buffer, { stream: true });
    decoder.decode();
    return true;
  } catch {
    return false;
  }
}

/** Refuses pictures, archives and the like. Any of their bytes would be a letter in windows-1252. */
async function refuseBinary(path: string): Promise<void> {
  for await (const chunk of createReadStream(path)) {
    if (!CONTROL_BYTE.test((chunk as Buffer).toString('latin1'))) continue;
    throw fileRefusal('The file is not a text. Give a CSV, or save the spreadsheet as .xlsx or .ods.');
  }
}
