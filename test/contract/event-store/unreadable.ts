import { createHash } from 'node:crypto';
import * as assert from 'uvu/assert';
import { randomId } from '../../../src/commands/engine/ids.ts';
import { attributeRows } from '../../../src/stores/attribute-rows.ts';
import {
  type EventStore,
  NO_STREAM,
  type StoredEvent,
  type UncheckedRow,
  type UnreadableRow,
} from '../../../src/stores/event-store.ts';
import { canonical } from '../../../src/trail/canonical.ts';
import type { TrailEvent } from '../../../src/trail/event.ts';
import { makeEvents } from '../../support/histories/events.ts';
import { take } from '../../support/run/take.ts';
import { asAppended, assertConflict, collect, type Suite } from './context.ts';

const text = (value: unknown) => Buffer.from(typeof value === 'string' ? value : canonical(value));
const cut = (value: unknown) => text(value).subarray(0, -20);
const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const without = (name: string, { metadata }: TrailEvent) =>
  text(Object.fromEntries(Object.entries(metadata).filter(([member]) => member !== name)));

/** Kinds of damage: a row's bytes, what is then wrong, and if its metadata still tells organization and hash. */
export const DAMAGES: Readonly<
  Record<
    string,
    {
      damage(event: TrailEvent): Partial<UnreadableRow['bytes']>;
      fault: string;
      tells?: { organization: boolean; hash: boolean };
    }
  >
> = {
  'data is cut': { damage: ({ data }) => ({ data: cut(data) }), fault: 'its data is not JSON' },
  'data is empty': { damage: () => ({ data: text('') }), fault: 'its data is not JSON' },
  'data is null': { damage: () => ({ data: text('null') }), fault: 'its data is not an object' },
  'data is a number': { damage: () => ({ data: text('5') }), fault: 'its data is not an object' },
  'data is a list': { damage: () => ({ data: text('[]') }), fault: 'its data is not an object' },
  'data is not UTF-8': {
    damage: ({ data }) => ({ data: Buffer.concat([text(data).subarray(0, 9), Buffer.from([0xff, 0xfe]), cut(data)]) }),
    fault: 'it is not UTF-8',
  },
  'metadata is cut at its end': {
    damage: ({ metadata }) => ({ metadata: cut(metadata) }),
    fault: 'its metadata is not JSON',
  },
  'metadata is cut early': {
    damage: ({ metadata }) => ({ metadata: text(metadata).subarray(0, 40) }),
    fault: 'its metadata is not JSON',
    tells: { organization: false, hash: false },
  },
  'metadata is null': {
    damage: () => ({ metadata: text('null') }),
    fault: 'its metadata lacks members',
    tells: { organization: false, hash: false },
  },
  'metadata is {}': {
    damage: () => ({ metadata: text('{}') }),
    fault: 'its metadata lacks members',
    tells: { organization: false, hash: false },
  },
  'metadata has spaces and no more': {
    damage: () => ({ metadata: text('{ "a" : 1 }') }),
    fault: 'its metadata lacks members',
    tells: { organization: false, hash: false },
  },
  'metadata lacks recorded_at': {
    damage: (event) => ({ metadata: without('recorded_at', event) }),
    fault: 'its metadata lacks members',
  },
  'metadata lacks command_id': {
    damage: (event) => ({ metadata: without('command_id', event) }),
    fault: 'its metadata lacks members',
  },
  'metadata lacks hash': {
    damage: (event) => ({ metadata: without('hash', event) }),
    fault: 'its metadata lacks members',
    tells: { organization: true, hash: false },
  },
  'recorded_at is no time': {
    damage: ({ metadata }) => ({ metadata: text({ ...metadata, recorded_at: 'zzz' }) }),
    fault: 'its recorded_at is not a time',
  },
  'metadata is not UTF-8': {
    damage: () => ({ metadata: Buffer.from([0x7b, 0xff, 0x00, 0x0a, 0x7d]) }),
    fault: 'it is not UTF-8',
    tells: { organization: false, hash: false },
  },
};

/** Returns an event's row as it is stored, with this damage. */
export function damagedRow(
  event: TrailEvent,
  damage: (event: TrailEvent) => Partial<UnreadableRow['bytes']>,
): UncheckedRow {
  const { id, stream, revision, type } = event;
  return {
    id,
    stream,
    revision,
    type,
    bytes: { data: text(event.data), metadata: text(event.metadata), ...damage(event) },
  };
}

const ofOrganization = (organization_id: string, stream: string, count: number) =>
  makeEvents(stream, { count, metadata: { organization_id } });

const vendorStream = () => `vendor-${randomId('vnd')}`;

/** Tests rows that can't be read. */
export function testUnreadableRows(test: Suite): void {
  for (const [name, { damage, fault, tells = { organization: true, hash: true } }] of Object.entries(DAMAGES)) {
    test(`a row is marked unreadable and keeps its place if ${name}`, async ({ store, reopen, start }) => {
      const stream = vendorStream();
      const organization = randomId('org');
      const [before, event, after] = ofOrganization(organization, stream, 3) as [TrailEvent, TrailEvent, TrailEvent];
      const row = damagedRow(event, damage);
      await store.append(stream, [before], NO_STREAM);
      const storePosition = await store.appendRow(row);
      assert.is(await store.appendRow(row), storePosition, 'a retry returns the same position');
      await assertConflict(store.appendRow({ ...row, id: before.id }), stream, 1);
      await store.append(stream, [after], 1);

      const expected = {
        place: [event.id, stream, 1, event.type, storePosition],
        organization_id: tells.organization ? organization : '',
        hash: tells.hash ? event.metadata.hash : hashOf(row.bytes.metadata),
        bytes: [hashOf(row.bytes.data), hashOf(row.bytes.metadata)],
      };
      for (const reader of [store, await reopen()]) {
        const isOurs = (stored: StoredEvent) => stored.stream === stream;
        const readings = [
          await reader.readStream(stream),
          (await collect(reader.readAll(start))).filter(isOurs),
          await take((signal) => reader.subscribeAll(start, signal), 3, isOurs),
        ];
        for (const [first, unreadable, last] of readings as [StoredEvent, UnreadableRow, StoredEvent][]) {
          assert.equal([asAppended(first), asAppended(last)], [before, after]);
          assert.is(unreadable.data, null);
          assert.ok([fault, 'it is not JSON'].includes(unreadable.fault), unreadable.fault);
          const { id, revision, type, metadata, bytes } = unreadable;
          assert.equal([id, unreadable.stream, revision, type, unreadable.storePosition], expected.place);
          assert.is(metadata.organization_id, expected.organization_id);
          assert.is(metadata.hash, expected.hash);
          assert.equal([hashOf(bytes.data), hashOf(bytes.metadata)], expected.bytes);
        }
      }
    });
  }

  test('the streams of a subscription go on after a row that comes while it runs', async ({ store, start }) => {
    const stream = vendorStream();
    const [event, after] = makeEvents(stream, { count: 2 }) as [TrailEvent, TrailEvent];
    const isOurs = (stored: StoredEvent) => stored.stream === stream;
    const subscribed = take((signal) => store.subscribeAll(start, signal), 2, isOurs);
    await store.appendRow(damagedRow(event, () => ({ data: text('{') })));
    await store.append(stream, [after], 0);
    assert.equal(
      (await subscribed).map(({ id, data }) => [id, data === null]),
      [
        [event.id, true],
        [after.id, false],
      ],
    );
  });

  test('JSON with line breaks can be read', async ({ store }) => {
    const stream = vendorStream();
    const [event] = makeEvents(stream) as [TrailEvent];
    await store.appendRow(damagedRow(event, ({ data }) => ({ data: text(JSON.stringify(data, null, 1)) })));
    assert.equal((await store.readStream(stream)).map(asAppended), [event]);
  });

  test('an event that can be read, but is not what was appended, is restored as it was', async ({ store }) => {
    const stream = vendorStream();
    const [event] = makeEvents(stream) as [TrailEvent];
    await store.appendRow(damagedRow(event, () => ({ data: text('{"x":1}') })));
    const [stored] = await store.readStream(stream);
    assert.equal(asAppended(stored!), { ...event, data: { x: 1 } });
  });

  test('a stream tells the organization of its rows, or else the only organization before them', async ({ store }) => {
    const bare = () => ({ metadata: text('{}') });
    const log = attributeRows(store);
    const organizationOf = async (stream: string) =>
      (await log.readStream(stream)).map(({ metadata }) => metadata.organization_id);
    const [one, two] = [randomId('org'), randomId('org')];

    const named = `organization-${one}`;
    await store.appendRow(damagedRow(ofOrganization(one, named, 1)[0]!, bare));
    assert.equal(await organizationOf(named), [one], 'the name of its stream tells it');

    const shared = vendorStream();
    const [first, second] = ofOrganization(one, shared, 2) as [TrailEvent, TrailEvent];
    await store.appendRow(damagedRow(first, bare));
    await store.append(shared, [second], 0);
    assert.equal(await organizationOf(shared), [one, one], 'a later event of its stream tells it');

    const alone = vendorStream();
    await store.appendRow(damagedRow(ofOrganization(one, alone, 1)[0]!, bare));
    const isOnlyOne = (await organizationsIn(store)).length === 1;
    assert.equal(await organizationOf(alone), [isOnlyOne ? one : ''], 'the only organization');

    const other = vendorStream();
    await store.append(other, ofOrganization(two, other, 1), NO_STREAM);
    const late = vendorStream();
    await store.appendRow(damagedRow(ofOrganization(two, late, 1)[0]!, bare));
    assert.equal(await organizationOf(late), [''], 'there are two');
    assert.equal(await organizationOf(alone), [isOnlyOne ? one : ''], 'a later organization changes nothing');
    const inLog = (await collect(attributeRows(store).readAll(null))).filter(({ stream }) => stream === alone);
    assert.equal(
      inLog.map(({ metadata }) => metadata.organization_id),
      [isOnlyOne ? one : ''],
    );
  });
}

async function organizationsIn(store: EventStore): Promise<string[]> {
  const ids = (await collect(store.readAll(null))).map(({ metadata }) => metadata.organization_id);
  return [...new Set(ids)].filter((id) => id !== '');
}
