// TypeScript calls these modules unstable: a new version may move them.
import { createScanner, LanguageVariant, type Scanner, SyntaxKind } from 'typescript/unstable/ast';
import { blankOut, type Prose, resolveEscapes } from './prose.ts';

/** The parts of a source file that this check reads. */
interface SourceText {
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
/** An element's name, or none of a fragment, but not an arrow function's type parameters such as `<T,>`. */
const ELEMENT_NAME = /(?=[A-Za-z>])(?![A-Z]\w*(?:,| extends ))[\w.:-]*/y;

const NO_WORD = /^\{\s*(?:['"]\s*['"]|\/\*[\s\S]*\*\/)\s*\}$/;

/** Splits a TypeScript or JavaScript file into comments, strings, JSX text and code. The file must have no syntax error. */
export function readSource(source: string, { jsx }: { jsx: boolean }): SourceText {
  return new SourceReader(source, jsx).read();
}

/** Follows TypeScript's scanner, and tells it what only a parser knows: where templates, JSX and expressions begin. */
class SourceReader {
  readonly #source: string;
  readonly #jsx: boolean;
  readonly #scanner: Scanner;
  readonly #result: SourceText = { comments: [], strings: [], jsxTexts: [], code: '' };
  /** Where comments and strings are. */
  readonly #blanks: [start: number, end: number][] = [];
  /** The end of the last line comment, if no code is before it on its line. */
  #lineCommentEnd = -1;

  constructor(source: string, jsx: boolean) {
    this.#source = source;
    this.#jsx = jsx;
    this.#scanner = createScanner(false, jsx ? LanguageVariant.JSX : LanguageVariant.Standard, source);
  }

  read(): SourceText {
    this.#readCode();
    let done = 0;
    for (const [start, end] of this.#blanks) {
      this.#result.code += this.#source.slice(done, start) + blankOut(this.#source.slice(start, end));
      done = end;
    }
    this.#result.code += this.#source.slice(done);
    return this.#result;
  }

  /** Returns the next token that is code, or undefined at the end of the file. */
  #next(): SyntaxKind | undefined {
    for (;;) {
      const kind = this.#scanner.scan();
      if (kind === SyntaxKind.EndOfFile) return undefined;
      if (kind === SyntaxKind.SingleLineCommentTrivia) this.#addLineComment();
      else if (kind === SyntaxKind.MultiLineCommentTrivia) this.#addBlockComment();
      else if (kind !== SyntaxKind.WhitespaceTrivia && kind !== SyntaxKind.NewLineTrivia) return kind;
    }
  }

  /** Reads to the end of the file, or past the brace that closes an expression in a template or in JSX. */
  #readCode(): void {
    let depth = 0;
    let afterOperand = false;
    for (let kind = this.#next(); kind !== undefined; kind = this.#next()) {
      if (this.#readOperand(kind, afterOperand)) {
        afterOperand = true;
        continue;
      }
      if (kind === SyntaxKind.OpenBraceToken) depth++;
      if (kind === SyntaxKind.CloseBraceToken && depth-- === 0) return;
      // A postfix `!` leaves an operand an operand.
      if (kind !== SyntaxKind.ExclamationToken) afterOperand = this.#endsOperand(kind);
    }
  }

  #endsOperand(kind: SyntaxKind): boolean {
    if (kind === SyntaxKind.CloseParenToken || kind === SyntaxKind.CloseBracketToken) return true;
    const text = this.#scanner.getTokenText();
    return /^[\p{L}\p{N}_$#]/u.test(text) && !BEFORE_EXPRESSION.has(text);
  }

  /** Returns true after reading a string, a regular expression or a JSX element. */
  #readOperand(kind: SyntaxKind, afterOperand: boolean): boolean {
    if (isString(kind)) {
      this.#readStrings(kind);
      return true;
    }
    if (afterOperand) return false;
    if (kind === SyntaxKind.SlashToken || kind === SyntaxKind.SlashEqualsToken) {
      this.#scanner.reScanSlashToken();
      this.#blankToken();
      return true;
    }
    const name = this.#jsx && kind === SyntaxKind.LessThanToken ? this.#match(ELEMENT_NAME) : undefined;
    if (name === undefined) return false;
    this.#readElement(name, new TextRun(this.#result.jsxTexts));
    return true;
  }

  /** Adds a line comment, or continues the one on the line above. */
  #addLineComment(): void {
    const start = this.#scanner.getTokenStart();
    const line = this.#blankToken();
    const marker = /^\/\/+(?: {5,}.*)?/.exec(line)![0];
    const text = blankOut(marker) + line.slice(marker.length);
    const gap = this.#source.slice(this.#lineCommentEnd, start);
    const last = this.#result.comments.at(-1);
    if (this.#lineCommentEnd >= 0 && last && /^\r?\n[ \t]*$/.test(gap)) last.text += gap + text;
    else this.#result.comments.push({ start, text });
    const isAlone = this.#source.slice(this.#source.lastIndexOf('\n', start - 1) + 1, start).trim() === '';
    this.#lineCommentEnd = isAlone ? this.#scanner.getTokenEnd() : -1;
  }

  /** Adds a comment without its markers. Lines indented by five spaces or more show code: they are left out. */
  #addBlockComment(): void {
    const start = this.#scanner.getTokenStart();
    const text = this.#blankToken()
      .replace(/^\/\*+|\**\/$/g, blankOut)
      .replace(/^[ \t]*\*(?: {5,}.*)?/gm, blankOut);
    this.#result.comments.push({ start, text });
  }

  /** Reads a string or template, and those that `+` joins to it. */
  #readStrings(first: SyntaxKind): void {
    const start = this.#scanner.getTokenStart();
    let text = '';
    for (let kind = first; ; kind = this.#scanner.scan()) {
      text += kind === SyntaxKind.TemplateHead ? this.#readTemplate() : ` ${this.#literal(1, 1)} `;
      const gap = this.#match(/\s*\+\s*(?=['"`])/y);
      if (gap === undefined) break;
      text += ' '.repeat(gap.length);
      this.#scanner.resetTokenState(this.#scanner.getTokenEnd() + gap.length);
    }
    this.#result.strings.push({ start, text });
  }

  #readTemplate(): string {
    let text = ` ${this.#literal(1, 2)}`;
    for (;;) {
      const expression = this.#scanner.getTokenEnd() - 2;
      this.#readCode();
      const isLast = this.#scanner.reScanTemplateToken(false) === SyntaxKind.TemplateTail;
      text += 'X'.repeat(this.#scanner.getTokenStart() + 1 - expression) + this.#literal(1, isLast ? 1 : 2);
      if (isLast) return `${text} `;
    }
  }

  /** Blanks a literal. Returns it without its delimiters. */
  #literal(opening: number, closing: number): string {
    return resolveEscapes(this.#blankToken().slice(opening, -closing));
  }

  /** Reads an element from its name on. The text of an inline element belongs to its parent's. */
  #readElement(name: string, parent: TextRun): void {
    const start = this.#scanner.getTokenStart();
    this.#scanner.resetTokenState(this.#scanner.getTokenEnd() + name.length);
    const inline = INLINE_ELEMENTS.has(name);
    if (this.#readAttributes()) {
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
    let isClosed = false;
    for (let kind = this.#next(); kind !== SyntaxKind.GreaterThanToken; kind = this.#next()) {
      if (kind === undefined) throw new Error('a tag without an end');
      isClosed = kind === SyntaxKind.SlashToken;
      if (isString(kind)) this.#readStrings(kind);
      if (kind === SyntaxKind.OpenBraceToken) this.#readCode();
    }
    return isClosed;
  }

  /** Reads to the end of an end tag. */
  #readChildren(run: TextRun): void {
    const scan = (): SyntaxKind => this.#scanner.scanJsxToken();
    for (let kind = scan(); kind !== SyntaxKind.LessThanSlashToken; kind = scan()) {
      if (kind === SyntaxKind.EndOfFile) return;
      const start = this.#scanner.getTokenStart();
      if (kind === SyntaxKind.LessThanToken) this.#readElement(this.#match(ELEMENT_NAME)!, run);
      else if (kind === SyntaxKind.OpenBraceToken) {
        this.#readCode();
        // A space in braces and a comment don't count as words.
        if (!NO_WORD.test(this.#source.slice(start, this.#scanner.getTokenEnd()))) run.addWord(start);
      } else run.addText(start, this.#blankToken());
    }
    while (![SyntaxKind.GreaterThanToken, undefined].includes(this.#next()));
  }

  /** Returns what a sticky pattern matches after the token. */
  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#scanner.getTokenEnd();
    return pattern.exec(this.#source)?.[0];
  }

  /** Blanks the token in the code. Returns its text. */
  #blankToken(): string {
    const [start, end] = [this.#scanner.getTokenStart(), this.#scanner.getTokenEnd()];
    this.#blanks.push([start, end]);
    return this.#source.slice(start, end);
  }
}

function isString(kind: SyntaxKind): boolean {
  return [SyntaxKind.StringLiteral, SyntaxKind.NoSubstitutionTemplateLiteral, SyntaxKind.TemplateHead].includes(kind);
}

/** Joins the text of a JSX element and its inline children, until a block element or the end interrupts it. */
class TextRun {
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
