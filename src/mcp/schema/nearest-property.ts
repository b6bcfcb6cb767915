import { nearest } from '../../commands/engine/nearest.ts';

/** Returns true for `inherent_likelihood` and `likelihood`. */
const hasWords = (name: string, words: string): boolean => `_${name}_`.includes(`_${words}_`);

/**
 * Returns the property that an unknown name most likely means, or null. That is its plural, a longer or a shorter name
 * with the same words, or one that is spelled nearly alike. A far one would mislead: `control_id` isn't `owner_id`.
 */
export function nearestProperty(name: string, properties: readonly string[]): string | null {
  const word = name.toLowerCase().replace(/[\s-]+/g, '_');
  return (
    properties.find((property) => property === `${word}s`) ??
    properties.find((property) => hasWords(property, word)) ??
    nearest(word, properties, 2) ??
    properties.find((property) => hasWords(word, property)) ??
    nearest(word, properties, word.length / 3)
  );
}
