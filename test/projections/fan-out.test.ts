import { rmSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Aggregate } from '../../src/commands/engine/decider.ts';
import { CommandHandler } from '../../src/commands/engine/handler.ts';
import { controlId, randomId } from '../../src/commands/engine/ids.ts';
import { organizationAggregate, recordAggregate } from '../../src/commands/families.ts';
import { adoptionCommand } from '../../src/commands/framework.ts';
import { linkAggregate } from '../../src/commands/link.ts';
import { Applier } from '../../src/projections/engine/applier.ts';
import { buildGeneration } from '../../src/projections/engine/build-generation.ts';
import { COLLECTIONS } from '../../src/projections/models.ts';
import { sortedPair } from '../../src/register/link.ts';
import type { Commit, ReadModels, ReadStore } from '../../src/stores/read-store.ts';
import { openSqliteReadStore } from '../../src/stores/sqlite/read-store.ts';
import { applyInBatches, assertVersions, readEverything } from '../support/histories/derived-checks.ts';
import { envelopeFor, temporaryFolder } from '../support/register.ts';
import { MemoryEventStore } from '../support/stores/memory-event-store.ts';

const CONTROLS = 450;
/** Limit of documents per event here: each control's last version, new version and change. */
const MAX_DOCUMENTS_PER_EVENT = CONTROLS * 3 + 10;

interface Context {
  folder: string;
  reads: ReadStore;
  models: ReadModels;
  store: MemoryEventStore;
  organization: string;
  /** A framework, its controls, and a measure that is linked to all of them. */
  framework: string;
  controls: string[];
  measure: string;
  execute(aggregate: Aggregate, command: object): Promise<void>;
  join(type: 'Link' | 'Unlink', one: string, other: string): Promise<void>;
}

const test = suite<Context>('an event that changes many records');

test.before.each(async (context) => {
  context.folder = temporaryFolder();
  context.reads = openSqliteReadStore(context.folder);
  context.models = await context.reads.open('one', COLLECTIONS);
  context.store = new MemoryEventStore();
  context.organization = randomId('org');
  context.framework = randomId('frm');
  context.measure = randomId('msr');
  context.controls = Array.from({ length: CONTROLS }, (_, index) => controlId(context.framework, index));
  const handler = new CommandHandler(context.store, { now: () => new Date(), maxAcceptanceDays: 366 });
  context.execute = async (aggregate, command) => {
    await handler.execute(aggregate, command, envelopeFor({ organization_id: context.organization }));
  };
  context.join = (type, one, other) => {
    const ids = sortedPair(one, other);
    return context.execute(linkAggregate(...ids) as unknown as Aggregate, { type, ids, reason: 'Found out' });
  };
  const facts = { name: 'Acme', import_key: 'k', installation: 'i', owner_id: 'acc_1' };
  const founded = organizationAggregate(context.organization) as unknown as Aggregate;
  await context.execute(founded, { type: 'CreateOrganization', ...facts });
  const controls = context.controls.map((_, index) => ({ section_title: `A.${index}`, name: `Control ${index}` }));
  await context.execute(
    recordAggregate(context.framework),
    adoptionCommand(context.framework, { name: 'Framework', controls }),
  );
  await context.execute(recordAggregate(context.measure), { type: 'AddMeasure', fields: { name: 'Measure' } });
  for (const control of context.controls) await context.join('Link', control, context.measure);
});

test.after.each(async ({ folder, reads }) => {
  await reads.close();
  rmSync(folder, { recursive: true, force: true });
});

const why = { reason: 'why' };

test('changes all of them, on every page of neighbours', async (context) => {
  const { reads, models, store, organization, framework, controls, measure } = context;
  const implemented = { type: 'UpdateMeasure', changes: { state: 'IMPLEMENTED' }, reason: 'Found out' };
  await context.execute(recordAggregate(measure), implemented);
  for (const control of controls.filter((_, index) => index % 40 === 0)) await context.join('Unlink', control, measure);
  await context.execute(recordAggregate(measure), { type: 'Archive', ...why });
  await context.execute(recordAggregate(measure), { type: 'Restore', ...why });
  for (const control of controls.filter((_, index) => index % 80 === 0)) await context.join('Link', control, measure);
  await context.execute(recordAggregate(controls[1]!), { type: 'Archive', ...why });
  await context.execute(recordAggregate(framework), { type: 'Archive', ...why });
  await context.execute(recordAggregate(framework), { type: 'Restore', ...why });
  await applyInBatches(store, models);
  await assertFactsOf(context);
  const expected = await readEverything(models, organization);
  assertVersions(expected);
  const rebuilt = await reads.open('two', COLLECTIONS);
  for (const end of [300, 460, 463, 475, store.log.length]) {
    const applier = new Applier(store, rebuilt, 'i');
    await applier.prepare();
    await applier.apply(store.log.slice(0, end));
  }
  assert.equal(await readEverything(rebuilt, organization), expected, 'with restarts in between');
  const { generation } = await buildGeneration({ events: store, reads, installation: 'i' });
  assert.equal(await readEverything(await reads.open(generation, COLLECTIONS), organization), expected, 'rebuilt');
});

/** Reads counts from the framework and the measure, because lists return at most 100 records. */
async function assertFactsOf({ models, framework, measure }: Context): Promise<void> {
  const [counted] = await models.get('frameworks', [framework]);
  const unlinked = Math.ceil(CONTROLS / 40) - Math.ceil(CONTROLS / 80);
  const { control_count, implemented_count } = counted!.doc;
  assert.equal([control_count, implemented_count], [CONTROLS - 1, CONTROLS - 1 - unlinked]);
  const [served] = await models.get('measures', [measure]);
  assert.is(served!.doc.control_count, CONTROLS - 1 - unlinked);
}

/** Returns the models and records their reads and commits. */
function watched(models: ReadModels) {
  const reads = { reads: 0, commits: [] as number[] };
  const watching: Pick<ReadModels, 'get' | 'commit' | 'checkpoints' | 'recover'> = {
    get: (collection, ids) => {
      reads.reads += 1;
      return models.get(collection, ids);
    },
    commit: (commit: Commit) => {
      reads.commits.push(commit.puts.length);
      return models.commit(commit);
    },
    checkpoints: () => models.checkpoints(),
    recover: () => models.recover(),
  };
  return { seen: reads, watching };
}

test('needs few reads, even in a runner that has just started', async ({ models, store, measure, execute }) => {
  await applyInBatches(store, models);
  await execute(recordAggregate(measure), {
    type: 'UpdateMeasure',
    changes: { state: 'IMPLEMENTED' },
    reason: 'Found out',
  });
  const { seen: reads, watching } = watched(models);
  const applier = new Applier(store, watching, 'i');
  await applier.prepare();
  await applier.apply(store.log);
  assert.ok(reads.reads < 10, `${reads.reads} reads`);
  const [control] = reads.commits;
  assert.ok(control! > CONTROLS * 3, `${control} documents`);
});

test('ends a batch before several such events exceed its size', async ({ models, store, framework, execute }) => {
  for (let n = 0; n < 10; n++) {
    await execute(recordAggregate(framework), { type: 'Archive', ...why });
    await execute(recordAggregate(framework), { type: 'Restore', ...why });
  }
  const { seen: reads, watching } = watched(models);
  await new Applier(store, watching, 'i').apply(store.log);
  assert.ok(Math.max(...reads.commits) < 8_000 + MAX_DOCUMENTS_PER_EVENT, String(reads.commits));
  assert.ok(reads.commits.length > 1, String(reads.commits));
});

test.run();
