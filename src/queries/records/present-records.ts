import type { ReadModel } from '../../projections/read-models/read-model.ts';
import { cutText } from '../../projections/read-models/search-text.ts';
import type { Field, Fields } from '../../register/field.ts';
import { type FamilyQuery, familyQueryFor } from '../family-query.ts';
import { currentMoment, logTimeOfMoment, type QueryContext } from '../moments/moment.ts';
import type { Snapshot } from '../moments/snapshot.ts';
import { readMemberNames } from './member-names.ts';
import { idsOfLinkedRecords } from './record-links.ts';

export type RecordView = 'SUMMARY' | 'FULL';

type Document = Record<string, unknown>;

/** The most characters of JSON that records in an answer can have. It leaves room for the answer's other members. */
export const MAX_ANSWER_CHARACTERS = 57_000;

/**
 * Turns documents of one organization into the form of answers: with the owner's name at the moment, the fields that
 * depend on the day, and only the view's fields.
 */
export async function presentRecords(
  context: QueryContext,
  family: FamilyQuery,
  documents: readonly Document[],
  view: RecordView | 'TYPED',
): Promise<Document[]> {
  const { today } = context.moment;
  const owners = documents.flatMap((document) => (document.owner_id ? [String(document.owner_id)] : []));
  const nameOf = owners.length === 0 ? String : await ownerNames(context, owners);
  return documents.map((document) => {
    const owner = document.owner_id ? nameOf(String(document.owner_id)) : null;
    if (view === 'SUMMARY') return summaryView(family, document, owner, today);
    return FULL_VIEWS[view].viewOf(family, document, owner, today);
  });
}

/** Returns the function that names accounts as they were named at the moment. */
async function ownerNames(context: QueryContext, owners: readonly string[]): Promise<(id: string) => string> {
  const names = await readMemberNames(context.snapshot, context.organizationId, owners);
  const at = await logTimeOfMoment(context);
  return (id) => names.of(id, at);
}

const MAX_SUMMARY_CHARACTERS = 160;

/** Returns the fields of view SUMMARY, without nulls and long texts. */
function summaryView(family: FamilyQuery, document: Document, owner: string | null, today: string): Document {
  const dayFacts = family.dayFacts(document, today);
  const summary: Document = { id: document.id };
  for (const field of family.summary) {
    const value = field in dayFacts ? dayFacts[field] : document[field];
    if (value === null || value === undefined) continue;
    summary[field] = summaryValue(family.fields[field], value);
  }
  if (owner !== null) summary.owner = owner;
  if (document.archived_at !== null) summary.archived_at = document.archived_at;
  if (document.stale) summary.stale = true;
  return summary;
}

/** Cuts a text, and keeps of an object its dates and the facts that follow from them. */
function summaryValue(field: Field | undefined, value: unknown): unknown {
  if (field?.kind === 'text') return cutText(String(value), MAX_SUMMARY_CHARACTERS);
  if (field?.kind !== 'object') return value;
  const members = summaryMembers(field.fields);
  return Object.fromEntries(Object.entries(value as Document).filter(([name]) => members.includes(name)));
}

/** Returns the members of an object that view SUMMARY shows. */
export function summaryMembers(fields: Fields): string[] {
  return Object.keys(fields).filter((name) => ['date', 'past'].includes(fields[name]!.kind));
}

/** Returns an upper bound of a record's JSON length without building it. JSON can escape a character as six. */
export function maxJsonCharacters(document: object): number {
  let characters = 2;
  for (const field in document) {
    const value: unknown = (document as Document)[field];
    characters += field.length + 4;
    if (typeof value === 'string') characters += value.length * 6 + 2;
    else characters += typeof value === 'object' && value !== null ? maxJsonCharacters(value) : 25;
  }
  return characters;
}

/** Returns how many of the documents fit into an answer that already has `usedCharacters`, at least one. */
export function countThatFit(documents: readonly Document[], usedCharacters = 0): number {
  if (documents.reduce((sum, document) => sum + maxJsonCharacters(document), usedCharacters) <= MAX_ANSWER_CHARACTERS)
    return documents.length;
  let characters = usedCharacters;
  for (const [index, document] of documents.entries()) {
    characters += JSON.stringify(document).length + 1;
    if (characters > MAX_ANSWER_CHARACTERS) return Math.max(1, index);
  }
  return documents.length;
}

/** Shortens the longest texts of a record that doesn't fit into an answer with `usedCharacters`, and names them in `truncated`. */
export function cutToFit(document: Document, usedCharacters = 0): Document {
  let result = document;
  const truncated: string[] = [];
  while (JSON.stringify(result).length + usedCharacters > MAX_ANSWER_CHARACTERS) {
    const [field, text] = longestText(result);
    if (field === null) break;
    result = { ...result, [field]: cutText(text, Math.floor(text.length / 2)) };
    if (!truncated.includes(field)) truncated.push(field);
  }
  return truncated.length > 0 ? { ...result, truncated } : result;
}

function longestText(document: Document): [string | null, string] {
  let longest: [string | null, string] = [null, ''];
  for (const [field, value] of Object.entries(document)) {
    if (typeof value === 'string' && value.length > Math.max(200, longest[1].length)) longest = [field, value];
  }
  return longest;
}

/** Document fields that only projections use. */
const INTERNAL_FIELDS = new Set([
  'position',
  'from_position',
  'related_counts',
  'parked',
  'self_archived_at',
  'controls',
]);

const FIRST_FIELDS = ['id', 'organization_id'];
const LAST_FIELDS = ['owner_id', 'owner', 'created_at', 'updated_at', 'revision', 'archived_at'];
/** Fields that view FULL leaves out, or shows before or after all others. */
const FIELDS_APART = new Set([...INTERNAL_FIELDS, ...FIRST_FIELDS, ...LAST_FIELDS]);

/** The view of documents with the same members. */
interface Form {
  /** The documents' members, in order. */
  members: readonly string[];
  /** The members that the view copies. */
  copied: readonly string[];
  /** Has every member of the view, in order. Setting members of a copy is much faster than adding them one by one. */
  noValues: Document;
}

/** Builds views of whole records. It keeps the form of each family's newest view, because most have the same. */
class FullViews {
  private readonly forms = new WeakMap<ReadModel, Form>();

  /** @param isTyped begins each view with the record's type */
  constructor(private readonly isTyped: boolean) {}

  /** Returns all fields of a record, with its owner's name and the facts of the day. */
  viewOf(family: FamilyQuery, document: Document, owner: string | null, today: string): Document {
    const dayFacts = family.dayFacts(document, today);
    const { copied, noValues } = this.formOf(family, document, dayFacts);
    const view = { ...noValues };
    if (this.isTyped) view.type = family.type;
    for (const name of copied) view[name] = document[name];
    for (const name in dayFacts) view[name] = dayFacts[name];
    view.owner = owner;
    return view;
  }

  private formOf({ model }: FamilyQuery, document: Document, dayFacts: Document): Form {
    const newest = this.forms.get(model);
    if (newest !== undefined && hasMembers(document, newest.members)) return newest;
    const members = Object.keys(document);
    const own = members.filter((name) => !FIELDS_APART.has(name));
    const type = this.isTyped ? ['type'] : [];
    const names = new Set([...type, ...FIRST_FIELDS, ...own, ...Object.keys(dayFacts), ...LAST_FIELDS]);
    const copied = [...FIRST_FIELDS, ...own, ...LAST_FIELDS.filter((name) => name !== 'owner')];
    // JSON.parse makes objects that are fast to copy.
    const noValues = JSON.parse(`{${[...names].map((name) => `${JSON.stringify(name)}:null`)}}`) as Document;
    const form = { members, copied, noValues };
    this.forms.set(model, form);
    return form;
  }
}

/** TYPED is FULL after the record's type. */
const FULL_VIEWS = { FULL: new FullViews(false), TYPED: new FullViews(true) };

function hasMembers(document: Document, members: readonly string[]): boolean {
  let index = 0;
  for (const name in document) {
    if (name !== members[index]) return false;
    index += 1;
  }
  return index === members.length;
}

/** A write whose record is read for the answer. */
interface WriteOutcome {
  id: string;
  revision: number;
  state: object;
  /** True if the projections are behind the write. */
  pending: boolean;
}

interface WrittenRecord {
  record: Document;
  /** Position of the write's last event; absent while pending. */
  position?: string;
}

/**
 * Returns the record for a write's answer: as it is now, with the position of the write's own last event (record revision
 * `revision`). If projections are behind (`pending`) or could not apply the event, the record comes from the write's own state.
 * @param otherCharacters of the answer's other members
 */
export async function readWrittenRecord(
  snapshot: Snapshot,
  organizationId: string,
  { id, revision, state, pending }: WriteOutcome,
  otherCharacters = 0,
): Promise<WrittenRecord> {
  const family = familyQueryFor(id);
  const context = { snapshot, organizationId, moment: currentMoment(snapshot) };
  const [row] = pending ? [] : await snapshot.models.get(family.plural, [id]);
  if (row === undefined) {
    const derivedFields = family.model.derive?.(state, {});
    // The projections are up to date, so a missing record means that its event could not be applied.
    const stale = pending ? {} : { stale: true };
    const document = { id, organization_id: organizationId, ...state, ...derivedFields, revision, ...stale };
    const [record] = await presentRecords(context, family, [document], 'FULL');
    const position = pending ? null : await positionOf(context, id, revision);
    return { record: cutToFit(record!, otherCharacters), ...(position === null ? {} : { position: String(position) }) };
  }
  const document = row.doc;
  const [record] = await presentRecords(context, family, [document], 'FULL');
  const position = document.revision === revision ? document.position : await positionOf(context, id, revision);
  const [linkedIds] = 'record_ids' in family.fields ? await idsOfLinkedRecords(context, [id]) : [];
  return { record: cutToFit({ ...record, ...linkedIds }, otherCharacters), position: String(position) };
}

async function positionOf({ snapshot, organizationId }: QueryContext, id: string, revision: number): Promise<unknown> {
  const [change] = await snapshot.models.find({
    collection: 'changes',
    organizationId,
    where: [
      { key: 'record_id', op: 'eq', value: id },
      { key: 'revision', op: 'eq', value: revision },
    ],
    order: { key: 'position', direction: 'DESC' },
    limit: 1,
  });
  return change?.doc.position ?? 0;
}
