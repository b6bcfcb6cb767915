import type { RecordCandidate } from '../../commands/engine/refusal.ts';
import { keysOf } from '../../projections/read-models/read-model.ts';
import { cutText, normalizeText, textKey } from '../../projections/read-models/search-text.ts';
import { normalizedWords } from '../../projections/read-models/search-words.ts';
import { CONTROL } from '../../register/control.ts';
import { familyOfType } from '../../register/families.ts';
import { FRAMEWORK } from '../../register/framework.ts';
import type { Condition, DocumentReads } from '../../stores/read-store.ts';
import { FAMILY_QUERIES, type FamilyQuery } from '../family-query.ts';
import { queryConditions } from '../lists/filters.ts';
import { findAll } from '../lists/find-all.ts';
import { MAX_NEAR_MATCHES, nearMatches } from '../lists/near-matches.ts';
import { NUMBER_FIELDS, numberFieldOf, withNumber } from './record-number.ts';

/*
 * The one rule by which a word names a record, for tools, files, prompts and search: by its number, else by its whole name.
 * Case and accents don't matter; nor does the padding of numbers, but R1 is rather R1 than R01. A framework also has the
 * words of its name, and a control its framework's words before its number: "ISO 27001 A.5.1".
 */

export type Document = Readonly<Record<string, unknown>>;

/** The records that a word may name. ANY: those that are not archived; without a hit, archived ones. */
export type RecordScope = 'LIVE' | 'ARCHIVED' | 'ANY';

/** Where records are searched. */
export interface NameSource {
  models: DocumentReads;
  organizationId: string;
}

/** Records are found by the names that they have now. */
const NOW = { today: '', position: null };

/** Documents of a family with one number or name that are read. */
const MAX_HITS = 50;
const MAX_FRAMEWORKS = 200;
const MAX_CANDIDATE_NAME_CHARACTERS = 80;

/** Returns the records of these families that a word names: none, the one that is meant, or several. */
export async function findByWord(
  source: NameSource,
  families: readonly FamilyQuery[],
  word: string,
  scope: RecordScope,
): Promise<Document[]> {
  if (scope !== 'ANY') return findInScope(source, families, word, scopeConditions(scope));
  const live = await findByWord(source, families, word, 'LIVE');
  return live.length > 0 ? live : findByWord(source, families, word, 'ARCHIVED');
}

/** Returns the conditions for the records of a scope. */
export function scopeConditions(scope: RecordScope): Condition[] {
  return scope === 'ANY' ? [] : [{ key: 'archived', op: 'eq', value: scope === 'LIVE' ? 0 : 1 }];
}

async function findInScope(
  source: NameSource,
  families: readonly FamilyQuery[],
  word: string,
  where: readonly Condition[],
): Promise<Document[]> {
  const inAll = async (find: typeof findByNumber) =>
    (await Promise.all(families.map((family) => find(source, family, word, where)))).flat();
  const numbered = await inAll(findByNumber);
  if (numbered.length > 0) {
    const exact = numbered.filter((doc) => isNumber(doc, word));
    return exact.length > 0 ? exact : numbered;
  }
  const named = await inAll(findByName);
  if (named.length > 0) return named;
  const frameworks = families.some(({ type }) => type === FRAMEWORK.type)
    ? await frameworksNamed(source, word, where)
    : [];
  if (frameworks.length > 0) return frameworks;
  return families.some(({ type }) => type === CONTROL.type) ? findControlOf(source, word, where) : [];
}

/** Returns true if a text is a word, without case and accents. */
const isText = (value: unknown, word: string): boolean => typeof value === 'string' && textKey(value) === textKey(word);

/** Returns true if a word is a record's number with the same padding. */
export const isNumber = (document: Document, word: string): boolean =>
  NUMBER_FIELDS.some((name) => isText(document[name], word));

/** Returns the condition for records of a family with a number, whatever its padding; null if none can have it. */
export function numberCondition(family: FamilyQuery, number: string): (Condition & { key: string }) | null {
  const key = numberFieldOf(family);
  const value = key === undefined ? null : keysOf(family.model)[key]!.of({ [key]: number });
  return key === undefined || value === null ? null : { key, op: 'eq', value };
}

/** Returns the records of a family with this number, whatever its padding. */
export async function findByNumber(
  { models, organizationId }: NameSource,
  family: FamilyQuery,
  number: string,
  where: readonly Condition[],
): Promise<Document[]> {
  const numbered = numberCondition(family, number);
  if (numbered === null) return [];
  const rows = await models.find({
    collection: family.plural,
    organizationId,
    where: [...where, numbered],
    order: { key: numbered.key, direction: 'ASC' },
    limit: MAX_HITS,
  });
  return rows.map(({ doc }) => doc);
}

/** Conditions for the records that may have a whole name, and the test for those that do. */
interface WholeName {
  conditions: readonly Condition[];
  /** The list of the family is sorted by name, so the conditions find the whole name. */
  isSorted: boolean;
  isNameOf(document: Document): boolean;
}

/** Returns how records of a family with a whole name are found; null if none can have it. A finding has its text for a name. */
export function wholeName(family: FamilyQuery, name: string): WholeName | null {
  const value = textKey(name);
  if (value === null) return null;
  if (family.model.orders.includes('name')) {
    return { conditions: [{ key: 'name', op: 'eq', value }], isSorted: true, isNameOf: () => true };
  }
  // A name without letters and digits, such as "§", has no words to search for.
  if (normalizedWords(name).length === 0) return null;
  const isNameOf = (document: Document) => wholeNamesOf(family, document).some((one) => isText(one, name));
  return { conditions: queryConditions(name, NOW), isSorted: false, isNameOf };
}

async function findByName(
  { models, organizationId }: NameSource,
  family: FamilyQuery,
  name: string,
  where: readonly Condition[],
): Promise<Document[]> {
  const named = wholeName(family, name);
  if (named === null) return [];
  const query = { collection: family.plural, organizationId, where: [...where, ...named.conditions] };
  if (named.isSorted) {
    const order = { key: 'name', direction: 'ASC' } as const;
    return (await models.find({ ...query, order, limit: MAX_HITS })).map(({ doc }) => doc);
  }
  return (await findAll(models, query)).filter(named.isNameOf);
}

/** Returns the texts that name a record: its name, or its text alone and as answers show it. */
function wholeNamesOf({ type, model }: FamilyQuery, document: Document): unknown[] {
  return [model.nameOf(document), document[familyOfType(type)!.titleField ?? 'name']];
}

/**
 * Returns the frameworks that have a word as their id in the library, or as their name with the version. Without one, returns
 * those whose names have all its words: "ISO 27001" is ISO/IEC 27001:2022.
 */
async function frameworksNamed({ models, organizationId }: NameSource, word: string, where: readonly Condition[]) {
  const order = { key: null, direction: 'ASC' } as const;
  const query = { collection: FRAMEWORK.plural, organizationId, where: [...where], order, limit: MAX_FRAMEWORKS };
  return meantFrameworks(
    (await models.find(query)).map(({ doc }) => doc),
    word,
  );
}

/** A framework, as far as words name it. */
interface NamedFramework {
  id?: unknown;
  name?: unknown;
  version?: unknown;
  library_id?: unknown;
}

/** Returns the frameworks that a word means, among these. */
export function meantFrameworks<Framework extends NamedFramework>(
  frameworks: readonly Framework[],
  word: string,
): Framework[] {
  const text = normalizeText(word.trim());
  const named = frameworks.filter(({ id, name, version, library_id }) =>
    [id, library_id, name, `${name} ${version}`].some((one) => typeof one === 'string' && normalizeText(one) === text),
  );
  const words = wordsAndNumbers(word);
  if (named.length > 0 || words.length === 0) return named;
  return frameworks.filter(({ name, version, library_id }) => {
    const own = wordsAndNumbers([name, version, String(library_id ?? '').replaceAll('_', ' ')].join(' '));
    return words.every((one) => own.includes(one));
  });
}

/** Returns the words of a text, and its numbers apart from them: ISO27001 is ISO 27001. */
const wordsAndNumbers = (text: string): string[] => normalizedWords(text.replace(/(?<=\p{L})(?=\d)/gu, ' '));

/** Returns the controls with the number at the end of a word, of a framework that the words before it mean. */
async function findControlOf(source: NameSource, word: string, where: readonly Condition[]): Promise<Document[]> {
  const [, framework, number] = /^(.*\S)\s+(\S+)$/.exec(word) ?? [];
  if (framework === undefined) return [];
  const controls = await findByNumber(source, FAMILY_QUERIES[CONTROL.prefix]!, number!, where);
  const adopted = await readFrameworksOf(source, controls);
  const meant = new Set(meantFrameworks(adopted, framework).map(({ id }) => id));
  return controls.filter(({ framework_id }) => meant.has(framework_id));
}

/** Returns the frameworks of controls, archived ones too. */
export async function readFrameworksOf({ models }: NameSource, records: readonly Document[]): Promise<Document[]> {
  const ids = new Set(records.flatMap(({ framework_id }) => (typeof framework_id === 'string' ? [framework_id] : [])));
  return ids.size === 0 ? [] : (await models.get(FRAMEWORK.plural, [...ids])).map(({ doc }) => doc);
}

/** Returns records as an answer names them: with their numbers, and controls with their framework first. */
export async function candidatesOf(source: NameSource, records: readonly Document[]): Promise<RecordCandidate[]> {
  const controls = records.filter(({ id }) => String(id).startsWith(CONTROL.prefix));
  const frameworks = new Map((await readFrameworksOf(source, controls)).map(({ id, name }) => [id, String(name)]));
  return records.map((record) => {
    const id = String(record.id);
    const framework = controls.includes(record) ? frameworks.get(record.framework_id) : undefined;
    const own = withNumber(FAMILY_QUERIES[id.slice(0, 3)]!, record);
    const name = framework === undefined ? own : `${framework} ${own}`;
    return { id, name: cutText(name.replace(/\p{C}/gu, ' '), MAX_CANDIDATE_NAME_CHARACTERS) };
  });
}

/** Returns the first records with words that begin like those of a word that names none; without one, nearly such ones. */
export async function findLike(
  { models, organizationId }: NameSource,
  families: readonly FamilyQuery[],
  word: string,
): Promise<Document[]> {
  if (normalizedWords(word).length === 0) return [];
  const live = [{ key: 'archived', op: 'eq', value: 0 }] as const;
  const found: Document[] = [];
  for (const { plural } of families) {
    const limit = MAX_NEAR_MATCHES - found.length;
    if (limit === 0) break;
    const where = [...live, ...queryConditions(word, NOW)];
    const order = { key: null, direction: 'ASC' } as const;
    found.push(
      ...(await models.find({ collection: plural, organizationId, where, order, limit })).map(({ doc }) => doc),
    );
  }
  const [family, another] = families;
  if (found.length > 0 || family === undefined || another !== undefined) return found;
  return nearMatches(family, word, { models, collection: family.plural, organizationId, where: [...live] });
}
