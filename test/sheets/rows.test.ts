import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { SheetField } from '../../src/sheets/cells/read-cell.ts';
import { ColumnReader, type ReadingChoices, type RowReading } from '../../src/sheets/columns/column-reader.ts';
import { readColumnMap } from '../../src/sheets/columns/match-columns.ts';
import { assertRefuses, sheetFolder } from '../support/sheets.ts';
import { STYLES, xlsxOf } from '../support/xlsx.ts';

const rows = suite('rows for an import');
const files = sheetFolder();
rows.after(files.remove);

const VENDOR: readonly SheetField[] = [
  { name: 'name', kind: 'text' },
  { name: 'criticality', kind: 'enum', values: ['LOW', 'MEDIUM', 'HIGH', 'CRITICAL'] },
  { name: 'processes_personal_data', kind: 'boolean' },
  { name: 'contract_until', kind: 'date' },
  { name: 'last_reviewed', kind: 'timestamp' },
];

/** A row's number with its values, or with its errors. */
type ReadRow = { row: number } & (Pick<RowReading, 'values'> | Pick<RowReading, 'errors'>);

async function read(content: string | Uint8Array, choices?: ReadingChoices): Promise<ReadRow[]> {
  const sheet = await files.open(content);
  const reader = new ColumnReader(sheet, VENDOR, choices);
  const readRows: ReadRow[] = [];
  for await (const row of sheet.rows) {
    const { values, errors } = reader.read(row);
    const problem = row.problem === undefined ? [] : [{ field: '', message: row.problem }];
    const rowErrors = problem.length > 0 ? problem : errors;
    readRows.push(rowErrors.length > 0 ? { row: row.row, errors: rowErrors } : { row: row.row, values });
  }
  return readRows;
}

const ACME = {
  name: 'Acme',
  criticality: 'HIGH',
  processes_personal_data: true,
  contract_until: '2026-12-31',
  last_reviewed: '2026-01-05T14:30:00.000Z',
};

rows('are the same from a CSV and from a workbook', async () => {
  const csv =
    'Supplier;Criticality;Processes personal data;Contract until;Last reviewed;Owner\n' +
    'Acme;High;yes;31.12.2026;2026-01-05 14:30;Ann\nBeta;;;;;\n';
  const time = `<c r="E2" s="${STYLES.dateTime}"><v>46027.604166666664</v></c>`;
  const xlsx = xlsxOf([
    {
      rows: [
        ['Supplier', 'Criticality', 'Processes personal data', 'Contract until', 'Last reviewed', 'Owner'],
        ['Acme', 'High', true, { xml: `<c r="D2" s="${STYLES.date}"><v>46387</v></c>` }, { xml: time }, 'Ann'],
        ['Beta'],
      ],
    },
  ]);
  const map = readColumnMap(['name=Supplier']);
  for (const content of [csv, xlsx]) {
    assert.equal(await read(content, { map }), [
      { row: 2, values: ACME },
      { row: 3, values: { name: 'Beta' } },
    ]);
  }
});

rows('list all their problems, and valid rows are read', async () => {
  const [wrong, shifted, right] = await read(
    'name,criticality,contract_until\nAcme,urgent,03/04/2026\nBeta, Inc.,LOW,2026-12-31\nGamma,low,2026-12-31\n',
  );
  assert.ok(wrong && 'errors' in wrong && shifted && 'errors' in shifted);
  assert.is(wrong.row, 2);
  assert.equal(
    wrong.errors.map(({ field }) => field),
    ['criticality', 'contract_until'],
  );
  assert.match(wrong.errors[1]!.message, /--dates/);
  assert.equal([shifted.row, shifted.errors.length, shifted.errors[0]!.field], [3, 1, '']);
  assert.equal(right, { row: 4, values: { name: 'Gamma', criticality: 'LOW', contract_until: '2026-12-31' } });
});

rows('have their dates read in the chosen order', async () => {
  const csv = 'name,contract_until\nAcme,03/04/2026\n';
  assert.equal(await read(csv, { dateOrder: 'dmy' }), [
    { row: 2, values: { name: 'Acme', contract_until: '2026-04-03' } },
  ]);
  assert.equal(await read(csv, { dateOrder: 'mdy' }), [
    { row: 2, values: { name: 'Acme', contract_until: '2026-03-04' } },
  ]);
});

rows('keep the day first in dates with dots, though dates with slashes prove the month first', async () => {
  const csv = 'name,contract_until\nA,12/31/2027\nB,03.04.2027\nC,14.02.2027\nD,03/04/2027\n';
  const dates = (await read(csv)).map((row) => ('values' in row ? row.values.contract_until : row));
  assert.equal(dates, ['2027-12-31', '2027-04-03', '2027-02-14', '2027-03-04']);
});

rows('with a failed formula in a mapped column are refused', async () => {
  const errorCell = (column: string) => ({ xml: `<c r="${column}2" t="e"><v>#REF!</v></c>` });
  const [row] = await read(
    xlsxOf([
      {
        rows: [
          ['Name', 'Criticality', 'Note'],
          ['Acme', errorCell('B'), errorCell('C')],
        ],
      },
    ]),
  );
  assert.ok(row && 'errors' in row);
  assert.equal(
    row.errors.map(({ field }) => field),
    ['criticality'],
  );
});

rows('are not read if no column matches', () =>
  assertRefuses(() => read('Supplier\nAcme\n', { map: readColumnMap(['nane=Supplier']) }), /Did you mean name/),
);

rows.run();
