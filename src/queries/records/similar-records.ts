import { familyQueryFor } from '../family-query.ts';
import type { Snapshot } from '../moments/snapshot.ts';

type Document = Record<string, unknown>;

const MAX_SIMILAR = 5;

/** Returns the live records that look like another by its name, text or reference, as a hint for the caller. */
export async function findSimilar(
  { models }: Pick<Snapshot, 'models'>,
  organizationId: string,
  record: Document,
): Promise<{ id: string; name: string }[]> {
  const id = String(record.id);
  const family = familyQueryFor(id);
  const similar = new Map<string, { id: string; name: string }>();
  for (const [key, value] of lookalikeKeys(id, record)) {
    const rows = await models.find({
      collection: family.plural,
      organizationId,
      where: [
        { key: 'archived', op: 'eq', value: 0 },
        { key, op: 'eq', value },
      ],
      order: { key, direction: 'ASC' },
      limit: MAX_SIMILAR + 1,
    });
    for (const { doc } of rows) {
      if (doc.id !== id) similar.set(String(doc.id), { id: String(doc.id), name: family.model.nameOf(doc) });
    }
  }
  return [...similar.values()].slice(0, MAX_SIMILAR);
}

/** Returns the stored keys by which a record looks like others, with their names. Equal keys mean similar records. */
export function lookalikeKeys(id: string, record: Readonly<Document>): (readonly [name: string, key: string])[] {
  return Object.entries(familyQueryFor(id).lookalikes).flatMap(([name, key]) => {
    const value = key.of(record);
    return value === null ? [] : [[name, String(value)] as const];
  });
}
