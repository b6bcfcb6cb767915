import { SaxesParser } from 'saxes';
import { damagedFile, MAX_ROW_LENGTH } from './cell.ts';
import { decodeText } from './decode-text.ts';

export type Attributes = Readonly<Record<string, string>>;

/** What is told of a document, in its order. Names come without their namespace prefix. */
export interface XmlListener {
  open(name: string, attributes: Attributes): void;
  close?(name: string): void;
  /** A piece of text; a text may come in several. */
  text?(text: string): void;
}

const MAX_DEPTH = 100;

/**
 * Reads an XML document as it arrives and yields after each piece, so that what the listener has gathered can be taken
 * away. No entity but XML's own five is known, a document type is refused, and what must be held at once (a tag, a text)
 * is bounded: a hostile file reaches neither the disk nor the memory.
 */
export async function* readXml(
  bytes: AsyncIterable<Uint8Array>,
  listener: XmlListener,
): AsyncGenerator<void, void, undefined> {
  const parser = new SaxesParser({ xmlns: false, position: false });
  let depth = 0;
  let sinceLastTag = 0;
  parser.on('error', refuse);
  parser.on('doctype', refuse);
  parser.on('opentag', ({ name, attributes }) => {
    sinceLastTag = 0;
    if (++depth > MAX_DEPTH) refuse();
    listener.open(local(name), attributes);
  });
  parser.on('closetag', ({ name }) => {
    sinceLastTag = 0;
    depth--;
    listener.close?.(local(name));
  });
  parser.on('text', (text) => listener.text?.(text));
  parser.on('cdata', (text) => listener.text?.(text));
  for await (const text of decodeText(bytes, damagedFile)) {
    parser.write(text);
    sinceLastTag += text.length;
    if (sinceLastTag > MAX_ROW_LENGTH) refuse();
    yield;
  }
  parser.close();
}

/** Reads a document that is small enough to be gathered whole. */
export async function parseXml(bytes: AsyncIterable<Uint8Array>, listener: XmlListener): Promise<void> {
  for await (const _ of readXml(bytes, listener));
}

function refuse(): never {
  throw damagedFile();
}

function local(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}
