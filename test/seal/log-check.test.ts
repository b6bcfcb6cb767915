import * as assert from 'uvu/assert';
import { Applier } from '../../src/projections/engine/applier.ts';
import { buildGeneration } from '../../src/projections/engine/build-generation.ts';
import { COLLECTIONS } from '../../src/projections/models.ts';
import { readSealStops, sealStopText } from '../../src/seal/seal-stop.ts';
import { INSTALLATION_ID, ORGANIZATION, type TestRegister } from '../support/register.ts';
import { registerSuite } from '../support/register-suite.ts';
import { until } from '../support/run/wait.ts';
import {
  addVendors,
  allEvents,
  appendSeal,
  type Sealing,
  sealing,
  sealsOf,
  verdictOf,
} from '../support/trail/sealing.ts';
import { withLog, withReadModels } from '../support/trail/tamper.ts';
import { alterChangeSql } from '../support/trail/verify-changes.ts';
import { withOverrides } from '../support/with-overrides.ts';

const test = registerSuite('the sealer’s check of the log', 'EACH');

/** Returns the SQL that changes one hex digit of the hash in a row of changes. */
async function alterDigitSql({ stores }: TestRegister, position: number): Promise<string> {
  const { hash } = (await allEvents(stores.events))[position - 1]!.metadata;
  return alterChangeSql('hash', `'${hash.startsWith('0') ? '1' : '0'}${hash.slice(1)}'`, position);
}

/** Rebuilds the read models as `veritrail rebuild` does, and waits until the service has switched to them. */
async function rebuild({ stores, projections }: TestRegister): Promise<void> {
  const { generation } = await buildGeneration({ ...stores, installation: INSTALLATION_ID });
  await until(async () => projections.models.generation === generation, 10_000, 'the new read models');
}

/** Seals the first events, adds a vendor, and returns the position of its event. */
async function sealAndAdd(register: TestRegister, { waitAndSeal }: Sealing): Promise<number> {
  await waitAndSeal(61_000);
  await addVendors(register, 1);
  return register.projections.progress.checkpoint(ORGANIZATION)!.position;
}

test('a wrong hash in the read models is not sealed, and after a rebuild sealing goes on', async ({ register }) => {
  const { events } = register.stores;
  const sealer = sealing(register);
  const { waitAndSeal, warnings, keys } = sealer;
  const position = await sealAndAdd(register, sealer);
  await withReadModels(register.folder, [await alterDigitSql(register, position)], async () => {
    await waitAndSeal(0);
    await waitAndSeal(61_000);
    await waitAndSeal(1_000);
    const stop = { organization_id: ORGANIZATION, why: 'LOG' as const, from: 3, until: position };
    assert.equal(sealer.sealer.state.stops, [stop]);
    assert.equal(warnings, [sealStopText(stop)], 'logged once');
    assert.equal(await readSealStops(register.stores.reads), [stop]);
    assert.match(sealStopText(stop), `between positions 3 and ${position}. Run "veritrail rebuild".`);
    await rebuild(register);
  });
  await waitAndSeal(0);
  assert.equal([sealer.sealer.state.stops, (await sealsOf(events)).length], [[], 3]);
  assert.equal(await readSealStops(register.stores.reads), []);
  const verdict = await verdictOf(events, [(await keys.currentKey()).public_key]);
  assert.equal([verdict.valid, verdict.unsealed], [true, 0]);
});

test('read models that begin in the middle of the log are not sealed', async ({ register }) => {
  const { projections, stores } = register;
  await addVendors(register, 3);
  const [newest] = (await allEvents(stores.events)).slice(-1);
  const models = await stores.reads.open('false', COLLECTIONS);
  const applier = new Applier(stores.events, models, INSTALLATION_ID);
  await applier.apply([newest!]);
  const progress = withOverrides(projections.progress, { checkpoint: (id) => applier.checkpoints.get(id) ?? null });
  const { waitAndSeal, sealer } = sealing(register, { projections: withOverrides(projections, { models, progress }) });
  await waitAndSeal(61_000);
  assert.equal(sealer.state.stops, [{ organization_id: ORGANIZATION, why: 'LOG', from: 1, until: 1 }]);
  assert.equal(await sealsOf(stores.events), []);
  await models.close();
});

test('an event that was altered in the log is not sealed', async ({ register }) => {
  const sealer = sealing(register);
  const position = await sealAndAdd(register, sealer);
  const alterActor = `UPDATE events SET metadata = replace(metadata, '"client":', '"simulated":true,"client":') WHERE position = ${position}`;
  await withLog(register.folder, [alterActor], async () => {
    await sealer.waitAndSeal(61_000);
    assert.equal(
      sealer.sealer.state.stops.map(({ why, from }) => [why, from]),
      [['LOG', 3]],
    );
  });
});

test('read models that differ from the newest seal are not sealed', async ({ register }) => {
  const sealer = sealing(register);
  await sealAndAdd(register, sealer);
  await withReadModels(register.folder, [await alterDigitSql(register, 2)], async () => {
    await sealer.waitAndSeal(61_000);
    const stop = { organization_id: ORGANIZATION, why: 'SEAL', from: 1, until: 2 };
    assert.equal(sealer.sealer.state.stops, [stop]);
  });
});

test('no event is chained onto a seal that the log does not have', async ({ register }) => {
  const sealer = sealing(register);
  await sealAndAdd(register, sealer);
  const { hash } = (await allEvents(register.stores.events))[3]!.metadata;
  const alterSeal = `UPDATE seals_documents SET doc = replace(doc, '${hash}', '${'ab'.repeat(32)}')`;
  await withReadModels(register.folder, [alterSeal], async () => {
    await sealer.waitAndSeal(61_000);
    assert.equal(sealer.sealer.state.stops, [{ organization_id: ORGANIZATION, why: 'LOG', from: 4, until: 4 }]);
    assert.is((await sealsOf(register.stores.events)).length, 2);
  });
});

test('nothing is sealed on top of a false seal, also after a rebuild', async ({ register }) => {
  const sealer = sealing(register);
  const { events } = register.stores;
  await sealAndAdd(register, sealer);
  await appendSeal(register, sealer, { size: 5, root: 'ab'.repeat(32) });
  await addVendors(register, 1);
  for (const work of [async () => undefined, () => rebuild(register)]) {
    await work();
    await sealer.waitAndSeal(61_000);
    assert.equal(sealer.sealer.state.stops, [{ organization_id: ORGANIZATION, why: 'SEAL', from: 3, until: 5 }]);
  }
  assert.equal((await sealsOf(events)).length, 3);
  const verdict = await verdictOf(events, [(await sealer.keys.currentKey()).public_key]);
  assert.equal([verdict.valid, verdict.seal_fault?.from, verdict.seal_fault?.until], [false, 3, 5]);
});

test.run();
