import { idPrefix } from '../../commands/engine/ids.ts';
import { FAMILIES } from '../../commands/families.ts';
import { displayText } from '../../sheets/cells/cell.ts';
import { normalizeHeading } from '../../sheets/columns/headings.ts';
import type { ColumnChoices } from '../../sheets/columns/match-columns.ts';
import type { Sheet } from '../../sheets/read-sheet.ts';
import type { RowReader } from '../import-rows.ts';

/** The heading of the ids in a file of records that the product wrote: "id" in a download, "Id" in a report. */
const ID_HEADING = 'id';

/** Returns the mapping with `id`, if the sheet has a file's column of ids. The ids of other systems are none. */
export function withIdColumn(
  { type }: RowReader,
  { headers, sample }: Pick<Sheet, 'headers' | 'sample'>,
  { map = new Map(), ignored = [] }: ColumnChoices,
): ReadonlyMap<string, string> {
  const chosen = [...map.values(), ...ignored].map(normalizeHeading);
  if (map.has('id') || chosen.includes(ID_HEADING)) return map;
  const header = headers.find((one) => normalizeHeading(one) === ID_HEADING && hasIdsOf(type, sample, one));
  return header === undefined ? map : new Map([...map, ['id', header]]);
}

/** Returns true if the column that is mapped to `id` has ids of the type. */
export function hasIds(
  { type }: RowReader,
  { headers, sample }: Pick<Sheet, 'headers' | 'sample'>,
  map: ReadonlyMap<string, string>,
): boolean {
  const chosen = map.get('id');
  if (chosen === undefined) return false;
  return headers.some((one) => normalizeHeading(one) === normalizeHeading(chosen) && hasIdsOf(type, sample, one));
}

function hasIdsOf(type: RowReader['type'], sample: Sheet['sample'], header: string): boolean {
  return sample.some(({ cells }) => {
    const cell = cells.get(header);
    return cell !== undefined && idPrefix(displayText(cell).trim()) === FAMILIES[type].prefix;
  });
}
