/** Compares query results from the read models with the naive register, at every position. */
import * as assert from 'uvu/assert';
import type { Caller } from '../../../src/commands/organization/caller.ts';
import { Applier } from '../../../src/projections/engine/applier.ts';
import { COLLECTIONS } from '../../../src/projections/models.ts';
import { FAMILY_QUERIES, type FamilyQuery } from '../../../src/queries/family-query.ts';
import { CursorKey } from '../../../src/queries/lists/cursor.ts';
import { listRecords } from '../../../src/queries/lists/list-records.ts';
import { Reader, type SnapshotOptions } from '../../../src/queries/moments/snapshot.ts';
import { getRecords } from '../../../src/queries/records/get-records.ts';
import type { StoredEvent } from '../../../src/stores/event-store.ts';
import type { ReadModels } from '../../../src/stores/read-store.ts';
import { callerAs, dumpDocuments } from '../register.ts';
import type { MemoryEventStore } from '../stores/memory-event-store.ts';
import { factsOf, MISSING_TESTS } from './naive-facts.ts';
import { NaiveRegister, type Plain } from './naive-register.ts';

type Document = Record<string, unknown>;

/** Families with a list. Evidence has none: it is found through the records that it is attached to. */
const LISTS = Object.values(FAMILY_QUERIES).filter(({ prefix }) => prefix !== 'evd');

/** Applies a log in batches of these sizes, and the rest in one batch. */
export async function applyInBatches(
  store: MemoryEventStore,
  models: ReadModels,
  sizes: readonly number[] = [],
): Promise<void> {
  const applier = new Applier(store, models, 'i');
  await applier.prepare();
  let start = 0;
  for (const size of [...sizes, store.log.length]) {
    await applier.apply(store.log.slice(start, start + size));
    start += size;
  }
}

/** Returns an organization's documents in a generation, with the end positions of versions and links. */
export async function readEverything(models: ReadModels, organization: string): Promise<Record<string, unknown[]>> {
  const all = await dumpDocuments(models, [organization]);
  for (const { name, keys } of COLLECTIONS) {
    if (!('until_position' in keys)) continue;
    const order = { key: 'until_position', direction: 'ASC' } as const;
    const rows = await models.find({
      collection: name,
      organizationId: organization,
      where: [],
      order,
      limit: 1_000_000,
    });
    all[`${name} until`] = rows.map(({ id, key }) => [id, key]);
  }
  return all;
}

/** Reads one organization's models as the tools do. */
export class ReadModelReader {
  private constructor(
    private readonly reader: Reader,
    private readonly caller: Caller,
    private readonly organization: string,
  ) {}

  static async of(models: ReadModels, organization: string): Promise<ReadModelReader> {
    const checkpoint = await models.checkpoint(organization);
    const progress = {
      role: 'FOLLOWER' as const,
      waitUntilCaughtUp: async () => true,
      checkpoint: () => checkpoint,
      caughtUpAt: Date.now(),
    };
    const now = () => new Date(checkpoint!.logTime);
    const options = { cursorKey: new CursorKey(Buffer.from('k')), now } as unknown as SnapshotOptions;
    const reader = new Reader(() => ({ models, progress }), options);
    return new ReadModelReader(reader, callerAs('OWNER', { roles: new Map([[organization, 'OWNER']]) }), organization);
  }

  async list(family: FamilyQuery, filter: object, asOf: string | undefined): Promise<Document[]> {
    const input = {
      organization_id: this.organization,
      filter: { ...filter },
      size: 100,
      as_of: asOf,
      view: 'FULL',
    } as const;
    // Any list's name works: names matter only for cursors, and there are none.
    const answer = await listRecords(this.reader, family, 'listVendors', this.caller, input);
    return (answer as Record<string, Document[]>)[family.plural]!;
  }

  async records(ids: readonly string[], include: readonly string[], asOf: string | undefined): Promise<Document[]> {
    const input = { ids, organization_id: this.organization, include, as_of: asOf };
    return ((await getRecords(this.reader, this.caller, input)) as { records: Document[] }).records;
  }
}

/** Compares all facts after every event, or after every nth, and as of now. */
export async function assertFacts(
  models: ReadModels,
  organization: string,
  log: readonly StoredEvent[],
  stride = 1,
): Promise<void> {
  const readings = await ReadModelReader.of(models, organization);
  const naive = new NaiveRegister();
  for (const event of log) {
    naive.take(event);
    if (naive.position % stride === 0) await assertMoment(readings, naive, event, String(naive.position));
  }
  await assertMoment(readings, naive, log.at(-1)!, undefined);
  const all = stride === 1 ? naive.records.keys() : [];
  for (const id of all) await assertBeside(readings, naive, id, undefined, 'now');
}

async function assertMoment(
  readings: ReadModelReader,
  naive: NaiveRegister,
  event: StoredEvent,
  asOf: string | undefined,
) {
  const momentName = asOf === undefined ? 'now' : `at ${asOf}, ${event.type}`;
  for (const family of LISTS) {
    const records = naive.ofType(family.type);
    const list = await readings.list(family, { include_archived: true }, asOf);
    assertSame(
      list,
      records.map((record) => factsOf(naive, record)),
      `${family.plural} ${momentName}`,
    );
    const live = records.filter((record) => naive.archivedAt(record) === null);
    const facts = new Map(live.map((record) => [record, factsOf(naive, record)]));
    if (live.length > 0 && 'overdue' in facts.get(live[0]!)!) {
      const overdue = live.filter((record) => facts.get(record)!.overdue);
      assertIds(
        await readings.list(family, { overdue: true }, asOf),
        overdue,
        `overdue ${family.plural} ${momentName}`,
      );
    }
    for (const lack of family.missingOptions) {
      const lackingRecords = live.filter((record) => MISSING_TESTS[lack]!(naive, record));
      assertIds(
        await readings.list(family, { missing: [lack] }, asOf),
        lackingRecords,
        `${family.plural} missing ${lack} ${momentName}`,
      );
    }
  }
  const evidence = naive.ofType('EVIDENCE');
  if (evidence.length > 0) {
    const read = await readings.records(
      evidence.map(({ id }) => id),
      ['ARCHIVED'],
      asOf,
    );
    const sorted = read.map((document) => ({ ...document, record_ids: [...(document.record_ids as string[])].sort() }));
    assertSame(
      sorted,
      evidence.map((record) => factsOf(naive, record)),
      `evidence ${momentName}`,
    );
  }
  for (const id of concernedRecords(event)) await assertBeside(readings, naive, id, asOf, momentName);
}

/** Returns the records that an event concerns. */
function concernedRecords(event: StoredEvent): string[] {
  return event.stream.startsWith('organization-') ? [] : event.stream.split('-').slice(1);
}

/** Checks linked_to, LINKS and EVIDENCE of one record. */
async function assertBeside(
  readings: ReadModelReader,
  naive: NaiveRegister,
  id: string,
  asOf: string | undefined,
  momentName: string,
) {
  const linkedRecords = naive.linkedTo(id);
  const live = linkedRecords.filter((other) => naive.archivedAt(other) === null);
  const isLive = naive.archivedAt(naive.records.get(id)!) === null;
  for (const family of LISTS) {
    const ofType = ({ type }: Plain) => type === family.type;
    const about = `${family.plural} linked to ${id} ${momentName}`;
    assertIds(await readings.list(family, { linked_to: id }, asOf), isLive ? live.filter(ofType) : [], about);
    const archivedToo = { linked_to: id, include_archived: true };
    assertIds(await readings.list(family, archivedToo, asOf), linkedRecords.filter(ofType), `${about}, archived too`);
  }
  const includes = [
    { include: ['LINKS', 'EVIDENCE'], shown: live },
    { include: ['LINKS', 'EVIDENCE', 'ARCHIVED'], shown: linkedRecords },
  ];
  for (const { include, shown } of includes) {
    const [record] = await readings.records([id], include, asOf);
    if (record === undefined) {
      assert.not(isLive || include.includes('ARCHIVED'), `${id} is found ${momentName}`);
      continue;
    }
    const evidence = shown.filter(({ type }) => type === 'EVIDENCE');
    const { links, evidence: attached } = record as Record<
      'links' | 'evidence',
      { records: Document[]; total: number }
    >;
    assertIds(attached.records, evidence, `evidence of ${id} ${momentName}`);
    assertIds(
      links.records,
      shown.filter((other) => !evidence.includes(other)),
      `links of ${id} ${momentName}`,
    );
    assert.equal(
      [attached.total, links.total],
      [evidence.length, shown.length - evidence.length],
      `totals of ${id} ${momentName}`,
    );
  }
}

/** Checks field names: some stores refuse a full stop within or a dollar sign at the beginning. */
export function assertStorable(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    assert.not.match(name, /^\$|\./, 'a field name');
    assertStorable(inner);
  }
}

function assertIds(actual: readonly Document[], expected: readonly Plain[], message: string): void {
  assert.equal(actual.map(({ id }) => id).sort(), expected.map(({ id }) => id).sort(), message);
}

/** Compares each document with the naive register, in the fields that the latter has. */
function assertSame(foundDocuments: readonly Document[], naiveDocuments: readonly Document[], message: string): void {
  const byId = (a: Document, b: Document) => (String(a.id) < String(b.id) ? -1 : 1);
  const expected = [...naiveDocuments].sort(byId);
  const actual = [...foundDocuments].sort(byId).map((document, index) => {
    const fields = Object.keys(expected[index] ?? {});
    return Object.fromEntries(fields.map((field) => [field, document[field]]));
  });
  assert.equal(actual, expected, message);
  assert.equal(
    foundDocuments.filter(({ stale }) => stale),
    [],
    message,
  );
}

/** Two consecutive versions must differ in a stored field. A linked record's change must not raise the revision. */
export function assertVersions(all: Record<string, unknown[]>): void {
  for (const { model } of Object.values(FAMILY_QUERIES)) {
    const last = new Map<string, Document>();
    const versions = all[`${model.family.plural}_history`] as Document[];
    for (const version of [...versions].sort((a, b) => Number(a.from_position) - Number(b.from_position))) {
      const id = String(version.id);
      const before = last.get(id);
      last.set(id, version);
      if (before === undefined) continue;
      const isOwnChange = version.position === version.from_position;
      assert.is(
        version.revision,
        Number(before.revision) + Number(isOwnChange),
        `revision of ${id} at ${version.from_position}`,
      );
      if (!isOwnChange) assert.is(version.updated_at, before.updated_at);
      const [{ from_position: _one, ...was }, { from_position: _two, ...is }] = [before, version];
      assert.not.equal(is, was, `an extra version of ${id} at ${version.from_position}`);
    }
  }
}
