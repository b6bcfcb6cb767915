import * as assert from 'uvu/assert';
import type { Session } from '../mcp/mcp-client.ts';
import { type Fields, Model, type ModelRecord } from './year-model.ts';

const DAY_MS = 86_400_000;

/** A past moment with the expected register. */
interface Remembered {
  position: string;
  model: Model;
}

/** Changes the register for a year as an assistant does, and the model in the same way. */
export class Year {
  readonly model = new Model();
  readonly remembered: Remembered[] = [];
  private newest = '';

  constructor(
    readonly session: Session,
    readonly organization_id: string,
  ) {}

  /** Returns the day some days from today. */
  day(offset: number): string {
    return new Date(Date.now() + offset * DAY_MS).toISOString().slice(0, 10);
  }

  /** Calls a tool that writes one record. */
  private async write(tool: string, input: object): Promise<Fields> {
    const answer = (await this.session.ok(tool, input)) as unknown as Fields;
    if (typeof answer.position === 'string') this.newest = answer.position;
    return answer;
  }

  /** Adds a record. `expected` holds the fields for the model. */
  async add(title: string, fields: Fields, expected: Fields = fields): Promise<string> {
    const { organization_id } = this;
    const answer = await this.write(`add${title}`, { organization_id, ...fields });
    const { id } = answer[title.toLowerCase()] as ModelRecord;
    this.model.add(id, expected);
    return id;
  }

  async change(tool: string, id: string, fields: Fields, expected: Fields = fields): Promise<void> {
    await this.write(tool, { id, ...fields });
    this.model.change(id, expected);
  }

  /** Adopts a framework. Returns its id and its controls' ids by number. */
  async adopt(input: object): Promise<{ id: string; controls: Map<string, string> }> {
    const { organization_id, session } = this;
    const { framework } = (await this.write('addFramework', { organization_id, ...input })) as {
      framework: ModelRecord;
    };
    this.model.add(framework.id, { name: framework.name });
    const controls = new Map<string, string>();
    let cursor: string | undefined;
    do {
      const list = { organization_id, filter: { framework_id: [framework.id] }, size: 100, view: 'FULL' };
      const page = (await session.ok('listControls', cursor ? { ...list, cursor } : list)) as unknown as {
        controls: ModelRecord[];
        next_cursor?: string;
      };
      for (const { id, section_title, name } of page.controls) {
        controls.set(String(section_title), id);
        this.model.add(id, { section_title, name, status: 'INCLUDED', framework_id: framework.id });
      }
      cursor = page.next_cursor;
    } while (cursor);
    return { id: framework.id, controls };
  }

  async link(pairs: readonly (readonly [string, string])[], action: 'LINK' | 'UNLINK' = 'LINK'): Promise<void> {
    for (let first = 0; first < pairs.length; first += 100) {
      const links = pairs.slice(first, first + 100).map(([from_id, to_id]) => ({ from_id, to_id }));
      const answer = (await this.session.ok('linkRecords', { links, action })) as unknown as {
        links: { result: string }[];
      };
      assert.ok(answer.links.every(({ result }) => result === (action === 'LINK' ? 'CREATED' : 'REMOVED')));
    }
    for (const [a, b] of pairs) this.model.link(a, b, action === 'LINK');
  }

  async addEvidence(record_ids: string[], name: string): Promise<string> {
    const id = await this.add(
      'Evidence',
      { name, record_ids, url: `https://example.org/${encodeURIComponent(name)}` },
      {},
    );
    for (const record of record_ids) this.model.link(id, record);
    return id;
  }

  async archive(ids: string[], action: 'ARCHIVE' | 'RESTORE', reason: string): Promise<void> {
    await this.session.ok('archiveRecords', { ids, action, reason });
    for (const id of ids) this.model.archive(id, action === 'ARCHIVE');
  }

  /** Imports rows after a dry run, as an assistant should. Returns their ids. */
  async import(type: string, rows: Fields[]): Promise<string[]> {
    const input = { organization_id: this.organization_id, type, rows };
    const dry = (await this.session.ok('importRecords', { ...input, dry_run: true })) as unknown as Fields;
    const done = (await this.session.ok('importRecords', input)) as unknown as Fields & { rows: { id: string }[] };
    assert.equal([dry.created, dry.updated], [done.created, done.updated]);
    const repeated = (await this.session.ok('importRecords', input)) as unknown as Fields;
    assert.equal(
      [repeated.created, repeated.updated, repeated.unchanged],
      [0, 0, rows.length],
      'the same import again',
    );
    for (const [index, { id }] of done.rows.entries()) {
      const row = rows[index]!;
      if (row.id) this.model.change(id, row);
      else this.model.add(id, row);
    }
    return done.rows.map(({ id }) => id);
  }

  /** Stores the current position and the expected register. A later read as of it must give the same. */
  async monthEnds(): Promise<void> {
    const input = { organization_id: this.organization_id, as_of: this.day(0), view: 'COUNT' };
    const { as_of } = await this.session.ok('listRisks', input);
    this.remembered.push({ position: as_of!.position, model: this.model.copy() });
    assert.ok(Number(as_of!.position) >= Number(this.newest));
  }
}
