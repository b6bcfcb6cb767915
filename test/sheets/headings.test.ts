import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Cell, RawRow } from '../../src/sheets/cells/cell.ts';
import { findHeadings } from '../../src/sheets/find-headings.ts';
import { openWorkbook } from '../../src/sheets/open-workbook.ts';
import { readSheet } from '../../src/sheets/read-sheet.ts';
import { assertRefuses, rowsOf, sheetFolder } from '../support/sheets.ts';
import { xlsxOf } from '../support/xlsx.ts';

const headings = suite('headings');
const files = sheetFolder();
headings.after(files.remove);

const FIELDS = ['Risk', 'Owner', 'Status', 'Inherent Likelihood', 'Residual Likelihood'];
const namesField = (heading: string) => FIELDS.includes(heading);

/** Rows from the first on; an empty one is blank. */
const rowsFrom = (...rows: string[][]): RawRow[] =>
  rows.flatMap((texts, index) => {
    const cells = texts.flatMap((text, column) =>
      text === '' ? [] : [[column, { kind: 'text', value: text } satisfies Cell] as const],
    );
    return cells.length === 0 ? [] : [{ row: index + 1, cells: new Map(cells) }];
  });

function found(...rows: string[][]): [row: number, ...headings: string[]] {
  const raw = rowsFrom(...rows);
  const { index, columns } = findHeadings(raw, namesField);
  return [raw[index]!.row, ...columns.values()];
}

headings('are the row that names the most fields', () => {
  assert.equal(found(['Risk'], [], ['ID', 'Risk', 'Owner'], ['1', 'Flood', 'Risk']), [3, 'ID', 'Risk', 'Owner']);
  assert.equal(found(['Risk', 'Status'], ['Flood', 'Open']), [1, 'Risk', 'Status']);
});

headings('that name no field are the first wide row', () => {
  assert.equal(found(['Register'], ['A', 'B', 'C'], ['1', '2', '3']), [2, 'A', 'B', 'C']);
  assert.equal(found(['A', 'B', 'C'], ['1', 'Risk', '3']), [1, 'A', 'B', 'C']);
});

headings('of one column are the cell that names a field', () => {
  assert.equal(found(['Our list'], ['Risk'], ['Flood']), [2, 'Risk']);
});

headings('in two rows are joined, and their groups tell equal ones apart', () => {
  assert.equal(found(['Risk', 'Inherent', '', 'Residual'], ['', 'Likelihood', 'Impact', 'Likelihood']), [
    ...([2, 'Risk', 'Inherent Likelihood', 'Impact', 'Residual Likelihood'] as const),
  ]);
  assert.equal(found(['Register'], ['Risk', 'Owner', 'Risk']), [2, 'Risk', 'Owner', 'Risk (2)']);
  const ofTable = found(['Section', 'Name', 'Risk', 'Owner'], ['report', 'Status']);
  assert.equal(ofTable, [1, 'Section', 'Name', 'Risk', 'Owner'], 'a row of the table has nothing beside the headings');
});

headings('can be given by their row', async () => {
  const book = xlsxOf([{ rows: [['Risk', 'Owner'], [], ['Name', 'Place'], ['Flood', 'Oslo']] }]);
  const path = files.save(book);
  const sheet = await readSheet(openWorkbook, path, { headingRow: 3, namesField });
  assert.equal([sheet.headingRow, sheet.notices], [3, []]);
  assert.equal(await rowsOf(sheet), [{ row: 4, Name: 'Flood', Place: 'Oslo' }]);
  await assertRefuses(() => readSheet(openWorkbook, path, { headingRow: 2, namesField }), /Row 2 is blank/);
});

headings('deep in a sheet are found only by their row', async () => {
  const blank = Array.from({ length: 60 }, (_, index) => [`note ${index}`]);
  const path = files.save(xlsxOf([{ rows: [...blank, ['Risk', 'Owner'], ['Flood', 'Ann']] }]));
  assert.equal(await rowsOf(await readSheet(openWorkbook, path, { headingRow: 61, namesField })), [
    { row: 62, Risk: 'Flood', Owner: 'Ann' },
  ]);
});

headings('of no sheet name a field: the notice says so', async () => {
  const path = files.save(
    xlsxOf([
      { name: 'Notizen', rows: [['Stand'], ['heute']] },
      { name: 'Risiken', rows: [['Risiko'], ['Feuer']] },
    ]),
  );
  const { notices } = await readSheet(openWorkbook, path, { namesField });
  assert.match(
    notices[0]!,
    /"Notizen" was read, because no sheet has a heading that names a field, and it has the most filled cells\. The others are Risiken;/,
  );
});

headings('of no sheet name a field: the sheet with the most filled cells is read', async () => {
  const path = files.save(
    xlsxOf([
      {
        name: 'Notizen',
        rows: [
          ['Stand', 'heute'],
          ['Autor', 'Ann'],
          ['Version', '2'],
          ['Datei', 'A'],
        ],
      },
      {
        name: 'Lieferanten',
        rows: [
          ['Firma', 'Land', 'Vertrag', 'Wert'],
          ['Erle', 'DE', 'ja', 'hoch'],
          ['Birke', 'DE', 'ja', 'hoch'],
        ],
      },
      { name: 'Listen', rows: [['ja'], ['nein']] },
    ]),
  );
  const { name, notices } = await readSheet(openWorkbook, path, { namesField });
  assert.is(name, 'Lieferanten');
  assert.match(
    notices[0]!,
    /"Lieferanten" was read, because no sheet has a heading that names a field, and it has the most filled cells\./,
  );
});

headings.run();
