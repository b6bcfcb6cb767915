import { EPOCH_1900 } from '../workbook/date-cell.ts';

/** A value to write. A text that is exactly a date or a UTC time becomes a date of the spreadsheet; null leaves the cell blank. */
export type SheetValue = string | number | boolean | { share: number } | null;

export const XML_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
export const MAIN_NAMESPACE = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';

/** The cell formats, by their places in `STYLES_XML`. */
const STYLE = { plain: 0, heading: 1, date: 2, time: 3, share: 4, quoted: 5 } as const;

export const STYLES_XML = [
  `${XML_HEAD}<styleSheet xmlns="${MAIN_NAMESPACE}"><numFmts count="3">`,
  '<numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/><numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/>',
  '<numFmt numFmtId="166" formatCode="0.0%"/></numFmts>',
  '<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts>',
  '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>',
  '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>',
  '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="6">',
  format('0', 0),
  format('0', 1, ' applyFont="1"'),
  format('164', 0, ' applyNumberFormat="1"'),
  format('165', 0, ' applyNumberFormat="1"'),
  format('166', 0, ' applyNumberFormat="1"'),
  format('0', 0, ' quotePrefix="1"'),
  '</cellXfs></styleSheet>',
].join('');

function format(numberFormat: string, font: number, more = ''): string {
  return `<xf numFmtId="${numberFormat}" fontId="${font}" fillId="0" borderId="0" xfId="0"${more}/>`;
}

/** The text before a sheet's rows. The first row stays in view. */
export const SHEET_START = [
  `${XML_HEAD}<worksheet xmlns="${MAIN_NAMESPACE}"><sheetViews><sheetView workbookViewId="0">`,
  '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>',
  '<sheetFormatPr defaultColWidth="22" defaultRowHeight="15"/><sheetData>',
].join('');

export const SHEET_END = '</sheetData></worksheet>';

const DAY_MS = 86_400_000;
const MAX_CELL_CHARACTERS = 32_767;
const DATE_OR_TIME = /^(?:19|[2-9]\d)\d\d-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d{3})?Z)?$/;
/** Spreadsheets count days before this one differently. */
const FIRST_DATE = '1900-03-01';
/** A spreadsheet program would read these texts as formulas when somebody edits the cell. */
const FORMULA_START = /^[=+\-@]/;
/** Characters that XML can't hold or changes, and texts that look like their code. */
const UNWRITABLE = /[\u0000-\u0008\u000b-\u001f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)/g;

export function headingRow(titles: readonly string[]): string {
  return `<row r="1">${titles.map((title, column) => textCell(`${columnName(column)}1`, title, STYLE.heading)).join('')}</row>`;
}

/** @param row its number, from 1 */
export function rowXml(row: number, values: readonly SheetValue[]): string {
  return `<row r="${row}">${values.map((value, column) => cellXml(`${columnName(column)}${row}`, value)).join('')}</row>`;
}

function cellXml(reference: string, value: SheetValue): string {
  if (value === null || value === '') return '';
  if (typeof value === 'number') return numberCell(reference, value, STYLE.plain);
  if (typeof value === 'boolean') return `<c r="${reference}" t="b"><v>${value ? 1 : 0}</v></c>`;
  if (typeof value === 'object') return numberCell(reference, value.share, STYLE.share);
  const day = dayNumber(value);
  if (day !== null) return numberCell(reference, day, value.includes('T') ? STYLE.time : STYLE.date);
  return textCell(reference, value, FORMULA_START.test(value) ? STYLE.quoted : STYLE.plain);
}

const numberCell = (reference: string, value: number, style: number): string =>
  `<c r="${reference}" s="${style}"><v>${value}</v></c>`;

function textCell(reference: string, text: string, style: number): string {
  const cut = text.length > MAX_CELL_CHARACTERS ? `${text.slice(0, MAX_CELL_CHARACTERS - 1)}…` : text;
  return `<c r="${reference}" s="${style}" t="inlineStr"><is><t xml:space="preserve">${escapeText(cut)}</t></is></c>`;
}

/** Returns a date's number of days, with the time as a fraction (ECMA-376 part 1, 18.17.4.1). Returns null for other texts. */
function dayNumber(text: string): number | null {
  if (!DATE_OR_TIME.test(text) || text < FIRST_DATE) return null;
  const time = Date.parse(text);
  // 31 February is no date, though it has the form of one.
  const isReal = !Number.isNaN(time) && new Date(time).toISOString().startsWith(text.slice(0, 'YYYY-MM-DD'.length));
  return isReal ? (time - EPOCH_1900) / DAY_MS : null;
}

/** Escapes a text for XML, and characters that XML can't hold as `_x000D_` (ECMA-376 part 1, 22.9.2.19). */
export function escapeText(text: string): string {
  return text
    .toWellFormed()
    .replace(UNWRITABLE, (character) => `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** Returns the letters of a column, from 0: A to Z, then AA. */
export function columnName(column: number): string {
  const letter = String.fromCharCode(65 + (column % 26));
  return column < 26 ? letter : columnName(Math.floor(column / 26) - 1) + letter;
}
