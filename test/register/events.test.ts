import { readdirSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { UPCASTERS } from '../../src/commands/engine/stream-state.ts';
import { FAMILIES } from '../../src/commands/families.ts';
import { EVENTS, EVENTS_BY_STREAM } from '../../src/register/events.ts';
import type { TrailEvent } from '../../src/trail/event.ts';
import { schemaFaults } from '../support/trail/schema-faults.ts';

const FIXTURES = new URL('../fixtures/', import.meta.url);

const test = suite('schemas of stored events');

/** Returns every event that an earlier version recorded: in files of events and in exports of data folders. */
function recordedEvents(): TrailEvent[] {
  const names = readdirSync(FIXTURES, { recursive: true, encoding: 'utf8' });
  const files = names.filter((name) => /(^|\/)events-.*\.jsonl$|\/export\.jsonl\.gz$/.test(name));
  return files.flatMap((file) => {
    const bytes = readFileSync(new URL(file, FIXTURES));
    const lines = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString().trimEnd().split('\n');
    return lines.map((line) => JSON.parse(line)).flatMap((line) => line.event ?? (line.type ? line : []));
  });
}

test('every recorded event fits the schema of its type and version', () => {
  const events = recordedEvents();
  assert.equal(events.flatMap(schemaFaults), []);
  const types = new Set(events.map(({ type }) => type));
  const missing = Object.keys(EVENTS).filter((type) => !types.has(type));
  // No service that was recorded had to replace a lost key.
  assert.equal(missing, ['SealKeyReplaced'], 'record the other types: see support/histories/record-events.ts');
});

test('an event without a schema, or with data of another shape, has faults', () => {
  const event = recordedEvents().find(({ type }) => type === 'RiskAssessed')!;
  const faultsOf = (changes: object) => schemaFaults({ ...event, ...changes });
  const metadata = { ...event.metadata, schema_version: 2 };
  assert.equal(faultsOf({ type: 'RiskImagined' }), ['RiskImagined has no schema of version 1']);
  assert.equal(faultsOf({ metadata }), ['RiskAssessed has no schema of version 2']);
  assert.equal(faultsOf({ data: { ratings: { inherent_impact: '5', other: 1 }, reason: null } }), [
    'RiskAssessed.ratings.other is not in the schema',
    'RiskAssessed.ratings.inherent_impact is string, not number',
    'RiskAssessed.assessed_at is missing',
    'RiskAssessed.reason is null, not string',
  ]);
  assert.equal(faultsOf({ data: {}, metadata: { ...event.metadata, salt: '' } }), []);
});

test('every schema version but the newest has an upcaster', () => {
  for (const [type, versions] of Object.entries(EVENTS)) {
    assert.is(UPCASTERS[type]?.length ?? 0, versions.length - 1, type);
  }
});

test('every family’s common events are among its events', () => {
  for (const { type, commonEvents, events } of Object.values(FAMILIES)) {
    for (const name of Object.values(commonEvents)) assert.ok(Object.hasOwn(events, name), `${type} ${name}`);
  }
});

test('no event type is in two kinds of stream', () => {
  const types = Object.values(EVENTS_BY_STREAM).flatMap((events) => Object.keys(events));
  assert.is(new Set(types).size, types.length);
});

test.run();
