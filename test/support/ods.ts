import { zipOf } from './zip.ts';

/** A cell of a test spreadsheet: a text, a number, nothing, or the XML of a cell as it is. */
export type OdsCell = string | number | null | { xml: string };

export interface OdsTable {
  name: string;
  hidden?: boolean;
  /** An empty list is a blank row. */
  rows: readonly (readonly OdsCell[])[];
}

const NAMES = ['office', 'table', 'text', 'style', 'dc'].map((name) => `xmlns:${name}="urn:test:${name}"`).join(' ');

/** Creates a spreadsheet as LibreOffice writes it: styles, repeated blank cells, and blank rows to the end of the sheet. */
export function odsOf(tables: readonly OdsTable[]): Buffer {
  const styles =
    '<style:style style:name="ta2" style:family="table"><style:table-properties table:display="false"/></style:style>';
  const content = tables.map(tableXml).join('');
  return zipOf({
    mimetype: 'application/vnd.oasis.opendocument.spreadsheet',
    'content.xml':
      `<?xml version="1.0" encoding="UTF-8"?><office:document-content ${NAMES}><office:automatic-styles>${styles}` +
      `</office:automatic-styles><office:body><office:spreadsheet>${content}</office:spreadsheet></office:body></office:document-content>`,
  });
}

function tableXml({ name, hidden, rows }: OdsTable): string {
  const rowElements = rows.map((cells) =>
    cells.length === 0
      ? '<table:table-row><table:table-cell table:number-columns-repeated="16384"/></table:table-row>'
      : `<table:table-row>${cells.map(cellXml).join('')}<table:table-cell table:number-columns-repeated="1000"/></table:table-row>`,
  );
  const end =
    '<table:table-row table:number-rows-repeated="1048000"><table:table-cell table:number-columns-repeated="16384"/></table:table-row>';
  return `<table:table table:name="${name}" table:style-name="${hidden ? 'ta2' : 'ta1'}">${rowElements.join('')}${end}</table:table>`;
}

function cellXml(cell: OdsCell): string {
  if (cell === null) return '<table:table-cell/>';
  if (typeof cell === 'object') return cell.xml;
  if (typeof cell === 'number') {
    return `<table:table-cell office:value-type="float" office:value="${cell}"><text:p>${cell}</text:p></table:table-cell>`;
  }
  return `<table:table-cell office:value-type="string">${cell
    .split('\n')
    .map((line) => `<text:p>${line.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</text:p>`)
    .join('')}</table:table-cell>`;
}
