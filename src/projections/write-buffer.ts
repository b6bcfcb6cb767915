import { getHeapStatistics } from 'node:v8';
import type { Checkpoint, Commit, DocumentPut, MatchingDocument, ReadModels } from '../stores/read-store.ts';
import { documentKey } from './batch.ts';
import { READ_MODELS } from './models.ts';
import { LINKS, NEIGHBOURS } from './neighbours.ts';
import { historyOf } from './read-model.ts';
import { OPEN_END } from './related-counts.ts';

/** Heap bytes per document that may be held back: several times what one document needs. */
const HEAP_BYTES_PER_DOCUMENT = 16 * 1024;

const CURRENT = new Set([...READ_MODELS.map((model) => model.family.plural), NEIGHBOURS.name]);
const ENDING = new Set([...READ_MODELS.map((model) => historyOf(model.family.plural)), LINKS.name]);

/**
 * Holds back, while a generation is built, documents that a later event may write again: current records, and versions
 * and links that haven't ended. So most are written once instead of once per event. Commits needn't be complete,
 * because nobody reads such a generation and an interrupted build is dropped.
 */
export class WriteBuffer implements Pick<ReadModels, 'get' | 'commit' | 'checkpoints' | 'recover'> {
  private readonly held = new Map<string, DocumentPut>();
  private readonly maxHeldDocuments = Math.floor(getHeapStatistics().heap_size_limit / HEAP_BYTES_PER_DOCUMENT);

  constructor(private readonly models: ReadModels) {}

  recover(): Promise<void> {
    return this.models.recover();
  }

  checkpoints(): Promise<Checkpoint[]> {
    return this.models.checkpoints();
  }

  async get(collection: string, ids: readonly string[]): Promise<MatchingDocument[]> {
    const documents: MatchingDocument[] = [];
    const absent: string[] = [];
    for (const id of ids) {
      const put = this.held.get(documentKey(collection, id));
      if (put === undefined) absent.push(id);
      else documents.push({ id, key: null, doc: put.document.doc as MatchingDocument['doc'] });
    }
    return absent.length === 0 ? documents : [...documents, ...(await this.models.get(collection, absent))];
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
    const released = this.held.size > this.maxHeldDocuments ? this.release() : [];
    await this.models.commit({ checkpoint, puts: final.concat(released) });
  }

  /** Writes everything held back, in one more commit per organization, and updates `checkpoints`. */
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
