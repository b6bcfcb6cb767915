import { SaxesParser } from 'saxes';
import type { Refusal } from '../../commands/engine/refusal.ts';
import { damagedFile, MAX_ROW_CHARACTERS } from '../cells/cell.ts';
import { decodeText } from '../decode-text.ts';

export type Attributes = Readonly<Record<string, string>>;

/** Receives the parts of a document in order. Names have no namespace prefix. */
export interface XmlListener {
  open(name: string, attributes: Attributes): void;
  close?(name: string): void;
  /** Receives a piece of text. A text may come in several pieces. */
  text?(text: string): void;
}

const MAX_DEPTH = 100;

/**
 * Reads an XML document while it arrives. Yields after each piece, so that the caller can process what the listener has
 * collected.
 * A hostile file can't exhaust disk or memory: only XML's own five entities are known, document types are refused, and
 * the size of a tag or text is limited.
 * @param refusal returns the error for a document that can't be read
 */
export async function* readXml(
  bytes: AsyncIterable<Uint8Array>,
  listener: XmlListener,
  refusal: () => Refusal = damagedFile,
): AsyncGenerator<void, void, undefined> {
  const refuse = () => {
    throw refusal();
  };
  const parser = new SaxesParser({ xmlns: false, position: false });
  let depth = 0;
  let sinceLastTag = 0;
  parser.on('error', refuse);
  parser.on('doctype', refuse);
  parser.on('opentag', ({ name, attributes }) => {
    sinceLastTag = 0;
    if (++depth > MAX_DEPTH) refuse();
    listener.open(localName(name), attributes);
  });
  parser.on('closetag', ({ name }) => {
    sinceLastTag = 0;
    depth--;
    listener.close?.(localName(name));
  });
  parser.on('text', (text) => listener.text?.(text));
  parser.on('cdata', (text) => listener.text?.(text));
  for await (const text of decodeText(bytes, refusal)) {
    parser.write(text);
    sinceLastTag += text.length;
    if (sinceLastTag > MAX_ROW_CHARACTERS) refuse();
    yield;
  }
  parser.close();
}

/** Reads a document to its end. */
export async function parseXml(
  bytes: AsyncIterable<Uint8Array>,
  listener: XmlListener,
  refusal?: () => Refusal,
): Promise<void> {
  for await (const _ of readXml(bytes, listener, refusal));
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}
