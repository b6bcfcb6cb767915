import { existsSync, mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { Refusal } from '../../src/commands/engine/refusal.ts';
import type { Cell } from '../../src/sheets/cells/cell.ts';
import { openWorkbook } from '../../src/sheets/open-workbook.ts';
import { readSheet } from '../../src/sheets/read-sheet.ts';

/** A folder for the files of a test, and what reads them. */
export function sheetFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'veritrail-sheets-'));
  let files = 0;
  const save = (content: string | Uint8Array) => {
    const path = join(folder, `file-${++files}`);
    writeFileSync(path, content);
    return path;
  };
  return {
    save,
    open: (content: string | Uint8Array, sheet?: string) =>
      readSheet(openWorkbook, save(content), sheet === undefined ? {} : { sheet }),
    openFilesInFolder: () => openFiles().filter((path) => path.startsWith(folder)),
    remove: () => rmSync(folder, { recursive: true }),
  };
}

/** Returns the open files of this process, or none if the system doesn't list them (only Linux does). */
function openFiles(): string[] {
  const list = '/proc/self/fd';
  if (!existsSync(list)) return [];
  return readdirSync(list).flatMap((file) => targetOf(join(list, file)));
}

/** Returns what a link points to, or nothing if the file was closed since it was listed. */
function targetOf(link: string): string[] {
  try {
    return [readlinkSync(link)];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** Summarizes a row: its number, then each cell's value by header. */
export interface Row {
  row: number;
  [header: string]: Cell['value'];
}

export async function rowsOf(sheet: Awaited<ReturnType<typeof readSheet>>): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const { row, cells } of sheet.rows) {
    rows.push({ row, ...Object.fromEntries([...cells].map(([header, cell]) => [header, cell.value])) });
  }
  return rows;
}

/** Asserts that the work is refused as invalid input with a matching message. */
export async function assertRefuses(work: () => Promise<unknown>, message: RegExp): Promise<void> {
  try {
    await work();
  } catch (error) {
    assert.instance(error, Refusal, String(error));
    assert.is((error as Refusal).code, 'invalid_input');
    assert.match((error as Refusal).message, message);
    return;
  }
  assert.unreachable(`not refused: ${message}`);
}
