import type { CollectionSpec, Condition, DocumentReads } from '../../stores/read-store.ts';
import type { LogSealed, SealEvent, SealKeyRotated } from '../../trail/seals/seal-events.ts';

interface SealPlace {
  position: number;
  /** Revision in the seal stream. */
  revision: number;
  event_id: string;
  hash: string;
}

const SEALS_PER_READ = 500;

export type SealDocument = SealEvent & SealPlace;
export type LogSealedDocument = { type: 'LogSealed'; data: LogSealed } & SealPlace;

/** The events of each organization's seal stream. Only seals have the key `size`: the number of events they cover. */
export const SEALS: CollectionSpec = {
  name: 'seals',
  keys: { position: 'number', size: 'number' },
  indexes: [{ keys: ['position'] }, { keys: ['size'] }],
  searchable: false,
};

/** Returns the newest event of the seal stream, of any type. */
export async function newestSealEvent(models: DocumentReads, organizationId: string): Promise<SealDocument | null> {
  return firstSealDocument(models, organizationId, [], { key: 'position', direction: 'DESC' });
}

export async function newestSeal(models: DocumentReads, organizationId: string): Promise<LogSealedDocument | null> {
  const present = { key: 'size', op: 'present' } as const;
  return firstSealDocument<LogSealedDocument>(models, organizationId, [present], { key: 'size', direction: 'DESC' });
}

/** Returns the first seal that covers a position. */
export async function firstSealOf(
  models: DocumentReads,
  organizationId: string,
  position: number,
): Promise<LogSealedDocument | null> {
  const covers = { key: 'size', op: 'range', gte: position } as const;
  return firstSealDocument<LogSealedDocument>(models, organizationId, [covers], { key: 'size', direction: 'ASC' });
}

/** Returns the first seals that cover these positions, each seal once, the smallest first. Unsealed positions have none. */
export async function firstSealsOf(
  models: DocumentReads,
  organizationId: string,
  positions: Iterable<number>,
): Promise<LogSealedDocument[]> {
  const seals: LogSealedDocument[] = [];
  for (const position of [...positions].sort((a, b) => a - b)) {
    if ((seals.at(-1)?.data.size ?? 0) >= position) continue;
    const seal = await firstSealOf(models, organizationId, position);
    if (seal === null) break;
    seals.push(seal);
  }
  return seals;
}

/** Returns the newest seals that cover fewer events than `size`, the newest first. */
export async function sealsBelow(
  models: DocumentReads,
  organizationId: string,
  size: number,
  limit: number,
): Promise<LogSealedDocument[]> {
  const where = [{ key: 'size', op: 'range', lt: size }] as const;
  const order = { key: 'size', direction: 'DESC' } as const;
  const documents = await models.find({ collection: SEALS.name, organizationId, where, order, limit });
  return documents.map(({ doc }) => doc as unknown as LogSealedDocument);
}

/** Returns seals that cover at least `from` events, the smallest first, up to the first that covers `to`. */
export async function sealsCovering(
  models: DocumentReads,
  organizationId: string,
  { from, to }: { from: number; to: number },
): Promise<LogSealedDocument[]> {
  const order = { key: 'size', direction: 'ASC' } as const;
  const seals: LogSealedDocument[] = [];
  for (let least = from; ; least = seals.at(-1)!.data.size + 1) {
    const where = [{ key: 'size', op: 'range', gte: least }] as const;
    const page = await models.find({ collection: SEALS.name, organizationId, where, order, limit: SEALS_PER_READ });
    for (const { doc } of page) {
      seals.push(doc as unknown as LogSealedDocument);
      if (seals.at(-1)!.data.size >= to) return seals;
    }
    if (page.length < SEALS_PER_READ) return seals;
  }
}

/** Far more rotations of keys than any history has. */
const MAX_KEY_ROTATIONS = 10_000;

/** Returns the key rotations before a position, in log order. */
export async function rotationsBefore(
  models: DocumentReads,
  organizationId: string,
  position: number,
): Promise<SealKeyRotated[]> {
  const where = [
    { key: 'size', op: 'empty' },
    { key: 'position', op: 'range', lt: position },
  ] as const;
  const order = { key: 'position', direction: 'ASC' } as const;
  const documents = await models.find({
    collection: SEALS.name,
    organizationId,
    where,
    order,
    limit: MAX_KEY_ROTATIONS,
  });
  const facts = documents.map(({ doc }) => doc as unknown as SealDocument);
  return facts.flatMap((fact) => (fact.type === 'SealKeyRotated' ? [fact.data] : []));
}

async function firstSealDocument<T extends SealDocument>(
  models: DocumentReads,
  organizationId: string,
  where: readonly Condition[],
  order: { key: string; direction: 'ASC' | 'DESC' },
): Promise<T | null> {
  const [documents] = await models.find({ collection: SEALS.name, organizationId, where, order, limit: 1 });
  return (documents?.doc ?? null) as T | null;
}
