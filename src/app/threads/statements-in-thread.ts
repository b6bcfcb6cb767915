import { logSize } from '../../queries/moments/moment.ts';
import type { Reader } from '../../queries/moments/snapshot.ts';
import type { Count, CountQuery, DocumentQuery, DocumentReads, MatchingDocument } from '../../stores/read-store.ts';
import { MIN_EVENTS_OF_SCAN } from '../../tools/tool.ts';

/** A read of a collection, as data. */
export type ReadStatement =
  | { method: 'find'; query: DocumentQuery }
  | { method: 'count'; query: CountQuery; by: readonly string[] }
  | { method: 'countDistinct'; query: CountQuery; key: string };

type RunStatement = (statement: ReadStatement) => Promise<unknown>;

/** A generation whose collections another thread reads, if they could be large. Documents by id are read in this one. */
class StatementsInThread implements DocumentReads {
  readonly generation: string;

  constructor(
    private readonly local: DocumentReads,
    private readonly reader: Reader,
    private readonly run: RunStatement,
  ) {
    this.generation = local.generation;
  }

  async find(query: DocumentQuery): Promise<MatchingDocument[]> {
    if (this.isReadHere(query)) return this.local.find(query);
    return (await this.run({ method: 'find', query: plainPage(query) })) as MatchingDocument[];
  }

  async count(query: CountQuery, by: readonly string[] = []): Promise<Count[]> {
    if (this.isReadHere(query)) return this.local.count(query, by);
    return (await this.run({ method: 'count', query: plainQuery(query), by })) as Count[];
  }

  async countDistinct(query: CountQuery, key: string): Promise<number> {
    if (this.isReadHere(query)) return this.local.countDistinct(query, key);
    return (await this.run({ method: 'countDistinct', query: plainQuery(query), key })) as number;
  }

  get(collection: string, ids: readonly string[]): Promise<MatchingDocument[]> {
    return this.local.get(collection, ids);
  }

  /** The other thread reads only the generation that is served now. A read that began on the one before ends on it. */
  private isReadHere({ organizationId }: { organizationId: string }): boolean {
    const { models, progress } = this.reader.snapshot();
    return models !== this.local || logSize(progress.checkpoint(organizationId)) < MIN_EVENTS_OF_SCAN;
  }
}

/** Returns a query that can be sent to a thread. Callers may give an object with further members, such as the read models. */
function plainQuery({ collection, organizationId, where, limit }: CountQuery): CountQuery {
  return { collection, organizationId, where, limit };
}

function plainPage(query: DocumentQuery): DocumentQuery {
  const { collection, organizationId, where, order, after, limit } = query;
  return { collection, organizationId, where, order, limit, ...(after && { after }) };
}

/** Returns a reader of the same snapshots, whose statements another thread runs. */
export function readInThread(reader: Reader, run: RunStatement): Reader {
  return {
    snapshot: () => {
      const snapshot = reader.snapshot();
      return snapshot.through(new StatementsInThread(snapshot.models, reader, run));
    },
  };
}

/** Runs a statement that another thread has sent. */
export function runStatement(models: DocumentReads, statement: ReadStatement): Promise<unknown> {
  switch (statement.method) {
    case 'find':
      return models.find(statement.query);
    case 'count':
      return models.count(statement.query, statement.by);
    case 'countDistinct':
      return models.countDistinct(statement.query, statement.key);
  }
}
