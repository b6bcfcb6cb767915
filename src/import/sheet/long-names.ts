import { MAX_CHARACTERS } from '../../register/field.ts';
import type { FieldValue } from '../../sheets/cells/read-cell.ts';

const ELLIPSIS = '…';

/**
 * Returns a row's values with a name that fits. A longer name, such as a whole sentence, begins the description in full.
 * Returns the same object if the name fits.
 */
export function shortenName(values: Readonly<Record<string, FieldValue>>): Readonly<Record<string, FieldValue>> {
  const { name, description } = values;
  if (typeof name !== 'string') return values;
  if (name === description && fits(name)) return withoutDescription(values);
  if (fits(name)) return values;
  const isRepeated = description === undefined || String(description).startsWith(name);
  return {
    ...values,
    name: beginningOf(name),
    description: isRepeated ? (description ?? name) : `${name}\n\n${description}`,
  };
}

function fits(name: string): boolean {
  return name.length <= MAX_CHARACTERS.name && !name.includes('\n');
}

/** Returns the first line, cut at a word. */
function beginningOf(text: string): string {
  const line = text.split('\n', 1)[0]!.trim();
  if (line.length <= MAX_CHARACTERS.name) return line;
  const cut = line.slice(0, MAX_CHARACTERS.name - ELLIPSIS.length);
  const end = cut.lastIndexOf(' ');
  return `${(end > 0 ? cut.slice(0, end) : cut).replace(/[\s,;:–-]+$/, '')}${ELLIPSIS}`;
}

function withoutDescription({ description: _description, ...values }: Readonly<Record<string, FieldValue>>) {
  return values;
}
