import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { sealsCovering } from '../../src/projections/transparency/seal-documents.ts';
import { checkSeals } from '../../src/queries/proofs/check-seals.ts';
import { GrownRoots } from '../../src/queries/proofs/grown-roots.ts';
import { readChangeProof } from '../../src/queries/proofs/read-change-proof.ts';
import { readSealTimes } from '../../src/queries/proofs/seal-times.ts';
import { callerAs, ORGANIZATION, startRegister, type TestRegister } from '../support/register.ts';
import { rootOf } from '../support/trail/sealed-history.ts';
import { allEvents, appendSeal, type Sealing, sealing, verdictOf } from '../support/trail/sealing.ts';
import { withReadModels } from '../support/trail/tamper.ts';
import { verifyChanges } from '../support/trail/verify-changes.ts';

const test = suite<{ register: TestRegister; sealer: Sealing; ids: string[] }>('verify of seals');

/** Positions of the history: A is sealed rightly, B by a false seal, and C by a right one again. */
const AT = { organization: 1, a: 3, goodSeal: 5, b: 6, falseSeal: 7, c: 8, newestSeal: 9 };
const FALSE_SEAL = { why: 'ROOT', from: '4', until: '6' };

test.before(async (context) => {
  const register = await startRegister();
  const sealer = sealing(register);
  const add = async (name: string) => {
    const { vendor } = await register.call<{ vendor: { id: string } }>('addVendor', {
      organization_id: ORGANIZATION,
      name,
    });
    return vendor.id;
  };
  const rootAt = async (size: number) => rootOf((await allEvents(register.stores.events)).slice(0, size));
  const a = await add('A');
  await sealer.waitAndSeal(61_000);
  const b = await add('B');
  await appendSeal(register, sealer, { size: AT.b, root: 'ab'.repeat(32) });
  const c = await add('C');
  await appendSeal(register, sealer, { size: AT.c, root: await rootAt(AT.c) });
  Object.assign(context, { register, sealer, ids: [a, b, c] });
});

test.after(({ register }) => register.stop());

const sealFaults = async (register: TestRegister, input: object = {}) => {
  const { verification } = await verifyChanges(register, input);
  assert.is(verification.verdict, verification.faults.length === 0 ? 'VALID' : 'INVALID');
  return verification.faults.map(({ why, position, seal_fault }) => [why, position, seal_fault]);
};

test('a false seal below the newest one makes the verdict that of the offline check', async ({ register, sealer }) => {
  const faults = await sealFaults(register);
  assert.equal(faults, [['SEAL', String(AT.falseSeal), FALSE_SEAL]]);
  const { valid, seal_fault } = await verdictOf(register.stores.events, [(await sealer.keys.currentKey()).public_key]);
  const { why, position, from, until } = seal_fault!;
  assert.equal(
    [valid, 'SEAL', String(position), { why, from: String(from), until: String(until) }],
    [false, ...faults[0]!],
  );
});

test('only seals of the verified changes count', async ({ register, ids: [a, b, c] }) => {
  assert.equal(await sealFaults(register, { filter: { to: String(AT.a) } }), []);
  assert.equal(await sealFaults(register, { filter: { from: String(AT.falseSeal) } }), []);
  const falseSeal = ['SEAL', String(AT.falseSeal), FALSE_SEAL];
  assert.equal(await sealFaults(register, { filter: { from: String(AT.b), to: String(AT.b) } }), [falseSeal]);
  // Twice: only good seals are remembered.
  for (let round = 0; round < 2; round += 1) {
    assert.equal(await sealFaults(register, { filter: { record_id: [b] } }), [falseSeal]);
    assert.equal(await sealFaults(register, { filter: { record_id: [a, c] } }), []);
  }
});

test('pages see which changes a false seal covers', async ({ register }) => {
  const changes = [AT.a, AT.b, AT.c, AT.newestSeal].map((position) => ({ position: String(position) }));
  const times = await readSealTimes(register.reader.snapshot(), ORGANIZATION, changes);
  assert.equal(
    changes.map(({ position }) => typeof times.get(position)),
    ['string', 'object', 'string', 'undefined'],
  );
  const proven = await readChangeProof(register.reader, callerAs(), ORGANIZATION, AT.b);
  assert.is(proven!.check.fault, 'PATH');
});

test('a seal of the read models that is not the log’s is named', async ({ register }) => {
  const events = await allEvents(register.stores.events);
  const root = events[AT.goodSeal - 1]!.data?.root;
  const forge = `UPDATE seals_documents SET doc = replace(doc, '${root}', '${'cd'.repeat(32)}')`;
  await withReadModels(register.folder, [forge], async () => {
    const fault = { why: 'NOT_IN_LOG', from: '1', until: String(AT.goodSeal) };
    const faults = await sealFaults(register, { filter: { to: String(AT.a) } });
    assert.equal(faults, [['SEAL', String(AT.goodSeal), fault]]);
  });
});

test('an event that differs from the sealed one is noticed, although the tree in the read models is right', async ({
  register,
}) => {
  const { models, events } = register.reader.snapshot();
  const hashes = new Map((await allEvents(events)).map(({ metadata }, index) => [index + 1, metadata.hash]));
  const range = { from: AT.organization, to: AT.a };
  const seals = await sealsCovering(models, ORGANIZATION, range);
  assert.equal(
    seals.map(({ position }) => position),
    [AT.goodSeal],
  );
  for (const [position, expected] of [
    [null, undefined],
    [2, 'ROOT'],
    [AT.a, 'ROOT'],
  ] as const) {
    const seen = new Map(hashes);
    if (position !== null) seen.set(position, 'ef'.repeat(32));
    const roots = new GrownRoots(models, ORGANIZATION, range, seen);
    const fault = await checkSeals({ models, events }, ORGANIZATION, seals, (seal) => roots.rootOf(seal));
    assert.is(fault?.why, expected, String(position));
  }
});

test.run();
