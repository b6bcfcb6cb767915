import { cutText } from '../projections/text.ts';
import { readMemberNames } from './account-names.ts';
import type { FamilyQuery } from './family-query.ts';
import { logTimeAt, type Moment } from './moment.ts';
import type { Reader } from './reader.ts';

export type RecordView = 'SUMMARY' | 'FULL';
type Document = Record<string, unknown>;

/** The most a page or a set of records may be as JSON, with room for what stands around them: ids not found, look-alikes. */
export const MAX_ANSWER_CHARACTERS = 57_000;

/**
 * Documents of one organization as readers get them: the owner's name at the moment beside the id, facts of the day,
 * only the view's fields.
 */
export async function presentRecords(
  reader: Reader,
  family: FamilyQuery,
  documents: readonly Document[],
  moment: Moment,
  view: RecordView,
): Promise<Document[]> {
  const { today } = moment;
  const nameOf = await ownerNames(reader, documents, moment);
  return documents.map((document) => {
    const owner = document.owner_id ? nameOf(String(document.owner_id)) : null;
    return view === 'FULL' ? fullView(family, document, owner, today) : summaryView(family, document, owner, today);
  });
}

async function ownerNames(
  reader: Reader,
  documents: readonly Document[],
  moment: Moment,
): Promise<(id: string) => string> {
  const owners = documents.flatMap((document) => (document.owner_id ? [String(document.owner_id)] : []));
  if (owners.length === 0) return String;
  const organizationId = String(documents[0]!.organization_id);
  const names = await readMemberNames(reader, organizationId, owners);
  const at = await logTimeAt(reader, organizationId, moment);
  return (id) => names.of(id, at);
}

/** Fields of documents that are there for the projections' sake; no reader needs them. */
const INTERNAL_FIELDS = new Set([
  'position',
  'from_position',
  'related_counts',
  'parked',
  'self_archived_at',
  'controls',
]);

function fullView(family: FamilyQuery, document: Document, owner: string | null, today: string): Document {
  const { id, organization_id, owner_id, created_at, updated_at, revision, archived_at, ...others } = document;
  const fields = Object.fromEntries(Object.entries(others).filter(([field]) => !INTERNAL_FIELDS.has(field)));
  return {
    id,
    organization_id,
    ...fields,
    ...family.dayFacts?.(document, today),
    owner_id,
    owner,
    created_at,
    updated_at,
    revision,
    archived_at,
  };
}

/** The fewest fields to choose a record by: no nulls, no long texts. */
function summaryView(family: FamilyQuery, document: Document, owner: string | null, today: string): Document {
  const ofDay = family.dayFacts?.(document, today);
  const chosen: Document = { id: document.id };
  for (const field of family.summary) {
    const value = ofDay && field in ofDay ? ofDay[field] : document[field];
    if (value === null || value === undefined) continue;
    const longest = family.summaryTextLimits?.[field];
    chosen[field] = longest === undefined ? value : cutText(String(value), longest);
  }
  if (owner !== null) chosen.owner = owner;
  if (document.archived_at !== null) chosen.archived_at = document.archived_at;
  if (document.stale) chosen.stale = true;
  return chosen;
}

/** The most characters a record can be as JSON, without making it: every character of a text may be written as six. */
export function maxJsonCharacters(document: Document): number {
  let characters = 2;
  for (const [field, value] of Object.entries(document)) {
    characters += field.length + 4;
    if (typeof value === 'string') characters += value.length * 6 + 2;
    else characters += typeof value === 'object' && value !== null ? JSON.stringify(value).length : 25;
  }
  return characters;
}

/** Returns the number of these that fit into an answer of which `taken` is used; at least one. */
export function countThatFit(documents: readonly Document[], taken = 0): number {
  if (documents.reduce((sum, document) => sum + maxJsonCharacters(document), taken) <= MAX_ANSWER_CHARACTERS)
    return documents.length;
  let characters = taken;
  for (const [index, document] of documents.entries()) {
    characters += JSON.stringify(document).length + 1;
    if (characters > MAX_ANSWER_CHARACTERS) return Math.max(1, index);
  }
  return documents.length;
}

/** Cuts the longest texts of a record that does not fit an answer by itself, and names them. */
export function cutToFit(document: Document): Document {
  let result = document;
  const truncated: string[] = [];
  while (JSON.stringify(result).length > MAX_ANSWER_CHARACTERS) {
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
