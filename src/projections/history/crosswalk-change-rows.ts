import { frameworkOfControl } from '../../commands/engine/ids.ts';
import type { ControlState } from '../../register/control.ts';
import { type CrosswalkEvent, type CrosswalkPair, relationOfPair } from '../../register/crosswalk.ts';
import { RELATIONS, relationOfRecord } from '../../register/link.ts';
import type { DocumentPut } from '../../stores/read-store.ts';
import type { RecordDocument } from '../read-models/read-model.ts';
import type { FieldChange, RecordReference } from './change-document.ts';
import { changeDocument, type PositionedEvent, referenceTo, rowPut } from './change-rows.ts';

/** Pairs that the row of one control lists. The row of a control with more has their number by relation. */
const MAX_LISTED_PAIRS = 50;

/**
 * Returns the rows of a crosswalk: one for each of its two frameworks, and one for each control in it. All name the other
 * framework as `linked`. A framework's row has the number of pairs by relation, a control's the relation to each other
 * control by its number: `linked.A.5.1` from null to EQUIVALENT.
 * @param records the frameworks and controls by id
 */
export function crosswalkChangeRows(
  positioned: PositionedEvent,
  { framework_ids, pairs, reason }: CrosswalkEvent['data'],
  records: ReadonlyMap<string, RecordDocument>,
): DocumentPut[] {
  const [first, second] = framework_ids.map((id) => referenceTo(records.get(id)!)) as [
    RecordReference,
    RecordReference,
  ];
  const otherThan = (frameworkId: string) => (frameworkId === first.id ? second : first);
  const rowOf = (record: RecordReference, frameworkId: string, rowIndex: number, changes: FieldChange[]) => {
    const details = { record, linked: otherThan(frameworkId), revision: null, effective_at: null, changes };
    return rowPut(positioned.event, changeDocument(positioned, { reason }, details), { record, rowIndex });
  };
  const counts = pairCounts(pairs);
  const rows = [rowOf(first, first.id, 0, counts), rowOf(second, second.id, 1, counts)];
  for (const [id, ofControl] of pairsByControl(pairs)) {
    const isListed = ofControl.length <= MAX_LISTED_PAIRS;
    const changes = isListed ? ofControl.map((pair) => pairOf(id, pair, records)) : pairCounts(ofControl);
    rows.push(rowOf(referenceTo(records.get(id)!), frameworkOfControl(id), 1, changes));
  }
  return rows;
}

/** Returns the number of pairs of each relation as changes, such as `linked.SUPPORTS` from null to 12. */
export function pairCounts(pairs: readonly CrosswalkPair[]): FieldChange[] {
  return RELATIONS.flatMap((relation) => {
    const count = pairs.filter((pair) => pair.relation === relation).length;
    return count === 0 ? [] : [{ field: `linked.${relation}`, from: null, to: count }];
  });
}

/** Returns a pair as the change of one of its controls. */
function pairOf(id: string, pair: CrosswalkPair, records: ReadonlyMap<string, RecordDocument>): FieldChange {
  const other = records.get(pair.from_id === id ? pair.to_id : pair.from_id);
  const { section_title } = other as unknown as ControlState;
  return { field: `linked.${section_title}`, from: null, to: relationOfRecord(id, relationOfPair(pair)) };
}

function pairsByControl(pairs: readonly CrosswalkPair[]): Map<string, CrosswalkPair[]> {
  const byControl = new Map<string, CrosswalkPair[]>();
  for (const pair of pairs) {
    for (const id of [pair.from_id, pair.to_id]) {
      const ofControl = byControl.get(id);
      if (ofControl === undefined) byControl.set(id, [pair]);
      else ofControl.push(pair);
    }
  }
  return byControl;
}
