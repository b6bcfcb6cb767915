import type { Family } from '../../commands/define-family.ts';
import { MIN_DATE } from '../../commands/engine/dates.ts';
import type { Decider } from '../../commands/engine/decider.ts';
import type { FamilyNames, MissingOption } from '../../register/family-description.ts';
import type { Condition, Scalar, StoredDocument } from '../../stores/read-store.ts';
import type { TrailEvent } from '../../trail/event.ts';
import {
  EVIDENCE_UNTIL,
  greatestSuffix,
  OPEN_END,
  type RelatedCounts,
  relatedCount,
} from '../relations/related-counts.ts';
import { computed, coveredByPrimaryIndexOnly, type Key } from './key-builders.ts';
import { fieldWords, searchWords } from './search-words.ts';

/** The fields that every projected record has in addition to its family's own. Names are those of the wire. */
export interface RecordDocument {
  id: string;
  organization_id: string;
  owner_id: string | null;
  archived_at: string | null;
  created_at: string;
  updated_at: string;
  /** 1 when added, +1 with each event. */
  revision: number;
  /** Position of the record's own newest event. */
  position: number;
  /** Position from which this version is valid: that of its own newest event, or of one that changed a neighbour. */
  from_position: number;
  /** Absent while it has no neighbours. */
  related_counts?: RelatedCounts;
  /** One of its own events is parked, so later changes are unknown. */
  parked?: true;
  /** The record is parked, or depends on one that is. */
  stale?: true;
}

/** A record that begins with another record's event: a control, with the adoption of its framework. */
interface Child {
  id: string;
  state: object;
}

/** A family's read model as data: its keys for filters and sorting, its derived fields, and its relations. */
// biome-ignore lint/suspicious/noExplicitAny: the runner holds models of every family; each definition names its own types
export interface ReadModel<State extends object = any> {
  /** The family's names, fields and decider. `evolve` applies a stored event to a record. */
  family: FamilyNames &
    Pick<Decider<State, never, never>, 'events' | 'evolve'> &
    Pick<Family<State>, 'historyFields'> & { references?: readonly string[]; origin?: unknown };
  /** The fields of its documents, in addition to those of every record. */
  storedFields: readonly string[];
  derive?(state: State, relatedCounts: RelatedCounts): object;
  /** By event type: the field that holds the position of the newest such event, as on the wire. Null before it. */
  pinnedPositions?: Readonly<Record<string, string>>;
  /** Returns the name by which people know a record. */
  nameOf(state: State): string;
  /** Fields that are maps. The change history has one change per entry, and each entry its own rows: see `MAP_ENTRIES`. */
  mapFields?: readonly string[];
  /** The map that is only rows, because it has too many entries for a document, and the member of events that names one. */
  largeMap?: { field: string; keyIn: string };
  /** Fields that only the current document has. Each version would repeat them. */
  currentFields?: readonly string[];
  keys: Readonly<Record<string, Key>>;
  /** Sort keys in addition to created_at and updated_at. Each has an index. */
  orders: readonly string[];
  /** Keys that most lists filter by one value. Each leads an index that is sorted by the first sort key. */
  leadingIndexKeys?: readonly string[];
  /** Keys that are only compared for equality. Each has an index. */
  lookupKeys?: readonly string[];
  /** The values of the filter `missing` that the family's lists accept. */
  missingOptions: readonly MissingOption[];
  /** Fields that `query` searches: all words of short ones, the first 100 distinct words of long ones. */
  searchFields: { short: readonly string[]; long: readonly string[] };
  wordFilterFields?: readonly string[];
  /** By event type: the field of its data that states a date, such as reviewed_at of VendorReviewed. */
  effectiveDateFields?: Readonly<Record<string, string>>;
  /** The same, for times that are usually that of the recording. */
  statedTimeFields?: Readonly<Record<string, string>>;

  /** Returns the ids of records that an event of this family links the record to. */
  linkedIds?(type: string, data: Record<string, unknown>): readonly string[];
  /** Returns records of another family that begin with an event of this one. */
  childRecords?(type: string, data: Record<string, unknown>, id: string): readonly Child[];
  /**
   * Returns the labels, besides its type, under which neighbours count a record: while live, and while archived. They may
   * follow from counted labels, but never in a circle: otherwise two neighbours would change each other without end.
   */
  exposedLabels?(document: State & RecordDocument): readonly string[];
  exposedLabelsWhenArchived?(document: State & RecordDocument): readonly string[];
  /** The neighbours' labels that its records count. One that ends in a colon stands for all that begin with it. */
  countedLabels?: readonly string[];
  /**
   * Returns what is uncertain while a neighbour is stale: `LIVE` (everything), or `LABELS` (all but that it is live).
   */
  uncertain?(relatedCounts: RelatedCounts): 'LIVE' | 'LABELS' | null;
  /** Returns the state from a document, if `derive` overwrites a field of it. */
  stateOf?(document: State & RecordDocument): State;
}

/**
 * Returns a record's revision after an event of its stream, whose revisions begin with 0. A record with an origin, such as
 * a control, has revision 1 before its own stream begins.
 */
export function revisionAfter({ family }: Pick<ReadModel, 'family'>, event: Pick<TrailEvent, 'revision'>): number {
  return event.revision + (family.origin ? 2 : 1);
}

/** The stored keys by which the filter `missing` finds records. */
const MISSING_OPTION_KEYS: Partial<Record<MissingOption, Record<string, Key>>> = {
  MEASURES: { measures: relatedCountKey('MEASURE') },
  CONTROLS: { controls: relatedCountKey('CONTROL') },
  RISKS: { risks: relatedCountKey('RISK') },
  EVIDENCE: {
    evidence_until: coveredByPrimaryIndexOnly(
      computed<RecordDocument>(
        'text',
        ({ related_counts: relatedCounts }) =>
          greatestSuffix(relatedCounts ?? {}, EVIDENCE_UNTIL)?.slice(0, MIN_DATE.length) ?? MIN_DATE,
      ),
    ),
  },
  ROOT_CAUSE: {
    root_cause: computed<{ root_cause: string | null }>('number', (record) => (record.root_cause ? 1 : null)),
  },
};

/** Returns true if a fact of the family follows from neighbours of a type or, with `finer`, from their other labels. */
export function dependsOnType({ missingOptions, countedLabels }: ReadModel, type: string, finer: boolean): boolean {
  if (countedLabels?.some((label) => label.startsWith(`${type}:`))) return true;
  return !finer && missingOptions.some((option) => MISSING_OPTION_TYPES[option] === type);
}

/** The neighbours' type by which an option of `missing` is decided. */
const MISSING_OPTION_TYPES: Partial<Record<MissingOption, string>> = {
  MEASURES: 'MEASURE',
  CONTROLS: 'CONTROL',
  RISKS: 'RISK',
  EVIDENCE: 'EVIDENCE',
};

function relatedCountKey(type: string): Key {
  return coveredByPrimaryIndexOnly(
    computed<RecordDocument>(
      'number',
      ({ related_counts: relatedCounts }) => relatedCount(relatedCounts ?? {}, type) || null,
    ),
  );
}

const COMMON_KEYS: Readonly<Record<string, Key<RecordDocument>>> = {
  archived: computed('number', ({ archived_at }) => (archived_at === null ? 0 : 1)),
  owner_id: computed('text', ({ owner_id }) => owner_id),
  created_at: { type: 'text', of: ({ created_at }) => created_at, filterable: false },
  updated_at: { type: 'text', of: ({ updated_at }) => updated_at, filterable: false },
};
const COMMON_ORDERS = ['created_at', 'updated_at'];
export const SPAN_KEYS = { record_id: 'text', from_position: 'number', until_position: 'number' } as const;

export function historyOf(collection: string): string {
  return `${collection}_history`;
}

/** Returns all sort keys of a family. */
export function ordersOf(model: ReadModel): string[] {
  return [...model.orders, ...COMMON_ORDERS];
}

/** Returns the stored keys of a family's records. */
export function keysOf(model: ReadModel): Readonly<Record<string, Key>> {
  const missingOptionKeys = model.missingOptions.map((option) => MISSING_OPTION_KEYS[option] ?? {});
  return Object.assign({}, COMMON_KEYS, model.keys, ...missingOptionKeys) as Record<string, Key>;
}

function wordsOf(model: ReadModel, document: RecordDocument): readonly string[] {
  const textOf = (field: string) => document[field as keyof RecordDocument] as string | null;
  const { short, long } = model.searchFields;
  const words = searchWords(short.map(textOf), long.map(textOf));
  return [...words, ...(model.wordFilterFields ?? []).flatMap((field) => fieldWords(field, textOf(field)))];
}

export type StoredKeys = Readonly<Record<string, Scalar | null>>;

interface StoredForm {
  /** With the keys of the version, which is open: see `SPAN_KEYS`. */
  keys: StoredKeys;
  words: readonly string[];
}

/** Computes the stored keys of a model's records. A rebuild does so for every event. */
class ModelKeys {
  private readonly builders: readonly (readonly [name: string, key: Key])[];
  /** Has every name. Setting members of a copy is much faster than adding them one by one. */
  private readonly noValues: Readonly<Record<string, Scalar | null>>;

  constructor(model: ReadModel) {
    this.builders = Object.entries(keysOf(model));
    const names = [...this.builders.map(([name]) => name), ...Object.keys(SPAN_KEYS)];
    this.noValues = Object.fromEntries(names.map((name) => [name, null]));
  }

  /** Returns the keys of a record, and those of its version, which is open. */
  valuesOf(document: RecordDocument): StoredKeys {
    const keys = { ...this.noValues };
    for (const [name, key] of this.builders) keys[name] = key.of(document);
    keys.record_id = document.id;
    keys.from_position = document.from_position;
    keys.until_position = OPEN_END;
    return keys;
  }
}

/**
 * Turns record documents into the form that is stored, with keys and search words. Caches these, because each document is
 * stored up to three times: now, as a version, and as a version that ended.
 */
export class StoredForms {
  private readonly forms = new WeakMap<RecordDocument, StoredForm>();
  private readonly keysByModel = new Map<ReadModel, ModelKeys>();

  /** Returns a record's document for reads of the present. */
  currentDocument(model: ReadModel, document: RecordDocument): StoredDocument {
    const { id, organization_id } = document;
    const { keys, words } = this.formOf(model, document);
    return { id, organization_id, keys, words, doc: document };
  }

  /** Returns a version's document for reads of the past. */
  versionDocument(model: ReadModel, document: RecordDocument, until = OPEN_END): StoredDocument {
    const { id, organization_id, from_position } = document;
    const { keys: openKeys, words } = this.formOf(model, document);
    const keys = until === OPEN_END ? openKeys : { ...openKeys };
    if (until !== OPEN_END) (keys as Record<string, Scalar | null>).until_position = until;
    const doc = model.currentFields === undefined ? document : withoutFields(document, model.currentFields);
    return { id: `${id}@${from_position}`, organization_id, keys, words, doc };
  }

  /** Returns the stored keys of a record's version. */
  keysOf(model: ReadModel, document: RecordDocument): StoredKeys {
    return this.formOf(model, document).keys;
  }

  /** Copies the search words of a record's version to the next one if its texts are the same. */
  inheritWords(model: ReadModel, before: RecordDocument, after: RecordDocument): void {
    const words = this.forms.get(before)?.words;
    if (words === undefined) return;
    const { searchFields, wordFilterFields = [] } = model;
    const fields = [...searchFields.short, ...searchFields.long, ...wordFilterFields] as (keyof RecordDocument)[];
    if (fields.every((field) => before[field] === after[field])) {
      this.forms.set(after, { keys: this.keyValues(model, after), words });
    }
  }

  private formOf(model: ReadModel, document: RecordDocument): StoredForm {
    const cachedForm = this.forms.get(document);
    if (cachedForm !== undefined) return cachedForm;
    const form = { keys: this.keyValues(model, document), words: wordsOf(model, document) };
    this.forms.set(document, form);
    return form;
  }

  private keyValues(model: ReadModel, document: RecordDocument): StoredKeys {
    let modelKeys = this.keysByModel.get(model);
    if (modelKeys === undefined) {
      modelKeys = new ModelKeys(model);
      this.keysByModel.set(model, modelKeys);
    }
    return modelKeys.valuesOf(document);
  }
}

/** Returns a document without some of its fields. */
export function withoutFields(document: RecordDocument, fields: readonly string[]): RecordDocument {
  return Object.fromEntries(
    Object.entries(document).filter(([name]) => !fields.includes(name)),
  ) as unknown as RecordDocument;
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
    if (condition.op === 'has') return String(value).includes(` ${condition.value} `);
    return isInRange(value, condition);
  });
}

function isInRange(value: Scalar, { gt, gte, lt, lte }: Extract<Condition, { op: 'range' }>): boolean {
  const isAbove = (gt === undefined || value > gt) && (gte === undefined || value >= gte);
  return isAbove && (lt === undefined || value < lt) && (lte === undefined || value <= lte);
}
