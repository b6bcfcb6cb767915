import type { Filter, Sort } from 'mongodb';
import type { CollectionSpec, Condition, DocumentQuery } from '../read-store.ts';
import type { DocumentRow } from './document.ts';
import { indexOver, type MongoIndex } from './indexes.ts';

/**
 * Translates the port's queries into MongoDB's. Uses only what every compatible server has: no $expr, collation or
 * text.
 */

type Where = Filter<DocumentRow>;

const field = (key: string) => `_keys.${key}`;

/** Returns the filter for an organization's documents that meet all conditions. */
export function toFilter(organizationId: string, where: readonly Condition[]): Where[] {
  return [{ _organization: organizationId }, ...where.flatMap(toConditions)];
}

function toConditions(condition: Condition): Where[] {
  switch (condition.op) {
    case 'ids':
      return [{ _id: { $in: [...condition.ids] } }];
    case 'words':
      return condition.prefixes.map(wordCondition);
    case 'anyWords':
      return [{ $or: condition.alternatives.map((prefixes) => ({ $and: prefixes.map(wordCondition) })) }];
    case 'eq':
      return [{ [field(condition.key)]: condition.value }];
    case 'in':
      return [{ [field(condition.key)]: { $in: [...condition.values] } }];
    case 'has':
      return [{ [field(condition.key)]: { $regex: ` ${escapePattern(condition.value)} ` } }];
    case 'present':
      return [{ [field(condition.key)]: { $ne: null } }];
    case 'empty':
      return [{ [field(condition.key)]: null }];
    case 'range': {
      const { gt, gte, lt, lte } = condition;
      const bounds = Object.entries({ $gt: gt, $gte: gte, $lt: lt, $lte: lte });
      return [{ [field(condition.key)]: Object.fromEntries(bounds.filter(([, bound]) => bound !== undefined)) }];
    }
  }
}

function wordCondition(prefix: string): Where {
  if (prefix.endsWith(' ')) return { _words: prefix.slice(0, -1) };
  return { _words: { $regex: `^${escapePattern(prefix)}` } };
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

export function toSort({ key, direction }: DocumentQuery['order']): Sort {
  const way = direction === 'ASC' ? 1 : -1;
  return key === null ? { _id: way } : { [field(key)]: way, _id: way };
}

/**
 * Splits the rest of an order after a place into segments, which are read one after the other until the page is full.
 * Each is one range, so an index answers it directly. A single filter with $or would read from the start.
 */
export function segmentsAfter({ key, direction }: DocumentQuery['order'], after: DocumentQuery['after']): Where[] {
  if (!after) return [{}];
  const beyond = direction === 'ASC' ? '$gt' : '$lt';
  const nextId = { _id: { [beyond]: after.id } } as Where;
  if (key === null) return [nextId];
  const ties: Where = { [field(key)]: after.key, ...nextId };
  const empty: Where = { [field(key)]: null };
  if (after.key === null) return direction === 'ASC' ? [ties, { [field(key)]: { $ne: null } }] : [ties];
  const beyondCursor: Where = { [field(key)]: { [beyond]: after.key } };
  return direction === 'ASC' ? [ties, beyondCursor] : [ties, beyondCursor, empty];
}

/** Returns all indexes of a collection: by id, by word, and its own. */
export function toIndexes(spec: CollectionSpec): MongoIndex[] {
  const indexed = spec.indexes.map(({ keys, covers = [] }) => [...keys.map(field), '_id', ...covers.map(field)]);
  const all = [['_id'], ...(spec.searchable ? [['_words', '_id']] : []), ...indexed];
  return all.map((fields) => indexOver(['_organization', ...fields]));
}

/** Returns the stages that count matching documents by these keys. Each result's `_id` has their values as k0, k1. */
export function toCount(filter: Where[], by: readonly string[], limit?: number): Record<string, unknown>[] {
  const values = Object.fromEntries(by.map((key, index) => [`k${index}`, `$${field(key)}`]));
  const first = limit === undefined ? [] : [{ $limit: limit }];
  return [
    { $match: { $and: filter } },
    ...first,
    { $group: { _id: by.length > 0 ? values : null, total: { $sum: 1 } } },
  ];
}
