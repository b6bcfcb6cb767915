import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { AnswerWriter, ReportPage } from '../../src/reports/pages/report-page.ts';
import { ReportPaginator } from '../../src/reports/pages/report-paginator.ts';
import type { ReportPeople } from '../../src/reports/pages/report-people.ts';
import type { ReportRow, ReportSection } from '../../src/reports/report-type.ts';

const test = suite('pages of a report');

/** Names nobody: these rows have no account ids. */
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
  const key = ({ place }: ReportRow) => String(place);
  const sections = takes.map((rows, index) => ({
    name: `section_${index}`,
    title: `Section ${index}`,
    columns: [],
    rows: () => rowsFrom(rows, 0),
    // Every second section can't be resumed.
    ...(index % 2 === 0 ? { resume: { key, rows: (last: string) => rowsFrom(rows, Number(last) + 1) } } : {}),
  }));
  async function* rowsFrom(rows: readonly number[], first: number): AsyncGenerator<ReportRow> {
    for (const [place, one] of rows.entries()) {
      if (place < first) continue;
      rowsRead += 1;
      yield { takes: one, place };
    }
  }
  return { sections, rowsRead: () => rowsRead };
}

function paginatorOf(sections: ReportSection[], firstRow: number, previousKey: string | null = null): ReportPaginator {
  return new ReportPaginator(names, { sections }, [], writer, firstRow, previousKey);
}

async function readWhole(
  sections: ReportSection[],
  firstRow: number,
): Promise<{ page: ReportPage; paginator: ReportPaginator }> {
  const paginator = paginatorOf(sections, firstRow);
  for (const section of sections) for await (const row of paginator.rowsOf(section)) assert.ok(row);
  return { page: paginator.page(), paginator };
}

const takes = fc.array(fc.array(fc.constantFrom(1, 1, 2, 7), { maxLength: 12 }), { maxLength: 5 });

test('are the same, read by themselves or with all rows before them', async () => {
  await fc.assert(
    fc.asyncProperty(takes, async (sizes) => {
      const { sections, rowsRead } = sectionsOf(sizes);
      let { page, paginator } = await readWhole(sections, 0);
      const { rowCounts } = paginator;
      assert.equal(
        rowCounts,
        sizes.map(({ length }) => length),
      );
      const places = page.parts.flatMap(({ rows }) => rows.map(({ place }) => place));
      for (let firstRow = page.nextRow; firstRow !== null; firstRow = page.nextRow) {
        const before = rowsRead();
        paginator = paginatorOf(sections, firstRow, paginator.resumeKey);
        await paginator.readPage(rowCounts);
        page = paginator.page();
        assert.ok(rowsRead() - before <= sizes.flat().length);
        assert.equal(page, (await readWhole(sections, firstRow)).page);
        assert.ok(page.nextRow === null || page.nextRow > firstRow);
        places.push(...page.parts.flatMap(({ rows }) => rows.map(({ place }) => place)));
      }
      assert.equal(
        places,
        sizes.flatMap((rows) => rows.map((_, place) => place)),
      );
    }),
    { numRuns: 200 },
  );
});

test('skip sections that end before them, and those after them', async () => {
  const { sections, rowsRead } = sectionsOf([Array(100).fill(1), Array(10).fill(1), Array(100).fill(1)]);
  const paginator = paginatorOf(sections, 100);
  await paginator.readPage([100, 10, 100]);
  assert.ok(rowsRead() <= 6, `${rowsRead()} rows were read`);
  assert.equal(
    paginator.page().parts.map(({ section, rows, rowsAfter }) => [section.name, rows.length, rowsAfter]),
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
    const paginator = paginatorOf(sections, firstRow, '49');
    await paginator.readPage([100, 100]);
    assert.ok(rowsRead() - before <= maxRowsRead, `${rowsRead() - before} rows were read`);
    assert.equal(
      paginator.page().parts.flatMap(({ rows }) => rows.map(({ place }) => place)),
      [50, 51, 52, 53],
    );
    assert.is(paginator.resumeKey, firstRow === 50 ? '53' : null);
  }
});

test('begin with a row that fits a page of its own but not the page before', async () => {
  const { sections } = sectionsOf([[1, 4, 4, 1]]);
  let firstRow: number | null = 0;
  const pages: number[][] = [];
  while (firstRow !== null) {
    const { page }: { page: ReportPage } = await readWhole(sections, firstRow);
    assert.is(page.isTruncated, false);
    pages.push(page.parts.flatMap(({ rows }) => rows.map(({ takes }) => Number(takes))));
    firstRow = page.nextRow;
  }
  assert.equal(pages, [[1], [4], [4], [1]]);
});

test('cut texts and lists of a row that is too large, and say so', async () => {
  const row = { name: 'x'.repeat(5_000), list: Array.from({ length: 400 }, () => ({ text: 'y'.repeat(400) })) };
  const byLength: AnswerWriter = {
    ...writer,
    capacity: 10_000,
    rowSize: (_section, one) => JSON.stringify(one).length,
  };
  const section = {
    name: 'one',
    title: 'One',
    columns: [],
    rows: async function* () {
      yield row;
    },
  };
  const paginator = new ReportPaginator(names, { sections: [section] }, [], byLength, 0);
  for await (const whole of paginator.rowsOf(section)) assert.is(whole, row);
  const { parts, isTruncated } = paginator.page();
  assert.is(isTruncated, true);
  assert.is(parts[0]!.rows[0]!.truncated, true);
  const { length } = JSON.stringify(parts[0]!.rows[0]);
  assert.ok(length > 5_000 && length < 10_000, `${length} characters`);
});

test.run();
