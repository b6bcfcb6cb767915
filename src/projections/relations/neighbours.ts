import { type DirectedRelation, relationOfRecord } from '../../register/link.ts';
import type { CollectionSpec, DocumentPut, ReadModels, StoredDocument } from '../../stores/read-store.ts';
import type { RecordDocument } from '../read-models/read-model.ts';
import { OPEN_END } from './related-counts.ts';

/**
 * Pairs of connected records: by a link, by evidence, or because one has a field with the other's id. Each pair has two
 * rows, one for each record, with the positions between which they were connected.
 */
export const LINKS: CollectionSpec = {
  name: 'links',
  keys: {
    record_id: 'text',
    other_id: 'text',
    other_type: 'text',
    from_position: 'number',
    until_position: 'number',
  },
  indexes: [
    { keys: ['record_id', 'from_position'], covers: ['until_position', 'other_type', 'other_id'], lookup: true },
    { keys: ['from_position'] },
    { keys: ['until_position'] },
  ],
  searchable: false,
};

/** The same pairs for projections. They read them by id, because a new generation has no other indexes yet. */
export const NEIGHBOURS: CollectionSpec = { name: 'neighbours', keys: {}, indexes: [], searchable: false };

/** Neighbours per stored document. Adding one to a record with 10,000 neighbours writes one or two documents. */
const NEIGHBOURS_PER_PAGE = 200;

interface PageDocument {
  /** The number of pages. Only the first page has it. */
  pages?: number;
  positions: Record<string, number>;
}

/** Memory of one neighbour: its id and its entry in a map. */
const NEIGHBOUR_BYTES = 120;

/** The neighbours of a record, stored in pages. Each has the position at which it became a neighbour. */
export class Neighbours {
  private readonly changed = new Set<number>();

  /** @param pages none for a new record */
  constructor(private readonly pages: Map<string, number>[] = []) {}

  /** Reads the neighbours of several records in two calls. */
  static async read(models: Pick<ReadModels, 'get'>, ids: readonly string[]): Promise<Map<string, Neighbours>> {
    const pages = new Map<string, PageDocument>();
    const get = async (pageIds: readonly string[]) => {
      if (pageIds.length === 0) return;
      for (const { id, doc } of await models.get(NEIGHBOURS.name, pageIds))
        pages.set(id, doc as unknown as PageDocument);
    };
    const pagesOf = (id: string) => Array.from({ length: pages.get(id)?.pages ?? 0 }, (_, index) => pageId(id, index));
    await get(ids);
    await get(ids.flatMap((id) => pagesOf(id).slice(1)));
    const mapOf = (page: string) => new Map(Object.entries(pages.get(page)!.positions));
    return new Map(ids.map((id) => [id, new Neighbours(pagesOf(id).map(mapOf))]));
  }

  /** Returns the position from which another record is a neighbour; undefined if it isn't one. */
  positionOf(other: string): number | undefined {
    for (const page of this.pages) {
      const position = page.get(other);
      if (position !== undefined) return position;
    }
    return undefined;
  }

  /** The approximate memory that they take. */
  get bytes(): number {
    return this.pages.reduce((bytes, { size }) => bytes + size * NEIGHBOUR_BYTES, 0);
  }

  *ids(): Generator<string> {
    for (const page of this.pages) yield* page.keys();
  }

  /** Adds a neighbour, or gives one another position. */
  add(other: string, position: number): void {
    let index = this.pages.findIndex((page) => page.has(other));
    if (index < 0) index = this.pages.findLastIndex(({ size }) => size < NEIGHBOURS_PER_PAGE);
    if (index < 0) {
      index = this.pages.push(new Map()) - 1;
      // The first page has the number of pages.
      this.changed.add(0);
    }
    this.pages[index]!.set(other, position);
    this.changed.add(index);
  }

  remove(other: string): void {
    for (const [index, page] of this.pages.entries()) if (page.delete(other)) this.changed.add(index);
  }

  /** Returns the writes for pages that changed since the last call. */
  puts({ id, organization_id }: RecordDocument): DocumentPut[] {
    const puts = [...this.changed].map((index) => {
      const positions = Object.fromEntries(this.pages[index]!);
      const doc: PageDocument = index === 0 ? { pages: this.pages.length, positions } : { positions };
      return { collection: NEIGHBOURS.name, document: { id: pageId(id, index), organization_id, keys: {}, doc } };
    });
    this.changed.clear();
    return puts;
  }
}

function pageId(id: string, index: number): string {
  return index === 0 ? id : `${id}~${index}`;
}

/** From when to when two records are connected, and by which relation. */
export interface Connection {
  relation: DirectedRelation | null;
  from_position: number;
  until_position?: number;
}

/** Returns the row for one record of a connected pair. `until_position` is where the connection ended. */
export function linkRow(
  record: RecordDocument,
  other: { id: string; type: string },
  { relation, from_position, until_position = OPEN_END }: Connection,
): DocumentPut {
  const { id: record_id, organization_id } = record;
  const keys = { record_id, other_id: other.id, other_type: other.type, from_position, until_position };
  const relationWord = relation === null ? {} : { relation: relationOfRecord(record_id, relation) };
  const document: StoredDocument = {
    id: linkRowId(record_id, other.id, from_position),
    organization_id,
    keys,
    doc: { record_id, other_id: other.id, other_type: other.type, ...relationWord, from_position },
  };
  return { collection: LINKS.name, document };
}

/** Returns the id of the row for one record of a pair that is connected from a position on. */
export function linkRowId(recordId: string, otherId: string, fromPosition: number): string {
  return `${recordId}~${otherId}@${fromPosition}`;
}
