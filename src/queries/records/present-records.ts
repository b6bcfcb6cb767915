import { cutText } from '../../projections/read-models/search-text.ts';
import type { Field, Fields } from '../../register/field.ts';
import type { FamilyQuery } from '../family-query.ts';
import { logTimeOfMoment, type QueryContext } from '../moments/moment.ts';
import { FullViews } from './full-views.ts';
import { readMemberNames } from './member-names.ts';

export type RecordView = 'SUMMARY' | 'FULL';

/** TYPED is FULL after the record's type. */
const FULL_VIEWS = { FULL: new FullViews(false), TYPED: new FullViews(true) };

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

/** Characters at which SUMMARY cuts texts. */
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
