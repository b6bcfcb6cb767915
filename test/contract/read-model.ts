import type { Condition, Count, DocumentQuery, Scalar, StoredDocument } from '../../src/stores/read-store.ts';

/** A naive model of a read store: filters and sorts an array. */

/** Compares texts by UTF-8 bytes and numbers by value. An empty key comes first. */
export function compareKeys(a: Scalar | null, b: Scalar | null): number {
  if (a === null || b === null) return Number(a !== null) - Number(b !== null);
  if (typeof a === 'string' && typeof b === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return Number(a) - Number(b);
}

const keyOf = (document: StoredDocument, key: string): Scalar | null => document.keys[key] ?? null;

const hasWords = ({ words = [] }: StoredDocument, prefixes: readonly string[]): boolean =>
  prefixes.every((prefix) => words.some((word) => `${word} `.startsWith(prefix)));

function matches(document: StoredDocument, condition: Condition): boolean {
  if (condition.op === 'ids') return condition.ids.includes(document.id);
  if (condition.op === 'words') {
    return hasWords(document, condition.prefixes);
  }
  if (condition.op === 'anyWords') return condition.alternatives.some((prefixes) => hasWords(document, prefixes));
  const key = keyOf(document, condition.key);
  if (condition.op === 'empty') return key === null;
  if (key === null) return false;
  if (condition.op === 'present') return true;
  if (condition.op === 'has') return String(key).includes(` ${condition.value} `);
  if (condition.op === 'eq') return key === condition.value;
  if (condition.op === 'in') return condition.values.includes(key);
  return (
    (condition.gt === undefined || compareKeys(key, condition.gt) > 0) &&
    (condition.gte === undefined || compareKeys(key, condition.gte) >= 0) &&
    (condition.lt === undefined || compareKeys(key, condition.lt) < 0) &&
    (condition.lte === undefined || compareKeys(key, condition.lte) <= 0)
  );
}

type Where = Pick<DocumentQuery, 'organizationId' | 'where'>;

function select(documents: readonly StoredDocument[], { organizationId, where }: Where): StoredDocument[] {
  return documents.filter(
    (document) =>
      document.organization_id === organizationId && where.every((condition) => matches(document, condition)),
  );
}

/** Returns the ids of all matching documents in the query's order. */
export function naiveFind(documents: readonly StoredDocument[], query: Where & Pick<DocumentQuery, 'order'>): string[] {
  const { key, direction } = query.order;
  const sign = direction === 'ASC' ? 1 : -1;
  return select(documents, query)
    .sort((a, b) => {
      const byKey = key === null ? 0 : compareKeys(keyOf(a, key), keyOf(b, key));
      return sign * (byKey || compareKeys(a.id, b.id));
    })
    .map((document) => document.id);
}

/** Returns the counts of matching documents, sorted. */
export function naiveCount(documents: readonly StoredDocument[], query: Where, by: readonly string[] = []): Count[] {
  const totals = new Map<string, number>();
  for (const document of select(documents, query)) {
    const values = JSON.stringify(by.map((key) => keyOf(document, key)));
    totals.set(values, (totals.get(values) ?? 0) + 1);
  }
  if (by.length === 0 && totals.size === 0) return [{ values: [], total: 0 }];
  return sortCounts([...totals].map(([values, total]) => ({ values: JSON.parse(values), total })));
}

export function sortCounts(counts: readonly Count[]): Count[] {
  return [...counts].sort((a, b) => {
    const at = JSON.stringify(a.values);
    const bt = JSON.stringify(b.values);
    return at < bt ? -1 : Number(at > bt);
  });
}
