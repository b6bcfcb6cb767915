/** Members, tokens and domains of organizations are rows. They give the same answers as maps in documents would. */
import { rmSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CommandHandler } from '../../src/commands/engine/handler.ts';
import { randomId } from '../../src/commands/engine/ids.ts';
import { Refusal } from '../../src/commands/engine/refusal.ts';
import { upcast } from '../../src/commands/engine/stream-state.ts';
import { organizationAggregate } from '../../src/commands/families.ts';
import { type OrganizationCommand, organization } from '../../src/commands/organization/organization.ts';
import { Applier } from '../../src/projections/engine/applier.ts';
import { CHANGES, type ChangeDocument } from '../../src/projections/history/change-document.ts';
import { RecomputedChanges, rowDigest } from '../../src/projections/history/recomputed-changes.ts';
import { COLLECTIONS } from '../../src/projections/models.ts';
import type { OrganizationEvent, Role } from '../../src/register/organization.ts';
import type { ReadableEvent } from '../../src/stores/event-store.ts';
import type { ReadModels, ReadStore } from '../../src/stores/read-store.ts';
import { openSqliteReadStore } from '../../src/stores/sqlite/read-store.ts';
import { dumpDocuments, envelopeFor, temporaryFolder } from '../support/register.ts';
import { MemoryEventStore } from '../support/stores/memory-event-store.ts';

const MAPS = ['members', 'membership_ends', 'tokens', 'domains'] as const;
type Maps = Record<(typeof MAPS)[number], Record<string, unknown>>;

interface Context {
  folder: string;
  reads: ReadStore;
  models: ReadModels;
}

const test = suite<Context>('maps of organizations');

test.before(async (context) => {
  context.folder = temporaryFolder();
  context.reads = openSqliteReadStore(context.folder);
  context.models = await context.reads.open('maps', COLLECTIONS);
});

test.after(async ({ folder, reads }) => {
  await reads.close();
  rmSync(folder, { recursive: true, force: true });
});

const account_id = fc.constantFrom('acc_1', 'acc_2', 'acc_3');
const token_id = fc.constantFrom('tok_1', 'tok_2', 'tok_3', 'tok_4');
const role = fc.constantFrom<Role>('VIEWER', 'ADMIN', 'OWNER');
const domain = fc.constantFrom('acme.no', 'other.acme.no');
const until = fc.option(fc.constantFrom('2026-01-01T00:00:03.000Z', '2030-01-01T00:00:00.000Z'));
const command: fc.Arbitrary<OrganizationCommand> = fc.oneof(
  fc.record({ type: fc.constant('AddMember' as const), account_id, role, until }),
  fc.record({ type: fc.constant('ChangeMembershipEnd' as const), account_id, until }),
  fc.record({ type: fc.constant('ChangeMemberRole' as const), account_id, role }),
  fc.record({ type: fc.constant('RemoveMember' as const), account_id }),
  fc.record({ type: fc.constant('AdmitDomain' as const), domain, role }),
  fc.record({ type: fc.constant('WithdrawDomain' as const), domain }),
  fc.record({ type: fc.constant('RenameOrganization' as const), name: fc.constantFrom('One', 'Two') }),
  fc.record({
    type: fc.constant('CreateToken' as const),
    ...{ token_id, account_id, role: fc.constant<Role>('VIEWER'), read_only: fc.boolean() },
    expires_at: fc.constantFrom('2026-01-01T00:00:05.000Z', '2030-01-01T00:00:00.000Z'),
  }),
  fc.record({
    type: fc.constant('RegenerateToken' as const),
    token_id,
    expires_at: fc.constant('2031-01-01T00:00:00.000Z'),
  }),
  fc.record({ type: fc.constant('RevokeToken' as const), token_id, reason: fc.constant('lost') }),
);
/** Each command with the events after it that a batch of the projection ends. */
const steps = fc.array(fc.record({ command, endsBatch: fc.boolean() }), { minLength: 1, maxLength: 40 });

async function play(commands: readonly OrganizationCommand[]): Promise<{ store: MemoryEventStore; id: string }> {
  const store = new MemoryEventStore();
  const id = randomId('org');
  let time = Date.parse('2026-01-01T00:00:00.000Z');
  const now = () => {
    time += 100;
    return new Date(time);
  };
  const handler = new CommandHandler(store, { now, maxAcceptanceDays: 366, simulated: true });
  const create = { name: 'One', import_key: 'k', installation: 'i', owner_id: 'acc_1' };
  for (const next of [{ type: 'CreateOrganization', ...create } as const, ...commands]) {
    const envelope = envelopeFor({ organization_id: id, actor_id: 'SYSTEM' });
    await handler.execute(organizationAggregate(id), next, envelope).catch((error: unknown) => {
      if (!(error instanceof Refusal)) throw error;
    });
  }
  return { store, id };
}

/** Returns the maps after each position, from a fold of whole states. */
function naiveMaps(log: readonly ReadableEvent[]): Maps[] {
  const after: Maps[] = [{ members: {}, membership_ends: {}, tokens: {}, domains: {} }];
  let state: ReturnType<typeof organization.evolve> | null = null;
  for (const event of log) {
    state = organization.evolve(state, { type: event.type, data: upcast(event) } as unknown as OrganizationEvent);
    const { members, membership_ends, tokens, domains } = state;
    after.push({ members, membership_ends, tokens: Object.fromEntries(tokens.entries()), domains });
  }
  return after;
}

async function mapsAt(models: ReadModels, organizationId: string, position: number): Promise<Maps> {
  const maps: Maps = { members: {}, membership_ends: {}, tokens: {}, domains: {} };
  const rows = await models.find({
    collection: 'map_entries',
    organizationId,
    where: [
      { key: 'from_position', op: 'range', lte: position },
      { key: 'until_position', op: 'range', gt: position },
    ],
    order: { key: null, direction: 'ASC' },
    limit: 1_000,
  });
  for (const { doc } of rows) {
    const { field, key, value } = doc as { field: keyof Maps; key: string; value: unknown };
    assert.is(maps[field][key], undefined, `${field}.${key} has two values at ${position}`);
    maps[field][key] = value;
  }
  return maps;
}

/** Returns the changes of entries between two moments, as the change history has them. */
function naiveChanges(before: Maps, after: Maps) {
  return MAPS.flatMap((map) =>
    [...new Set([...Object.keys(before[map]), ...Object.keys(after[map])])].flatMap((key) => {
      const [from, to] = [before[map][key] ?? null, after[map][key] ?? null];
      return isDeepStrictEqual(from, to) ? [] : [{ field: `${map}.${key}`, from, to }];
    }),
  );
}

test('rows, changes and recomputed changes equal a naive replay at each position', async ({ models }) => {
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      const { store, id } = await play(all.map(({ command }) => command));
      await applyInBatches(
        store,
        models,
        all.map(({ endsBatch }) => endsBatch),
      );
      const expected = naiveMaps(store.log);
      for (const [position, maps] of expected.entries()) assert.equal(await mapsAt(models, id, position), maps);

      const rows = (await dumpDocuments(models, [id]))[CHANGES.name] as ChangeDocument[];
      const entryChanges = rows.map(({ changes }) => changes.filter(({ field }) => field.includes('.')));
      const naive = expected.slice(1).map((after, index) => naiveChanges(expected[index]!, after));
      assert.equal(entryChanges, naive);
      assert.equal(await recomputedDigests(store, id), rows.map(rowDigest));
    }),
    { numRuns: 40 },
  );
});

/** Applies a log in batches, each by a new applier, which knows only what is stored. */
async function applyInBatches(store: MemoryEventStore, models: ReadModels, ends: readonly boolean[]): Promise<void> {
  const cuts = store.log
    .map((_, index) => index + 1)
    .filter((end) => ends[end % ends.length] || end === store.log.length);
  for (const end of cuts) {
    const applier = new Applier(store, models, 'i');
    await applier.prepare();
    await applier.apply(store.log.slice(0, end));
  }
}

async function recomputedDigests(store: MemoryEventStore, id: string): Promise<string[]> {
  const allowance = { allow: (requested: number) => requested, recordRead: async () => {} };
  const recomputed = new RecomputedChanges(store, allowance, id);
  const { events } = await recomputed.upToRevision(`organization-${id}`, store.log.length - 1);
  return events.flatMap(({ rows }) => rows.map(({ digest }) => digest));
}

test.run();
