import { zipOf } from './zip.ts';

/** A cell of a test workbook: a shared string, a number, a boolean, or the XML of a `c` element as it is. */
export type TestCell = string | number | boolean | { xml: string } | null;

export interface TestSheet {
  name?: string;
  hidden?: boolean;
  /** From row 1 on; an empty list is a row that is not written. */
  rows: readonly (readonly TestCell[])[];
  /** Ranges of merged cells, such as A1:C1. */
  merges?: readonly string[];
}

/** The formats of test workbooks, by the index in a cell's `s` attribute. */
export const STYLES = { general: 0, date: 1, dateTime: 2, customDate: 3, minutes: 4, coloured: 5 } as const;

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006/relationships';

/** Creates a workbook as spreadsheet programs write it: shared strings, one part for each sheet, and formats. */
export function xlsxOf(sheets: readonly TestSheet[], options: { date1904?: boolean } = {}): Buffer {
  return zipOf(xlsxFiles(sheets, options));
}

/** Returns the files of the zip, for tests that corrupt one. */
export function xlsxFiles(sheets: readonly TestSheet[], options: { date1904?: boolean } = {}): Record<string, string> {
  const strings = new Map<string, number>();
  const worksheets = sheets.map((sheet, index) => [`xl/worksheets/sheet${index + 1}.xml`, sheetXml(sheet, strings)]);
  return {
    '[Content_Types].xml': contentTypesXml(sheets.length),
    '_rels/.rels': relations([['rId1', 'officeDocument', 'xl/workbook.xml']]),
    'xl/workbook.xml': workbookXml(sheets, options.date1904 ?? false),
    'xl/_rels/workbook.xml.rels': relations([
      ...sheets.map((_, index) => [`rId${index + 1}`, 'worksheet', `worksheets/sheet${index + 1}.xml`] as const),
      ['rIdS', 'sharedStrings', 'sharedStrings.xml'],
      ['rIdF', 'styles', '/xl/styles.xml'],
    ]),
    'xl/styles.xml': STYLES_XML,
    ...Object.fromEntries(worksheets),
    'xl/sharedStrings.xml': stringsXml([...strings.keys()]),
  };
}

function sheetXml({ rows, merges = [] }: TestSheet, strings: Map<string, number>): string {
  const sheetRows = rows.map((cells, index) =>
    cells.length === 0
      ? ''
      : `<row r="${index + 1}">${cells.map((cell, at) => cellXml(cell, at, index + 1, strings)).join('')}</row>`,
  );
  return `${HEAD}<worksheet xmlns="${MAIN}"><sheetData>${sheetRows.join('')}</sheetData>${mergesXml(merges)}</worksheet>`;
}

function mergesXml(ranges: readonly string[]): string {
  if (ranges.length === 0) return '';
  return `<mergeCells count="${ranges.length}">${ranges.map((range) => `<mergeCell ref="${range}"/>`).join('')}</mergeCells>`;
}

function cellXml(cell: TestCell, column: number, row: number, strings: Map<string, number>): string {
  const cellReference = `r="${String.fromCharCode(65 + column)}${row}"`;
  if (cell === null) return '';
  if (typeof cell === 'object') return cell.xml;
  if (typeof cell === 'number') return `<c ${cellReference}><v>${cell}</v></c>`;
  if (typeof cell === 'boolean') return `<c ${cellReference} t="b"><v>${Number(cell)}</v></c>`;
  if (!strings.has(cell)) strings.set(cell, strings.size);
  return `<c ${cellReference} t="s"><v>${strings.get(cell)}</v></c>`;
}

function workbookXml(sheets: readonly TestSheet[], date1904: boolean): string {
  const sheetElements = sheets.map(
    ({ name, hidden }, index) =>
      `<sheet name="${name ?? `Sheet${index + 1}`}" sheetId="${index + 1}"${hidden ? ' state="hidden"' : ''} r:id="rId${index + 1}"/>`,
  );
  return `${HEAD}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><workbookPr${date1904 ? ' date1904="1"' : ''}/><sheets>${sheetElements.join('')}</sheets></workbook>`;
}

function contentTypesXml(sheets: number): string {
  const part = (name: string, type: string) =>
    `<Override PartName="/xl/${name}.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.${type}+xml"/>`;
  const worksheets = Array.from({ length: sheets }, (_, index) => part(`worksheets/sheet${index + 1}`, 'worksheet'));
  const others = [part('workbook', 'sheet.main'), part('sharedStrings', 'sharedStrings'), part('styles', 'styles')];
  return `${HEAD}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">${[...others, ...worksheets].join('')}</Types>`;
}

function stringsXml(strings: readonly string[]): string {
  const items = strings.map((text) => `<si><t xml:space="preserve">${escapeXml(text)}</t></si>`);
  return `${HEAD}<sst xmlns="${MAIN}">${items.join('')}</sst>`;
}

function relations(list: readonly (readonly [id: string, type: string, target: string])[]): string {
  const items = list.map(
    ([id, type, target]) => `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"/>`,
  );
  return `${HEAD}<Relationships xmlns="${PACKAGE}">${items.join('')}</Relationships>`;
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

const STYLES_XML = `${HEAD}<styleSheet xmlns="${MAIN}"><numFmts count="3">
  <numFmt numFmtId="164" formatCode="[$-407]dd\\.\\ mmm\\ yyyy;@"/><numFmt numFmtId="165" formatCode="[h]:mm"/>
  <numFmt numFmtId="166" formatCode="[Red]0.00&quot; days&quot;"/></numFmts>
  <cellStyleXfs count="1"><xf numFmtId="14"/></cellStyleXfs>
  <cellXfs count="6"><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="22"/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="166"/></cellXfs>
</styleSheet>`;
