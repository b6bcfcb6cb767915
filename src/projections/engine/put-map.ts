import type { DocumentPut } from '../../stores/read-store.ts';

/** Writes of documents by collection and id. A later write of a document replaces an earlier one. */
export class PutMap {
  private readonly byCollection = new Map<string, Map<string, DocumentPut>>();
  private count = 0;

  get size(): number {
    return this.count;
  }

  get(collection: string, id: string): DocumentPut | undefined {
    return this.byCollection.get(collection)?.get(id);
  }

  set(put: DocumentPut): void {
    const { collection, document } = put;
    let puts = this.byCollection.get(collection);
    if (puts === undefined) {
      puts = new Map();
      this.byCollection.set(collection, puts);
    }
    const sizeBefore = puts.size;
    puts.set(document.id, put);
    this.count += puts.size - sizeBefore;
  }

  delete(collection: string, id: string): void {
    if (this.byCollection.get(collection)?.delete(id)) this.count -= 1;
  }

  /** Returns all writes, one collection after the other. */
  values(): DocumentPut[] {
    return [...this.byCollection.values()].flatMap((puts) => [...puts.values()]);
  }

  clear(): void {
    this.byCollection.clear();
    this.count = 0;
  }
}
