import { exactTextKey } from '../../projections/read-models/family-model.ts';
import { textKey } from '../../projections/read-models/search-text.ts';
import { familyQueryOfType } from '../family-query.ts';
import type { Snapshot } from '../moments/snapshot.ts';

/** More records with one reference than this are too many to choose from. */
const MAX_MATCHES = 10;

/** The stored key of a control's number. */
const NUMBER_KEY = exactTextKey('section_title');

/**
 * Returns the id of the one live record of a type that a word names: by reference, number or name. Case, accents and, in a
 * reference, the padding of numbers don't matter; but R1 is rather R1 than R01. Null if there is none, or more than one.
 */
export async function findByWord(
  { models }: Pick<Snapshot, 'models'>,
  organizationId: string,
  type: string,
  word: string,
): Promise<string | null> {
  const { plural, model, lookalikes } = familyQueryOfType(type);
  const keys = NUMBER_KEY in model.keys ? [NUMBER_KEY] : Object.keys(lookalikes);
  const text = textKey(word);
  if (text === null) return null;
  for (const key of keys) {
    const value = key === NUMBER_KEY ? text : lookalikes[key]!.of({ [key]: word })!;
    const found = await models.find({
      collection: plural,
      organizationId,
      where: [
        { key: 'archived', op: 'eq', value: 0 },
        { key, op: 'eq', value },
      ],
      order: { key, direction: 'ASC' },
      limit: MAX_MATCHES,
    });
    const exact = found.filter(({ doc }) => textKey((doc[key] ?? null) as string | null) === text);
    const matches = exact.length > 0 ? exact : found;
    if (matches.length > 0) return matches.length === 1 ? String(matches[0]!.doc.id) : null;
  }
  return null;
}
