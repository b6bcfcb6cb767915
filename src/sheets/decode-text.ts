import { TextDecoder } from 'node:util';
import type { Refusal } from '../commands/engine/refusal.ts';
import { fileRefusal } from './cells/cell.ts';

/**
 * Decodes UTF-8 with or without a byte order mark, and UTF-16 LE with one, which Excel calls "Unicode text".
 * @param refusal returns the error for any other encoding; encodings are never guessed
 */
export async function* decodeText(
  chunks: AsyncIterable<Uint8Array>,
  refusal: () => Refusal = notUtf8,
): AsyncGenerator<string, void, undefined> {
  let decoder: TextDecoder | undefined;
  for await (const chunk of joinFirst(chunks)) {
    decoder ??= new TextDecoder(chunk[0] === 0xff && chunk[1] === 0xfe ? 'utf-16le' : 'utf-8', { fatal: true });
    yield decode(decoder, refusal, chunk);
  }
  if (decoder) yield decode(decoder, refusal);
}

/** Decodes a chunk with the incomplete bytes of the one before. Without a chunk, decodes the remaining bytes. */
function decode(decoder: TextDecoder, refusal: () => Refusal, chunk?: Uint8Array): string {
  try {
    return chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode();
  } catch {
    throw refusal();
  }
}

const notUtf8 = () => fileRefusal('The text is not UTF-8. Save the file as "CSV UTF-8" or as .xlsx.');

/** Makes the first chunk long enough for a byte order mark. */
async function* joinFirst(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  let first: Uint8Array | null = new Uint8Array();
  for await (const chunk of chunks) {
    if (first === null) yield chunk;
    else {
      first = first.length === 0 ? chunk : Buffer.concat([first, chunk]);
      if (first.length < 2) continue;
      yield first;
      first = null;
    }
  }
  if (first !== null && first.length > 0) yield first;
}
