import { Refusal } from '../../commands/engine/refusal.ts';
import { asideText } from '../../sheets/aside-text.ts';
import { displayText } from '../../sheets/cells/cell.ts';
import type { SheetField } from '../../sheets/cells/read-cell.ts';
import { ColumnReader, hasTexts } from '../../sheets/columns/column-reader.ts';
import { namesOneOf, normalizeHeading } from '../../sheets/columns/headings.ts';
import type { ColumnChoices } from '../../sheets/columns/match-columns.ts';
import { openWorkbook } from '../../sheets/open-workbook.ts';
import { readSheet, type Sheet, type SheetOptions } from '../../sheets/read-sheet.ts';
import type { SheetRow } from '../../sheets/table-rows.ts';
import { ControlList } from '../control-list.ts';
import type { FrameworkReading } from '../framework-reading.ts';

/** The caller's choices about a table, as those of the command `import`. */
export type TableOptions = Pick<SheetOptions, 'sheet' | 'headingRow' | 'encoding'> & ColumnChoices;

type FieldName = 'section_title' | 'name' | 'description' | 'group' | 'parent';

/** The texts of a row. Cells of texts have no errors. */
type Texts = Partial<Record<FieldName, string>>;

/** The fields that a column can fill, with their headings in published tables. */
const FIELDS: readonly (SheetField & { name: FieldName })[] = [
  {
    name: 'section_title',
    kind: 'text',
    headings: [
      'number',
      'control number',
      'control id',
      'requirement id',
      'no',
      'section',
      'id',
      'ref',
      'ref id',
      'reference',
      'identifier',
      'control identifier',
      'clause',
      'control',
      'code',
      'ccf id',
      'control reference',
    ],
  },
  {
    name: 'name',
    kind: 'text',
    headings: [
      'title',
      'control title',
      'control name',
      'control long name',
      'requirement title',
      'short name',
      'control short name',
      'security requirement',
      'control question',
    ],
  },
  {
    name: 'description',
    kind: 'text',
    headings: ['text', 'control text', 'control description', 'requirement', 'requirement text', 'statement'],
  },
  {
    name: 'group',
    kind: 'text',
    headings: ['control family', 'family', 'domain', 'chapter', 'theme', 'category', 'function'],
  },
  { name: 'parent', kind: 'text', headings: ['parent number', 'parent id', 'part of'] },
];

/**
 * Reads a framework's controls from a table. Each row is a control with its number, and its title or text. It may have a
 * group, and the number of the control that it is part of. A row with a single text is the heading of a group.
 * @throws Refusal `invalid_input` that names every bad row, or the column that is missing
 */
export async function readFrameworkTable(path: string, options: TableOptions = {}): Promise<FrameworkReading> {
  const namesField = namesOneOf(FIELDS, options.map);
  const sheet = await readSheet(openWorkbook, path, { ...options, namesField, prefersLong: true });
  try {
    const reader = new ColumnReader(sheet, FIELDS, options);
    requireColumns(reader, sheet);
    return await readRows(sheet, reader);
  } finally {
    sheet.close();
  }
}

async function readRows(sheet: Sheet, reader: ColumnReader): Promise<FrameworkReading> {
  const list = new ControlList(true);
  const asides: number[] = [];
  const headings = new GroupHeadings();
  for await (const row of sheet.rows) {
    const location = `row ${row.row}`;
    if (row.problem !== undefined) {
      list.refuse(location, row.problem);
      continue;
    }
    const { values } = reader.read(row);
    const { section_title = '', name = '', description = '', group, parent } = values as Texts;
    const isHeading = section_title === reader.columns.headerOf.get('section_title');
    const isControl = !isHeading && section_title !== '' && (name !== '' || description !== '');
    // A blank row before a section doesn't make its controls notes.
    if (row.aside !== undefined && !isControl) {
      asides.push(row.row);
      continue;
    }
    if (section_title === '' && headings.take(row, name || description)) continue;
    list.add(location, {
      section_title,
      name,
      text: description,
      groups: [group ?? headings.newest].filter((text) => text !== undefined),
      ...(parent === undefined ? {} : { parent }),
    });
  }
  const { notices, ...reading } = list.finish();
  const allNotices = [
    ...sheet.notices,
    ...reader.notices,
    ...columnNotices(reader),
    ...rowNotices(asides, headings),
    ...notices,
  ];
  return { name: null, version: null, ...reading, notices: allNotices };
}

function rowNotices(asides: readonly number[], headings: GroupHeadings): string[] {
  return [
    ...(asides.length > 0 ? [asideText(asides)] : []),
    ...(headings.count > 0 ? [`Rows without a number are headings of groups: ${headings.count}.`] : []),
  ];
}

/** The rows that are headings of groups: each has a single text, and no number. */
class GroupHeadings {
  count = 0;
  newest: string | undefined;

  /** Takes a row without a number, if it is a heading. Returns false if it isn't. */
  take({ cells }: SheetRow, text: string): boolean {
    const filled = [...cells.values()].filter((cell) => displayText(cell).trim() !== '');
    if (text === '' || filled.length !== 1) return false;
    this.count++;
    this.newest = text;
    return true;
  }
}

/** @throws Refusal that says how to map the columns that every table needs */
function requireColumns({ columns: { headerOf, unused } }: ColumnReader, { headers, headingRow, sample }: Sheet): void {
  const description = headerOf.get('description');
  if (!headerOf.has('name') && description !== undefined && normalizeHeading(description) === 'description') {
    const other = unused.find((header) => hasTexts(sample.flatMap(({ cells }) => cells.get(header) ?? [])));
    if (other !== undefined) throw titleRefusal(other, description);
  }
  const missing = headerOf.has('section_title') ? 'name' : 'section_title';
  if (headerOf.has('section_title') && (headerOf.has('name') || headerOf.has('description'))) return;
  const meaning = missing === 'name' ? 'the title of each control' : 'the number of each control';
  throw new Refusal(
    'invalid_input',
    `No column fills ${missing}, ${meaning}. Map one with --map ${missing}=COLUMN. Row ${headingRow} has the columns ` +
      `${headers.join(', ')}; give another row with --header-row.`,
    { allowed: headers },
  );
}

/** The refusal of a table in which two columns could have the titles: one may be a discussion of the other. */
function titleRefusal(other: string, description: string): Refusal {
  const message =
    `No heading means the title of each control. Give its column with --map, such as --map name="${other}" or ` +
    `--map name="${description}".`;
  return new Refusal('invalid_input', message, { field: 'map', allowed: [other, description] });
}

function columnNotices({ columns: { headerOf, unused } }: ColumnReader): string[] {
  const used = FIELDS.filter(({ name }) => headerOf.has(name)).map(
    ({ name }) => `${name} from "${headerOf.get(name)}"`,
  );
  const ignored = unused.length === 0 ? [] : [`Ignored columns: ${unused.join(', ')}.`];
  return [`Columns: ${used.join(', ')}.`, ...ignored];
}
