import { adoptionKey } from '../../projections/changes.ts';
import { orderedNaturally } from '../../projections/keys.ts';
import { modelOfId } from '../../projections/models.ts';
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

/** In which order families are told; what is of none of these, the organization itself among it, comes last. */
const TYPES: readonly string[] = [
  ...['RISK', 'VENDOR', 'FRAMEWORK', 'CONTROL', 'MEASURE', 'OBLIGATION', 'NONCONFORMITY', 'AUDIT', 'EVIDENCE'],
];
/** Changes that are read at once, of several records. */
const AT_ONCE = 500;

/** An adoption is found by each of its controls too; it is told of the framework alone. */
const ADOPTION = adoptionKey('');

const byReference = orderedNaturally('reference_id').of;
const byName = orderedNaturally('name').of;

/** Which records some changes are about, ordered as a reader seeks them: by family, reference and name at the report's moment. */
export async function changedRecords(context: ReportContext, source: Source): Promise<ChangedRecord[]> {
  const groups = await context.reader.models.count(source, ['record_id']);
  const found = groups.map(({ values, total }) => ({ id: String(values[0]), changes: total }));
  const records: ChangedRecord[] = found.filter(({ id }) => !id.startsWith(ADOPTION));
  const byId = new Map(records.map((record) => [record.id, record]));
  const places = new Map<string, string[]>();
  for (const type of TYPES) {
    const ids = records.filter(({ id }) => typeOf(id) === type).map(({ id }) => id);
    for (const document of await recordsThen(context, type, ids)) {
      const id = String(document.id);
      places.set(id, placeOf(document));
      const { reference_id: reference } = document;
      if (reference && !nameOf(document).startsWith(`${reference}: `)) byId.get(id)!.reference = String(reference);
    }
  }
  return records.sort(
    (a, b) =>
      rankOf(a.id) - rankOf(b.id) || compared(places.get(a.id) ?? [], places.get(b.id) ?? []) || (a.id < b.id ? -1 : 1),
  );
}

const typeOf = (id: string): string => modelOfId(id)?.family.type ?? '';

function rankOf(id: string): number {
  const rank = TYPES.indexOf(typeOf(id));
  return rank < 0 ? TYPES.length : rank;
}

/** Those with a reference come before those without. */
function placeOf(document: Row): string[] {
  const reference = byReference(document);
  return [reference === null ? '1' : `0${reference}`, String(byName({ name: nameOf(document) }) ?? '')];
}

function compared(one: readonly string[], other: readonly string[]): number {
  for (const [index, text] of one.entries()) {
    const beside = other[index] ?? '';
    if (text !== beside) return text < beside ? -1 : 1;
  }
  return 0;
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
