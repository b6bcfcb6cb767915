import { TextDecoder } from 'node:util';
import { unreadable } from './cell.ts';

/**
 * Decodes UTF-8, with or without its mark, and UTF-16 LE with its mark, as Excel writes "Unicode text".
 * @throws Refusal for any other encoding, rather than to let letters be guessed
 */
export async function* decodeText(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, undefined> {
  let decoder: TextDecoder | undefined;
  for await (const chunk of joinFirst(chunks)) {
    decoder ??= new TextDecoder(chunk[0] === 0xff && chunk[1] === 0xfe ? 'utf-16le' : 'utf-8', { fatal: true });
    yield decode(decoder, chunk);
  }
  if (decoder) yield decode(decoder);
}

/** `chunk` and what was left of the one before; without one, what is left at the end. */
function decode(decoder: TextDecoder, chunk?: Uint8Array): string {
  try {
    return chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode();
  } catch {
    throw unreadable('The text is not UTF-8: save the file as "CSV UTF-8" or as .xlsx.');
  }
}

/** Makes the first chunk long enough to hold a mark. */
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
