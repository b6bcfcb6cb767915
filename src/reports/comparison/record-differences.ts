import { FAMILY_DESCRIPTIONS, type FamilyName } from '../../register/families.ts';
import type { FamilyDescription } from '../../register/family-description.ts';
import type { ReportRow } from '../report-type.ts';
import { recordsAtMoment } from '../sections/linked-records.ts';
import { recordName } from '../sections/records.ts';
import type { ComparedMoments } from './moved-records.ts';

/** A record that changed between two moments, with what is different and the events that did it. */
export interface RecordDifference {
  id: string;
  title: string;
  outcome: 'ADDED' | 'ARCHIVED' | 'RESTORED' | 'CHANGED';
  /** The fields that are different, by their order in the family. Empty for an added record. */
  fields: readonly { field: string; from: unknown; to: unknown }[];
  /** The rows of CHANGES_BETWEEN about this record. Empty for a control that its framework's adoption added, or that only its measures changed. */
  events: readonly ReportRow[];
}

export interface FamilyDifferences {
  family: FamilyDescription & { type: FamilyName };
  records: readonly RecordDifference[];
}

/**
 * Returns the difference of each record that rows of CHANGES_BETWEEN are about, by family and in their order. A record
 * whose first event is parked has no fields to compare, so only the report has it.
 * @param controls further controls: `adopted` ones began with their frameworks, and `moved` ones are returned if their
 *   implementation differs
 */
export async function recordDifferences(
  { before, after }: ComparedMoments,
  rows: readonly ReportRow[],
  controls: { adopted: readonly string[]; moved: readonly string[] },
): Promise<FamilyDifferences[]> {
  const differences: FamilyDifferences[] = [];
  const adopted = new Set(controls.adopted);
  for (const family of FAMILY_DESCRIPTIONS) {
    const events = eventsByRecord(rows.filter(({ record_type }) => record_type === family.type));
    const ids = [...new Set([...events.keys(), ...(family.type === 'CONTROL' ? [...adopted, ...controls.moved] : [])])];
    const earlier = byId(await recordsAtMoment(before, family.type, ids));
    const later = byId(await recordsAtMoment(after, family.type, ids));
    const records = ids.flatMap((id) => {
      const record = later.get(id);
      if (record === undefined) return [];
      const own = events.get(id);
      if (own !== undefined || adopted.has(id)) return [difference(family, earlier.get(id), record, own ?? [])];
      const unlisted = difference(family, earlier.get(id), record, []);
      const fields = unlisted.fields.filter(({ field }) => field === 'implementation');
      return fields.length === 0 ? [] : [{ ...unlisted, fields }];
    });
    if (records.length > 0) differences.push({ family, records });
  }
  return differences;
}

function eventsByRecord(rows: readonly ReportRow[]): Map<string, ReportRow[]> {
  const events = new Map<string, ReportRow[]>();
  for (const row of rows) {
    const id = String(row.record_id);
    events.set(id, [...(events.get(id) ?? []), row]);
  }
  return events;
}

function byId(documents: readonly ReportRow[]): Map<string, ReportRow> {
  return new Map(documents.map((document) => [String(document.id), document]));
}

function difference(
  family: FamilyDescription,
  earlier: ReportRow | undefined,
  later: ReportRow,
  events: readonly ReportRow[],
): RecordDifference {
  const names = Object.keys(family.fields).filter((name) => !family.fields[name]!.excludedFromHistory);
  const fields = names
    .map((field) => ({ field, from: earlier?.[field] ?? null, to: later[field] ?? null }))
    .filter(({ from, to }) => earlier !== undefined && JSON.stringify(from) !== JSON.stringify(to));
  return { id: String(later.id), title: recordName(later), outcome: outcomeOf(earlier, later), fields, events };
}

function outcomeOf(earlier: ReportRow | undefined, later: ReportRow): RecordDifference['outcome'] {
  const isArchived = (later.archived_at ?? null) !== null;
  if (earlier === undefined) return isArchived ? 'ARCHIVED' : 'ADDED';
  const wasArchived = (earlier.archived_at ?? null) !== null;
  if (isArchived === wasArchived) return 'CHANGED';
  return isArchived ? 'ARCHIVED' : 'RESTORED';
}

/** Returns true for a field that most readers ask about: state, score, owner, due dates and links. */
export function isImportantField({ fields, workflow, dueItems = [] }: FamilyDescription, name: string): boolean {
  if (['score', 'owner_id', 'implementation', 'status', 'state', workflow?.field].includes(name)) return true;
  return fields[name]?.kind === 'count' || dueItems.some(({ date }) => date === name);
}
