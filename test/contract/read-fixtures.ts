import * as assert from 'uvu/assert';
import type { StorePosition } from '../../src/stores/event-store.ts';
import type {
  Checkpoint,
  CollectionSpec,
  Condition,
  DocumentQuery,
  MatchingDocument,
  ReadModels,
  Scalar,
  StoredDocument,
} from '../../src/stores/read-store.ts';

/** The collections of every test. */
export const SPECS: readonly CollectionSpec[] = [
  {
    name: 'vendors',
    keys: { name: 'text', status: 'text', score: 'number' },
    indexes: [{ keys: ['name'] }, { keys: ['status', 'score'], covers: ['name'] }],
    searchable: true,
  },
  {
    name: 'vendors_history',
    keys: { from: 'number' },
    indexes: [{ keys: ['from'] }],
    searchable: false,
    members: ['id', 'from', 'note'],
  },
];

export type Keys = Record<string, Scalar | null>;

/** Returns a vendor's document, as a projection would write it. */
export function vendor(id: string, keys: Keys, words: readonly string[] = [], organization = 'org_a'): StoredDocument {
  return {
    id,
    organization_id: organization,
    keys: { name: null, status: null, score: null, ...keys },
    words,
    doc: { id, organization_id: organization, ...keys },
  };
}

export function checkpoint(n: number, organizationId = 'org_a', change: Partial<Checkpoint> = {}): Checkpoint {
  const log_time = '2026-01-02T03:04:05.678Z';
  return {
    organizationId,
    n,
    storePosition: `p${n}` as StorePosition,
    position: n * 10,
    logTime: log_time,
    bytes: 0,
    parked: 0,
    outOfOrder: 0,
    installation: 'i',
    place: null,
    ...change,
  };
}

export const puts = (documents: readonly StoredDocument[], collection = 'vendors') =>
  documents.map((document) => ({ collection, document }));

/** Commits vendors as the organization's n-th batch. */
export const put = (models: ReadModels, n: number, documents: readonly StoredDocument[], organizationId = 'org_a') =>
  models.commit({ checkpoint: checkpoint(n, organizationId), puts: puts(documents) });

type VendorQuery = Partial<DocumentQuery>;

export const find = (models: ReadModels, query: VendorQuery = {}): Promise<MatchingDocument[]> =>
  models.find({
    collection: 'vendors',
    organizationId: 'org_a',
    where: [],
    order: { key: null, direction: 'ASC' },
    limit: 100,
    ...query,
  });

export const ids = async (documents: Promise<readonly { id: string }[]>): Promise<string> =>
  (await documents).map((one) => one.id).join(' ');

/** Returns the ids of all pages. */
export async function walk(models: ReadModels, query: VendorQuery, size: number): Promise<string[]> {
  const ids: string[] = [];
  let after: DocumentQuery['after'];
  for (;;) {
    const page = await find(models, { ...query, limit: size, ...(after && { after }) });
    assert.ok(page.length <= size);
    ids.push(...page.map((documents) => documents.id));
    const last = page.at(-1);
    if (page.length < size || !last) return ids;
    after = { key: last.key, id: last.id };
  }
}

export const KEYED = [
  vendor('v1', { name: 'b', status: 'ON', score: 5 }, ['acme', 'cloud']),
  vendor('v2', { name: 'a', status: 'ON', score: 5 }, ['acid', 'a.8.13']),
  vendor('v3', { name: 'b', status: 'OFF', score: null }, ['cloud.(x)', 'muller']),
  vendor('v4', { name: null, status: 'OFF', score: -1.5 }),
  vendor('v5', { name: 'c', status: null, score: 12 }, ['acme']),
];

/** Conditions, and the ids of KEYED that match them. */
export const CASES: readonly [string, Condition, string][] = [
  ['eq', { key: 'name', op: 'eq', value: 'b' }, 'v1 v3'],
  ['eq of a number', { key: 'score', op: 'eq', value: 5 }, 'v1 v2'],
  ['in', { key: 'status', op: 'in', values: ['OFF', 'NONE'] }, 'v3 v4'],
  ['in nothing', { key: 'status', op: 'in', values: [] }, ''],
  ['gt', { key: 'score', op: 'range', gt: 5 }, 'v5'],
  ['gte', { key: 'score', op: 'range', gte: 5 }, 'v1 v2 v5'],
  ['lt, which no empty key is', { key: 'score', op: 'range', lt: 5 }, 'v4'],
  ['lte', { key: 'score', op: 'range', lte: 5 }, 'v1 v2 v4'],
  ['a range of both ends', { key: 'name', op: 'range', gte: 'a', lt: 'b' }, 'v2'],
  ['an empty range', { key: 'score', op: 'range', gt: 5, lt: 5 }, ''],
  ['present', { key: 'name', op: 'present' }, 'v1 v2 v3 v5'],
  ['empty', { key: 'score', op: 'empty' }, 'v3'],
  ['one word', { op: 'words', prefixes: ['acme'] }, 'v1 v5'],
  ['the beginning of a word, not its middle', { op: 'words', prefixes: ['c'] }, 'v1 v3'],
  ['every prefix, each of some word', { op: 'words', prefixes: ['ac', 'cl'] }, 'v1'],
  ['a word with dots as it is', { op: 'words', prefixes: ['a.8.1'] }, 'v2'],
  ['a word with a pattern’s letters', { op: 'words', prefixes: ['cloud.('] }, 'v3'],
  ['any of several lists of words', { op: 'anyWords', alternatives: [['ac', 'cl'], ['a.8.1'], ['zz']] }, 'v1 v2'],
  [
    'a whole list of words, not parts of two',
    {
      op: 'anyWords',
      alternatives: [
        ['ac', 'zz'],
        ['a.8.1', 'zz'],
      ],
    },
    '',
  ],
  ['a whole word, not its beginning', { op: 'words', prefixes: ['cloud '] }, 'v1'],
  ['whole words first and last', { op: 'words', prefixes: ['acme ', 'cloud '] }, 'v1'],
  ['a whole word with dots', { op: 'words', prefixes: ['a.8.13 '] }, 'v2'],
  ['a whole word with dots, not its beginning', { op: 'words', prefixes: ['a.8.1 '] }, ''],
  ['a whole word, not a pattern', { op: 'words', prefixes: ['cloud.. '] }, ''],
  ['a whole word or a beginning', { op: 'anyWords', alternatives: [['cloud '], ['mull']] }, 'v1 v3'],
  ['no pattern', { op: 'words', prefixes: ['.'] }, ''],
  ['ids', { op: 'ids', ids: ['v4', 'v2', 'nobody'] }, 'v2 v4'],
  ['no ids', { op: 'ids', ids: [] }, ''],
];
