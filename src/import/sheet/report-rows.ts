import { FAMILIES } from '../../commands/families.ts';
import { displayText } from '../../sheets/cells/cell.ts';
import { normalizeHeading } from '../../sheets/columns/headings.ts';
import type { Sheet } from '../../sheets/read-sheet.ts';
import type { SheetRow } from '../../sheets/table-rows.ts';
import type { RowReader } from '../import-rows.ts';

/** The first column of a report as CSV, and its value in the first rows, which are facts about the report. */
const SECTION = 'section';
const ABOUT_REPORT = 'report';

/**
 * Returns a function that tells which rows of a sheet are records. In a report as CSV, those of the section with all records
 * of the type are; others, such as its figures, aren't. In any other sheet all rows are.
 */
export function recordRowTest(
  { headers, sample }: Pick<Sheet, 'headers' | 'sample'>,
  { type }: Pick<RowReader, 'type'>,
): (row: Pick<SheetRow, 'cells'>) => boolean {
  const [first = ''] = headers;
  const sectionOf = ({ cells }: Pick<SheetRow, 'cells'>) => {
    const cell = cells.get(first);
    return cell === undefined ? '' : displayText(cell).trim();
  };
  const isReport = normalizeHeading(first) === SECTION && sample[0] && sectionOf(sample[0]) === ABOUT_REPORT;
  return isReport ? (row) => sectionOf(row) === FAMILIES[type].plural : () => true;
}
