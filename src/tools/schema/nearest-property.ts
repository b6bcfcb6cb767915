import { nearest } from '../../commands/engine/nearest.ts';

/** Returns true for `inherent_likelihood` and `likelihood`. */
const hasWords = (name: string, words: string): boolean => `_${name}_`.includes(`_${words}_`);

/** Below this length, two other letters make another word: note isn't name. */
const MIN_LENGTH_WITH_TWO_EDITS = 6;

/** Returns the property that is spelled nearly alike. Letters that changed places are one edit. */
function misspelled(word: string, properties: readonly string[]): string | null {
  return nearest(word, properties, word.length >= MIN_LENGTH_WITH_TWO_EDITS ? 2 : 1);
}

/**
 * Returns the property that an unknown name most likely means, or null. That is its plural, a longer or a shorter name
 * with the same words, or one that is spelled nearly alike. A far one would mislead: `control_id` isn't `owner_id`.
 */
export function nearestProperty(name: string, properties: readonly string[]): string | null {
  const word = name.toLowerCase().replace(/[\s-]+/g, '_');
  return (
    properties.find((property) => property === `${word}s`) ??
    properties.find((property) => hasWords(property, word)) ??
    misspelled(word, properties) ??
    properties.find((property) => hasWords(word, property)) ??
    nearest(word, properties, word.length / 3)
  );
}
