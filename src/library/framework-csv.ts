import { CsvError, type Options, parse } from 'csv-parse/sync';
import { Refusal } from '../commands/refusal.ts';
import { ControlList, type FrameworkControl } from './control-list.ts';

/** What each column may be called. Case, and whether words are joined by blanks, `_` or `-`, do not matter. */
const HEADERS = {
  section_title: ['number', 'no', 'section', 'section title', 'id', 'control', 'control id', 'control number'],
  name: ['title', 'name', 'control title', 'control name'],
  description: ['description', 'text'],
} as const;

type Field = keyof typeof HEADERS;

/** Which field each column holds; undefined where it holds none. */
type Columns = readonly (Field | undefined)[];

const DELIMITERS = [',', ';'];
const LINE_ENDS = ['\r\n', '\n', '\r'];
/** Of the first row, quotes are not judged: with the wrong separator they stand in odd places. */
const FIRST_ROW: Options = { to: 1, relax_quotes: true };

export interface CsvFramework {
  controls: FrameworkControl[];
  /** Headers of columns that were passed over, so that somebody can be told. */
  ignored: string[];
}

/**
 * Reads a framework's controls from CSV: a header row, then a row each with number, title and perhaps a description,
 * in columns of any order. Comma or semicolon separates, whichever makes a header row of the first; blank rows are
 * passed over. Rows are counted as a spreadsheet counts them: the header is row 1.
 *
 * @param csv the file's text, read as UTF-8
 * @throws Refusal `invalid_input`, naming every row that cannot be taken
 */
export function readFrameworkCsv(csv: string): CsvFramework {
  if (csv.includes('\uFFFD')) {
    throw new Refusal('invalid_input', 'The file is not in UTF-8: save it as "CSV UTF-8" and repeat.');
  }
  const { delimiter, headers, columns } = readHeader(csv);
  const list = new ControlList();
  for (const [index, cells] of rowsOf(csv, delimiter).entries()) {
    if (index === 0 || cells.every(isBlank)) continue;
    const where = `row ${index + 1}`;
    const surplus = cells.slice(columns.length).some((cell) => !isBlank(cell));
    if (surplus) list.refuse(where, 'has more cells than the header row: quote texts that hold the separator');
    else list.add(where, rowAsControl(cells, columns));
  }
  const ignored = headers.filter((header, index) => columns[index] === undefined && !isBlank(header));
  return { controls: list.finish(), ignored };
}

function rowAsControl(cells: readonly string[], columns: Columns) {
  const cell = (field: Field) => cells[columns.indexOf(field)] ?? '';
  return { section_title: cell('section_title'), name: cell('name'), description: cell('description') };
}

/** The header row, read with the first separator that makes a number and a title of it. */
function readHeader(csv: string): { delimiter: string; headers: string[]; columns: Columns } {
  for (const delimiter of DELIMITERS) {
    const headers = rowsOf(csv, delimiter, FIRST_ROW)[0] ?? [];
    const columns = headers.map(fieldOf);
    if (!columns.includes('section_title') || !columns.includes('name')) continue;
    refuseDuplicateColumns(headers, columns);
    return { delimiter, headers, columns };
  }
  throw new Refusal('invalid_input', 'The first row must name the columns: give number and title, and description.', {
    allowed: Object.values(HEADERS).flat(),
  });
}

function fieldOf(header: string): Field | undefined {
  const folded = header
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, ' ');
  return (Object.keys(HEADERS) as Field[]).find((field) => HEADERS[field].some((spelling) => spelling === folded));
}

/** Two columns for one field would make the choice a guess. */
function refuseDuplicateColumns(headers: readonly string[], columns: Columns): void {
  for (const field of Object.keys(HEADERS) as Field[]) {
    const rivals = headers.filter((_, index) => columns[index] === field).map((header) => header.trim());
    if (rivals.length < 2) continue;
    const [what] = HEADERS[field];
    throw new Refusal(
      'invalid_input',
      `The columns ${rivals.join(' and ')} both mean the ${what}: rename all but one.`,
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
    throw new Refusal('invalid_input', `The file is broken at ${line}, most likely by a quote: close it or double it.`);
  }
}

function isBlank(cell: string): boolean {
  return cell.trim() === '';
}
