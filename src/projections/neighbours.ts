import type { CollectionSpec, DocumentPut, ReadModels, StoredDocument } from '../stores/read-store.ts';
import type { RecordDocument } from './read-model.ts';
import { OPEN_END } from './related-counts.ts';
import { SPAN_COLUMNS, viewOf } from './views.ts';

/**
 * Which records are joined, by a link, an id that one holds of the other, or evidence. Two rows a pair, one for each
 * side, with the positions between which they were joined: what readers ask by.
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
  indexes: [{ keys: ['record_id', 'from_position'], covers: ['until_position', 'other_type', 'other_id'] }],
  searchable: false,
  views: [viewOf('links', ['record_id', 'other_id', 'other_type', ...SPAN_COLUMNS])],
};

/** The same for the fold alone, which looks them up by id also while a generation has no index yet. */
export const NEIGHBOURS: CollectionSpec = { name: 'neighbours', keys: {}, indexes: [], searchable: false };

/** A page holds so many, so that one more neighbour of a busy record costs no more than one of another's. */
const NEIGHBOURS_PER_PAGE = 200;

interface PageDocument {
  /** How many pages there are, in the first of them. */
  pages?: number;
  positions: Record<string, number>;
}

/** The neighbours of a record, each with the position since when, in pages. */
export class Neighbours {
  private readonly pages: Map<string, number>[];
  private readonly changed = new Set<number>();

  private constructor(pages: Map<string, number>[]) {
    this.pages = pages;
  }

  static none(): Neighbours {
    return new Neighbours([]);
  }

  /** Those of some records, in as few reads as can be. */
  static async read(models: Pick<ReadModels, 'get'>, ids: readonly string[]): Promise<Map<string, Neighbours>> {
    const found = new Map<string, PageDocument>();
    const get = async (pages: readonly string[]) => {
      if (pages.length === 0) return;
      for (const { id, doc } of await models.get(NEIGHBOURS.name, pages)) found.set(id, doc as unknown as PageDocument);
    };
    const pagesOf = (id: string) => Array.from({ length: found.get(id)?.pages ?? 0 }, (_, index) => pageId(id, index));
    await get(ids);
    await get(ids.flatMap((id) => pagesOf(id).slice(1)));
    const mapOf = (page: string) => new Map(Object.entries(found.get(page)!.positions));
    return new Map(ids.map((id) => [id, new Neighbours(pagesOf(id).map(mapOf))]));
  }

  since(other: string): number | undefined {
    for (const page of this.pages) {
      const since = page.get(other);
      if (since !== undefined) return since;
    }
    return undefined;
  }

  *ids(): Generator<string> {
    for (const page of this.pages) yield* page.keys();
  }

  add(other: string, since: number): void {
    let index = this.pages.findLastIndex(({ size }) => size < NEIGHBOURS_PER_PAGE);
    if (index < 0) {
      index = this.pages.push(new Map()) - 1;
      // The first page says how many there are.
      this.changed.add(0);
    }
    this.pages[index]!.set(other, since);
    this.changed.add(index);
  }

  remove(other: string): void {
    for (const [index, page] of this.pages.entries()) if (page.delete(other)) this.changed.add(index);
  }

  /** The pages that have changed since they were last asked for, as they are to be stored. */
  puts({ id, organization_id }: RecordDocument): DocumentPut[] {
    const puts = [...this.changed].map((index) => {
      const since = Object.fromEntries(this.pages[index]!);
      const doc: PageDocument = index === 0 ? { pages: this.pages.length, positions: since } : { positions: since };
      return { collection: NEIGHBOURS.name, document: { id: pageId(id, index), organization_id, keys: {}, doc } };
    });
    this.changed.clear();
    return puts;
  }
}

function pageId(id: string, index: number): string {
  return index === 0 ? id : `${id}~${index}`;
}

/** One side of a pair that is joined from a position on, and until another where it has ended. */
export function linkRow(
  record: RecordDocument,
  other: { id: string; type: string },
  from_position: number,
  until_position = OPEN_END,
): DocumentPut {
  const { id: record_id, organization_id } = record;
  const keys = { record_id, other_id: other.id, other_type: other.type, from_position, until_position };
  const document: StoredDocument = {
    id: `${record_id}~${other.id}@${from_position}`,
    organization_id,
    keys,
    doc: { record_id, other_id: other.id, other_type: other.type, from_position },
  };
  return { collection: LINKS.name, document };
}
