/** Shortens a text from the caller, such as an unknown property's name, and replaces control characters by spaces. */
export function toSingleLine(text: string, maxCharacters: number): string {
  const plain = text.slice(0, maxCharacters + 1).replace(/\p{C}/gu, ' ');
  return plain.length <= maxCharacters ? plain : `${plain.slice(0, maxCharacters - 1)}…`;
}
