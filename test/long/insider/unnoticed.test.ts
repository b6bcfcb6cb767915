/** Insider attacks that the log alone doesn't reveal, as docs/security.md lists them, with the check that reveals each. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { COLLECTIONS } from '../../../src/projections/models.ts';
import { keptSealText, readKeptSeal } from '../../../src/trail/seals/kept-seal.ts';
import type { LogSealed } from '../../../src/trail/seals/seal-events.ts';
import { ORGANIZATION as REGISTER, startRegister } from '../../support/register.ts';
import { memberPath } from '../../support/stores/member-path.ts';
import { editAndRehash } from '../../support/trail/insider.ts';
import {
  FIRST_KEY,
  linesOf,
  ORGANIZATION,
  publicOf,
  SealedHistory,
  twoHundredEvents,
  verify,
} from '../../support/trail/sealed-history.ts';

const test = suite<{ register: Awaited<ReturnType<typeof startRegister>> }>(
  'attacks that the log alone does not reveal',
);

test.before(async (context) => {
  context.register = await startRegister();
});
test.after(({ register }) => register.stop());

const { events: EVENTS } = twoHundredEvents();
const SEALS = EVENTS.filter(({ type }) => type === 'LogSealed');
const keys = [publicOf(FIRST_KEY)];
const keptOf = (index: number) =>
  readKeptSeal(keptSealText(ORGANIZATION, SEALS.at(index)!.data as unknown as LogSealed));
const keptSealFault = (events: typeof EVENTS, index: number) => {
  const { valid, seal_fault, export_fault } = verify(linesOf(events), { keys, keptSeals: [keptOf(index)] });
  return valid ? null : (seal_fault?.why ?? export_fault?.why);
};

test('a change of unsealed events is not detected', () => {
  const newest = EVENTS.indexOf(SEALS.at(-1)!);
  const history = EVENTS.slice(0, newest + 1);
  const last = new SealedHistory().append('vendor-late', 'VendorAdded', { name: 'Late' });
  const events = [...history, last];
  const forged = editAndRehash(events, events.length - 1);
  assert.equal([verify(linesOf(forged)).valid, keptSealFault(forged, -1)], [true, null]);
  assert.is(verify(linesOf(forged)).unsealed, 1, 'the verdict counts the unsealed event');
});

test('a newer kept seal detects a rollback to an older seal', () => {
  const older = EVENTS.slice(0, EVENTS.indexOf(SEALS.at(-3)!) + 1);
  assert.equal(
    [verify(linesOf(older)).valid, keptSealFault(older, -3), keptSealFault(older, -1)],
    [true, null, 'KEPT_BEYOND'],
  );
});

test('a kept seal detects an insider who seals again with the stolen key', () => {
  const resealed = new SealedHistory();
  for (const [index, { stream, type, data }] of EVENTS.slice(0, 60).entries()) {
    if (type === 'SealKeyIntroduced') resealed.introduce(FIRST_KEY);
    else if (type === 'LogSealed') resealed.seal(FIRST_KEY);
    else resealed.append(stream, type, index === 30 ? { forged: true } : data);
  }
  assert.equal([verify(linesOf(resealed.events)).valid, keptSealFault(resealed.events, 1)], [true, 'KEPT']);
});

test('a kept seal detects dropped seals that it covers', () => {
  const without = (...removed: unknown[]) => EVENTS.filter((event) => !removed.includes(event));
  const withoutNewest = without(SEALS.at(-1));
  assert.equal(
    [verify(linesOf(withoutNewest)).valid, keptSealFault(withoutNewest, -1)],
    [true, null],
    'no event that it covered was removed',
  );
  const withoutTwo = without(SEALS.at(-1), SEALS.at(-2));
  assert.equal([verify(linesOf(withoutTwo)).valid, keptSealFault(withoutTwo, -3)], [true, null]);
  assert.ok(['KEPT', 'KEPT_BEYOND'].includes(String(keptSealFault(withoutTwo, -1))));
});

test('redaction is valid, and the redacted events are listed', () => {
  const index = EVENTS.findIndex(({ type }) => !/Seal/.test(type));
  const event = EVENTS[index]!;
  const blankedEvents = EVENTS.with(index, { ...event, data: {}, metadata: { ...event.metadata, salt: '' } });
  const { valid, redactions } = verify(linesOf(blankedEvents));
  assert.equal([valid, redactions.total, redactions.first[0]!.event_id], [true, 1, event.id]);
  assert.is(keptSealFault(blankedEvents, -1), null);
});

test('a renamed account is not detected', async ({ register }) => {
  const { accountId, stores } = register;
  const [name] = await stores.accounts.find('names', 'account_id', accountId);
  await stores.accounts.put('names', { ...name!, name: 'Somebody Else' });
  await register.call('addVendor', { organization_id: REGISTER, name: 'V' });
  const { changes, verification } = await register.call<{
    changes: { actor: { name: string } }[];
    verification: { verdict: string };
  }>('listChanges', { organization_id: REGISTER, verify: true });
  assert.equal([changes[0]!.actor.name, verification.verdict], ['Somebody Else', 'VALID']);
});

test('a deleted row of the access log is not detected', async ({ register }) => {
  const row = { id: '2026-01-01T00:00:00.000Z~1', organization_id: REGISTER, event_type: 'SIGNED_IN' };
  await register.stores.accounts.insert('access', row);
  const answer = () => register.call('listChanges', { organization_id: REGISTER, verify: true });
  const before = await answer();
  assert.ok(await register.stores.accounts.remove('access', row.id));
  assert.equal(await answer(), before);
});

test('listChanges doesn’t detect an altered record in the read models', async ({ register }) => {
  const { vendor } = await register.call<{ vendor: { id: string } }>('addVendor', {
    organization_id: REGISTER,
    name: 'Hosting',
  });
  const file = readdirSync(register.folder).find((name) => /^read-.+\.db$/.test(name))!;
  const db = new Database(join(register.folder, file));
  const [VENDORS] = COLLECTIONS.filter((collection) => collection.name === 'vendors');
  db.exec(`UPDATE vendors_documents SET doc = json_set(doc, '${memberPath(VENDORS!, 'name')}', 'FORGED')`);
  db.close();
  const { records } = await register.call<{ records: { name: string }[] }>('getRecords', { ids: [vendor.id] });
  const { verification } = await register.call<{ verification: { verdict: string } }>('listChanges', {
    organization_id: REGISTER,
    verify: true,
  });
  assert.equal([records[0]!.name, verification.verdict], ['FORGED', 'VALID']);
});

test.run();
