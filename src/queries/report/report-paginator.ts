import { cutText } from '../../projections/text.ts';
import type { AnswerFormat, Page, Part, People } from './page.ts';
import { peopleIn, type ReportPeople } from './people.ts';
import type { Content, Figure, Row, Section } from './report-type.ts';

/** What is left of texts and of lists in a row that no answer has room for: the first of these with which it has. */
const SHORTENED = [
  [1_000, 100],
  [300, 100],
  [100, 50],
  [40, 20],
] as const;

/**
 * Cuts a report to what fits into one answer, from a row on. Of a row that is too large by itself texts and lists are
 * cut. For its first page a report is read once: its rows go through here on their way to the digest. For those that
 * follow, what comes before and after them is known by its numbers. In a file there is room for all, and nothing is measured.
 */
export class Cutter {
  private readonly people = new Map<string, string>();
  private readonly parts: Part[] = [];
  private room: number;
  private rows = 0;
  private index = 0;
  private next: number | null = null;
  private truncated = false;
  /** How many rows each section has, as far as it is known. */
  readonly counts: number[] = [];
  /** Of the last row on the page, where its section goes on and can be resumed. */
  mark: string | null = null;

  constructor(
    private readonly names: ReportPeople,
    private readonly content: Pick<Content, 'sections' | 'trend' | 'summary'>,
    /** Of the first page. */
    private readonly figures: readonly Figure[],
    private readonly format: AnswerFormat | null,
    private readonly from: number,
    /** Of the row before, where it is of the same section. */
    private readonly behind: string | null = null,
  ) {
    this.room = format === null ? 0 : format.room - format.figuresTake(figures);
  }

  /** All rows of a section, which have to be read to the end, section by section. */
  async *through(section: Section): AsyncGenerator<Row> {
    const part: Part = { section, rows: [], first: 0, left: 0 };
    const start = this.index;
    for await (const row of section.rows()) {
      if (this.wants()) await this.put(part, row, this.index - start);
      this.index += 1;
      yield row;
    }
    this.close(part, start, this.index - start);
  }

  /** Reads what this page has, where it is known how many rows each section has. */
  async fill(counts: readonly number[]): Promise<void> {
    for (const [number, section] of this.content.sections.entries()) {
      const part: Part = { section, rows: [], first: 0, left: 0 };
      const start = this.index;
      if (start + counts[number]! > this.from && this.next === null) await this.read(part, start);
      this.close(part, start, counts[number]!);
    }
  }

  private async read(part: Part, start: number): Promise<void> {
    const { section } = part;
    const resumed = start < this.from && this.behind !== null ? section.resume?.rows(this.behind) : undefined;
    if (resumed !== undefined) this.index = this.from;
    for await (const row of resumed ?? section.rows()) {
      if (this.wants()) await this.put(part, row, this.index - start);
      if (this.next !== null) return;
      this.index += 1;
    }
  }

  private wants(): boolean {
    return this.index >= this.from && this.next === null;
  }

  /** A section is told of where it has something on the page or after it; one without rows between the rows around it. */
  private close(part: Part, start: number, count: number): void {
    const end = start + count;
    this.index = end;
    this.counts.push(count);
    part.left = this.next === null ? 0 : Math.max(0, end - Math.max(start, this.next));
    const empty = count === 0 && this.next === null && (this.from === 0 || this.rows > 0);
    if (empty || part.rows.length > 0 || part.left > 0) this.parts.push(part);
  }

  /** Puts a row on the page; where there is no room for it, it is the next page's first. */
  private async put(part: Part, whole: Row, place: number): Promise<void> {
    const names = await this.names.named(peopleIn(part.section, whole).filter((key) => !this.people.has(key)));
    const row = this.format === null ? whole : this.fit(this.format, part, whole, names);
    if (row === null) {
      this.next = this.index;
      const last = part.rows.at(-1);
      if (last !== undefined) this.mark = part.section.resume?.mark(last) ?? null;
      return;
    }
    for (const [key, name] of names) this.people.set(key, name);
    if (part.rows.length === 0) part.first = place;
    part.rows.push(row);
    if (row !== whole) this.truncated = true;
    this.rows += 1;
  }

  /** Takes room for a row, shortened where a page of its own had not enough; null where too little is left. */
  private fit(format: AnswerFormat, { section, rows }: Part, whole: Row, names: People): Row | null {
    const people = names.size === 0 ? this.people : new Map([...this.people, ...names]);
    const takesOf = (one: Row) => format.rowTakes(section, one, people, rows.at(-1));
    let beside = format.sectionTakes(section);
    for (const person of names) beside += format.personTakes(person);
    // The first row of a page cannot wait for the next one.
    const room = (this.rows === 0 ? this.room : format.room) - beside;
    let row = whole;
    let takes = takesOf(row);
    for (const [text, list] of SHORTENED) {
      if (takes <= room) break;
      row = { ...(shortened(whole, text, list) as Row), truncated: true };
      takes = takesOf(row);
    }
    takes += rows.length === 0 ? beside : beside - format.sectionTakes(section);
    if (takes > this.room && this.rows > 0) return null;
    this.room -= takes;
    return row;
  }

  page(): Page {
    const { content, figures, parts, people, from, next, truncated } = this;
    const { sections, trend, summary: first = [] } = content;
    const summary = figures.filter(({ name }) => first.includes(name));
    return { sections, figures, summary, parts, people, trend, continued: from > 0, next, truncated };
  }
}

function shortened(value: unknown, text: number, list: number): unknown {
  if (typeof value === 'string') return cutText(value, text);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.slice(0, list).map((one) => shortened(one, text, list));
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, shortened(member, text, list)]));
}
