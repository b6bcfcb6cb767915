import { invalidField, type Refusal } from '../../commands/engine/refusal.ts';
import { foldWord, readCell, type SheetField } from '../cells/read-cell.ts';

/** The caller's own word for a value of a field. */
export interface FieldWord {
  field: string;
  /** By `foldWord`. */
  word: string;
  /** Empty if cells with the word count as empty. */
  value: string;
}

/**
 * Reads texts such as `status:Approved=ACTIVE` of a command line. Without a value, as in `status:Monitoring=`, the cell
 * counts as empty.
 * @throws Refusal for anything else, an unknown field, and a value that the field doesn't have
 */
export function readValueWords(texts: readonly string[], fields: readonly SheetField[]): FieldWord[] {
  return texts.map((text) => {
    const [, name, word, value] = /^([^:]+):(.+)=([^=]*)$/s.exec(text) ?? [];
    if (name === undefined || word === undefined || value === undefined) {
      throw wordRefusal(`"${text}" is not a word. Give field:word=value, such as status:Monitoring=OPEN.`);
    }
    const field = fields.find((candidate) => candidate.name === name.trim());
    if (field === undefined) {
      throw wordRefusal(`${name.trim()} is not a field. Give one of ${fields.map((each) => each.name).join(', ')}.`);
    }
    const parsed = readCell({ kind: 'text', value: value.trim() }, field);
    if ('error' in parsed) throw wordRefusal(`${field.name} ${parsed.error}.`);
    return { field: field.name, word: foldWord(word), value: value.trim() };
  });
}

/** Returns words by field, for the reader of columns. Later ones replace earlier ones. */
export function wordsByField(words: readonly FieldWord[]): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const byField = new Map<string, Map<string, string>>();
  for (const { field, word, value } of words) {
    const fieldWords = byField.get(field) ?? new Map<string, string>();
    byField.set(field, fieldWords.set(word, value));
  }
  return byField;
}

function wordRefusal(message: string): Refusal {
  return invalidField('value', message);
}
