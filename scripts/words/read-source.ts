import { blankOut, type Prose, resolveEscapes } from './prose.ts';
import { TextRun } from './text-run.ts';

/** The parts of a source file that this check reads. */
export interface SourceText {
  comments: Prose[];
  /** String literals and templates. Literals joined by `+` are one. */
  strings: Prose[];
  /** Text between JSX tags. Inline elements such as `<b>` do not interrupt it. */
  jsxTexts: Prose[];
  /** The source with comments and strings blanked. */
  code: string;
}

/** After these words an expression begins, so `/` begins a regular expression and `<` a JSX element. */
const BEFORE_EXPRESSION = new Set(
  'return typeof case in of await yield else do void delete instanceof new throw default'.split(' '),
);
const INLINE_ELEMENTS = new Set('a abbr b code em i kbd mark small span strong time'.split(' '));
const REGULAR_EXPRESSION = /\/(?:[^\\/[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/\w*/y;
const WORD = /[\p{L}\p{N}_$]+/uy;
/** An arrow function's type parameters in a .tsx file, such as `<T,>` and `<T extends object>`. */
const TYPE_PARAMETERS = /<[A-Z]\w*(?:,| extends )/y;

/** Splits a TypeScript or JavaScript file into comments, strings, JSX text and code. The file must have no syntax error. */
export function readSource(source: string, options: { jsx: boolean }): SourceText {
  return new SourceReader(source, options.jsx).read();
}

class SourceReader {
  readonly #source: string;
  readonly #jsx: boolean;
  readonly #result: SourceText = { comments: [], strings: [], jsxTexts: [], code: '' };
  readonly #blanked: { from: number; to: number }[] = [];
  #at = 0;

  constructor(source: string, jsx: boolean) {
    this.#source = source;
    this.#jsx = jsx;
  }

  read(): SourceText {
    if (this.#source.startsWith('#!')) this.#at = this.#endOfLine(0);
    this.#readCode();
    let code = '';
    let done = 0;
    for (const { from, to } of this.#blanked) {
      code += this.#source.slice(done, from) + blankOut(this.#source.slice(from, to));
      done = to;
    }
    this.#result.code = code + this.#source.slice(done);
    return this.#result;
  }

  /** Reads to the end of the file, or past the brace that closes an expression in a template or in JSX. */
  #readCode(): void {
    let depth = 0;
    let afterOperand = false;
    while (this.#at < this.#source.length) {
      const character = this.#source[this.#at]!;
      if (this.#skipSpaceOrComment(character)) continue;
      if (this.#readOperand(character, afterOperand)) {
        afterOperand = true;
        continue;
      }
      const word = this.#match(WORD);
      if (word !== undefined) {
        afterOperand = !BEFORE_EXPRESSION.has(word);
        this.#at += word.length;
        continue;
      }
      this.#at++;
      if (character === '{') depth++;
      if (character === '}' && depth-- === 0) return;
      // A postfix `!` leaves an operand an operand.
      if (character !== '!') afterOperand = character === ')' || character === ']';
    }
  }

  /** Returns true after reading a white space or comments. */
  #skipSpaceOrComment(character: string): boolean {
    if (/\s/.test(character)) this.#at++;
    else if (this.#source.startsWith('//', this.#at)) this.#readLineComments();
    else if (this.#source.startsWith('/*', this.#at)) this.#readBlockComment();
    else return false;
    return true;
  }

  /** Returns true after reading a string, a regular expression or a JSX element. */
  #readOperand(character: string, afterOperand: boolean): boolean {
    if (/['"`]/.test(character)) {
      this.#readString();
      return true;
    }
    if (afterOperand) return false;
    const expression = character === '/' ? this.#match(REGULAR_EXPRESSION) : undefined;
    if (expression !== undefined) {
      this.#blank(this.#at, this.#at + expression.length);
      this.#at += expression.length;
      return true;
    }
    if (character !== '<' || !this.#beginsElement()) return false;
    this.#readElement(new TextRun(this.#result.jsxTexts));
    return true;
  }

  /** Reads a line comment and the ones on the lines below it, which continue it. */
  #readLineComments(): void {
    const start = this.#at;
    let text = '';
    for (;;) {
      const end = this.#endOfLine(this.#at);
      const line = this.#source.slice(this.#at, end);
      const marker = /^\/\/+(?: {5,}.*)?/.exec(line)![0];
      text += blankOut(marker) + line.slice(marker.length);
      this.#at = end;
      const gap = /^\n[ \t]*(?=\/\/)/.exec(this.#source.slice(end, end + 200))?.[0];
      // A comment after code on the same line doesn't continue on the next line.
      if (gap === undefined || !/(^|\n)[ \t]*$/.test(this.#source.slice(Math.max(0, start - 200), start))) break;
      text += gap;
      this.#at += gap.length;
    }
    this.#blank(start, this.#at);
    this.#result.comments.push({ start, text });
  }

  /** Reads a comment without its markers. Lines indented by five spaces or more show code: they are left out. */
  #readBlockComment(): void {
    const start = this.#at;
    const close = this.#source.indexOf('*/', start + 2);
    this.#at = close < 0 ? this.#source.length : close + 2;
    const text = this.#source
      .slice(start, this.#at)
      .replace(/^\/\*+|\**\/$/g, blankOut)
      .replace(/^[ \t]*\*(?: {5,}.*)?/gm, blankOut);
    this.#blank(start, this.#at);
    this.#result.comments.push({ start, text });
  }

  /** Reads a string or template, and those that `+` joins to it. */
  #readString(): void {
    const start = this.#at;
    let text = '';
    for (;;) {
      text += this.#source[this.#at] === '`' ? this.#readTemplate() : this.#readQuoted();
      const gap = this.#match(/\s*\+\s*(?=['"`])/y);
      if (gap === undefined) break;
      text += ' '.repeat(gap.length);
      this.#at += gap.length;
    }
    this.#result.strings.push({ start, text });
  }

  #readQuoted(): string {
    const start = this.#at++;
    const quote = this.#source[start]!;
    while (this.#at < this.#source.length && this.#source[this.#at] !== quote && this.#source[this.#at] !== '\n') {
      this.#at += this.#source[this.#at] === '\\' ? 2 : 1;
    }
    this.#at++;
    this.#blank(start, this.#at);
    return ` ${resolveEscapes(this.#source.slice(start + 1, this.#at - 1))} `;
  }

  #readTemplate(): string {
    let from = this.#at++;
    let text = ' ';
    let begin = this.#at;
    while (this.#at < this.#source.length) {
      const character = this.#source[this.#at];
      if (character === '`') break;
      if (character === '$' && this.#source[this.#at + 1] === '{') {
        text += resolveEscapes(this.#source.slice(begin, this.#at));
        const expression = this.#at;
        this.#at += 2;
        this.#blank(from, this.#at);
        this.#readCode();
        text += 'X'.repeat(this.#at - expression);
        begin = this.#at;
        from = this.#at;
      } else {
        this.#at += character === '\\' ? 2 : 1;
      }
    }
    text += `${resolveEscapes(this.#source.slice(begin, this.#at))} `;
    this.#at++;
    this.#blank(from, this.#at);
    return text;
  }

  #beginsElement(): boolean {
    return (
      this.#jsx && /[A-Za-z>]/.test(this.#source[this.#at + 1] ?? '') && this.#match(TYPE_PARAMETERS) === undefined
    );
  }

  /** Reads an element. The text of an inline element belongs to its parent's. */
  #readElement(parent: TextRun): void {
    const start = this.#at++;
    const name = this.#match(/[\w.:-]*/y)!;
    this.#at += name.length;
    const isClosed = this.#readAttributes();
    const inline = INLINE_ELEMENTS.has(name);
    if (isClosed) {
      // A component without children, such as a date, reads as one word.
      if (/^[A-Z]/.test(name)) parent.addWord(start);
      else if (!inline) parent.end();
      return;
    }
    const run = inline ? parent : new TextRun(this.#result.jsxTexts);
    if (!inline) parent.end();
    this.#readChildren(run);
    if (!inline) run.end();
  }

  /** Reads to the end of a start tag. Returns true when the tag closes itself. */
  #readAttributes(): boolean {
    while (this.#at < this.#source.length) {
      const character = this.#source[this.#at]!;
      if (character === '>') {
        this.#at++;
        return false;
      }
      if (this.#source.startsWith('/>', this.#at)) {
        this.#at += 2;
        return true;
      }
      if (/['"]/.test(character)) this.#readString();
      else if (this.#source.startsWith('//', this.#at)) this.#readLineComments();
      else if (this.#source.startsWith('/*', this.#at)) this.#readBlockComment();
      else if (character === '{') this.#readExpression();
      else this.#at++;
    }
    return true;
  }

  #readChildren(run: TextRun): void {
    while (this.#at < this.#source.length) {
      if (this.#source.startsWith('</', this.#at)) {
        this.#at = this.#source.indexOf('>', this.#at) + 1;
        return;
      }
      if (this.#source[this.#at] === '<') {
        this.#readElement(run);
      } else if (this.#source[this.#at] === '{') {
        const start = this.#at;
        this.#readExpression();
        // A space in braces and a comment don't count as words.
        if (!/^\{\s*(?:['"]\s*['"]|\/\*[\s\S]*\*\/)\s*\}$/.test(this.#source.slice(start, this.#at)))
          run.addWord(start);
      } else {
        const text = this.#match(/[^<{]+/y)!;
        run.addText(this.#at, text);
        this.#blank(this.#at, this.#at + text.length);
        this.#at += text.length;
      }
    }
  }

  #readExpression(): void {
    this.#at++;
    this.#readCode();
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    return pattern.exec(this.#source)?.[0];
  }

  #endOfLine(from: number): number {
    const end = this.#source.indexOf('\n', from);
    return end < 0 ? this.#source.length : end;
  }

  #blank(from: number, to: number): void {
    this.#blanked.push({ from, to });
  }
}
