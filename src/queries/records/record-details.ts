import { idPrefix } from '../../commands/engine/ids.ts';
import type { Caller } from '../../commands/organization/caller.ts';
import type { FamilyDescription } from '../../register/family-description.ts';
import type { Fields } from '../../register/field.ts';
import type { RelationOfRecord } from '../../register/link.ts';
import type { ListedChange } from '../changes/list-changes.ts';
import { FAMILY_QUERIES, type FamilyQuery, familyQueryFor } from '../family-query.ts';
import { momentOf, type QueryContext } from '../moments/moment.ts';
import type { Reader } from '../moments/snapshot.ts';
import { type DueDate, dueDatesOf } from './due-dates.ts';
import type { FieldAuthor } from './field-authors.ts';
import { withFormerOwners } from './former-members.ts';
import { getRecords } from './get-records.ts';
import { type MemberNames, readMemberNames } from './member-names.ts';
import { presentRecords } from './present-records.ts';
import { documentsAt, type LinkedRecord, linkedRecordsOfPage } from './record-links.ts';

type Document = Readonly<Record<string, unknown>>;

/** A record as getRecords answers it. */
export interface RecordAnswer extends Document {
  evidence: { records: readonly Record<string, unknown>[]; total: number };
  history: { changes: readonly ListedChange[]; truncated?: true };
  authors: Readonly<Record<string, FieldAuthor>>;
}

/** A linked record: its type, its name and the fields of view SUMMARY. */
export interface LinkedSummary extends Document {
  id: string;
  type: string;
  name: string;
  /** The relation to a control that is linked with this one, and its framework's name. */
  relation?: RelationOfRecord;
  framework?: string | undefined;
}

/** A record with what its page shows beside its fields. */
export interface RecordDetails {
  record: RecordAnswer;
  /** The record's name, or the beginning of the text that stands for one. */
  name: string;
  /** The day that dates are compared with. */
  today: string;
  /** The newest linked records of other families than evidence, archived ones too, and how many each type has. */
  linked: { records: readonly LinkedSummary[]; total: number; totals: ReadonlyMap<string, number> };
  /** The earliest first. */
  dueDates: readonly DueDate[];
  names: MemberNames;
  /** The names of records of the same family that fields name, by id, such as the evidence that replaces it. */
  relatives: ReadonlyMap<string, string>;
}

/** Reads a record with its links, due dates and history. Returns null if there is none. */
export async function readRecordDetails(
  reader: Reader,
  caller: Caller,
  family: Pick<FamilyDescription, 'dueItems'>,
  input: { id: string; organization_id: string; as_of?: string | undefined },
): Promise<RecordDetails | null> {
  const { id, organization_id, as_of } = input;
  const include = ['EVIDENCE', 'ARCHIVED', 'HISTORY', 'AUTHORS'];
  const answer = await getRecords(reader, caller, { ids: [id], organization_id, include, as_of });
  const [answered] = (answer as { records: RecordAnswer[] }).records;
  if (answered === undefined) return null;
  const snapshot = reader.snapshot();
  const moment = await momentOf(snapshot, organization_id, as_of);
  const query = familyQueryFor(id);
  const context = { snapshot, organizationId: organization_id, moment };
  await addReplaced(context, answered);
  const record = (await withFormerOwners(context, [answered]))[0]!;
  return {
    record,
    name: nameOf(query, record),
    today: moment.today,
    linked: await linkedSummaries(context, id),
    dueDates: dueDatesOf(family, query, record, moment.today),
    names: await readMemberNames(snapshot, organization_id, peopleIn(query.fields, record)),
    relatives: await readRelatives(context, query, record),
  };
}

async function readRelatives(context: QueryContext, query: FamilyQuery, record: Document) {
  const named = Object.entries(query.fields).flatMap(([name, field]) => {
    const value = field.kind === 'id' && field.prefix === query.prefix ? record[name] : null;
    return typeof value === 'string' ? [value] : [];
  });
  const documents = await documentsAt(context, named);
  return new Map(documents.map((document) => [String(document.id), nameOf(query, document)]));
}

/** Says of each piece of evidence of a record if newer evidence replaces it. */
async function addReplaced(context: QueryContext, { evidence }: RecordAnswer): Promise<void> {
  const documents = await documentsAt(
    context,
    evidence.records.map(({ id }) => String(id)),
  );
  const replaced = new Set(documents.filter((document) => document.replaced).map(({ id }) => id));
  for (const row of evidence.records) row.replaced = replaced.has(row.id);
}

function nameOf({ model }: FamilyQuery, document: Document): string {
  return model.nameOf?.(document) ?? String(document.name);
}

async function linkedSummaries(context: QueryContext, id: string): Promise<RecordDetails['linked']> {
  const { links, total, totals } = await linkedRecordsOfPage(context, id);
  const frameworkNames = await namesOfRelatedFrameworks(context, links);
  const records: LinkedSummary[] = [];
  for (const query of Object.values(FAMILY_QUERIES)) {
    const ofFamily = links.filter(({ document }) => idPrefix(String(document.id)) === query.prefix);
    if (ofFamily.length === 0) continue;
    const documents = ofFamily.map(({ document }) => document);
    // Pages put controls under the headings of their standard, and say what is overdue.
    const summary = [...query.summary, ...['group', 'overdue'].filter((name) => name in query.fields)];
    const summaries = await presentRecords(context, { ...query, summary }, documents, 'SUMMARY');
    for (const [index, { document, relation }] of ofFamily.entries()) {
      const name = nameOf(query, document);
      const framework = relation === null ? undefined : frameworkNames.get(String(document.framework_id));
      const related = relation === null ? {} : { relation, framework };
      records.push({ ...summaries[index], id: String(document.id), type: query.type, name, ...related });
    }
  }
  return { records, total, totals };
}

/** Returns the names of the frameworks, by id, of the controls that a control has a relation to. */
async function namesOfRelatedFrameworks(
  context: QueryContext,
  links: readonly LinkedRecord[],
): Promise<ReadonlyMap<string, string>> {
  const related = links.filter(({ relation }) => relation !== null);
  const ids = [...new Set(related.map(({ document }) => String(document.framework_id)))];
  const frameworks = await documentsAt(context, ids);
  return new Map(frameworks.map(({ id, name }) => [String(id), String(name)]));
}

/** Returns the accounts in a record's fields, and the names from imported files. */
function peopleIn(fields: Fields, document: Document): string[] {
  return Object.entries(document).flatMap(([name, value]) => {
    const field = fields[name];
    if (field?.kind === 'object' && value) return peopleIn(field.fields, value as Document);
    const isPerson = field?.kind === 'account' || field?.kind === 'importedName';
    return isPerson && typeof value === 'string' ? [value] : [];
  });
}
