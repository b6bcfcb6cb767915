import type { Decider } from '../commands/decider.ts';
import type { CollectionSpec, Scalar, StoredDocument } from '../stores/read-store.ts';
import { foldText, searchWords } from './text.ts';

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
  /** Ordinal of the record's newest event in the organization's log. */
  position: number;
  /** Present when a later event could not be digested. */
  stale?: true;
}

type Keys = Readonly<Record<string, Scalar | null>>;

/** A family's read model as data: which keys it is filtered and ordered by, and how they come from a document. */
// biome-ignore lint/suspicious/noExplicitAny: the runner holds models of every family; each definition names its own types
export interface ReadModel<State extends object = any> {
  /** Record type on the wire (VENDOR), and the collection's name (vendors). */
  type: string;
  collection: string;
  /** Streams are `<stream>-<id>`. */
  stream: string;
  /** How a stored event changes the record: the decider's own. */
  decider: Pick<Decider<State, never, never>, 'evolve'>;
  /** Fields that follow from the state alone. */
  derive(state: State): object;
  /** What the record is called in lists of changes. */
  nameOf(state: State): string;
  /** Fields whose change is worth a line to an auditor: what was set, not what follows from it. */
  tracked: readonly (keyof State & string)[];
  /** Tracked fields that are maps: their changes are told entry by entry. */
  maps?: readonly string[];
  keyTypes: CollectionSpec['keys'];
  keys(document: State & RecordDocument): Keys;
  /** Keys that can be ordered by; each has an index. */
  orders: readonly string[];
  /** Keys that most lists are narrowed by to one value: each leads an index in the first of the orders. */
  narrowing: readonly string[];
  /** Keys that are looked up by equality alone and need an index for it. */
  lookups?: readonly string[];
  /** Keys that filters read; in the indexes, so that a filter need not read the document. */
  filters: readonly string[];
  /** Fields that `query` searches: whole, and the first 100 distinct words of each. */
  texts: { short: readonly (keyof State & string)[]; long: readonly (keyof State & string)[] };
  /** A date that an event states itself, such as reviewed_at. */
  effectiveAt?(type: string, data: Record<string, unknown>): string | null;
}

/** Keys that all families share. */
const COMMON_KEYS = { owner_id: 'text', archived: 'number', created_at: 'text', updated_at: 'text' } as const;
const COMMON_FILTERS = ['archived', 'owner_id'];
const SPAN_KEYS = { record_id: 'text', from_position: 'number', until_position: 'number' } as const;

/** `until_position` of a version that still holds. */
export const OPEN_END = Number.MAX_SAFE_INTEGER;

export function historyOf(collection: string): string {
  return `${collection}_history`;
}

/** The two collections of a family: its records now, and every version with the ordinals between which it held. */
export function collectionsOf(model: ReadModel): CollectionSpec[] {
  const keys = { ...COMMON_KEYS, ...model.keyTypes };
  const filters = [...COMMON_FILTERS, ...model.filters];
  const span = ['from_position', 'until_position'];
  const sorted = [...model.orders.map((order) => [order]), ...model.narrowing.map((key) => [key, model.orders[0]!])];
  const indexed = (covers: string[]) =>
    sorted.map((keys) => ({ keys, covers: covers.filter((c) => !keys.includes(c)) }));
  return [
    {
      name: model.collection,
      keys,
      indexes: [...indexed(filters), ...(model.lookups ?? []).map((key) => ({ keys: [key] }))],
      searchable: true,
    },
    {
      name: historyOf(model.collection),
      keys: { ...keys, ...SPAN_KEYS },
      indexes: [...indexed([...span, ...filters]), { keys: ['record_id', 'from_position'] }],
      searchable: true,
    },
  ];
}

/** A record as it is stored for today's reads. */
export function currentDocument(model: ReadModel, document: RecordDocument): StoredDocument {
  const { id, organization_id } = document;
  return { id, organization_id, ...stored(model, document), doc: document };
}

/** A version as it is stored for reads of the past. */
export function versionDocument(model: ReadModel, document: RecordDocument, until = OPEN_END): StoredDocument {
  const { id, organization_id, position: from_position } = document;
  const { keys, words } = stored(model, document);
  return {
    id: `${id}@${from_position}`,
    organization_id,
    keys: { ...keys, record_id: id, from_position, until_position: until },
    words,
    doc: document,
  };
}

interface Stored {
  keys: Keys;
  words: readonly string[];
}

/** A document is stored up to three times: as it is now, as a version, and as a version that has ended. */
const known = new WeakMap<RecordDocument, Stored>();

function stored(model: ReadModel, document: RecordDocument): Stored {
  const before = known.get(document);
  if (before !== undefined) return before;
  const made = { keys: keysOf(model, document), words: wordsOf(model, document) };
  known.set(document, made);
  return made;
}

/** Lets a record's next version take over the words of the one before where its texts are the same. */
export function inheritWords(model: ReadModel, before: RecordDocument, after: RecordDocument): void {
  const words = known.get(before)?.words;
  if (words === undefined) return;
  const fields = [...model.texts.short, ...model.texts.long] as (keyof RecordDocument)[];
  if (fields.every((field) => before[field] === after[field])) known.set(after, { keys: keysOf(model, after), words });
}

function wordsOf(model: ReadModel, document: RecordDocument): readonly string[] {
  const textsOf = (fields: readonly string[]) =>
    fields.map((field) => document[field as keyof RecordDocument] as string | null);
  return searchWords(textsOf(model.texts.short), textsOf(model.texts.long));
}

function keysOf(model: ReadModel, document: RecordDocument): Keys {
  const { owner_id, archived_at, created_at, updated_at } = document;
  return { owner_id, archived: archived_at === null ? 0 : 1, created_at, updated_at, ...model.keys(document) };
}

/** The stored form of a text that is ordered or filtered by: as `foldText`, null and empty alike. */
export function textKey(text: string | null): string | null {
  return text === null || text === '' ? null : foldText(text);
}
