import { TextDecoder } from 'node:util';
import type { Refusal } from '../commands/engine/refusal.ts';
import { fileRefusal } from './cells/cell.ts';

/**
 * Decodes a text. A byte order mark is left out.
 * @param refusal returns the error for bytes that the encoding doesn't have
 * @param label of the encoding. By default UTF-16 LE if the text begins with its mark, else UTF-8
 * @param fatal false to read such bytes as U+FFFD
 */
export async function* decodeText(
  chunks: AsyncIterable<Uint8Array>,
  refusal: () => Refusal = notUtf8,
  label?: string,
  fatal = true,
): AsyncGenerator<string, void, undefined> {
  let decoder: TextDecoder | undefined;
  for await (const chunk of joinFirst(chunks)) {
    decoder ??= new TextDecoder(label ?? encodingOf(chunk), { fatal });
    yield decode(decoder, refusal, chunk);
  }
  if (decoder) yield decode(decoder, refusal);
}

function encodingOf(start: Uint8Array): string {
  return start[0] === 0xff && start[1] === 0xfe ? 'utf-16le' : 'utf-8';
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
