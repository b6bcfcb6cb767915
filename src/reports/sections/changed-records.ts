import { adoptionKey } from '../../projections/history/change-document.ts';
import { modelOfId } from '../../projections/models.ts';
import { naturalSortKey } from '../../projections/read-models/key-builders.ts';
import type { ChangedRecord } from '../../queries/moments/snapshot.ts';
import { FAMILY_DESCRIPTIONS } from '../../register/families.ts';
import type { ReportContext, ReportRow } from '../report-type.ts';
import { recordsAtMoment } from './linked-records.ts';
import { type RecordSource, recordName } from './records.ts';

const FAMILY_ORDER = FAMILY_DESCRIPTIONS.map(({ type }) => type);
/** Changes of the records that are read together. A single record may have more. */
const CHANGES_PER_READ = 500;

/** The prefix of rows that exist only so that each control finds its adoption. Reports show the framework's row. */
const ADOPTION_PREFIX = adoptionKey('');

const byReference = naturalSortKey('reference_id').of;
const byName = naturalSortKey('name').of;

/**
 * Returns the records whose changes `source` selects, ordered by family, reference and name at the report's moment. With
 * the input owner_id, only those that this person owns at that moment.
 */
export async function changedRecords(context: ReportContext, source: RecordSource): Promise<readonly ChangedRecord[]> {
  const { changedRecords: lists } = context.snapshot;
  const key = JSON.stringify([source, context.moment.position, context.inputs.owner_id]);
  const records = lists.get(key) ?? (await readChangedRecords(context, source));
  lists.set(key, records);
  return records;
}

async function readChangedRecords(context: ReportContext, source: RecordSource): Promise<ChangedRecord[]> {
  const { owner_id } = context.inputs;
  const groups = await context.snapshot.models.count(source, ['record_id']);
  const changedIds = groups.map(({ values, total }) => ({ id: String(values[0]), changes: total }));
  const records = new Map(
    changedIds.filter(({ id }) => !id.startsWith(ADOPTION_PREFIX)).map((record) => [record.id, record]),
  );
  const orderedRecords: ChangedRecord[][] = [];
  for (const type of FAMILY_ORDER) {
    const places = new Map<string, ChangedRecord>();
    const ids = [...records.keys()].filter((id) => modelOfId(id)?.family.type === type);
    for (const document of await recordsAtMoment(context, type, ids)) {
      const id = String(document.id);
      if (owner_id !== undefined && document.owner_id !== owner_id) continue;
      const name = recordName(document);
      const { reference_id: reference } = document;
      const isKnown = !reference || name.startsWith(`${reference}: `);
      const record = { ...records.get(id)!, ...(isKnown ? {} : { reference: String(reference) }) };
      places.set(sortKeyOf(document, name), record);
      records.delete(id);
    }
    orderedRecords.push(inOrderOfKeys(places));
  }
  // Records without a family, such as the organization itself, come last. They have no owner.
  if (owner_id === undefined) orderedRecords.push(inOrderOfKeys(records));
  return orderedRecords.flat();
}

function inOrderOfKeys(records: ReadonlyMap<string, ChangedRecord>): ChangedRecord[] {
  return [...records.keys()].sort().map((key) => records.get(key)!);
}

/** Returns the key that sorts a record within its family, by code units. Records with a reference come before those without. */
function sortKeyOf(document: ReportRow, name: string): string {
  const reference = byReference(document);
  return [reference === null ? '1' : `0${reference}`, byName({ name }) ?? '', document.id].join('\n');
}

/** Groups records whose changes are read together. A record with very many changes is read alone. */
export function* inBatches(records: readonly ChangedRecord[]): Generator<ChangedRecord[]> {
  let batch: ChangedRecord[] = [];
  let changes = 0;
  for (const record of records) {
    if (batch.length > 0 && changes + record.changes > CHANGES_PER_READ) {
      yield batch;
      batch = [];
      changes = 0;
    }
    batch.push(record);
    changes += record.changes;
  }
  if (batch.length > 0) yield batch;
}
