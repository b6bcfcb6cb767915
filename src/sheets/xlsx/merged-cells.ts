import { damagedFile, type RawSheet } from '../cells/cell.ts';
import { SharedCells } from '../cells/shared-cells.ts';
import { columnOf } from './xlsx-rows.ts';

/** Cells that are merged downwards: one cell that several rows share. */
interface Merge {
  column: number;
  firstRow: number;
  lastRow: number;
}

/** The merges of a sheet stand behind its rows, so they are read first. */
const MERGE = /<(?:\w+:)?mergeCell\s[^<>]*?ref="([A-Z]{1,3}\d{1,7}):([A-Z]{1,3}\d{1,7})"/g;
/** Characters in which a merge is complete. */
const MAX_MERGE_CHARACTERS = 200;
/** Limits the memory. */
const MAX_MERGES = 100_000;

/** Finds the cells of a worksheet part that are merged downwards, in order of their first rows. */
export async function readMerges(bytes: AsyncIterable<Uint8Array>): Promise<readonly Merge[]> {
  const merges: Merge[] = [];
  let text = '';
  for await (const chunk of bytes) {
    text += Buffer.from(chunk).toString('latin1');
    let end = 0;
    for (const match of text.matchAll(MERGE)) {
      end = match.index + match[0].length;
      const merge = mergeOf(match[1]!, match[2]!);
      if (merge.lastRow > merge.firstRow) merges.push(merge);
    }
    if (merges.length > MAX_MERGES) throw damagedFile();
    text = text.slice(Math.max(end, text.length - MAX_MERGE_CHARACTERS));
  }
  return merges.sort((a, b) => a.firstRow - b.firstRow);
}

function mergeOf(first: string, last: string): Merge {
  const rowOf = (reference: string) => Number(reference.replace(/^[A-Z]+/, ''));
  return { column: columnOf(first), firstRow: rowOf(first), lastRow: rowOf(last) };
}

/** Gives each row the cells that it shares with rows above. A row without cells of its own stays blank. */
export async function* fillMergedCells(rows: RawSheet['rows'], merges: readonly Merge[]): RawSheet['rows'] {
  const shared = new SharedCells();
  let next = 0;
  for await (const row of rows) {
    const cells = new Map(row.cells);
    shared.fill(row.row, cells);
    while (next < merges.length && merges[next]!.firstRow <= row.row) {
      const { column, firstRow, lastRow } = merges[next++]!;
      const cell = firstRow === row.row ? row.cells.get(column) : undefined;
      if (cell) shared.add(column, cell, lastRow);
    }
    yield { ...row, cells };
  }
}
