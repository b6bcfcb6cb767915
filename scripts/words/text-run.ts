import { blankOut, type Prose } from './prose.ts';

/** Joins the text of a JSX element and its inline children, until a block element or the end interrupts it. */
export class TextRun {
  readonly #texts: Prose[];
  #start = 0;
  #text = '';

  /** @param texts receives each finished run */
  constructor(texts: Prose[]) {
    this.#texts = texts;
  }

  addText(start: number, text: string): void {
    this.#fillTo(start);
    this.#text += text.replace(/&#?\w+;/g, blankOut);
  }

  /** Adds a placeholder for an expression, which counts as one word. */
  addWord(start: number): void {
    this.#fillTo(start);
    this.#text += 'X';
  }

  end(): void {
    if (this.#text.trim() !== '') this.#texts.push({ start: this.#start, text: this.#text });
    this.#text = '';
  }

  #fillTo(start: number): void {
    if (this.#text === '') this.#start = start;
    this.#text += ' '.repeat(start - this.#start - this.#text.length);
  }
}
