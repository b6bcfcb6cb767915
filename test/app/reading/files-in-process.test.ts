/** Files are read in a process of its own, with limits. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  openWorkbookInProcess,
  ReadingProcess,
  readFrameworkInProcess,
} from '../../../src/app/reading/files-in-process.ts';
import { Refusal } from '../../../src/commands/engine/refusal.ts';
import { openWorkbook } from '../../../src/sheets/open-workbook.ts';
import { readSheet } from '../../../src/sheets/read-sheet.ts';
import type { OpenWorkbook } from '../../../src/sheets/workbook.ts';
import { assertRefuses, rowsOf, sheetFolder } from '../../support/sheets.ts';
import { xlsxOf } from '../../support/xlsx.ts';

const SRC = fileURLToPath(new URL('../../../src/', import.meta.url));
const MIB = 1_048_576;

const test = suite('reading in a process');
const files = sheetFolder();
test.after(files.remove);

const rows = Array.from({ length: 250 }, (_, n) => [`Supplier ${n}`, n, n % 2 === 0]);
const book = xlsxOf([
  { name: 'Notes', rows: [['x']] },
  { name: 'Suppliers', rows: [['Name', 'Number', 'Even'], ...rows] },
]);

/** Everything that a caller sees of a file. */
async function seen(open: OpenWorkbook, path: string) {
  const sheet = await readSheet(open, path, { namesField: (heading) => heading === 'Name' });
  const { name, headers, headingRow, notices } = sheet;
  return { name, headers, headingRow, notices, rows: await rowsOf(sheet), progress: sheet.progress() };
}

test('a file is read there as it is here', async () => {
  for (const content of [book, 'Name;Country\nAcme;DE\n', Buffer.from('Name,City\nAcme,K\xf6ln\n', 'latin1')]) {
    const path = files.save(content);
    assert.equal(await seen(openWorkbookInProcess, path), await seen(openWorkbook, path));
  }
});

test('a refusal comes from there, behind the rows before it', async () => {
  await assertRefuses(() => seen(openWorkbookInProcess, files.save(book.subarray(0, 400))), /damaged or not a spread/);
  const path = files.save(`Name\n${'Acme\n'.repeat(450)}"${'x'.repeat(2 * MIB)}`);
  const workbook = await openWorkbookInProcess(path);
  const sheet = await workbook.open(0);
  let count = 0;
  await assertRefuses(async () => {
    for await (const _ of sheet.rows) count++;
  }, /Row 452/);
  assert.is(count, 451);
});

test('a sheet can be opened again', async () => {
  const workbook = await openWorkbookInProcess(files.save(book));
  for (const index of [1, 0, 1]) {
    const { value } = await (await workbook.open(index)).rows.next();
    assert.is((value as { row: number }).row, 1);
  }
  workbook.close();
  workbook.close();
});

async function refusalOf(reading: Promise<unknown>): Promise<string> {
  const outcome = await reading.catch((error: unknown) => error);
  assert.instance(outcome, Refusal, String(outcome));
  assert.is((outcome as Refusal).code, 'too_large');
  return (outcome as Refusal).message;
}

const readFramework = (path: string, limits: { ms: number; mebibytes: number }) =>
  new ReadingProcess(limits).ask({
    type: 'read-framework',
    path,
    options: { withText: false, catalogs: [], table: {} },
  });

test('a framework is refused if it takes too much time', async () => {
  const path = files.save('{"catalog": {}}');
  assert.match(
    await refusalOf(readFramework(path, { ms: 1, mebibytes: 512 })),
    /more than 0\.001 s to read\. Split it/,
  );
});

test('a file is refused if it takes too much memory, on the heap or outside of it', async () => {
  const limits = { ms: 60_000, mebibytes: 160 };
  const values = `{"catalog": [${'[],'.repeat(6_000_000)}0]}`;
  const blanks = `{${' '.repeat(62 * MIB)}}`;
  for (const content of [values, blanks]) {
    assert.match(await refusalOf(readFramework(files.save(content), limits)), /more than 160 MiB of memory to read/);
  }
});

test('a framework is read there, with its refusals', async () => {
  const options = { withText: false, catalogs: [], table: {} };
  const table = files.save('Number,Title\n1,Lamp\n2,Horn\n');
  const { controls } = await readFrameworkInProcess(table, options);
  assert.equal(
    controls.map(({ section_title, name }) => [section_title, name]),
    [
      ['1', 'Lamp'],
      ['2', 'Horn'],
    ],
  );
  await assertRefuses(() => readFrameworkInProcess(files.save('{"a": 1}'), options), /no known framework/);
});

test('no other code of the service uses the readers that need libraries', () => {
  const sources = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((path) => /\.tsx?$/.test(path));
  const users = sources.filter((path) => {
    if (/^(?:sheets|library)\//.test(path)) return false;
    const text = readFileSync(join(SRC, path), 'utf8').replaceAll(/^import type .*$/gm, '');
    return /\/(?:open-workbook|framework-file|framework-table|parse-document|unzip|read-xml|open-csv|open-spreadsheet)\.ts'|'@e965\/xlsx'/.test(
      text,
    );
  });
  assert.equal(users, ['app/reading/reading-process.ts']);
});

test.run();
