import { getHeapStatistics } from 'node:v8';
import type { Checkpoint, Commit, DocumentPut, MatchingDocument, ReadModels } from '../stores/read-store.ts';
import { documentKey } from './batch.ts';
import { READ_MODELS } from './models.ts';
import { LINKS, NEIGHBOURS } from './neighbours.ts';
import { historyOf } from './read-model.ts';
import { OPEN_END } from './related-counts.ts';

/** Heap bytes for each document that may be held back: a few times what one takes. */
const HEAP_OF_ONE = 16 * 1024;

const CURRENT = new Set([...READ_MODELS.map((model) => model.family.plural), NEIGHBOURS.name]);
const ENDING = new Set([...READ_MODELS.map((model) => historyOf(model.family.plural)), LINKS.name]);

/**
 * Holds back, while a generation is built, what a later event will write again: records as they are now, and versions
 * and links that have not ended. Most are so written once instead of once an event. Nobody reads such a generation and a cut-off
 * build is thrown away, so nothing depends on a commit being whole.
 */
export class WriteBuffer implements Pick<ReadModels, 'get' | 'commit' | 'checkpoints' | 'recover'> {
  private readonly held = new Map<string, DocumentPut>();
  private readonly most = Math.floor(getHeapStatistics().heap_size_limit / HEAP_OF_ONE);

  constructor(private readonly models: ReadModels) {}

  recover(): Promise<void> {
    return this.models.recover();
  }

  checkpoints(): Promise<Checkpoint[]> {
    return this.models.checkpoints();
  }

  async get(collection: string, ids: readonly string[]): Promise<MatchingDocument[]> {
    const found: MatchingDocument[] = [];
    const absent: string[] = [];
    for (const id of ids) {
      const put = this.held.get(documentKey(collection, id));
      if (put === undefined) absent.push(id);
      else found.push({ id, key: null, doc: put.document.doc as MatchingDocument['doc'] });
    }
    return absent.length === 0 ? found : [...found, ...(await this.models.get(collection, absent))];
  }

  async commit({ checkpoint, puts }: Commit): Promise<void> {
    const final: DocumentPut[] = [];
    for (const put of puts) {
      const key = documentKey(put.collection, put.document.id);
      if (willChange(put)) {
        this.held.set(key, put);
      } else {
        this.held.delete(key);
        final.push(put);
      }
    }
    const released = this.held.size > this.most ? this.release() : [];
    await this.models.commit({ checkpoint, puts: final.concat(released) });
  }

  /** Writes all that is held back, as one more commit of each organization; `checkpoints` are moved on by it. */
  async flush(checkpoints: Map<string, Checkpoint>): Promise<void> {
    const byOrganization = new Map<string, DocumentPut[]>();
    for (const put of this.release()) {
      const { organization_id } = put.document;
      const puts = byOrganization.get(organization_id);
      if (puts) puts.push(put);
      else byOrganization.set(organization_id, [put]);
    }
    for (const [organizationId, puts] of byOrganization) {
      const last = checkpoints.get(organizationId)!;
      const checkpoint = { ...last, n: last.n + 1 };
      await this.models.commit({ checkpoint, puts });
      checkpoints.set(organizationId, checkpoint);
    }
  }

  private release(): DocumentPut[] {
    const puts = [...this.held.values()];
    this.held.clear();
    return puts;
  }
}

function willChange({ collection, document }: DocumentPut): boolean {
  if (CURRENT.has(collection)) return true;
  return ENDING.has(collection) && document.keys.until_position === OPEN_END;
}
