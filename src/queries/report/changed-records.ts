import { LRUCache } from 'lru-cache';
import { adoptionKey } from '../../projections/changes.ts';
import { orderedNaturally } from '../../projections/keys.ts';
import { modelOfId } from '../../projections/models.ts';
import type { ReadModels } from '../../stores/read-store.ts';
import { recordsThen } from './beside.ts';
import type { ReportContext, Row } from './report-type.ts';
import { nameOf, type Source } from './walk.ts';

export interface ChangedRecord {
  id: string;
  /** How many lines of change tell of it. */
  changes: number;
  /** At the report's moment; absent where there is none, and where its name begins with it. */
  reference?: string;
}

/** In which order families are told. */
const TYPES: readonly string[] = [
  ...['RISK', 'VENDOR', 'FRAMEWORK', 'CONTROL', 'MEASURE', 'OBLIGATION', 'NONCONFORMITY', 'AUDIT', 'EVIDENCE'],
];
/** Changes that are read at once, of several records. */
const AT_ONCE = 500;

/** An adoption is found by each of its controls too; it is told of the framework alone. */
const ADOPTION = adoptionKey('');

const byReference = orderedNaturally('reference_id').of;
const byName = orderedNaturally('name').of;

/** Of each generation of read models, what was worked out for the pages of long reports: of a period nothing changes any more. */
const worked = new WeakMap<ReadModels, LRUCache<string, ChangedRecord[]>>();
/** Records in those lists. */
const KEPT = 200_000;

/** Which records some changes are about, ordered as a reader seeks them: by family, reference and name at the report's moment. */
export async function changedRecords(context: ReportContext, source: Source): Promise<ChangedRecord[]> {
  const { models } = context.reader;
  const key = JSON.stringify([source, context.moment.ordinal]);
  const lists = worked.get(models) ?? new LRUCache({ maxSize: KEPT, sizeCalculation: ({ length }) => length + 1 });
  worked.set(models, lists);
  const records = lists.get(key) ?? (await inOrder(context, source));
  lists.set(key, records);
  return records;
}

async function inOrder(context: ReportContext, source: Source): Promise<ChangedRecord[]> {
  const groups = await context.reader.models.count(source, ['record_id']);
  const found = groups.map(({ values, total }) => ({ id: String(values[0]), changes: total }));
  const records = new Map(found.filter(({ id }) => !id.startsWith(ADOPTION)).map((one) => [one.id, one]));
  const places = new Map<string, ChangedRecord>();
  for (const [rank, type] of TYPES.entries()) {
    const ids = [...records.keys()].filter((id) => modelOfId(id)?.family.type === type);
    for (const document of await recordsThen(context, type, ids)) {
      const id = String(document.id);
      const name = nameOf(document);
      const { reference_id: reference } = document;
      const isKnown = !reference || name.startsWith(`${reference}: `);
      const record = { ...records.get(id)!, ...(isKnown ? {} : { reference: String(reference) }) };
      places.set(placeOf(rank, document, name), record);
      records.delete(id);
    }
  }
  // What is of no family, the organization itself among it, comes last.
  for (const [id, record] of records) places.set(`${TYPES.length}\n${id}`, record);
  return [...places.keys()].sort().map((place) => places.get(place)!);
}

/** Sorts by its code units; those with a reference come before those without. */
function placeOf(rank: number, document: Row, name: string): string {
  const reference = byReference(document);
  return [rank, reference === null ? '1' : `0${reference}`, byName({ name }) ?? '', document.id].join('\n');
}

/** Records whose changes are read together; one that has very many stands alone. */
export function* inBatches(records: readonly ChangedRecord[]): Generator<ChangedRecord[]> {
  let some: ChangedRecord[] = [];
  let changes = 0;
  for (const record of records) {
    if (some.length > 0 && changes + record.changes > AT_ONCE) {
      yield some;
      some = [];
      changes = 0;
    }
    some.push(record);
    changes += record.changes;
  }
  if (some.length > 0) yield some;
}
