import { parseXml } from '../zip/xml.ts';

/**
 * Reads the texts that cells refer to by index (ECMA-376 part 1, 18.4). Cells refer to them in any order, so all are in
 * memory. The caller limits the part's size.
 */
export async function readSharedStrings(bytes: AsyncIterable<Uint8Array>): Promise<string[]> {
  const strings: string[] = [];
  const item = new StringItem();
  await parseXml(bytes, {
    open(name) {
      if (name === 'si') item.clear();
      item.open(name);
    },
    text: (text) => item.text(text),
    close(name) {
      item.close(name);
      if (name === 'si') strings.push(item.value);
    },
  });
  return strings;
}

/** Joins the `t` elements of one text, which may have runs in several fonts. Phonetic text (`rPh`) is left out. */
export class StringItem {
  length = 0;
  #pieces: string[] = [];
  #within = false;
  #phonetic = false;

  clear(): void {
    this.length = 0;
    this.#pieces = [];
  }

  open(name: string): void {
    if (name === 'rPh') this.#phonetic = true;
    if (name === 't') this.#within = !this.#phonetic;
  }

  text(text: string): void {
    if (!this.#within) return;
    this.length += text.length;
    this.#pieces.push(text);
  }

  close(name: string): void {
    if (name === 'rPh') this.#phonetic = false;
    if (name === 't') this.#within = false;
  }

  get value(): string {
    return unescapeText(this.#pieces.join(''));
  }
}

/** Decodes characters such as `_x000D_`, which XML can't contain (ECMA-376 part 1, 22.9.2.19). */
export function unescapeText(text: string): string {
  return text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}
