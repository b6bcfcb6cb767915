import type { Caller } from '../commands/organization/caller.ts';
import { requirePermission } from '../commands/organization/permissions.ts';
import { type FamilyQuery, familyQueryOfType } from '../queries/family-query.ts';
import { listConditions } from '../queries/lists/filters.ts';
import { readKeysetPages } from '../queries/lists/keyset-page.ts';
import { currentMoment } from '../queries/moments/moment.ts';
import type { Reader, Snapshot } from '../queries/moments/snapshot.ts';

/** Audits that the reports page offers, and as many frameworks. */
export const MAX_CHOICES = 100;
const RECORDS_PER_READ = 500;

/** A record that a report can be about. */
export interface ReportChoice {
  id: string;
  name: string;
  /** Distinguishes records with the same name: an audit's first day or a framework's version. Null if it has none. */
  qualifier: string | null;
  /** Reports about archived records are possible too. */
  archived: boolean;
}

/** The newest records to choose from. `isCut` is true if there are more. */
export interface ChoiceList {
  choices: readonly ReportChoice[];
  isCut: boolean;
}

export interface ReportChoices {
  /** Audits that were completed once: each has its pack. The latest start comes first. */
  audits: ChoiceList;
  /** The newest adoption comes first. */
  frameworks: ChoiceList;
}

type Document = Record<string, unknown>;

/** Returns the audits and frameworks that the reports page offers. @throws Refusal for a caller without access */
export async function reportChoices(reader: Reader, caller: Caller, organizationId: string): Promise<ReportChoices> {
  requirePermission(caller, organizationId, 'readRecords');
  const snapshot = reader.snapshot();
  const audits: ChoiceSource = {
    family: familyQueryOfType('AUDIT'),
    key: 'starts_on',
    qualifierField: 'starts_on',
    isOffered: isCompleted,
  };
  const frameworks: ChoiceSource = {
    family: familyQueryOfType('FRAMEWORK'),
    key: 'created_at',
    qualifierField: 'version',
    isOffered: () => true,
  };
  return {
    audits: await choiceList(snapshot, organizationId, audits),
    frameworks: await choiceList(snapshot, organizationId, frameworks),
  };
}

/** A reopened audit counts too: it keeps the position of its completion, and so its pack. */
const isCompleted = ({ completed_position }: Document): boolean => typeof completed_position === 'string';

interface ChoiceSource {
  family: FamilyQuery;
  /** The key that sorts the newest first. */
  key: string;
  qualifierField: string;
  isOffered(document: Document): boolean;
}

/** Stops reading at the first record that is too many. */
async function choiceList(
  snapshot: Snapshot,
  organizationId: string,
  { family, key, qualifierField, isOffered }: ChoiceSource,
): Promise<ChoiceList> {
  const moment = currentMoment(snapshot);
  const filter = { include_archived: true };
  const source = {
    collection: family.plural,
    organizationId,
    where: listConditions(family, moment, { today: moment.today, account_id: '', filter }),
    order: { key, direction: 'DESC' } as const,
  };
  const choices: ReportChoice[] = [];
  for await (const rows of readKeysetPages(() => snapshot.models, { ...source, size: RECORDS_PER_READ, after: null })) {
    for (const { doc } of rows.filter((row) => isOffered(row.doc))) {
      if (choices.length === MAX_CHOICES) return { choices, isCut: true };
      choices.push(choiceOf(doc, qualifierField));
    }
  }
  return { choices, isCut: false };
}

function choiceOf(document: Document, qualifierField: string): ReportChoice {
  const { id, name, archived_at } = document;
  const archived = (archived_at ?? null) !== null;
  return {
    id: String(id),
    name: String(name),
    qualifier: (document[qualifierField] ?? null) as string | null,
    archived,
  };
}
