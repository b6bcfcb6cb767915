import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CursorKey, writeSignedCursor } from '../../src/queries/lists/cursor.ts';
import { type ReportCursor, readReportCursor, writeReportCursor } from '../../src/reports/pages/report-cursor.ts';
import { ReportDigest } from '../../src/reports/pages/report-digest.ts';
import type { AnswerWriter, ConstantHead } from '../../src/reports/pages/report-page.ts';
import {
  type PageOfRows,
  ReportPaginator,
  readFirstPage,
  readLaterPage,
  resumeKeyOf,
} from '../../src/reports/pages/report-paginator.ts';
import type { ReportPeople } from '../../src/reports/pages/report-people.ts';
import type { ReportRow, ReportSection } from '../../src/reports/report-type.ts';

const test = suite('pages of a report');

/** An empty list of names, because these rows have no account ids. */
const names = { namesFor: async () => new Map() } as unknown as ReportPeople;

/** Writes answers of at most 5 units. The row `{ takes: 2 }` has a size of 2. */
const writer: AnswerWriter = {
  capacity: 5,
  headSize: () => 0,
  figuresSize: () => 0,
  sectionSize: () => 1,
  rowSize: (_section, row) => Number(row.takes),
  nameSize: () => 0,
  write: () => ({}),
};

interface CountedSections {
  sections: ReportSection[];
  /** Returns the number of rows read so far. */
  rowsRead(): number;
}

function sectionsOf(takes: readonly number[][]): CountedSections {
  let rowsRead = 0;
  const key = ({ index }: ReportRow) => String(index);
  const sections = takes.map((rows, index) => ({
    name: `section_${index}`,
    title: `Section ${index}`,
    columns: [],
    rows: () => rowsFrom(rows, 0),
    // Every second section can't be resumed.
    ...(index % 2 === 0 ? { resume: { key, rows: (last: string) => rowsFrom(rows, Number(last) + 1) } } : {}),
  }));
  async function* rowsFrom(rows: readonly number[], first: number): AsyncGenerator<ReportRow> {
    for (const [index, size] of rows.entries()) {
      if (index < first) continue;
      rowsRead += 1;
      yield { takes: size, index };
    }
  }
  return { sections, rowsRead: () => rowsRead };
}

const HEAD: ConstantHead = {
  report_version: 1,
  type: 'VENDORS',
  title: 'Vendors',
  organization: { id: 'org_1', name: 'Acme' },
  inputs: {},
  about: [],
  as_of: null,
  position: '1',
  today: '2026-01-01',
};

async function firstPage(
  sections: ReportSection[],
  answers: AnswerWriter | null = writer,
): Promise<{ page: PageOfRows; rowCounts: readonly number[] }> {
  const paginator = new ReportPaginator(names, answers, []);
  const { rowCounts, firstRow } = await readFirstPage(sections, new ReportDigest(HEAD, []), paginator);
  return { page: paginator.page(sections, rowCounts, firstRow), rowCounts };
}

/** @param previousKey null reads a section from its beginning */
async function laterPage(
  sections: ReportSection[],
  rowCounts: readonly number[],
  firstRow: number,
  previousKey: string | null = null,
): Promise<PageOfRows> {
  const paginator = new ReportPaginator(names, writer, []);
  const cursor = { today: '2026-01-01', position: 1, digest: '', firstRow, rowCounts, previousKey };
  await readLaterPage(sections, cursor, paginator);
  return paginator.page(sections, rowCounts, firstRow);
}

const takes = fc.array(fc.array(fc.constantFrom(1, 1, 2, 7), { maxLength: 12 }), { maxLength: 5 });

test('are the same whether a section is resumed or read from its beginning', async () => {
  await fc.assert(
    fc.asyncProperty(takes, async (sizes) => {
      const { sections, rowsRead } = sectionsOf(sizes);
      const first = await firstPage(sections);
      const { rowCounts } = first;
      let { page } = first;
      assert.equal(
        rowCounts,
        sizes.map(({ length }) => length),
      );
      const rowNumbers = page.parts.flatMap(({ rows }) => rows.map(({ index }) => index));
      const names = page.parts.filter(({ rows }) => rows.length === 0).map(({ section }) => section.name);
      for (let firstRow = page.nextRow; firstRow !== null; firstRow = page.nextRow) {
        const before = rowsRead();
        const previousKey = resumeKeyOf(page);
        page = await laterPage(sections, rowCounts, firstRow, previousKey);
        assert.ok(rowsRead() - before <= sizes.flat().length);
        assert.equal(page, await laterPage(sections, rowCounts, firstRow));
        assert.ok(page.nextRow === null || page.nextRow > firstRow);
        rowNumbers.push(...page.parts.flatMap(({ rows }) => rows.map(({ index }) => index)));
        const empty = page.parts.filter(({ section }) => rowCounts[sections.indexOf(section)] === 0);
        names.push(...empty.map(({ section }) => section.name));
      }
      assert.equal(
        rowNumbers,
        sizes.flatMap((rows) => rows.map((_, index) => index)),
      );
      for (const [index, count] of rowCounts.entries()) {
        if (count === 0) assert.is(names.filter((name) => name === `section_${index}`).length, 1);
      }
    }),
    { numRuns: 200 },
  );
});

test('skip sections that end before them, and those after them', async () => {
  const { sections, rowsRead } = sectionsOf([Array(100).fill(1), Array(10).fill(1), Array(100).fill(1)]);
  const { parts } = await laterPage(sections, [100, 10, 100], 100);
  assert.ok(rowsRead() <= 6, `${rowsRead()} rows were read`);
  assert.equal(
    parts.map(({ section, rows, rowsAfter }) => [section.name, rows.length, rowsAfter]),
    [
      ['section_1', 4, 6],
      ['section_2', 0, 100],
    ],
  );
});

test('continue after the last row of a section that can be resumed', async () => {
  const { sections, rowsRead } = sectionsOf([Array(100).fill(1), Array(100).fill(1)]);
  for (const [firstRow, maxRowsRead] of [
    [50, 5],
    [150, 55],
  ] as const) {
    const before = rowsRead();
    const page = await laterPage(sections, [100, 100], firstRow, '49');
    assert.ok(rowsRead() - before <= maxRowsRead, `${rowsRead() - before} rows were read`);
    assert.equal(
      page.parts.flatMap(({ rows }) => rows.map(({ index }) => index)),
      [50, 51, 52, 53],
    );
    assert.is(resumeKeyOf(page), firstRow === 50 ? '53' : null);
  }
});

test('begin with a row that fits a page of its own but not the page before', async () => {
  const { sections } = sectionsOf([[1, 4, 4, 1]]);
  let { page, rowCounts } = await firstPage(sections);
  const pages: number[][] = [];
  const addPage = () => {
    assert.is(page.isTruncated, false);
    pages.push(page.parts.flatMap(({ rows }) => rows.map(({ takes }) => Number(takes))));
  };
  addPage();
  while (page.nextRow !== null) {
    page = await laterPage(sections, rowCounts, page.nextRow);
    addPage();
  }
  assert.equal(pages, [[1], [4], [4], [1]]);
});

test('are not limited in a file', async () => {
  const { sections } = sectionsOf([[7, 7], [], [7]]);
  const { page } = await firstPage(sections, null);
  assert.equal(
    page.parts.map(({ rows, rowsAfter }) => [rows.length, rowsAfter]),
    [
      [2, 0],
      [0, 0],
      [1, 0],
    ],
  );
  assert.equal([page.nextRow, page.isTruncated], [null, false]);
});

test('cut texts and lists of a row that is too large, and say so', async () => {
  const row = { name: 'x'.repeat(5_000), list: Array.from({ length: 400 }, () => ({ text: 'y'.repeat(400) })) };
  const byLength: AnswerWriter = {
    ...writer,
    capacity: 10_000,
    rowSize: (_section, reportRow) => JSON.stringify(reportRow).length,
  };
  const section = {
    name: 'one',
    title: 'One',
    columns: [],
    rows: async function* () {
      yield row;
    },
  };
  const { parts, isTruncated } = (await firstPage([section], byLength)).page;
  assert.is(isTruncated, true);
  assert.is(parts[0]!.rows[0]!.truncated, true);
  const { length } = JSON.stringify(parts[0]!.rows[0]);
  assert.ok(length > 5_000 && length < 10_000, `${length} characters`);
});

test('continue with a cursor of an earlier version', () => {
  const key = new CursorKey(Buffer.alloc(32));
  const text = writeSignedCursor(key, 'inputs', ['2026-01-01', 9, 50, 'digest', [100], '49']);
  const cursor: ReportCursor = {
    today: '2026-01-01',
    position: 9,
    firstRow: 50,
    digest: 'digest',
    rowCounts: [100],
    previousKey: '49',
  };
  assert.equal(readReportCursor(key, 'inputs', text), cursor);
  assert.is(writeReportCursor(key, 'inputs', cursor), text);
});

test('other calls run while a page is measured', async () => {
  let turns = 0;
  let isDone = false;
  const countTurns = () => {
    turns += 1;
    if (!isDone) setImmediate(countTurns);
  };
  setImmediate(countTurns);
  await firstPage(sectionsOf([Array<number>(400).fill(0.01)]).sections);
  isDone = true;
  assert.ok(turns >= 20, `${turns} turns of the event loop for 400 rows`);
});

test.run();
