import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { callerAs, ORGANIZATION, startRegister } from '../support/register.ts';
import { withReadModels } from '../support/trail/tamper.ts';
import { alterChangeSql, alteredChange, type VerifiedChanges, verifyChanges } from '../support/trail/verify-changes.ts';

const test = suite('limits of verify');

test('verify reads a limited number of events, states the covered part, and continues by its cursor', async () => {
  const register = await startRegister(undefined, { maxEventsVerified: 6 });
  const { vendor } = await register.call<{ vendor: { id: string } }>('addVendor', {
    organization_id: ORGANIZATION,
    name: 'Paged',
  });
  for (let n = 0; n < 3; n += 1) await register.call('updateVendor', { id: vendor.id, category: `c${n}` });
  for (let n = 0; n < 9; n += 1) await register.call('addMeasure', { organization_id: ORGANIZATION, name: `M ${n}` });
  const walk = async (input: object = {}) => {
    const parts: VerifiedChanges['verification'][] = [];
    let cursor: object = {};
    do {
      const { verification } = await verifyChanges(register, { ...input, ...cursor });
      parts.push(verification);
      assert.ok(verification.events <= 6);
      cursor = { verify_cursor: (verification as { verify_cursor?: string }).verify_cursor };
      assert.is('verify_cursor' in verification, !verification.complete);
    } while (!parts.at(-1)!.complete);
    return parts;
  };
  const parts = await walk();
  assert.equal(
    parts.map(({ verdict, covered_from, covered_to }) => [verdict, covered_from, covered_to]),
    [
      ['VALID', '10', '15'],
      ['VALID', '7', '15'],
      ['VALID', '1', '15'],
    ],
  );
  const forged = [alterChangeSql('reason', "'forged'", 14)];
  const forgedFaults = await withReadModels(register.folder, forged, () => walk());
  assert.equal(
    forgedFaults.map(({ verdict, faults }) => [verdict, faults.length]),
    [
      ['INVALID', 1],
      ['INVALID', 0],
      ['INVALID', 0],
    ],
  );
  const { verification } = await verifyChanges(register);
  const { verify_cursor } = verification as unknown as { verify_cursor: string };
  for (const wrongCursor of [
    { verify_cursor: `${verify_cursor}x` },
    { verify_cursor, filter: { actor_id: ['ME'] } },
    { cursor: verify_cursor },
    { verify_cursor, verify: false },
  ]) {
    const { error } = (await verifyChanges(register, wrongCursor)) as unknown as {
      error: { code: string; message: string };
    };
    assert.is(error.code, 'invalid_input');
    if (!('verify' in wrongCursor))
      assert.match(error.message, new RegExp(`leave ${Object.keys(wrongCursor)[0]} out\\.$`));
  }
  for (let n = 3; n < 7; n += 1) await register.call('updateVendor', { id: vendor.id, category: `c${n}` });
  const { error } = (await verifyChanges(register)) as unknown as { error: { code: string } };
  assert.is(error.code, 'too_large', 'a longer chain is not checked');
  await register.stop();
});

test('verify stops at ten faults and continues after them', async () => {
  const register = await startRegister();
  for (let n = 0; n < 25; n += 1) await register.call('addMeasure', { organization_id: ORGANIZATION, name: `M ${n}` });
  const forge = [`UPDATE changes_documents SET doc = ${alteredChange('reason', "'forged'")}`];
  const parts = await withReadModels(register.folder, forge, async () => {
    const first = await verifyChanges(register);
    const { verify_cursor } = first.verification as unknown as { verify_cursor: string };
    return [first, await verifyChanges(register, { verify_cursor })];
  });
  const positions = parts.map(({ verification }) => verification.faults.map(({ position }) => Number(position)));
  assert.equal(
    positions.map((page) => page.length),
    [10, 10],
  );
  assert.ok(positions[1]![0]! < positions[0]!.at(-1)!);
  await register.stop();
});

test('verify stops when its caller disconnects, lets other calls run, and runs once per credential', async () => {
  const register = await startRegister();
  const row = (n: number) => ({ name: `Vendor ${n}` });
  for (let n = 0; n < 4; n += 1) {
    const rows = Array.from({ length: 200 }, (_, index) => row(n * 200 + index));
    await register.call('importRecords', { organization_id: ORGANIZATION, type: 'VENDOR', rows });
  }
  const client = new AbortController();
  const args = { organization_id: ORGANIZATION, verify: true, view: 'COUNT' };
  const events: number[] = [];
  const progress = (read: number) => {
    events.push(read);
    client.abort();
  };
  const running = register.tools.call('listChanges', args, { caller: callerAs(), signal: client.signal, progress });
  const second = await verifyChanges(register);
  const { error } = second as unknown as { error: { code: string; retry_after_seconds: number } };
  assert.equal([error.code, error.retry_after_seconds], ['rate_limited', 5]);
  const auditor = callerAs('AUDITOR', { account_id: 'acc_other' });
  const ownVerification = await register.call<VerifiedChanges>(
    'listChanges',
    { ...args, filter: { from: '800' } },
    auditor,
  );
  assert.is(ownVerification.verification.verdict, 'VALID', 'another credential can verify');
  const stopped = JSON.parse((await running).json) as { error: { code: string } };
  assert.is(stopped.error.code, 'unavailable');
  assert.ok(events.at(-1)! < 802, 'it did not read on');
  assert.is((await verifyChanges(register)).verification.verdict, 'VALID', 'and the first one again afterwards');
  await register.stop();
});

test.run();
