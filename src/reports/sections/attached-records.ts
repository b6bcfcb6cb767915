import type { ReportColumn, ReportContext, ReportRow } from '../report-type.ts';
import { linkedTo, listWithTotal } from './linked-records.ts';
import { recordName } from './records.ts';
import { detail, prose } from './report-columns.ts';

export const ATTACHED_RECORDS_COLUMNS: readonly ReportColumn[] = [
  prose('records', 'Evidence of'),
  detail('records_total', 'Evidence of, in all'),
];

/**
 * Returns for each piece of evidence the records of some types that it is attached to, the newest link first.
 * @param among limits the result to these ids, archived ones included
 */
export async function attachedRecords(
  context: ReportContext,
  evidence: readonly ReportRow[],
  types: readonly string[],
  among?: ReadonlySet<string>,
): Promise<ReportRow[]> {
  const ids = evidence.map(({ id }) => String(id));
  const linked = await linkedTo(context, ids, types, among);
  return ids.map((id) => {
    const records = linked.get(id)!.map((record) => ({ id: record.id, name: recordName(record) }));
    return listWithTotal('records', records);
  });
}
