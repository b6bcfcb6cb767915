/** Spreadsheets in the shapes that people's registers have, with what an import must make of each. All data is made up. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  addMember,
  eventsOf,
  type ImportInstallation,
  openInstallation,
  veritrail,
} from '../support/cli/import-command.ts';
import { closeAll } from '../support/identity/identity.ts';
import { type OdsTable, odsOf } from '../support/ods.ts';
import { type TestSheet, xlsxOf } from '../support/xlsx.ts';

interface Context {
  identity: ImportInstallation;
  accounts: Readonly<Record<string, string>>;
}

interface TestWorkbook {
  shape: string;
  file: string;
  type: string;
  args?: string[];
  /** Its content: sheets, or the text of a CSV, in UTF-8 by default. */
  xlsx?: TestSheet[];
  ods?: OdsTable[];
  text?: string;
  encoding?: BufferEncoding;
  /** The data of each added record, in the order of the rows. JANE and OLA stand for their accounts. */
  records: object[];
  /** By the number of each row that is left out, an expression for the reason. */
  leftOut?: Record<number, string>;
  /** Expressions for messages of the command. */
  tells?: string[];
}

const WORKBOOKS = JSON.parse(
  readFileSync(new URL('../fixtures/workbooks.json', import.meta.url), 'utf8'),
) as TestWorkbook[];

const ADDED = ['RiskAdded', 'VendorAdded', 'MeasureAdded', 'ObligationAdded', 'NonconformityRaised'];

const test = suite<Context>('workbooks of people');

test.before(async (context) => {
  const identity = await openInstallation();
  context.identity = identity;
  const jane = await addMember(identity, 'Jane Doe', 'jane@example.org');
  const ola = await addMember(identity, 'Ola Nordmann', 'ola.nordmann@example.org');
  context.accounts = { JANE: jane, OLA: ola };
});
test.after(closeAll);

/** Replaces the names of people in expected records by their accounts. */
function withAccounts(record: object, accounts: Context['accounts']): object {
  return Object.fromEntries(Object.entries(record).map(([field, value]) => [field, accounts[String(value)] ?? value]));
}

/** Returns the reasons in a file of rows that were left out, by row. */
function readLeftOut({ dataDir }: ImportInstallation): Map<number, string> {
  const rows: Record<string, string>[] = parse(readFileSync(join(dataDir, 'left-out.csv')), {
    columns: true,
    bom: true,
  });
  return new Map(rows.map((row) => [Number(row['Left out: row']), row['Left out: reason']!]));
}

function contentOf({ xlsx, ods, text = '', encoding }: TestWorkbook): Buffer {
  return xlsx ? xlsxOf(xlsx) : ods ? odsOf(ods) : Buffer.from(text, encoding);
}

for (const workbook of WORKBOOKS) {
  test(workbook.shape, async ({ identity, accounts }) => {
    const { file, type, args = [], records, leftOut = {}, tells = [] } = workbook;
    writeFileSync(join(identity.dataDir, file), contentOf(workbook));
    const command = ['import', file, '--type', type, ...args, '--left-out', 'left-out.csv'];
    const before = (await eventsOf(identity, ...ADDED)).length;
    const { code, out, err } = await veritrail(identity, ...command);
    const added = (await eventsOf(identity, ...ADDED))
      .slice(before)
      .map(({ data: { last_assessed_at, last_review_date, ...data } }) => data);
    const byText = (a: object, b: object) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);
    const sorted = (list: readonly object[]) =>
      list.map((each) => Object.fromEntries(Object.entries(each).sort())).sort(byText);
    assert.equal(sorted(added), sorted(records.map((record) => withAccounts(record, accounts))), `${out}\n${err}`);
    const reasons = readLeftOut(identity);
    assert.equal([...reasons.keys()], Object.keys(leftOut).map(Number), err);
    for (const [row, reason] of Object.entries(leftOut)) assert.match(reasons.get(Number(row))!, new RegExp(reason));
    assert.is(code, reasons.size > 0 ? 1 : 0);
    for (const text of tells) assert.match(`${err}\n${out}`, new RegExp(text, 'm'));

    await veritrail(identity, ...command);
    assert.is((await eventsOf(identity, ...ADDED)).length, before + added.length, 'importing it again adds nothing');
  });
}

test.run();
