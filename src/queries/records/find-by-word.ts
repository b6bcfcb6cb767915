import { exactTextKey } from '../../projections/read-models/family-model.ts';
import { keysOf } from '../../projections/read-models/read-model.ts';
import { textKey } from '../../projections/read-models/search-text.ts';
import { familyQueryOfType } from '../family-query.ts';
import type { Snapshot } from '../moments/snapshot.ts';

/** The stored key of a control's number. */
const NUMBER_KEY = exactTextKey('section_title');

/**
 * Returns the id of the one live record of a type that a word names exactly: by reference, number or name. Case and
 * accents don't matter. Null if there is none, or more than one.
 */
export async function findByWord(
  { models }: Pick<Snapshot, 'models'>,
  organizationId: string,
  type: string,
  word: string,
): Promise<string | null> {
  const { plural, model, lookalikeFields } = familyQueryOfType(type);
  const value = textKey(word);
  const keys = NUMBER_KEY in keysOf(model) ? [NUMBER_KEY] : lookalikeFields;
  if (value === null) return null;
  for (const key of keys) {
    const found = await models.find({
      collection: plural,
      organizationId,
      where: [
        { key: 'archived', op: 'eq', value: 0 },
        { key, op: 'eq', value },
      ],
      order: { key, direction: 'ASC' },
      limit: 2,
    });
    if (found.length > 0) return found.length === 1 ? String(found[0]!.doc.id) : null;
  }
  return null;
}
