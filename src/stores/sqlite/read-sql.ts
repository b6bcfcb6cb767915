import type { CollectionSpec, Condition, CountQuery, DocumentQuery, Scalar } from '../read-store.ts';
import { quote, type Value } from './connection.ts';
import { type Collection, type ExistingIndex, type IndexSpec, idIndex, keyColumn, tableName } from './read-schema.ts';
import { prefixText } from './read-words.ts';

/*
 * Queries of the port as SQL whose plans don't depend on statistics. The SQL names the index, and a unary plus keeps
 * SQLite from using a condition for the index if it should only filter.
 */

export interface Statement {
  sql: string;
  values: Value[];
}

/** The part of a query that selects documents. `rows` are those that may have the searched words, if they are few. */
export interface Selection {
  organization: number;
  where: readonly Condition[];
  rows?: readonly number[] | undefined;
}

type Keyed = Exclude<Condition, { op: 'words' | 'anyWords' | 'ids' }>;

const isKeyed = (condition: Condition): condition is Keyed => 'key' in condition;

/** Returns true if a condition fixes its key to one value, so that the next key of an index is sorted. */
const isFixed = (condition: Condition): condition is Keyed => condition.op === 'eq' || condition.op === 'empty';

/** Returns true if nothing can match. */
export const matchesNothing = (where: readonly Condition[]): boolean =>
  where.some(
    (condition) =>
      (condition.op === 'in' && condition.values.length === 0) ||
      (condition.op === 'ids' && condition.ids.length === 0),
  );

/** Turns a choice of one value into an equality. */
export const simplify = (where: readonly Condition[]): Condition[] =>
  where.map((condition) =>
    condition.op === 'in' && condition.values.length === 1
      ? { key: condition.key, op: 'eq', value: condition.values[0]! }
      : condition,
  );

/**
 * Splits a query into one or two that SQLite answers by walking an index from a place. Empty keys are apart from others
 * in an index, and row values can't be compared with null.
 */
export function segments(query: DocumentQuery): DocumentQuery[] {
  const { order, after, where } = query;
  if (!after || order.key === null) return [query];
  const { key, direction } = order;
  const partQuery = (op: 'empty' | 'present'): DocumentQuery => ({ ...query, where: [...where, { key, op }] });
  const firstPart = partQuery(after.key === null ? 'empty' : 'present');
  const next = after.key === null ? 'present' : 'empty';
  const isLast = (after.key === null) === (direction === 'DESC');
  const excluded = where.some(
    (condition) => isKeyed(condition) && condition.key === key && (condition.op === 'empty') !== (next === 'empty'),
  );
  if (isLast || excluded) return [firstPart];
  const { after: _after, ...rest } = partQuery(next);
  return [firstPart, rest];
}

/**
 * Returns SQL for one row instead of many: a JSON array of the id, sort key and stored text of each. Passing many rows from
 * SQLite to JavaScript costs more than finding them. An order is kept if the select has a LIMIT.
 */
export function inOneRow(select: string): string {
  return `SELECT '[' || ifnull(group_concat(json_quote(id) || ',' || json_quote(sort_key) || ',' || doc), '') || ']'
    FROM (${select})`;
}

/** Returns the statement for a page: id, sort key and document of each row. */
export function findStatement(
  collection: Collection,
  query: DocumentQuery,
  { organization, rows }: Omit<Selection, 'where'>,
): Statement {
  const { order, after, limit } = query;
  const { spec } = collection;
  const selection: Selection = { organization, where: query.where, rows };
  const key = order.key === null ? 'NULL' : keyColumn(order.key);
  const index = isById(selection)
    ? undefined
    : (lookupIndex(collection, query.where) ??
      orderIndex(collection, query) ??
      narrowIndex(collection, query.where, []));
  const conditions = filters(spec, selection, index, order.key, after && order.direction);
  if (after) conditions.push(continuationCondition(query, after));
  const by = order.key === null ? `id ${order.direction}` : `${key} ${order.direction}, id ${order.direction}`;
  const from = source(spec, selection, index);
  return {
    sql: `SELECT id, ${key} AS sort_key, doc FROM ${from} WHERE ${text(conditions)} ORDER BY ${by} LIMIT ?`,
    values: [...conditions.flatMap((condition) => condition.values), limit],
  };
}

/** Returns the statement for counts: the values of the keys, then the number. It reads at most `limit` rows that match. */
export function countStatement(
  collection: Collection,
  { limit, ...selection }: Selection & Pick<CountQuery, 'limit'>,
  by: readonly string[],
): Statement {
  const index = isById(selection)
    ? undefined
    : (lookupIndex(collection, selection.where) ?? narrowIndex(collection, selection.where, by));
  const fixed = fixedKeys(selection.where);
  const conditions = filters(collection.spec, selection, index, index?.keys.find((key) => !fixed.has(key)) ?? null);
  const keys = by.map(keyColumn);
  const groups = keys.length > 0 ? ` GROUP BY ${keys.join(', ')}` : '';
  const matching = `${source(collection.spec, selection, index)} WHERE ${text(conditions)}`;
  const from = limit === undefined ? matching : `(SELECT ${keys.join(', ') || 1} FROM ${matching} LIMIT ?)`;
  return {
    sql: `SELECT ${[...keys, 'count(*)'].join(', ')} FROM ${from}${groups}`,
    values: [...conditions.flatMap((condition) => condition.values), ...(limit === undefined ? [] : [limit])],
  };
}

const text = (conditions: readonly Statement[]): string => conditions.map((condition) => condition.sql).join(' AND ');

const isById = ({ where, rows }: Selection): boolean =>
  rows !== undefined || where.some((condition) => condition.op === 'ids');

function source(spec: CollectionSpec, selection: Selection, index: ExistingIndex | undefined): string {
  const table = quote(tableName(spec));
  // Row ids are looked up without an index.
  if (selection.rows) return `${table} NOT INDEXED`;
  if (isById(selection)) return `${table} INDEXED BY ${quote(idIndex(spec))}`;
  return index ? `${table} INDEXED BY ${quote(index.name)}` : table;
}

const fixedKeys = (where: readonly Condition[]): Set<string> =>
  new Set(where.filter(isFixed).map((condition) => condition.key));

/** Returns the index that finds the few documents with the values of a condition; none without such a condition. */
function lookupIndex({ indexes }: Collection, where: readonly Condition[]): ExistingIndex | undefined {
  return indexes.find((index) => index.lookup && where.some((condition) => isLookup(condition, index)));
}

const isLookup = (condition: Condition, index: IndexSpec | undefined): boolean =>
  index?.lookup === true && (condition.op === 'eq' || condition.op === 'in') && condition.key === index.keys[0];

/** Returns the index in the query's order that contains the most filtered keys; none if the rows must be sorted. */
function orderIndex({ indexes }: Collection, { where, order }: DocumentQuery): ExistingIndex | undefined {
  const fixed = fixedKeys(where);
  const filterKeys = where.filter(isKeyed).map((condition) => condition.key);
  const inOrder = (keys: readonly string[]) =>
    order.key === null
      ? keys.every((key) => fixed.has(key))
      : keys.at(-1) === order.key && keys.slice(0, -1).every((key) => fixed.has(key));
  const fittingIndexes = indexes.filter((index) => inOrder(index.keys));
  return bestIndex(fittingIndexes, (index) => index.keys.length * 100 + countKeys(index, filterKeys));
}

/** Returns an index that contains all keys of the query, or else the one that selects the fewest rows. */
function narrowIndex({ indexes }: Collection, where: readonly Condition[], by: readonly string[]) {
  const fixed = fixedKeys(where);
  const neededKeys = [...where.filter(isKeyed).map((condition) => condition.key), ...by];
  const narrowing = (keys: readonly string[]) => {
    const end = keys.findIndex((key) => !fixed.has(key));
    return end === -1 ? keys.length : end;
  };
  return bestIndex(
    indexes,
    (index) =>
      countKeys(index, neededKeys) * 1_000 +
      narrowing(index.keys) * 100 -
      index.keys.length -
      (index.covers?.length ?? 0),
  );
}

const countKeys = (index: IndexSpec, keys: readonly string[]): number =>
  keys.filter((key) => index.keys.includes(key) || index.covers?.includes(key)).length;

/** Returns the index with the highest score, of several the first. */
function bestIndex(indexes: readonly ExistingIndex[], score: (index: IndexSpec) => number): ExistingIndex | undefined {
  let best: ExistingIndex | undefined;
  let bestScore = Number.NEGATIVE_INFINITY;
  for (const index of indexes) {
    const indexScore = score(index);
    if (indexScore > bestScore) [best, bestScore] = [index, indexScore];
  }
  return best;
}

/**
 * Returns the conditions as SQL. SQLite may use for the index those that fix its keys, and bounds of the key after
 * them, except the bound that a continuation replaces.
 */
function filters(
  spec: CollectionSpec,
  { organization, where, rows }: Selection,
  index: IndexSpec | undefined,
  rangeKey: string | null,
  continuing?: 'ASC' | 'DESC',
): Statement[] {
  const steering = new Set<string>();
  const statements: Statement[] = [{ sql: 'organization = ?', values: [organization] }];
  for (const condition of where) {
    if (!isKeyed(condition)) {
      statements.push(unkeyedCondition(condition));
      continue;
    }
    const free = index?.keys.includes(condition.key) && !steering.has(condition.key);
    const steers = free && (isFixed(condition) || isLookup(condition, index));
    if (steers) steering.add(condition.key);
    const bounds = free && condition.op !== 'in' && condition.key === rangeKey;
    statements.push(keyedCondition(spec, condition, steers || bounds ? '' : '+', continuing));
  }
  if (rows) statements.push({ sql: 'rowid IN (SELECT value FROM json_each(?))', values: [JSON.stringify(rows)] });
  return statements;
}

const valuesCondition = (column: string, values: readonly Scalar[]): Statement => {
  return { sql: `${column} IN (SELECT value FROM json_each(?))`, values: [JSON.stringify(values)] };
};

function unkeyedCondition(condition: Exclude<Condition, Keyed>): Statement {
  if (condition.op === 'ids') return valuesCondition('id', condition.ids);
  if (condition.op === 'words') return wordsStatement(condition.prefixes);
  const alternatives = condition.alternatives.map(wordsStatement);
  return {
    sql: `(${alternatives.map(({ sql }) => `(${sql})`).join(' OR ')})`,
    values: alternatives.flatMap(({ values }) => values),
  };
}

/** Only a prefix that is a whole word needs a space after the last word, because adding it copies the text. */
function wordsStatement(prefixes: readonly string[]): Statement {
  const conditions = prefixes.map((prefix) => `instr(words${prefix.endsWith(' ') ? " || ' '" : ''}, ?) > 0`);
  return { sql: conditions.join(' AND ') || '1', values: prefixes.map(prefixText) };
}

/** `plus` is '' if SQLite may use the condition for the index. A continuation in a direction replaces that bound. */
function keyedCondition(
  spec: CollectionSpec,
  condition: Keyed,
  plus: '' | '+',
  continuing?: 'ASC' | 'DESC',
): Statement {
  const column = `${plus}${keyColumn(condition.key)}`;
  const filter = `+${keyColumn(condition.key)}`;
  const lower = continuing === 'ASC' ? filter : column;
  const upper = continuing === 'DESC' ? filter : column;
  if (condition.op === 'eq') return { sql: `${column} = ?`, values: [condition.value] };
  if (condition.op === 'empty') return { sql: `${column} IS NULL`, values: [] };
  if (condition.op === 'has') return { sql: `instr(${filter}, ?) > 0`, values: [` ${condition.value} `] };
  if (condition.op === 'in') {
    if (plus === '') return valuesCondition(column, condition.values);
    return { sql: `${filter} IN (${condition.values.map(() => '?').join(', ')})`, values: [...condition.values] };
  }
  // SQLite doesn't start after the empty keys for "not null", but it does for a bound below all present keys.
  if (condition.op === 'present') {
    return { sql: `${lower} >= ${spec.keys[condition.key] === 'number' ? '-9e999' : "''"}`, values: [] };
  }
  const bounds: [string, Value | undefined][] = [
    [`${lower} > ?`, condition.gt],
    [`${lower} >= ?`, condition.gte],
    [`${upper} < ?`, condition.lt],
    [`${upper} <= ?`, condition.lte],
  ];
  const presentBounds = bounds.filter((bound): bound is [string, Value] => bound[1] !== undefined);
  return { sql: presentBounds.map(([sql]) => sql).join(' AND '), values: presentBounds.map(([, value]) => value) };
}

/** Returns the condition for rows after a place. It is on the id alone if all matching rows have the same sort key. */
function continuationCondition({ where, order }: DocumentQuery, after: NonNullable<DocumentQuery['after']>): Statement {
  const sign = order.direction === 'ASC' ? '>' : '<';
  const isSame = (condition: Condition) =>
    isFixed(condition) && condition.key === order.key && (condition.op === 'eq' ? condition.value : null) === after.key;
  if (order.key === null || where.some(isSame)) return { sql: `id ${sign} ?`, values: [after.id] };
  return { sql: `(${keyColumn(order.key)}, id) ${sign} (?, ?)`, values: [after.key, after.id] };
}
