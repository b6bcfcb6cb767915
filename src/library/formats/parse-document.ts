import { parse as parseYaml, type Tags } from 'yaml';
import { Refusal } from '../../commands/engine/refusal.ts';
import { isJsonObject, type JsonObject } from './json-object.ts';

/** Values in a document. The largest published catalog has about 400,000. */
const MAX_VALUES = 5_000_000;
const MAX_DEPTH = 100;
/** Bytes of a YAML file: its parser needs more time and memory than JSON's. */
const MAX_YAML_BYTES = 16 * 1024 * 1024;
/** Uses of one anchor. A file that is built to explode has far more. */
const MAX_ALIASES = 1000;

/** Parses a JSON object. @throws Refusal for anything else, and for one that is nested too deeply */
export function parseJsonDocument(text: string): JsonObject {
  try {
    return checkedDocument(JSON.parse(text), 'JSON');
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw refusal('The file begins like JSON, but it is not valid. Choose another file.');
  }
}

/**
 * Parses a YAML mapping. Numbers and dates stay as they are written, because 4.10 and 4.1 are different sections.
 * @throws Refusal for anything else, and for aliases that would grow without limit
 */
export function parseYamlDocument(text: string): JsonObject {
  if (text.length > MAX_YAML_BYTES) throw refusal('A YAML file may have up to 16 MiB. Choose the JSON version.');
  try {
    const options = {
      customTags: withoutNumbers,
      maxAliasCount: MAX_ALIASES,
      uniqueKeys: false,
      logLevel: 'error',
    } as const;
    return checkedDocument(parseYaml(text, options), 'YAML');
  } catch (error) {
    if (error instanceof Refusal) throw error;
    const [problem = ''] = error instanceof Error ? error.message.split('\n') : [];
    throw refusal(`The file is not valid YAML: ${problem.slice(0, 200)} Fix it, or choose another file.`);
  }
}

function withoutNumbers(tags: Tags): Tags {
  return tags.filter((tag) => typeof tag === 'string' || !/:(?:int|float)$/.test(tag.tag));
}

/** Counts the values of a document. What aliases share counts each time, because readers visit it each time. */
function checkedDocument(document: unknown, format: string): JsonObject {
  let count = 0;
  let level = [document];
  for (let depth = 0; level.length > 0; depth++) {
    const below: unknown[] = [];
    for (const value of level) {
      if (typeof value !== 'object' || value === null) continue;
      const members = Object.values(value);
      count += members.length;
      // Checked before the members are collected: aliases can stand for more values than fit in memory.
      if (depth >= MAX_DEPTH || count > MAX_VALUES) {
        throw refusal(
          `The ${format} is nested too deeply or has too many values. Choose the catalog of one framework.`,
        );
      }
      for (const member of members) below.push(member);
    }
    level = below;
  }
  if (!isJsonObject(document))
    throw refusal(`The file is ${format}, but not an object with members. ${READABLE_FORMATS}`);
  return document;
}

/** Says which files are read. */
export const READABLE_FORMATS =
  'Choose an OSCAL catalog or profile, a library of CISO Assistant, an OpenControl standard, or a table (CSV or a workbook).';

function refusal(message: string): Refusal {
  return new Refusal('invalid_input', message);
}
