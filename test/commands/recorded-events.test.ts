import { readdirSync, readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type AnyFamily, FAMILIES } from '../../src/commands/families.ts';
import { organization } from '../../src/commands/organization.ts';
import { fold, nothing } from '../../src/commands/stream.ts';
import { schemaVersion } from '../../src/commands/upcast.ts';
import { verifyChain } from '../../src/trail/chain.ts';
import type { TrailEvent } from '../../src/trail/event.ts';
import { saltedHash } from '../../src/trail/hash.ts';

/**
 * test/fixtures/events-*.jsonl holds events as they were written once, of every type and schema version that there
 * ever was. They stand for every customer's log: lines are added (by the real handler), none is ever changed.
 */
const FIXTURES = new URL('../fixtures/', import.meta.url);
const COMMANDS = new URL('../../src/commands/', import.meta.url);

const test = suite('events recorded once');

const recorded: TrailEvent[] = readdirSync(FIXTURES)
  .filter((file) => /^events-.*\.jsonl$/.test(file))
  .flatMap((file) => readFileSync(new URL(file, FIXTURES), 'utf8').trimEnd().split('\n'))
  .map((line) => JSON.parse(line));

const streams = new Map<string, TrailEvent[]>();
for (const event of recorded) streams.set(event.stream, [...(streams.get(event.stream) ?? []), event]);

const DECIDERS = new Map<string, Pick<AnyFamily, 'evolve'>>([
  ['organization', organization],
  ...Object.values(FAMILIES).map((family) => [family.singular, family] as const),
]);

/** Families whose records are never added by themselves, and those that are never changed after. */
const NOT_ADDED = ['CONTROL'];
const NOT_UPDATED = ['FRAMEWORK', 'EVIDENCE'];

/** Every event type that the source names, and the family's own words for those that all families have. */
function typesInSource(): string[] {
  const source = readdirSync(COMMANDS)
    .map((file) => readFileSync(new URL(file, COMMANDS), 'utf8'))
    .join('\n');
  const titles = ['Organization', 'Member', 'Token', 'Records', ...Object.values(FAMILIES).map(({ title }) => title)];
  const own = new RegExp(`\\btype: '((?:${titles.join('|')})[A-Z]\\w*)'`, 'g');
  const common = Object.values(FAMILIES).flatMap(({ type, title }) => [
    ...(NOT_ADDED.includes(type) ? [] : [begins(source, title)]),
    ...(NOT_UPDATED.includes(type) ? [] : [`${title}DetailsChanged`, `${title}OwnerAssigned`]),
    `${title}Archived`,
    `${title}Restored`,
  ]);
  return [...new Set([...[...source.matchAll(own)].map((found) => found[1]!), ...common])];
}

/** `begins: 'Adopted'` in a family's file, else Added. */
function begins(source: string, title: string): string {
  const word = new RegExp(`title: '${title}'[\\s\\S]*?(?:begins: '(\\w+)'|evolve)`).exec(source)?.[1];
  return `${title}${word ?? 'Added'}`;
}

test('verify, each chain from its first event on', () => {
  for (const [stream, events] of streams) assert.is(verifyChain(events), null, stream);
});

test('hash their input under their own salt', () => {
  const { metadata } = recorded.find((event) => event.type === 'RiskReopened')!;
  const input = { type: 'DecideRisk', decision: 'REOPEN', reason: 'sale failed' };
  assert.is(metadata.input_hash, saltedHash(metadata.salt, input));
});

test('fold in today’s deciders to what they then meant', () => {
  const states = [...streams].map(([stream, events]) => {
    const decider = DECIDERS.get(stream.slice(0, stream.indexOf('-')));
    assert.ok(decider, stream);
    return fold(decider, nothing<Record<string, unknown>>(), events).state!;
  });
  const named = new Map(states.map((state) => [state.name, state]));
  const { tokens, members } = named.get('Põhjala Trükikoda OÜ')! as Record<string, Record<string, object>>;
  assert.equal(Object.values(members!), ['OWNER', 'ADMIN']);
  const [token] = Object.values(tokens!);
  assert.equal(token, { ...token, role: 'EDITOR', expires_at: '2027-02-28T00:00:00.000Z', revoked: true });
  const vendor = named.get('Ünicloud GmbH')!;
  assert.equal([vendor.status, vendor.country, vendor.archived_at], ['OFFBOARDED', null, null]);
  assert.is((vendor.review as { outcome: string }).outcome, 'APPROVED');
  assert.is(named.get('Small one')!.status, 'SUSPENDED');
  const risk = named.get('Fire in the press hall')!;
  assert.equal([risk.status, risk.treatment, risk.acceptance, risk.archived_at], ['OPEN', 'ACCEPTED', null, null]);
  assert.equal([risk.inherent_impact, risk.residual_impact, risk.note], [5, null, null]);
  assert.is(named.get('Flood')!.status, 'CLOSED');
});

test('are of every type and schema version that was ever written', () => {
  const types = typesInSource();
  assert.ok(types.length >= 26, `found ${types.length} types in the source`);
  const written = new Set(recorded.map((event) => `${event.type} ${event.metadata.schema_version}`));
  for (const type of types) {
    for (let version = 1; version <= schemaVersion(type); version++) {
      assert.ok(written.has(`${type} ${version}`), `no ${type} of version ${version} is recorded`);
    }
  }
});

test.run();
