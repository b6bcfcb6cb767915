import type { Decider } from '../commands/decider.ts';
import type { Family, FamilyNames } from '../commands/define-family.ts';
import type { Scalar, StoredDocument } from '../stores/read-store.ts';
import { computed, coveredByPrimaryIndexOnly, type Key } from './key-builders.ts';
import {
  EVIDENCE_UNTIL,
  greatestSuffix,
  MIN_DATE,
  OPEN_END,
  type RelatedCounts,
  relatedCount,
} from './related-counts.ts';
import { searchWords } from './search-text.ts';

/** What every projected record carries beside its family's own fields. Names are the wire's. */
export interface RecordDocument {
  id: string;
  organization_id: string;
  owner_id: string | null;
  archived_at: string | null;
  created_at: string;
  updated_at: string;
  /** 1 when added, +1 an event. */
  revision: number;
  /** Position of the record's own newest event in the organization's log. */
  position: number;
  /** Position from which this version holds: of its own newest event, or of one that changed a neighbour. */
  from_position: number;
  /** What its neighbours are, absent while it has none. */
  related_counts?: RelatedCounts;
  /** A later event of its own could not be digested: what follows is not known. */
  parked?: true;
  /** That, or a neighbour is so. */
  stale?: true;
}

type Keys = Readonly<Record<string, Scalar | null>>;

/** What a record can lack; the family names which of these its lists can be asked for. */
export const MISSING_OPTIONS = ['OWNER', 'SCORE', 'MEASURES', 'CONTROLS', 'RISKS', 'EVIDENCE', 'ROOT_CAUSE'] as const;
export type MissingOption = (typeof MISSING_OPTIONS)[number];

/** A record that begins with an event of another one. */
interface Child {
  id: string;
  state: object;
}

/** A family's read model as data: which keys it is filtered and ordered by, and how they come from a document. */
// biome-ignore lint/suspicious/noExplicitAny: the runner holds models of every family; each definition names its own types
export interface ReadModel<State extends object = any> {
  /** The family's names and, in `evolve`, how a stored event changes a record: the decider's own. */
  family: FamilyNames &
    Pick<Decider<State, never, never>, 'evolve'> &
    Pick<Family<State>, 'historyFields'> & {
      references?: readonly string[];
      origin?: unknown;
      excludedFromHistory?: readonly string[];
    };
  /** Fields that follow from the state and the neighbours. */
  derive?(state: State, relatedCounts: RelatedCounts): object;
  /** Fields, by event type, that keep the position of the newest such event as the wire's position; null before it. */
  pinnedPositions?: Readonly<Record<string, string>>;
  /** What a record is called in lists of changes; its name unless told otherwise. */
  nameOf?(state: State): string;
  /** Fields that are maps: their changes are told entry by entry. */
  mapFields?: readonly string[];
  keys: Readonly<Record<string, Key>>;
  /** Keys that can be ordered by, beside created_at and updated_at; each has an index. */
  orders: readonly string[];
  /** Keys that most lists are narrowed by to one value: each leads an index in the first of the orders. */
  narrowingKeys?: readonly string[];
  /** Keys that are looked up by equality alone and need an index for it. */
  lookupKeys?: readonly string[];
  /** What its records can lack. */
  missingOptions: readonly MissingOption[];
  /** Fields that `query` searches: whole, and the first 100 distinct words of each. */
  searchFields: { short: readonly string[]; long: readonly string[] };
  /** Which field of an event's data is a date that it states itself, by its type: VendorReviewed's reviewed_at. */
  effectiveDateFields?: Readonly<Record<string, string>>;

  /** Records that an event of this family links the record to. */
  linkedIds?(type: string, data: Record<string, unknown>): readonly string[];
  /** Records of another family that begin with an event of this one. */
  childRecords?(type: string, data: Record<string, unknown>, id: string): readonly Child[];
  /** What neighbours tally of a record beside its type: while it is live, and while it is archived. */
  exposedLabels?(document: State & RecordDocument): readonly string[];
  exposedLabelsWhenArchived?(document: State & RecordDocument): readonly string[];
  /** Which such labels of its neighbours it keeps: whole, or beginning so where one ends in a colon. */
  countedLabels?: readonly string[];
  /** What neighbours cannot rely on because of a neighbour of its own: that it is live, or only its further labels. */
  uncertain?(relatedCounts: RelatedCounts): 'LIVE' | 'LABELS' | null;
  /** The state in a document, where `derive` puts something else in a field's place. */
  stateOf?(document: State & RecordDocument): State;
}

/** Keys that stand for what can be lacking. */
const MISSING_OPTION_KEYS: Partial<Record<MissingOption, Record<string, Key>>> = {
  MEASURES: { measures: relatedCountKey('MEASURE') },
  CONTROLS: { controls: relatedCountKey('CONTROL') },
  RISKS: { risks: relatedCountKey('RISK') },
  EVIDENCE: {
    evidence_until: coveredByPrimaryIndexOnly(
      computed<RecordDocument>(
        'text',
        ({ related_counts: relatedCounts }) => greatestSuffix(relatedCounts ?? {}, EVIDENCE_UNTIL) ?? MIN_DATE,
      ),
    ),
  },
  ROOT_CAUSE: {
    root_cause: computed<{ root_cause: string | null }>('number', (record) => (record.root_cause ? 1 : null)),
  },
};

/** Whether a fact of a model's follows from neighbours of a type, or (`finer`) from what else they are. */
export function dependsOnType(
  { missingOptions: lacks, countedLabels: keeps }: ReadModel,
  type: string,
  finer: boolean,
): boolean {
  if (keeps?.some((label) => label.startsWith(`${type}:`))) return true;
  return !finer && lacks.some((lack) => MISSING_OPTION_TYPES[lack] === type);
}

/** Types of neighbours that can be lacking. */
const MISSING_OPTION_TYPES: Partial<Record<MissingOption, string>> = {
  MEASURES: 'MEASURE',
  CONTROLS: 'CONTROL',
  RISKS: 'RISK',
  EVIDENCE: 'EVIDENCE',
};

/** The number of neighbours of a type, empty where there is none. */
function relatedCountKey(type: string): Key {
  return coveredByPrimaryIndexOnly(
    computed<RecordDocument>(
      'number',
      ({ related_counts: relatedCounts }) => relatedCount(relatedCounts ?? {}, type) || null,
    ),
  );
}

/** Keys that all families share. */
const COMMON_KEYS: Readonly<Record<string, Key<RecordDocument>>> = {
  archived: computed('number', ({ archived_at }) => (archived_at === null ? 0 : 1)),
  owner_id: computed('text', ({ owner_id }) => owner_id),
  created_at: { type: 'text', of: ({ created_at }) => created_at, filtered: false },
  updated_at: { type: 'text', of: ({ updated_at }) => updated_at, filtered: false },
};
const COMMON_ORDERS = ['created_at', 'updated_at'];
export const SPAN_KEYS = { record_id: 'text', from_position: 'number', until_position: 'number' } as const;

export function historyOf(collection: string): string {
  return `${collection}_history`;
}

/** Every field that a family's lists can be ordered by. */
export function ordersOf(model: ReadModel): string[] {
  return [...model.orders, ...COMMON_ORDERS];
}

const keysByModel = new WeakMap<ReadModel, Readonly<Record<string, Key>>>();

export function keysOf(model: ReadModel): Readonly<Record<string, Key>> {
  let keys = keysByModel.get(model);
  if (keys === undefined) {
    keys = Object.assign(
      {},
      COMMON_KEYS,
      model.keys,
      ...model.missingOptions.map((lack) => MISSING_OPTION_KEYS[lack] ?? {}),
    ) as Record<string, Key>;
    keysByModel.set(model, keys);
  }
  return keys;
}

/** A record as it is stored for today's reads. */
export function currentDocument(model: ReadModel, document: RecordDocument): StoredDocument {
  const { id, organization_id } = document;
  return { id, organization_id, ...storedForm(model, document), doc: document };
}

/** A version as it is stored for reads of the past. */
export function versionDocument(model: ReadModel, document: RecordDocument, until = OPEN_END): StoredDocument {
  const { id, organization_id, from_position } = document;
  const { keys, words } = storedForm(model, document);
  return {
    id: `${id}@${from_position}`,
    organization_id,
    keys: { ...keys, record_id: id, from_position, until_position: until },
    words,
    doc: document,
  };
}

interface StoredForm {
  keys: Keys;
  words: readonly string[];
}

/** A document is stored up to three times: as it is now, as a version, and as a version that has ended. */
const storedForms = new WeakMap<RecordDocument, StoredForm>();

function storedForm(model: ReadModel, document: RecordDocument): StoredForm {
  const before = storedForms.get(document);
  if (before !== undefined) return before;
  const made = { keys: keyValues(model, document), words: wordsOf(model, document) };
  storedForms.set(document, made);
  return made;
}

/** Lets a record's next version take over the words of the one before where its texts are the same. */
export function inheritWords(model: ReadModel, before: RecordDocument, after: RecordDocument): void {
  const words = storedForms.get(before)?.words;
  if (words === undefined) return;
  const fields = [...model.searchFields.short, ...model.searchFields.long] as (keyof RecordDocument)[];
  if (fields.every((field) => before[field] === after[field]))
    storedForms.set(after, { keys: keyValues(model, after), words });
}

function wordsOf(model: ReadModel, document: RecordDocument): readonly string[] {
  const textsOf = (fields: readonly string[]) =>
    fields.map((field) => document[field as keyof RecordDocument] as string | null);
  return searchWords(textsOf(model.searchFields.short), textsOf(model.searchFields.long));
}

function keyValues(model: ReadModel, document: RecordDocument): Keys {
  const known = keysOf(model);
  const keys: Record<string, Scalar | null> = {};
  for (const name in known) keys[name] = known[name]!.of(document);
  return keys;
}
