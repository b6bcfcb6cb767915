import * as assert from 'uvu/assert';
import { SealKeys } from '../../src/seal/seal-keys.ts';
import { RevisionConflict, StoreUnavailable } from '../../src/stores/errors.ts';
import { chainEvents } from '../../src/trail/hash.ts';
import { nodeCrypto } from '../../src/trail/node/node-crypto.ts';
import type { LogSealed } from '../../src/trail/seals/seal-events.ts';
import { sealStream } from '../../src/trail/seals/seal-events.ts';
import { type Answer, ORGANIZATION, type TestRegister } from '../support/register.ts';
import { registerSuite } from '../support/register-suite.ts';
import { rootOf } from '../support/trail/sealed-history.ts';
import { addVendors, allEvents, sealing, sealsOf, verdictOf } from '../support/trail/sealing.ts';
import { withOverrides } from '../support/with-overrides.ts';

const test = registerSuite('sealer', 'EACH');

test('the sealer seals a minute after the first event, then not again until the next event', async ({ register }) => {
  const { events } = register.stores;
  const { sealer, waitAndSeal, keys } = sealing(register);
  await waitAndSeal(0);
  assert.is(sealer.state.unsealed, 2);
  assert.ok(Math.abs(sealer.state.unsealedSince! - Date.now()) < 60_000);
  await waitAndSeal(50_000);
  assert.equal(await sealsOf(events), []);
  await waitAndSeal(11_000);
  assert.equal(await sealsOf(events), ['SealKeyIntroduced', 'LogSealed']);
  await waitAndSeal(0);
  const { newestSeal, ...rest } = sealer.state;
  assert.equal(rest, { unsealed: 0, unsealedSince: null, stops: [] });
  assert.ok(newestSeal! > Date.now() + 60_000);
  await waitAndSeal(120_000);
  await waitAndSeal(120_000);
  assert.equal((await sealsOf(events)).length, 2, 'seals alone are not sealed');
  await addVendors(register, 1);
  await waitAndSeal(0);
  await waitAndSeal(61_000);
  assert.equal(await sealsOf(events), ['SealKeyIntroduced', 'LogSealed', 'LogSealed']);
  const verdict = await verdictOf(events, [(await keys.currentKey()).public_key]);
  assert.equal([verdict.valid, verdict.unsealed, verdict.seals.total], [true, 0, 2]);
});

test('the sealer seals nothing while the clock is in doubt', async ({ register }) => {
  const { events } = register.stores;
  let isTrusted = true;
  const { waitAndSeal } = sealing(register, { isClockTrusted: () => isTrusted });
  await waitAndSeal(0);
  isTrusted = false;
  await waitAndSeal(61_000);
  assert.equal(await sealsOf(events), []);
  isTrusted = true;
  await waitAndSeal(0);
  assert.equal(await sealsOf(events), ['SealKeyIntroduced', 'LogSealed']);
});

test('the sealer seals after 256 events without waiting, over all events', async ({ register }) => {
  const { events } = register.stores;
  const { waitAndSeal } = sealing(register);
  await addVendors(register, 253);
  await waitAndSeal(0);
  assert.equal(await sealsOf(events), [], 'with the organization’s two there are 255');
  await addVendors(register, 1);
  await waitAndSeal(0);
  const [, seal] = await events.readStream(sealStream(ORGANIZATION));
  const { size, root } = seal!.data as unknown as LogSealed;
  assert.equal([size, root], [256, rootOf((await allEvents(events)).slice(0, 256))]);
});

test('the sealer seals at once when an audit is completed', async ({ register }) => {
  const { waitAndSeal } = sealing(register);
  const controls = [{ section_title: 'A.1', name: 'Rules' }];
  const ok = async (tool: string, input: object) => register.call<Answer>(tool, input);
  const framework = await ok('addFramework', { organization_id: ORGANIZATION, name: 'House rules', controls });
  const framework_id = (framework.framework as Answer).id;
  const audit = await ok('addAudit', { organization_id: ORGANIZATION, framework_id, name: 'Spring' });
  await waitAndSeal(0);
  assert.equal(await sealsOf(register.stores.events), []);
  const id = (audit.audit as Answer).id;
  const done = await ok('updateAudit', { id, state: 'COMPLETED', auditor: 'Audit House', reason: 'Found out' });
  assert.not('error' in done, JSON.stringify(done));
  await waitAndSeal(0);
  assert.equal(await sealsOf(register.stores.events), ['SealKeyIntroduced', 'LogSealed']);
});

/** Checks that the key was rotated once, and that the new key, signed by the first one, makes the next seal. */
async function assertRotated(
  register: TestRegister,
  { waitAndSeal, warnings }: Pick<ReturnType<typeof sealing>, 'waitAndSeal' | 'warnings'>,
  firstPublicKey: string,
): Promise<void> {
  const { events } = register.stores;
  assert.equal(await sealsOf(events), ['SealKeyIntroduced', 'LogSealed', 'SealKeyRotated']);
  await addVendors(register, 1);
  await waitAndSeal(0);
  await waitAndSeal(61_000);
  const verdict = await verdictOf(events, [firstPublicKey]);
  assert.equal([verdict.valid, verdict.unsealed, verdict.keys.total, warnings], [true, 0, 2, []]);
}

test('the sealer follows a rotation at once, signed by both keys', async ({ register }) => {
  const { waitAndSeal, keys, warnings } = sealing(register);
  await waitAndSeal(61_000);
  const first = await keys.currentKey();
  await sealing(register).keys.rotate();
  await waitAndSeal(0);
  await assertRotated(register, { waitAndSeal, warnings }, first.public_key);
});

test('the sealer replaces a lost private key and logs a warning', async ({ register }) => {
  const { accounts, events } = register.stores;
  const before = sealing(register);
  await before.waitAndSeal(61_000);
  const lostKey = await before.keys.currentKey();
  await accounts.remove('secrets', 'seal-key:1');
  const after = sealing(register);
  await after.waitAndSeal(0);
  await addVendors(register, 1);
  await after.waitAndSeal(0);
  await after.waitAndSeal(61_000);
  const newKey = await after.keys.currentKey();
  assert.equal(await sealsOf(events), ['SealKeyIntroduced', 'LogSealed', 'SealKeyReplaced', 'LogSealed']);
  assert.equal(after.warnings.length, 1);
  assert.is((await verdictOf(events, [lostKey.public_key])).seal_fault?.why, 'NOT_GIVEN');
  assert.is((await verdictOf(events, [lostKey.public_key, newKey.public_key])).valid, true);
});

test('only one of two simultaneous seals is appended', async ({ register }) => {
  const { events } = register.stores;
  const outcomes: unknown[] = [];
  const counting = withOverrides(events, {
    append: async (...args: Parameters<typeof events.append>) => {
      try {
        const position = await events.append(...args);
        outcomes.push('appended');
        return position;
      } catch (error) {
        outcomes.push(error instanceof RevisionConflict ? 'dropped' : error);
        throw error;
      }
    },
  });
  const [first, second] = [sealing(register, { events: counting }), sealing(register, { events: counting })];
  await first.keys.currentKey();
  await Promise.all([first.waitAndSeal(61_000), second.waitAndSeal(61_000)]);
  assert.equal(outcomes.sort(), ['appended', 'dropped']);
  await Promise.all([first.waitAndSeal(0), second.waitAndSeal(0)]);
  assert.equal(await sealsOf(events), ['SealKeyIntroduced', 'LogSealed']);
});

test('the sealer retries after a store outage, and seals only on the leader', async ({ register }) => {
  const { events } = register.stores;
  let isDown = true;
  const flaky = withOverrides(events, {
    append: async (...args: Parameters<typeof events.append>) => {
      const position = isDown && (await Promise.reject(new StoreUnavailable('down', true)));
      return position || events.append(...args);
    },
  });
  const { waitAndSeal, warnings } = sealing(register, { events: flaky });
  await waitAndSeal(61_000);
  isDown = false;
  await waitAndSeal(0);
  assert.equal([await sealsOf(events), warnings], [['SealKeyIntroduced', 'LogSealed'], []]);
  await addVendors(register, 1);
  const follower = withOverrides(register.projections, {
    progress: withOverrides(register.projections.progress, { role: 'FOLLOWER' }),
  });
  const idle = sealing(register, { projections: follower });
  await idle.waitAndSeal(0);
  await idle.waitAndSeal(61_000);
  assert.equal((await sealsOf(events)).length, 2);
});

test('the sealer makes no seals while the read models lag far behind', async ({ register }) => {
  const { events } = register.stores;
  const { projections } = register;
  const lateProgress = withOverrides(projections.progress, { caughtUpAt: Date.now() - 11_000 });
  const lateSealer = sealing(register, { projections: withOverrides(projections, { progress: lateProgress }) });
  await lateSealer.waitAndSeal(0);
  await lateSealer.waitAndSeal(61_000);
  assert.equal(await sealsOf(events), []);
  const { waitAndSeal } = sealing(register);
  await waitAndSeal(61_000);
  assert.equal(await sealsOf(events), ['SealKeyIntroduced', 'LogSealed']);
});

test('listChanges returns seal events only if the filter names their types', async ({ register }) => {
  await sealing(register).waitAndSeal(61_000);
  const input = { organization_id: ORGANIZATION };
  const list = async (filter?: object) =>
    (await register.call<{ changes: Answer[] }>('listChanges', { ...input, ...(filter ? { filter } : {}) })).changes;
  const types = (changes: Answer[]) => changes.map(({ event_type }) => event_type);
  const seals = ['LogSealed', 'SealKeyIntroduced'];
  assert.equal(
    types(await list()).filter((type) => seals.includes(String(type))),
    [],
  );
  assert.equal(
    types(await list({ record_id: [ORGANIZATION] })).filter((type) => seals.includes(String(type))),
    [],
  );
  assert.equal(types(await list({ event_types: seals })), seals);
  const answer = await register.call('listChanges', { ...input, view: 'COUNT', filter: { event_types: seals } });
  assert.equal([answer.total, answer.incomplete], [2, undefined]);
  assert.is(register.projections.progress.parked, 0);
});

test('the sealer never goes back to a key that another instance has rotated away', async ({ register }) => {
  const { accounts } = register.stores;
  const slow = sealing(register);
  await slow.waitAndSeal(61_000);
  const first = await slow.keys.currentKey();
  // The sealer has read the current key. Before it checks the organization, another instance rotates and seals.
  let onKeyRead = async () => {
    const otherInstance = sealing(register);
    await otherInstance.keys.rotate();
    await otherInstance.waitAndSeal(0);
  };
  const keysWithRotation = new SealKeys(accounts, () => new Date());
  const readCurrentKey = keysWithRotation.currentKey.bind(keysWithRotation);
  keysWithRotation.currentKey = async () => {
    const key = await readCurrentKey();
    const work = onKeyRead;
    onKeyRead = async () => undefined;
    await work();
    return key;
  };
  const { waitAndSeal, warnings } = sealing(register, { keys: keysWithRotation });
  await waitAndSeal(0);
  await waitAndSeal(0);
  await assertRotated(register, { waitAndSeal, warnings }, first.public_key);
});

test('the sealer logs that it can’t seal after an unknown event of the seal stream', async ({ register }) => {
  const { events } = register.stores;
  const { waitAndSeal, warnings } = sealing(register);
  await waitAndSeal(61_000);
  const [, last] = await events.readStream(sealStream(ORGANIZATION));
  const { organization_id, actor_id, token_id, client, command_id, correlation_id, causation_id, recorded_at } =
    last!.metadata;
  const unknownEvents = chainEvents(nodeCrypto, {
    stream: sealStream(ORGANIZATION),
    revision: 1,
    previousHash: last!.metadata.hash,
    metadata: { organization_id, actor_id, token_id, client, command_id, correlation_id, causation_id, recorded_at },
    input: {},
    newEvents: [{ type: 'LogSealedOtherwise', data: {} }],
    schemaVersion: () => 1,
  });
  await events.append(sealStream(ORGANIZATION), unknownEvents, 1);
  await addVendors(register, 1);
  await waitAndSeal(0);
  await waitAndSeal(61_000);
  for (let check = 0; check < 5; check += 1) await waitAndSeal(1_000);
  assert.equal(warnings.length, 1, 'logged once');
});

test.run();
