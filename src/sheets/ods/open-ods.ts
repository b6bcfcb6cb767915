import { damagedFile } from '../cells/cell.ts';
import type { Workbook } from '../workbook.ts';
import { parseXml } from '../zip/xml.ts';
import type { Zip } from '../zip/zip.ts';
import { readTableRows } from './ods-rows.ts';

const CONTENT = 'content.xml';

/** Opens a spreadsheet in OpenDocument (ISO/IEC 26300), as LibreOffice writes it. */
export async function openOds(zip: Zip): Promise<Workbook> {
  const sheets = await readTables(zip);
  if (sheets.length === 0) throw damagedFile();
  return {
    sheets,
    open: async (index) => ({
      rows: readTableRows(zip.read(CONTENT), index),
      progress: () => Math.min(1, zip.bytesRead / Math.max(1, zip.sizeOf(CONTENT))),
      close: () => zip.close(),
    }),
    close: () => zip.close(),
  };
}

/** Reads the names of the tables. A style says which are hidden. */
async function readTables(zip: Zip): Promise<Workbook['sheets']> {
  const tables: { name: string; style: string }[] = [];
  const hiddenStyles = new Set<string>();
  let style = '';
  let depth = 0;
  await parseXml(zip.read(CONTENT), {
    open(name, attributes) {
      if (name === 'style') style = attributes['style:name'] ?? '';
      if (name === 'table-properties' && attributes['table:display'] === 'false') hiddenStyles.add(style);
      if (name !== 'table') return;
      // A table within a cell is no sheet.
      if (depth++ > 0) return;
      tables.push({ name: attributes['table:name'] ?? '', style: attributes['table:style-name'] ?? '' });
    },
    close(name) {
      if (name === 'table') depth--;
    },
  });
  return tables.map(({ name, style: tableStyle }) => ({ name, visible: !hiddenStyles.has(tableStyle) }));
}
