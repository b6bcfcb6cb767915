import { open } from 'node:fs/promises';
import { fileRefusal } from './cells/cell.ts';
import { openCsv } from './csv/open-csv.ts';
import { openOds } from './ods/open-ods.ts';
import type { Workbook } from './workbook.ts';
import { openXlsx } from './xlsx/open-xlsx.ts';
import { Zip } from './zip/zip.ts';

/**
 * Opens a CSV, an XLSX or an ODS file, recognized by its content.
 * @param encoding of a CSV that isn't in UTF-8, such as windows-1252
 */
export async function openWorkbook(path: string, encoding?: string): Promise<Workbook> {
  const { start, size } = await inspect(path).catch(() => {
    throw fileRefusal('The file can’t be read. Check its name and your permissions.');
  });
  if (start.startsWith('504b0304')) return await openZip(path);
  if (start.startsWith('d0cf11e0')) {
    throw fileRefusal('The workbook has a password, or the old .xls format. Save it as .xlsx without a password.');
  }
  return await openCsv(path, size, encoding);
}

/** Returns the file's size and its first four bytes in hexadecimal, which identify a zip file and an old workbook. */
async function inspect(path: string): Promise<{ start: string; size: number }> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0);
    return { start: buffer.toString('hex', 0, bytesRead), size: (await file.stat()).size };
  } finally {
    await file.close();
  }
}

/** Opens a zip file as OpenDocument if it has that format's content, else as Office Open XML. */
async function openZip(path: string): Promise<Workbook> {
  const zip = await Zip.open(path);
  try {
    return zip.has('content.xml') ? await openOds(zip) : await openXlsx(zip);
  } catch (error) {
    zip.close();
    throw error;
  }
}
