import * as assert from 'uvu/assert';
import type { Session } from '../mcp/mcp-client.ts';

/*
 * A second, very simple register: records in a map, links in a set, derived facts counted at each call. The service must
 * agree with it, now and at every remembered moment.
 */

export type Fields = Record<string, unknown>;

export interface ModelRecord extends Fields {
  id: string;
  archived: boolean;
}

const LISTS: Readonly<Record<string, string>> = {
  rsk: 'listRisks',
  msr: 'listMeasures',
  vnd: 'listVendors',
  obl: 'listObligations',
  ncf: 'listNonconformities',
  frm: 'listFrameworks',
  ctl: 'listControls',
  aud: 'listAudits',
};
const PLURALS: Readonly<Record<string, string>> = {
  rsk: 'risks',
  msr: 'measures',
  vnd: 'vendors',
  obl: 'obligations',
  ncf: 'nonconformities',
  frm: 'frameworks',
  ctl: 'controls',
  aud: 'audits',
};

const kind = (id: string) => id.slice(0, 3);
const frameworkOf = (control: string) => `frm_${control.slice(4, -3)}`;

export class Model {
  constructor(
    private readonly records = new Map<string, ModelRecord>(),
    private readonly links = new Set<string>(),
  ) {}

  add(id: string, fields: Fields): void {
    this.records.set(id, { ...fields, id, archived: false });
  }

  change(id: string, fields: Fields): void {
    Object.assign(this.records.get(id)!, fields);
  }

  archive(id: string, archived: boolean): void {
    this.records.get(id)!.archived = archived;
  }

  link(a: string, b: string, linked = true): void {
    const pair = [a, b].sort().join(' ');
    if (linked) this.links.add(pair);
    else this.links.delete(pair);
  }

  copy(): Model {
    return new Model(structuredClone(this.records), new Set(this.links));
  }

  /** Returns the records of a kind that a list shows. */
  live(type: string): ModelRecord[] {
    return [...this.records.values()].filter((record) => kind(record.id) === type && this.isLive(record.id));
  }

  private isLive(id: string): boolean {
    const record = this.records.get(id)!;
    return !record.archived && (kind(id) !== 'ctl' || !this.records.get(frameworkOf(id))!.archived);
  }

  /** Returns linked records of a kind that are not archived. */
  linkedTo(id: string, type: string): ModelRecord[] {
    const linkedIds = [...this.links].flatMap((pair) => {
      const ids = pair.split(' ');
      return ids.includes(id) ? ids.filter((other) => other !== id) : [];
    });
    return linkedIds
      .filter((other) => kind(other) === type && this.isLive(other))
      .map((other) => this.records.get(other)!);
  }

  /** Returns the expected FULL form of a record, with derived facts. */
  expectedRecord(record: ModelRecord): Fields {
    const { archived: _archived, ...fields } = record;
    return { ...fields, ...this.derivedFacts(record) };
  }

  private derivedFacts({ id }: ModelRecord): Fields {
    const count = (type: string) => this.linkedTo(id, type).length;
    switch (kind(id)) {
      case 'rsk':
        return { measure_count: count('msr') };
      case 'msr':
        return { evidence_count: count('evd'), control_count: count('ctl'), risk_count: count('rsk') };
      case 'ctl':
        return { measure_count: count('msr'), implementation: this.implementationOf(id) };
      case 'frm': {
        const controls = this.live('ctl').filter((control) => frameworkOf(control.id) === id);
        const included = controls.filter((control) => control.status === 'INCLUDED');
        const done = included.filter((control) => this.implementationOf(control.id) === 'FULL').length;
        return {
          control_count: controls.length,
          included_count: included.length,
          implemented_count: done,
          coverage: included.length === 0 ? null : done / included.length,
        };
      }
      default:
        return {};
    }
  }

  private implementationOf(control: string): string {
    const applicable = this.linkedTo(control, 'msr').filter(({ state }) => state !== 'NOT_APPLICABLE');
    const open = applicable.filter(({ state }) => state !== 'IMPLEMENTED');
    if (open.length < applicable.length) return open.length === 0 ? 'FULL' : 'PARTIAL';
    return open.some(({ state }) => state === 'IN_PROGRESS') ? 'STARTED' : 'NONE';
  }

  /** Compares every list and count of the service with this model, now or as of a position. */
  async assertAgrees(session: Session, organization_id: string, as_of?: string): Promise<void> {
    const moment = as_of === undefined ? {} : { as_of };
    for (const [type, tool] of Object.entries(LISTS)) {
      const about = `${tool} ${as_of ?? 'now'}`;
      const expected = this.live(type);
      const listed = await walk(session, tool, PLURALS[type]!, {
        organization_id,
        view: 'FULL',
        size: 100,
        ...moment,
      });
      assert.equal(listed.map(({ id }) => id).sort(), expected.map(({ id }) => id).sort(), about);
      for (const record of expected) {
        const match = listed.find(({ id }) => id === record.id)!;
        for (const [field, value] of Object.entries(this.expectedRecord(record))) {
          assert.equal(match[field], value, `${about}: ${field} of ${record.id} (${String(record.name)})`);
        }
      }
      const answer = await session.ok(tool, { organization_id, view: 'COUNT', ...moment });
      assert.is(answer.total, expected.length, `${about}, counted`);
    }
    await this.agreeOnGaps(session, organization_id, moment);
  }

  private async agreeOnGaps(session: Session, organization_id: string, moment: object): Promise<void> {
    const total = async (tool: string, filter: object) =>
      (await session.ok(tool, { organization_id, view: 'COUNT', filter, ...moment })).total;
    const countLacking = (type: string, option: string) =>
      this.live(type).filter(({ id }) => this.linkedTo(id, option).length === 0).length;
    assert.is(await total('listRisks', { missing: ['MEASURES'] }), countLacking('rsk', 'msr'));
    assert.is(await total('listMeasures', { missing: ['EVIDENCE'] }), countLacking('msr', 'evd'));
    assert.is(await total('listMeasures', { missing: ['CONTROLS'] }), countLacking('msr', 'ctl'));
    assert.is(await total('listControls', { missing: ['MEASURES'] }), countLacking('ctl', 'msr'));
    for (const implementation of ['NONE', 'STARTED', 'PARTIAL', 'FULL']) {
      const expected = this.live('ctl').filter(({ id }) => this.implementationOf(id) === implementation).length;
      assert.is(await total('listControls', { implementation: [implementation] }), expected, implementation);
    }
    const open = this.live('ncf').filter(({ status }) => status !== 'CLOSED').length;
    assert.is(await total('listNonconformities', { open: true }), open);
  }
}

/** Reads all items of a list, page by page. */
async function walk(session: Session, tool: string, plural: string, args: object): Promise<ModelRecord[]> {
  const all: ModelRecord[] = [];
  let cursor: string | undefined;
  do {
    const page = (await session.ok(tool, cursor === undefined ? args : { ...args, cursor })) as unknown as Fields;
    all.push(...(page[plural] as ModelRecord[]));
    cursor = page.next_cursor as string | undefined;
  } while (cursor !== undefined);
  return all;
}
