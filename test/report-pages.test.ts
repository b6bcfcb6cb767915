import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Cutter } from '../src/queries/report/cutter.ts';
import type { AnswerFormat, Page } from '../src/queries/report/page.ts';
import type { ReportPeople } from '../src/queries/report/people.ts';
import type { Row, Section } from '../src/queries/report/report-type.ts';

const test = suite('pages of a report');

/** Nobody is named in these rows. */
const names = { named: async () => new Map() } as unknown as ReportPeople;

/** An answer has room for five, and a row takes as much as it says. */
const format: AnswerFormat = {
  room: 5,
  headTakes: () => 0,
  figuresTake: () => 0,
  sectionTakes: () => 1,
  rowTakes: (_section, row) => Number(row.takes),
  personTakes: () => 0,
  write: () => ({}),
};

interface Counted {
  sections: Section[];
  read(): number;
}

function sectionsOf(takes: readonly number[][]): Counted {
  let read = 0;
  const mark = ({ place }: Row) => String(place);
  const sections = takes.map((rows, index) => ({
    name: `section_${index}`,
    title: `Section ${index}`,
    columns: [],
    rows: () => rowsFrom(rows, 0),
    // Every second one has to be read from its beginning.
    ...(index % 2 === 0 ? { resume: { mark, rows: (last: string) => rowsFrom(rows, Number(last) + 1) } } : {}),
  }));
  async function* rowsFrom(rows: readonly number[], first: number): AsyncGenerator<Row> {
    for (const [place, one] of rows.entries()) {
      if (place < first) continue;
      read += 1;
      yield { takes: one, place };
    }
  }
  return { sections, read: () => read };
}

function cutterOf(sections: Section[], from: number, behind: string | null = null): Cutter {
  return new Cutter(names, { sections }, [], format, from, behind);
}

async function readWhole(sections: Section[], from: number): Promise<{ page: Page; cutter: Cutter }> {
  const cutter = cutterOf(sections, from);
  for (const section of sections) for await (const row of cutter.through(section)) assert.ok(row);
  return { page: cutter.page(), cutter };
}

const takes = fc.array(fc.array(fc.constantFrom(1, 1, 2, 7), { maxLength: 12 }), { maxLength: 5 });

test('that follow are the same, whether all is read again or what they have alone', async () => {
  await fc.assert(
    fc.asyncProperty(takes, async (given) => {
      const { sections, read } = sectionsOf(given);
      let { page, cutter } = await readWhole(sections, 0);
      const { counts } = cutter;
      assert.equal(
        counts,
        given.map(({ length }) => length),
      );
      const told = page.parts.flatMap(({ rows }) => rows.map(({ place }) => place));
      for (let from = page.next; from !== null; from = page.next) {
        const before = read();
        cutter = cutterOf(sections, from, cutter.mark);
        await cutter.fill(counts);
        page = cutter.page();
        assert.ok(read() - before <= given.flat().length);
        assert.equal(page, (await readWhole(sections, from)).page);
        assert.ok(page.next === null || page.next > from);
        told.push(...page.parts.flatMap(({ rows }) => rows.map(({ place }) => place)));
      }
      assert.equal(
        told,
        given.flatMap((rows) => rows.map((_, place) => place)),
      );
    }),
    { numRuns: 200 },
  );
});

test('read no section that ends before them, and none after them', async () => {
  const { sections, read } = sectionsOf([Array(100).fill(1), Array(10).fill(1), Array(100).fill(1)]);
  const cutter = cutterOf(sections, 100);
  await cutter.fill([100, 10, 100]);
  assert.ok(read() <= 6, `${read()} rows were read`);
  assert.equal(
    cutter.page().parts.map(({ section, rows, left }) => [section.name, rows.length, left]),
    [
      ['section_1', 4, 6],
      ['section_2', 0, 100],
    ],
  );
});

test('go on behind the last row where its section can be resumed', async () => {
  const { sections, read } = sectionsOf([Array(100).fill(1), Array(100).fill(1)]);
  for (const [from, most] of [
    [50, 5],
    [150, 55],
  ] as const) {
    const before = read();
    const cutter = cutterOf(sections, from, '49');
    await cutter.fill([100, 100]);
    assert.ok(read() - before <= most, `${read() - before} rows were read`);
    assert.equal(
      cutter.page().parts.flatMap(({ rows }) => rows.map(({ place }) => place)),
      [50, 51, 52, 53],
    );
    assert.is(cutter.mark, from === 50 ? '53' : null);
  }
});

test('have a row whole that fits one of its own, and begin with it', async () => {
  const { sections } = sectionsOf([[1, 4, 4, 1]]);
  let from: number | null = 0;
  const told: number[][] = [];
  while (from !== null) {
    const { page }: { page: Page } = await readWhole(sections, from);
    assert.is(page.truncated, false);
    told.push(page.parts.flatMap(({ rows }) => rows.map(({ takes }) => Number(takes))));
    from = page.next;
  }
  assert.equal(told, [[1], [4], [4], [1]]);
});

test('have of a row that is too large what fits, lists too, and say so', async () => {
  const row = { name: 'x'.repeat(5_000), list: Array.from({ length: 400 }, () => ({ text: 'y'.repeat(400) })) };
  const byLength: AnswerFormat = { ...format, room: 10_000, rowTakes: (_section, one) => JSON.stringify(one).length };
  const section = {
    name: 'one',
    title: 'One',
    columns: [],
    rows: async function* () {
      yield row;
    },
  };
  const cutter = new Cutter(names, { sections: [section] }, [], byLength, 0);
  for await (const whole of cutter.through(section)) assert.is(whole, row);
  const { parts, truncated } = cutter.page();
  assert.is(truncated, true);
  assert.is(parts[0]!.rows[0]!.truncated, true);
  const { length } = JSON.stringify(parts[0]!.rows[0]);
  assert.ok(length > 5_000 && length < 10_000, `${length} characters`);
});

test.run();
