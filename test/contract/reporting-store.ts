import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ReportingSchema, ReportingStore, Row, WriteRows } from '../../src/stores/reporting-store.ts';

const column = (name: string, type: ReportingSchema['tables'][number]['columns'][number]['type']) => ({
  name,
  type,
  description: name,
});

/** A small schema with every type of column. */
export const TOY_SCHEMA: ReportingSchema = {
  tables: [
    {
      name: 'toys',
      description: 'a toy',
      columns: [
        column('id', 'TEXT'),
        column('name', 'TEXT'),
        column('pieces', 'INTEGER'),
        column('weight', 'REAL'),
        column('wooden', 'BOOLEAN'),
        column('made_on', 'DATE'),
        column('sold_at', 'TIMESTAMP'),
      ],
      key: ['id'],
    },
    {
      name: 'toys_history',
      description: 'a toy as it was',
      columns: [
        column('id', 'TEXT'),
        column('name', 'TEXT'),
        column('from_position', 'INTEGER'),
        column('until_position', 'INTEGER'),
      ],
      key: ['id', 'from_position'],
      openBy: ['id'],
    },
  ],
  views: [],
};

const BEAR: Row = {
  id: 'toy_1',
  name: 'Bär "quoted" \u{1f9f8}',
  pieces: 1,
  weight: 0.25,
  wooden: false,
  made_on: '2026-06-30',
  sold_at: '2026-06-30T23:59:59.999Z',
};
const NOTHING: Row = { name: null, pieces: null, weight: null, wooden: null, made_on: null, sold_at: null };

export interface OpenReportingStore {
  store: ReportingStore;
  /** Opens the same database a second time. */
  again(): Promise<ReportingStore>;
  close(): Promise<void>;
}

/** Tests the `ReportingStore` port on an adapter. `open` returns an empty store with TOY_SCHEMA. */
export function reportingStoreContract(name: string, open: () => Promise<OpenReportingStore>) {
  const test = suite(`reporting store: ${name}`);

  const check = (title: string, body: (store: ReportingStore, opened: OpenReportingStore) => Promise<void>) =>
    test(title, async () => {
      const opened = await open();
      try {
        await body(opened.store, opened);
      } finally {
        await opened.close();
      }
    });
  const rowsById = async (store: ReportingStore, table = 'toys') =>
    (await store.read(table)).sort((a, b) => (String(a.id) < String(b.id) ? -1 : 1));

  check('has no source until it is built, and then the one that was named', async (store, { again }) => {
    assert.is(await store.source(), null);
    await store.rebuild('first', async () => undefined);
    assert.is(await store.source(), 'first');
    assert.equal(await store.read('toys'), []);
    const other = await again();
    assert.is(await other.source(), 'first');
    await other.close();
  });

  check('values of every type, and none, are read back unchanged', async (store) => {
    await store.rebuild('first', (write) => write('toys', [{ put: BEAR }, { put: { id: 'toy_2' } }]));
    assert.equal(await rowsById(store), [BEAR, { id: 'toy_2', ...NOTHING }]);
  });

  check('a put replaces the row with its key, and a removal removes it', async (store) => {
    await store.rebuild('first', (write) => write('toys', [{ put: BEAR }, { put: { ...BEAR, id: 'toy_2' } }]));
    await store.update(async (write) => {
      await write('toys', [{ put: { id: 'toy_1', name: 'Ball' } }, { remove: { id: 'toy_2' } }]);
      await write('toys', [{ remove: { id: 'toy_3' } }]);
    });
    assert.equal(await store.read('toys'), [{ ...NOTHING, id: 'toy_1', name: 'Ball' }]);
  });

  check('ends the open row, in the order of the changes', async (store) => {
    const version = (from_position: number, name: string) => ({ put: { id: 'toy_1', name, from_position } });
    const end = (until_position: number) => ({ end: { id: 'toy_1' }, set: { until_position } });
    for (const source of ['first', 'second']) {
      await store.rebuild(source, async (write) => {
        await write('toys_history', [end(1), version(1, 'Bear')]);
        await write('toys_history', [end(3), version(3, 'Ball')]);
      });
    }
    await store.update((write) => write('toys_history', [end(7), version(7, 'Boat')]));
    const rows = (await store.read('toys_history')).sort((a, b) => Number(a.from_position) - Number(b.from_position));
    assert.equal(
      rows.map(({ name, from_position, until_position }) => [name, from_position, until_position]),
      [
        ['Bear', 1, 3],
        ['Ball', 3, 7],
        ['Boat', 7, null],
      ],
    );
  });

  check('ends the row that began before, also if a later one is there already', async (store) => {
    const row = (from_position: number) => ({ put: { id: 'toy_1', from_position } });
    const end = (until_position: number) => ({ end: { id: 'toy_1' }, set: { until_position } });
    await store.rebuild('first', (write) => write('toys_history', [row(9), row(3), end(7), end(3)]));
    const rows = await store.read('toys_history');
    assert.equal(rows.map(({ from_position, until_position }) => `${from_position}–${until_position}`).sort(), [
      '3–7',
      '9–null',
    ]);
  });

  check('the same changes again, as after a crash in their middle, leave the same rows', async (store) => {
    const changes = [1, 3, 7].flatMap((position) => [
      { end: { id: 'toy_1' }, set: { until_position: position } },
      { put: { id: 'toy_1', name: `at ${position}`, from_position: position } },
    ]);
    await store.rebuild('first', (write) => write('toys_history', changes));
    const rows = await store.read('toys_history');
    await store.update((write) => write('toys_history', changes.slice(2)));
    const byPosition = (a: Row, b: Row) => Number(a.from_position) - Number(b.from_position);
    assert.equal((await store.read('toys_history')).sort(byPosition), rows.sort(byPosition));
  });

  check('a rebuild keeps no row that it does not write', async (store) => {
    await store.rebuild('first', (write) => write('toys', [{ put: BEAR }, { put: { id: 'toy_2' } }]));
    await store.rebuild('second', (write) => write('toys', [{ put: { id: 'toy_2' } }, { put: { id: 'toy_3' } }]));
    assert.equal(
      (await rowsById(store)).map(({ id }) => id),
      ['toy_2', 'toy_3'],
    );
    assert.is(await store.source(), 'second');
  });

  check('a rebuild that fails keeps the source before, or none, so that it is repeated', async (store) => {
    const fail = () => store.rebuild('second', (write) => write('no table', [{ put: BEAR }]));
    const message = await fail().then(
      () => 'done',
      (error: Error) => error.message,
    );
    assert.match(message, 'no table');
    assert.is(await store.source(), null);
    const failLater = async (write: WriteRows) => {
      await write('toys', [{ put: { id: 'toy_9' } }]);
      await write('no table', [{ put: BEAR }]);
    };
    await store.rebuild('first', failLater).catch(() => undefined);
    await store.rebuild('first', (write) => write('toys', [{ put: BEAR }]));
    await fail().catch(() => undefined);
    assert.is(await store.source(), 'first');
    assert.is((await store.read('toys')).length, 1);
  });

  return test;
}
