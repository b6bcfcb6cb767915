/** The first build of the reporting database: what it sends to the server. test/contract/reporting-store.ts has its results. */
import type { Collection } from 'mongodb';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { FirstBuild } from '../../../src/stores/mongodb/first-build.ts';
import type { ReportingDocument } from '../../../src/stores/mongodb/reporting-documents.ts';
import type { RowChange } from '../../../src/stores/reporting-store.ts';
import { TOY_SCHEMA } from '../../contract/reporting-store.ts';

const test = suite('first build');
const [TOYS, HISTORY] = TOY_SCHEMA.tables as [(typeof TOY_SCHEMA.tables)[number], (typeof TOY_SCHEMA.tables)[number]];

/** Records commands. */
class FakeCollection {
  readonly commands: string[] = [];

  async insertMany(rows: readonly ReportingDocument[]): Promise<void> {
    this.commands.push(`insert ${rows.map(({ _id, until_position }) => `${_id}–${until_position ?? ''}`).join(', ')}`);
  }

  async bulkWrite(operations: readonly object[]): Promise<void> {
    this.commands.push(...operations.map((operation) => JSON.stringify(operation)));
  }

  async deleteMany({ _id: { $in } }: { _id: { $in: readonly string[] } }): Promise<void> {
    this.commands.push(`delete ${$in.join(', ')}`);
  }

  get collection(): Collection<ReportingDocument> {
    return this as unknown as Collection<ReportingDocument>;
  }
}

const version = (id: string, from_position: number): RowChange[] => [
  { end: { id }, set: { until_position: from_position } },
  { put: { id, from_position } },
];

test('inserts the first versions of records, and those that a call ends, without another command', async () => {
  const toys = new FakeCollection();
  const build = new FirstBuild('build');
  await build.write(toys.collection, HISTORY, [...version('a', 1), ...version('b', 2), ...version('a', 3)]);
  assert.equal(toys.commands, ['insert a 1–3, b 2–, a 3–']);
});

test('updates a row of an earlier call that ends, by its id', async () => {
  const toys = new FakeCollection();
  const build = new FirstBuild('build');
  await build.write(toys.collection, HISTORY, version('a', 1));
  await build.write(toys.collection, HISTORY, version('a', 7));
  await build.write(toys.collection, HISTORY, version('a', 9));
  const ended = (id: string, until_position: number) =>
    JSON.stringify({ updateOne: { filter: { _id: id }, update: { $set: { until_position } } } });
  assert.equal(toys.commands, ['insert a 1–', 'insert a 7–', ended('a 1', 7), 'insert a 9–', ended('a 7', 9)]);
});

test('removes a row before it is put again, and does not insert one that is removed after', async () => {
  const toys = new FakeCollection();
  const [put, remove] = [{ put: { id: 'a' } }, { remove: { id: 'a' } }];
  await new FirstBuild('build').write(toys.collection, TOYS, [remove, put]);
  await new FirstBuild('build').write(toys.collection, TOYS, [{ put: { id: 'b' } }, put, remove]);
  assert.equal(toys.commands, ['delete a', 'insert a–', 'insert b–']);
});

test.run();
