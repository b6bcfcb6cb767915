const SPECIAL = /[&<"]/;
const EACH_SPECIAL = new RegExp(SPECIAL, 'g');

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '"': '&quot;' };

/** Escapes a text for the content of an HTML element or a quoted attribute. */
export function escapeHtml(text: string): string {
  return SPECIAL.test(text) ? text.replace(EACH_SPECIAL, (character) => ENTITIES[character]!) : text;
}
