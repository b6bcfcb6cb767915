import { blank, type Prose } from './prose.ts';

/** Collects the text of one JSX element until something interrupts it. */
export class TextRun {
  readonly #texts: Prose[];
  #start = 0;
  #text = '';

  /** @param texts where finished runs go */
  constructor(texts: Prose[]) {
    this.#texts = texts;
  }

  addText(start: number, text: string): void {
    this.#fillTo(start);
    this.#text += text.replace(/&#?\w+;/g, blank);
  }

  /** Adds an expression, which counts as one word. */
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
