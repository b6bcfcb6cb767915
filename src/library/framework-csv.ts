import { CsvError, type Options, parse } from 'csv-parse/sync';
import { Refusal } from '../commands/engine/refusal.ts';
import { ControlList, type FrameworkControl } from './control-list.ts';

/** Accepted headers of each column, in any case. Words may be joined by spaces, `_` or `-`. */
const HEADERS = {
  section_title: ['number', 'no', 'section', 'section title', 'id', 'control', 'control id', 'control number'],
  name: ['title', 'name', 'control title', 'control name'],
  description: ['description', 'text'],
} as const;

type Field = keyof typeof HEADERS;

/** The field of each column, undefined for a column that is ignored. */
type Columns = readonly (Field | undefined)[];

const DELIMITERS = [',', ';'];
const LINE_ENDS = ['\r\n', '\n', '\r'];
/** Tolerates misplaced quotes, because correct quotes look misplaced while the wrong separator is tried. */
const FIRST_ROW: Options = { to: 1, relax_quotes: true };

export interface CsvFramework {
  controls: FrameworkControl[];
  /** Headers of the columns that were ignored, for a message. */
  ignored: string[];
}

/**
 * Reads a framework's controls from CSV: a header row, then one row for each control with number, title and an optional
 * description. Columns may be in any order. The separator is a comma or a semicolon, whichever gives a valid header row.
 * Skips blank rows. The header is row 1, as in a spreadsheet.
 *
 * @param csv the file's text, read as UTF-8
 * @throws Refusal `invalid_input` that names every bad row
 */
export function readFrameworkCsv(csv: string): CsvFramework {
  if (csv.includes('\uFFFD')) {
    throw new Refusal('invalid_input', 'The file is not in UTF-8. Save it as "CSV UTF-8" and try again.');
  }
  const { delimiter, headers, columns } = readHeader(csv);
  const list = new ControlList();
  for (const [index, cells] of rowsOf(csv, delimiter).entries()) {
    if (index === 0 || cells.every(isBlank)) continue;
    const location = `row ${index + 1}`;
    const surplus = cells.slice(columns.length).some((cell) => !isBlank(cell));
    if (surplus)
      list.refuse(
        location,
        'has more cells than the header row. Put quotation marks around texts that contain the separator',
      );
    else list.add(location, rowAsControl(cells, columns));
  }
  const ignoredColumns = headers.filter((header, index) => columns[index] === undefined && !isBlank(header));
  return { controls: list.finish(), ignored: ignoredColumns };
}

function rowAsControl(cells: readonly string[], columns: Columns) {
  const cell = (field: Field) => cells[columns.indexOf(field)] ?? '';
  return { section_title: cell('section_title'), name: cell('name'), description: cell('description') };
}

/** Reads the header row with the first separator that gives a number and a title column. */
function readHeader(csv: string): { delimiter: string; headers: string[]; columns: Columns } {
  for (const delimiter of DELIMITERS) {
    const headers = rowsOf(csv, delimiter, FIRST_ROW)[0] ?? [];
    const columns = headers.map(fieldOf);
    if (!columns.includes('section_title') || !columns.includes('name')) continue;
    refuseDuplicateColumns(headers, columns);
    return { delimiter, headers, columns };
  }
  throw new Refusal(
    'invalid_input',
    'The first row must name the columns number and title. A column description is optional.',
    {
      allowed: Object.values(HEADERS).flat(),
    },
  );
}

function fieldOf(header: string): Field | undefined {
  const normalized = header
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, ' ');
  return (Object.keys(HEADERS) as Field[]).find((field) => HEADERS[field].some((spelling) => spelling === normalized));
}

/** Refuses two columns for one field, because choosing one would be a guess. */
function refuseDuplicateColumns(headers: readonly string[], columns: Columns): void {
  for (const field of Object.keys(HEADERS) as Field[]) {
    const duplicates = headers.filter((_, index) => columns[index] === field).map((header) => header.trim());
    if (duplicates.length < 2) continue;
    const [fieldName] = HEADERS[field];
    throw new Refusal(
      'invalid_input',
      `The columns ${duplicates.join(' and ')} both mean the ${fieldName}. Rename all but one.`,
    );
  }
}

function rowsOf(csv: string, delimiter: string, options: Options = {}): string[][] {
  try {
    return parse(csv, {
      bom: true,
      delimiter,
      record_delimiter: LINE_ENDS,
      relax_column_count: true,
      ...options,
    });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const line = typeof error.lines === 'number' ? `line ${error.lines}` : 'a line';
    throw new Refusal(
      'invalid_input',
      `The file cannot be read at ${line}, probably because of a quote. Close or double the quote.`,
    );
  }
}

function isBlank(cell: string): boolean {
  return cell.trim() === '';
}
