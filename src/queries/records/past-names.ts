import { CONTROL } from '../../register/control.ts';
import { FRAMEWORK } from '../../register/framework.ts';
import type { Condition } from '../../stores/read-store.ts';
import type { FamilyQuery } from '../family-query.ts';
import { findAll } from '../lists/find-all.ts';
import {
  type Document,
  isNumber,
  meantFrameworks,
  type NameSource,
  numberCondition,
  type RecordScope,
  readFrameworksOf,
  scopeConditions,
  wholeName,
} from './named-records.ts';

/* Finds the records that a word named at some time, so that a repeated call finds those it has renamed or archived. */

/** A record that had a word as its number or name. */
export interface PastNaming {
  id: string;
  /** The record's first revision with it, and that revision's time. */
  revision: number;
  since: string;
}

/**
 * Returns the records that a word has ever named, in lists of which each goes before the next one, as in `findByWord`. They
 * have the very number, the number with other padding, the whole name, or the words of a framework.
 */
export async function findByPastWord(
  source: NameSource,
  families: readonly FamilyQuery[],
  word: string,
  scope: RecordScope,
): Promise<PastNaming[][]> {
  const where = scopeConditions(scope);
  const inAll = async (find: typeof numberedVersions, text: string, among = families) =>
    (await Promise.all(among.map((family) => find(source, family, text, where)))).flat();
  const numbered = await inAll(numberedVersions, word);
  const [frameworks, controls] = [FRAMEWORK, CONTROL].map(({ type }) => families.filter((one) => one.type === type));
  const [, framework, number] = /^(.*\S)\s+(\S+)$/.exec(word) ?? [];
  const inFramework =
    framework === undefined
      ? []
      : await ofFramework(source, await inAll(numberedVersions, number!, controls), framework);
  return [
    numbered.filter((version) => isNumber(version, word)),
    numbered.filter((version) => !isNumber(version, word)),
    await inAll(namedVersions, word),
    await inAll(frameworkVersions, word, frameworks),
    inFramework,
  ].map(firstVersions);
}

function firstVersions(versions: readonly Document[]): PastNaming[] {
  const first = new Map<string, PastNaming>();
  for (const { id, revision, updated_at } of versions) {
    const naming = { id: String(id), revision: Number(revision), since: String(updated_at) };
    const earlier = first.get(naming.id);
    if (earlier === undefined || naming.revision < earlier.revision) first.set(naming.id, naming);
  }
  return [...first.values()];
}

async function numberedVersions(
  source: NameSource,
  family: FamilyQuery,
  number: string,
  where: readonly Condition[],
): Promise<Document[]> {
  const numbered = numberCondition(family, number);
  return numbered === null ? [] : versionsWith(source, family, [...where, numbered]);
}

async function namedVersions(
  source: NameSource,
  family: FamilyQuery,
  name: string,
  where: readonly Condition[],
): Promise<Document[]> {
  const named = wholeName(family, name);
  if (named === null) return [];
  return (await versionsWith(source, family, [...where, ...named.conditions])).filter(named.isNameOf);
}

/** Frameworks keep their names, so those that a word means now are those that it meant. */
async function frameworkVersions(
  source: NameSource,
  family: FamilyQuery,
  word: string,
  where: readonly Condition[],
): Promise<Document[]> {
  const { models, organizationId } = source;
  const all = await findAll(models, { collection: family.plural, organizationId, where: [] });
  const values = meantFrameworks(all, word).map(({ id }) => String(id));
  return values.length === 0 ? [] : versionsWith(source, family, [...where, { key: 'record_id', op: 'in', values }]);
}

async function ofFramework(source: NameSource, controls: readonly Document[], framework: string): Promise<Document[]> {
  const meant = new Set(meantFrameworks(await readFrameworksOf(source, controls), framework).map(({ id }) => id));
  return controls.filter(({ framework_id }) => meant.has(framework_id));
}

/** Returns all versions of a family's records with these conditions. */
const versionsWith = (
  { models, organizationId }: NameSource,
  { history: collection }: FamilyQuery,
  where: readonly Condition[],
): Promise<Document[]> => findAll(models, { collection, organizationId, where });
