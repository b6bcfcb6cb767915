/* Byte-pair encoding, as a tokenizer of this kind does it, with as many of its joins as one knows. */

/** A word with what is before it, up to three digits, signs, or space. */
export const PIECE =
  /'(?:[sSdDmMtT]|[lL][lL]|[vV][eE]|[rR][eE])|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+/gu;

/** Bytes that stand for themselves in the table: the others are written 0x100 higher, as letters. */
const ITSELF = /[^\u0021-\u007e]|[`\\$]/g;
/** A piece of more bytes is not looked into: each byte is a token at most. */
const MOST_BYTES = 1_500;

/** A token's bytes, one a character, as the table has them. */
export function written(bytes: string): string {
  return bytes.replace(ITSELF, (byte) => String.fromCharCode(byte.charCodeAt(0) + 0x100));
}

/** And back. */
export function read(text: string): string {
  return text.replace(/[\u0100-\u01ff]/g, (byte) => String.fromCharCode(byte.charCodeAt(0) - 0x100));
}

/** In which order joins are done, by what they make. */
export function ranksOf(merges: readonly string[]): ReadonlyMap<string, number> {
  return new Map(merges.map((made, rank) => [made, rank]));
}

/** Of how many parts a piece is when no two beside one another can be joined any more. */
export function partsOf(piece: string, ranks: ReadonlyMap<string, number>): number {
  // Digits are numbers of up to three, each of which is one.
  if (/^\d+$/.test(piece)) return 1;
  const bytes = Buffer.from(piece, 'utf8');
  if (bytes.length > MOST_BYTES) return bytes.length;
  const parts = [...bytes.toString('latin1')];
  const rankAt = (at: number): number => ranks.get(`${parts[at]}${parts[at + 1]}`) ?? Number.POSITIVE_INFINITY;
  const joins = parts.slice(1).map((_, at) => rankAt(at));
  while (joins.length > 0) {
    const rank = Math.min(...joins);
    if (rank === Number.POSITIVE_INFINITY) break;
    const at = joins.indexOf(rank);
    parts.splice(at, 2, `${parts[at]}${parts[at + 1]}`);
    joins.splice(at, 1);
    if (at < joins.length) joins[at] = rankAt(at);
    if (at > 0) joins[at - 1] = rankAt(at - 1);
  }
  return parts.length;
}
