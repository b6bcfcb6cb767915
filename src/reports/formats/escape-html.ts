/** Characters that HTML reads as markup, and control characters except tabs and line ends. No document may contain these. */
const UNSAFE = /[&<"\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;
const EACH_UNSAFE = new RegExp(UNSAFE, 'g');

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '"': '&quot;' };
const REPLACEMENT = '\uFFFD';

/** Escapes a text for the content of an HTML element or a quoted attribute. Replaces control characters by U+FFFD. */
export function escapeHtml(text: string): string {
  if (!UNSAFE.test(text)) return text;
  return text.replace(EACH_UNSAFE, (character) => ENTITIES[character] ?? REPLACEMENT);
}
