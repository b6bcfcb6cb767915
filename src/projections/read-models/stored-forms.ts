import type { Condition, Scalar, StoredDocument } from '../../stores/read-store.ts';
import { OPEN_END } from '../relations/related-counts.ts';
import type { Key } from './key-builders.ts';
import { keysOf, type ReadModel, type RecordDocument, wordsOf } from './read-model.ts';

/** The values of stored keys, by name. */
export type StoredKeys = Readonly<Record<string, Scalar | null>>;

interface StoredForm {
  keys: StoredKeys;
  words: readonly string[];
}

/**
 * Turns record documents into the form that is stored, with keys and search words. Caches these, because each document is
 * stored up to three times: now, as a version, and as a version that ended.
 */
export class StoredForms {
  private readonly forms = new WeakMap<RecordDocument, StoredForm>();
  private readonly keysByModel = new Map<ReadModel, Readonly<Record<string, Key>>>();

  /** Returns a record's document for reads of the present. */
  currentDocument(model: ReadModel, document: RecordDocument): StoredDocument {
    const { id, organization_id } = document;
    const { keys, words } = this.formOf(model, document);
    return { id, organization_id, keys, words, doc: document };
  }

  /** Returns a version's document for reads of the past. */
  versionDocument(model: ReadModel, document: RecordDocument, until = OPEN_END): StoredDocument {
    const { id, organization_id, from_position } = document;
    const { keys, words } = this.formOf(model, document);
    return {
      id: `${id}@${from_position}`,
      organization_id,
      keys: { ...keys, record_id: id, from_position, until_position: until },
      words,
      doc: document,
    };
  }

  /** Returns the stored keys of a record's version. */
  keysOf(model: ReadModel, document: RecordDocument): StoredKeys {
    return this.formOf(model, document).keys;
  }

  /** Copies the search words of a record's version to the next one if its texts are the same. */
  inheritWords(model: ReadModel, before: RecordDocument, after: RecordDocument): void {
    const words = this.forms.get(before)?.words;
    if (words === undefined) return;
    const fields = [...model.searchFields.short, ...model.searchFields.long] as (keyof RecordDocument)[];
    if (fields.every((field) => before[field] === after[field])) {
      this.forms.set(after, { keys: this.keyValues(model, after), words });
    }
  }

  private formOf(model: ReadModel, document: RecordDocument): StoredForm {
    const cached = this.forms.get(document);
    if (cached !== undefined) return cached;
    const form = { keys: this.keyValues(model, document), words: wordsOf(model, document) };
    this.forms.set(document, form);
    return form;
  }

  private keyValues(model: ReadModel, document: RecordDocument): StoredKeys {
    let keyBuilders = this.keysByModel.get(model);
    if (keyBuilders === undefined) {
      keyBuilders = keysOf(model);
      this.keysByModel.set(model, keyBuilders);
    }
    const keys: Record<string, Scalar | null> = {};
    for (const name in keyBuilders) keys[name] = keyBuilders[name]!.of(document);
    return keys;
  }
}

/** Returns true if a row with these keys matches the conditions. */
export function matchesConditions(where: readonly Condition[], keys: StoredKeys): boolean {
  return where.every((condition) => {
    if (!('key' in condition)) return true;
    const value = keys[condition.key] ?? null;
    if (condition.op === 'empty') return value === null;
    if (value === null) return false;
    if (condition.op === 'eq') return value === condition.value;
    if (condition.op === 'in') return condition.values.includes(value);
    if (condition.op === 'present') return true;
    return isInRange(value, condition);
  });
}

function isInRange(value: Scalar, { gt, gte, lt, lte }: Extract<Condition, { op: 'range' }>): boolean {
  const isAbove = (gt === undefined || value > gt) && (gte === undefined || value >= gte);
  return isAbove && (lt === undefined || value < lt) && (lte === undefined || value <= lte);
}
