/**
 * The most tokens that a model's tokenizer makes of a text, by the kinds of its characters. Byte-pair encodings make at
 * most one token of a byte; a lower case letter seldom stands alone, capitals and digits of ids do.
 */
export function tokensAtMost(text: string): number {
  let tokens = 0;
  for (const character of text) {
    const code = character.codePointAt(0)!;
    if (code === 32) tokens += 0.2;
    else if (code >= 97 && code <= 122) tokens += 0.5;
    else if (code < 128) tokens += 1;
    else if (code < 0x800) tokens += 1.5;
    else tokens += code < 0x10000 ? 2 : 4;
  }
  return Math.ceil(tokens) + 2;
}
