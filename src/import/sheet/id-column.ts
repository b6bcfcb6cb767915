import { idPrefix } from '../../commands/engine/ids.ts';
import { FAMILIES } from '../../commands/families.ts';
import { displayText } from '../../sheets/cells/cell.ts';
import type { ColumnChoices } from '../../sheets/columns/match-columns.ts';
import type { Sheet } from '../../sheets/read-sheet.ts';
import type { RowReader } from '../import-rows.ts';

/** The heading of the ids in a file of records that the product wrote. */
const ID_HEADING = 'id';

/** Returns the mapping with `id`, if the sheet has a file's column of ids. The ids of other systems are none. */
export function withIdColumn(
  { type }: RowReader,
  { headers, sample }: Pick<Sheet, 'headers' | 'sample'>,
  { map = new Map(), ignored = [] }: ColumnChoices,
): ReadonlyMap<string, string> {
  const isChosen = map.has('id') || [...map.values(), ...ignored].includes(ID_HEADING);
  if (isChosen || !headers.includes(ID_HEADING)) return map;
  const hasIds = sample.some(({ cells }) => {
    const cell = cells.get(ID_HEADING);
    return cell !== undefined && idPrefix(displayText(cell).trim()) === FAMILIES[type].prefix;
  });
  return hasIds ? new Map([...map, ['id', ID_HEADING]]) : map;
}
