import { MAX_DATE } from '../commands/engine/dates.ts';
import { keysOf, type ReadModel, type RecordDocument } from '../projections/read-models/read-model.ts';
import { familyOfType } from '../register/families.ts';
import type { RowChange } from '../stores/reporting-store.ts';
import { toCell } from './cells.ts';

/** Returns a row for each thing of a record that can fall due, with its date, or without one if nothing is due. */
export function duePuts(model: ReadModel, document: RecordDocument): RowChange[] {
  const { dueItems = [] } = familyOfType(model.family.type) ?? {};
  const record = document as RecordDocument & Readonly<Record<string, unknown>>;
  const keys = dueItems.length === 0 ? {} : keysOf(model);
  return dueItems.map(({ name, label, date, key, filter = {} }) => {
    const isCounted =
      record.archived_at === null &&
      Object.entries(filter).every(([field, values]) => values.includes(String(record[field])));
    const due = key === undefined ? record[date] : keys[key]!.of(record);
    return {
      put: {
        organization_id: record.organization_id,
        record_id: record.id,
        what: name,
        record_type: model.family.type,
        record_name: model.nameOf(record),
        owner_id: record.owner_id,
        due_date: isCounted && due !== MAX_DATE ? toCell('DATE', due) : null,
        label,
        changed_position: record.from_position,
      },
    };
  });
}
