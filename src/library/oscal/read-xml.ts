import { SaxesParser } from 'saxes';

export type Attributes = Readonly<Record<string, string>>;

/** Receives the parts of a document in order. Names have no namespace prefix. */
export interface XmlListener {
  open(name: string, attributes: Attributes): void;
  close(name: string): void;
  /** Receives a piece of text. A text may come in several pieces. */
  text(text: string): void;
}

const MAX_DEPTH = 100;

/**
 * Reads an XML document. A hostile one can't expand: only XML's own five entities are known, and document types are refused.
 * @throws Error for a document that can't be read
 */
export function readXml(bytes: Uint8Array, listener: XmlListener): void {
  const refuse = (error?: Error) => {
    throw error ?? new Error('the document has a document type, or too many levels');
  };
  const parser = new SaxesParser({ xmlns: false, position: false });
  let depth = 0;
  parser.on('error', refuse);
  parser.on('doctype', () => refuse());
  parser.on('opentag', ({ name, attributes }) => {
    if (++depth > MAX_DEPTH) refuse();
    listener.open(localName(name), attributes);
  });
  parser.on('closetag', ({ name }) => {
    depth--;
    listener.close(localName(name));
  });
  parser.on('text', (text) => listener.text(text));
  parser.on('cdata', (text) => listener.text(text));
  parser.write(new TextDecoder(encodingOf(bytes), { fatal: true }).decode(bytes)).close();
}

function encodingOf([first, second]: Uint8Array): string {
  return first === 0xff && second === 0xfe ? 'utf-16le' : 'utf-8';
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}
