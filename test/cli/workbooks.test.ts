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
import { type TestWorkbook, WORKBOOKS } from '../support/cli/workbooks.ts';
import { closeAll } from '../support/identity/identity.ts';

interface Context {
  identity: ImportInstallation;
  accounts: Readonly<Record<string, string>>;
}

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

for (const workbook of WORKBOOKS) {
  test(workbook.shape, async ({ identity, accounts }) => {
    const { file, content, type, args = [], records, leftOut = {}, tells = [] }: TestWorkbook = workbook;
    writeFileSync(join(identity.dataDir, file), content);
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
    for (const [row, reason] of Object.entries(leftOut)) assert.match(reasons.get(Number(row))!, reason);
    assert.is(code, reasons.size > 0 ? 1 : 0);
    for (const text of tells) assert.match(`${err}\n${out}`, text);

    await veritrail(identity, ...command);
    assert.is((await eventsOf(identity, ...ADDED)).length, before + added.length, 'importing it again adds nothing');
  });
}

test.run();
