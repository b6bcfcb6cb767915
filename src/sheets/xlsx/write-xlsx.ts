import {
  escapeText,
  headingRow,
  MAIN_NAMESPACE,
  rowXml,
  SHEET_END,
  SHEET_START,
  type SheetValue,
  STYLES_XML,
  XML_HEAD,
} from './sheet-xml.ts';
import { writeZip, type ZipPart } from './write-zip.ts';

/** A sheet to write: its headings, and rows that are read when they are written. */
export interface NewSheet {
  name: string;
  headings: readonly string[];
  rows: AsyncIterable<readonly SheetValue[]>;
}

export const XLSX_MEDIA_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

/** Rows of a sheet, with the headings. Further rows go to another sheet of the same name and a number. */
const MAX_SHEET_ROWS = 1_048_576;
/** Rows are packed in chunks of at least this many characters. */
const CHUNK_LENGTH = 32_768;
const MAX_NAME_LENGTH = 31;
/** Characters that the name of a sheet can't have. */
const FORBIDDEN_IN_NAME = /[[\]:*?/\\\p{Cc}]|^'|'$/gu;
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const CONTENT_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/** Comes first, as other programs expect. All parts without another type are worksheets. */
const CONTENT_TYPES = [
  `${XML_HEAD}<Types xmlns="${PACKAGE}/content-types">`,
  '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>',
  `<Default Extension="xml" ContentType="${CONTENT_TYPE}.worksheet+xml"/>`,
  `<Override PartName="/xl/workbook.xml" ContentType="${CONTENT_TYPE}.sheet.main+xml"/>`,
  `<Override PartName="/xl/styles.xml" ContentType="${CONTENT_TYPE}.styles+xml"/></Types>`,
].join('');

/**
 * Yields the bytes of a workbook in Office Open XML (ECMA-376 part 1, SpreadsheetML). No cell is a formula. Memory
 * use doesn't grow with the rows.
 * @param maxSheetRows rows of a sheet, with the headings
 */
export function writeXlsx(sheets: Iterable<NewSheet>, maxSheetRows = MAX_SHEET_ROWS): AsyncGenerator<Buffer> {
  return writeZip(partsOf(sheets, maxSheetRows));
}

async function* partsOf(sheets: Iterable<NewSheet>, maxSheetRows: number): AsyncGenerator<ZipPart> {
  yield part('[Content_Types].xml', CONTENT_TYPES);
  yield part('_rels/.rels', relations([['officeDocument', 'xl/workbook.xml']]));
  yield part('xl/styles.xml', STYLES_XML);
  const names: string[] = [];
  for (const { name, headings, rows } of sheets) {
    const source = new RowSource(rows);
    do {
      names.push(sheetName(name, names));
      yield { name: `xl/worksheets/sheet${names.length}.xml`, content: sheetXml(headings, source, maxSheetRows) };
    } while (source.hasMore);
  }
  yield part('xl/workbook.xml', workbookXml(names));
  const worksheets = names.map((_, index) => ['worksheet', `worksheets/sheet${index + 1}.xml`] as const);
  yield part('xl/_rels/workbook.xml.rels', relations([...worksheets, ['styles', 'styles.xml']]));
}

/** Rows that several sheets read, one after the other. */
class RowSource {
  /** True if a row was read that no sheet has yet. */
  hasMore = false;
  private next: readonly SheetValue[] = [];
  private readonly iterator: AsyncIterator<readonly SheetValue[]>;

  constructor(rows: NewSheet['rows']) {
    this.iterator = rows[Symbol.asyncIterator]();
  }

  /** Yields at most this many rows. Reads one row ahead, to know if there is another. */
  async *take(count: number): AsyncGenerator<readonly SheetValue[]> {
    if (!this.hasMore) await this.advance();
    for (let taken = 0; taken < count && this.hasMore; taken++) {
      yield this.next;
      await this.advance();
    }
  }

  private async advance(): Promise<void> {
    const { done, value } = await this.iterator.next();
    this.hasMore = done !== true;
    this.next = done ? [] : value;
  }
}

async function* sheetXml(headings: readonly string[], rows: RowSource, maxRows: number): AsyncGenerator<string> {
  let text = SHEET_START + headingRow(headings);
  let row = 2;
  for await (const values of rows.take(maxRows - 1)) {
    text += rowXml(row++, values);
    if (text.length < CHUNK_LENGTH) continue;
    yield text;
    text = '';
  }
  yield text + SHEET_END;
}

/** Returns a name that a sheet may have and that no other sheet has, in any case. */
function sheetName(title: string, others: readonly string[]): string {
  const plain = title.toWellFormed().replace(FORBIDDEN_IN_NAME, ' ').replace(/\s+/g, ' ').trim() || 'Sheet';
  for (let number = 1; ; number++) {
    const ending = number === 1 ? '' : ` ${number}`;
    const name = plain.slice(0, MAX_NAME_LENGTH - ending.length).trimEnd() + ending;
    if (!others.some((other) => other.toLowerCase() === name.toLowerCase())) return name;
  }
}

function workbookXml(names: readonly string[]): string {
  const sheets = names.map(
    (name, index) => `<sheet name="${escapeText(name)}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`,
  );
  return `${XML_HEAD}<workbook xmlns="${MAIN_NAMESPACE}" xmlns:r="${OFFICE}"><sheets>${sheets.join('')}</sheets></workbook>`;
}

/** Returns a part's relations to others, with ids from rId1 on. */
function relations(targets: readonly (readonly [type: string, target: string])[]): string {
  const elements = targets.map(
    ([type, target], index) => `<Relationship Id="rId${index + 1}" Type="${OFFICE}/${type}" Target="${target}"/>`,
  );
  return `${XML_HEAD}<Relationships xmlns="${PACKAGE}/relationships">${elements.join('')}</Relationships>`;
}

function part(name: string, text: string): ZipPart {
  async function* content() {
    yield text;
  }
  return { name, content: content() };
}
