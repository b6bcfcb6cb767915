/** A text of the caller's own, such as the name of an unknown property, as an answer shows it: on one line, and short. */
export function cut(text: string, longest: number): string {
  const plain = text.slice(0, longest + 1).replace(/\p{C}/gu, ' ');
  return plain.length <= longest ? plain : `${plain.slice(0, longest - 1)}…`;
}
