/** Proofs of single changes: those that hold, and those of an altered log or altered read models. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { checkChangeOnPage } from '../../src/browser/check-change-on-page.ts';
import { changeVerdictText, verifySavedChange } from '../../src/cli/proofs/change-verdict.ts';
import type { ChangeProof } from '../../src/queries/proofs/check-change.ts';
import { type ProvenChange, readChangeProof } from '../../src/queries/proofs/read-change-proof.ts';
import { chainEvents } from '../../src/trail/hash.ts';
import { nodeCrypto } from '../../src/trail/node/node-crypto.ts';
import { readPublicKey } from '../../src/trail/seals/key.ts';
import { changeTexts } from '../../src/web/register/change-texts.ts';
import { makeEvents } from '../support/histories/events.ts';
import { callerAs, ORGANIZATION, startRegister, type TestRegister } from '../support/register.ts';
import { type Sealing, sealing } from '../support/trail/sealing.ts';
import { withLog, withReadModels } from '../support/trail/tamper.ts';
import { alterChangeSql, verifyChanges } from '../support/trail/verify-changes.ts';

interface Context {
  register: TestRegister;
  sealer: Sealing;
  /** The positions of events, by type. */
  at: Record<string, number>;
  newest: number;
}

const test = suite<Context>('the proof of a change');

test.before(async (context) => {
  const register = await startRegister();
  const sealer = sealing(register);
  const add = async (tool: string, name: string, input: object) => {
    const answer = await register.call<Record<string, { id: string }>>(tool, {
      organization_id: ORGANIZATION,
      ...input,
    });
    return answer[name]!.id;
  };
  const vendor = await add('addVendor', 'vendor', { name: 'Hosting', reason: 'We\r\nbuy it' });
  const risk = await add('addRisk', 'risk', { name: 'Fire', inherent_likelihood: 3, inherent_impact: 4 });
  const framework = await add('addFramework', 'framework', {
    name: 'Own',
    controls: [
      { section_title: 'A.1', name: 'Policies' },
      { section_title: 'A.2', name: 'Roles' },
    ],
  });
  const { controls } = await register.call<{ controls: { id: string }[] }>('listControls', {
    organization_id: ORGANIZATION,
  });
  const control = controls[0]!.id;
  await register.call('updateControl', { id: control, description: 'Written down', reason: 'It was missing' });
  await register.call('linkRecords', { links: [{ from_id: risk, to_id: vendor }], reason: 'It burns' });
  await register.call('linkRecords', { links: [{ from_id: risk, to_id: vendor }], action: 'UNLINK', reason: 'No' });
  for (const relation of ['SUPPORTS', 'PARTLY']) {
    await register.call('linkRecords', { links: [{ from_id: control, to_id: controls[1]!.id, relation }] });
  }
  await add('addFramework', 'framework', { name: 'Other', controls: [{ section_title: 'B.1', name: 'Log' }] });
  const pair = { from_control: 'A.1', to_control: 'B.1', relation: 'SUPPORTS' };
  await register.call('importRecords', { organization_id: ORGANIZATION, type: 'CROSSWALK', rows: [pair] });
  await register.call('reviewVendor', { id: vendor, outcome: 'APPROVED', findings: 'None', reason: 'Yearly' });
  await add('addEvidence', 'evidence', { name: 'Log', text: 'ok', record_ids: [vendor] });
  await register.call('archiveRecords', { ids: [control], action: 'ARCHIVE', reason: 'Not ours' });
  await register.call('archiveRecords', { ids: [framework], action: 'ARCHIVE', reason: 'Old' });
  await register.call('updateRisk', {
    id: risk,
    owner_id: 'ME',
    residual_likelihood: 2,
    residual_impact: 2,
    reason: 'Found out',
  });
  await sealer.waitAndSeal(61_000);
  const { changes } = await verifyChanges(register, { size: 100 });
  const at = Object.fromEntries(changes!.map(({ event_type, position }) => [event_type, Number(position)]));
  Object.assign(context, { register, sealer, at, newest: Number(changes![0]!.position) });
});
test.after(({ register }) => register.stop());

const prove = ({ register }: Context, position: number): Promise<ProvenChange | null> =>
  readChangeProof(register.reader, callerAs('AUDITOR'), ORGANIZATION, position);

/** Checks a proof as a browser does that shows the change in the read models. */
function checkAsShown({ change, proof }: ProvenChange) {
  const sent = JSON.parse(JSON.stringify(proof)) as ChangeProof;
  return checkChangeOnPage(sent, new Map(changeTexts(change).map(({ name, text }) => [name, text])));
}

test('holds for every change, and the change can be rebuilt from its events', async (context) => {
  const results: string[] = [];
  for (let position = 1; position <= context.newest; position += 1) {
    const proven = await prove(context, position);
    assert.equal([proven?.check.fault, proven?.differs], [null, []], proven?.change.event_type);
    const { result, text } = checkAsShown(proven!);
    results.push(`${proven!.change.event_type} ${result}`);
    assert.ok(result === 'SEALED' || position === 1, text);
  }
  assert.is(results[0], 'OrganizationCreated REDACTED', 'proofs never contain the import key');
  assert.ok(results.length > 12);
  assert.ok(results.includes('CrosswalkImported SEALED'));
});

test('waits for a seal', async (context) => {
  await context.register.call('addVendor', { organization_id: ORGANIZATION, name: 'New' });
  const newest = context.register.reader.snapshot().newestPosition(ORGANIZATION);
  const proven = await prove(context, newest);
  assert.is(proven!.proof.proof, null);
  assert.is(checkAsShown(proven!).result, 'UNSEALED');
});

test('names what differs if only the read models were altered', async (context) => {
  const { register, at } = context;
  for (const [member, value, part] of [
    ['reason', "''", 'the reason'],
    ['reason', 'NULL', 'the reason'],
    ['actor_id', "'acc_forged'", 'who'],
    ['recorded_at', "'2020-01-01T00:00:00.000Z'", 'when'],
    ['client', `json('{"name":"forged","version":"1"}')`, 'the client'],
    ['effective_at', "'2020-01-01T00:00:00.000Z'", 'the effective date'],
    ['record.name', "'forged'", 'the record’s name'],
    ['event_type', "'VendorArchived'", 'what happened'],
    ['changes[0].to', "'FORGED'", 'after'],
    ['changes[0].from', "'FORGED'", 'before'],
  ] as const) {
    const sql = [alterChangeSql(member, value, at.VendorReviewed!)];
    const proven = await withReadModels(register.folder, sql, () => prove(context, at.VendorReviewed!));
    const { result, text } = checkAsShown(proven!);
    assert.is(result, 'MISMATCH', member);
    assert.match(text, /VendorReviewed, place 1 \(from 0\) in its stream vendor-/);
    assert.match(text, new RegExp(`${part}[,.]`));
    assert.is(proven!.differs.length, 1, member);
  }
});

test('names the event that was altered in the log, and never calls erased data good', async (context) => {
  const { register, at } = context;
  const { change } = (await prove(context, at.VendorReviewed!))!;
  const { change: added } = (await prove(context, at.VendorAdded!))!;
  const inLog = (set: string, id: string) =>
    withLog(register.folder, [`UPDATE events SET ${set} WHERE id = '${id}'`], () => prove(context, at.VendorReviewed!));
  const emptied = checkAsShown((await inLog("data = json_set(data, '$.reason', '')", change.event_id))!);
  assert.equal([emptied.result, /altered.*VendorReviewed/.test(emptied.text)], ['MISMATCH', true]);
  const earlier = checkAsShown((await inLog("data = json_set(data, '$.name', 'x')", added.event_id))!);
  assert.equal([earlier.result, /altered.*VendorAdded/.test(earlier.text)], ['MISMATCH', true]);
  const erase = "data = '{}', metadata = json_set(metadata, '$.salt', '')";
  const erased = await inLog(erase, change.event_id);
  assert.equal([checkAsShown(erased!).result, erased!.check.erased, erased!.differs], ['REDACTED', 'DATA', []]);
  const erasedBefore = await inLog(erase, added.event_id);
  assert.equal([checkAsShown(erasedBefore!).result, erasedBefore!.differs], ['REDACTED', []]);
  const forgedActor = { ...erased!, change: { ...erased!.change, actor_id: 'acc_forged' } };
  assert.is(checkAsShown(forgedActor).result, 'MISMATCH', 'who and when are not erased');
  const saltOnly = await inLog("metadata = json_set(metadata, '$.salt', '')", change.event_id);
  assert.is(checkAsShown(saltOnly!).result, 'MISMATCH', 'data without a salt is forged');
});

test('fails for another event, another place, another key and a false signature', async (context) => {
  const { at } = context;
  const { proof } = (await prove(context, at.VendorReviewed!))!;
  const other = (await prove(context, at.RiskAdded!))!.proof;
  const seal = { ...proof.proof!.seal, root: '0'.repeat(64) };
  for (const [forged, why] of [
    [{ ...proof, events: other.events }, 'not the event'],
    [{ ...proof, position: '1' }, 'not the event'],
    [{ ...proof, organization_id: 'org_other' }, 'not the event'],
    [{ ...proof, keys: [] }, 'key of the seal is missing'],
    [{ ...proof, proof: { ...proof.proof!, seal } }, 'didn’t sign'],
    // A seal that nobody signed accuses nobody, whatever else the proof states.
    [{ ...proof, position: '1', proof: { ...proof.proof!, seal } }, 'didn’t sign'],
    [{ ...proof, proof: { ...other.proof!, seal: { ...other.proof!.seal, size: 1 } } }, 'didn’t sign'],
    [{ ...proof, events: proof.events.slice(1) }, 'missing'],
  ] as const) {
    const { result, text } = checkChangeOnPage(forged, null);
    assert.equal([result, text.includes(why)], ['MISMATCH', true], text);
  }
  const control = (await prove(context, at.ControlDetailsChanged!))!.proof;
  const foreign = { ...control, origin: { event: other.events[0]!, proof: other.proof } };
  assert.is(checkChangeOnPage(foreign, null).result, 'MISMATCH');
});

test('fails for a sealed change of a control without its sealed adoption', async (context) => {
  const { proof } = (await prove(context, context.at.ControlDetailsChanged!))!;
  const { origin, ...withoutOrigin } = proof;
  const { stream, type, data, metadata } = origin!.event;
  const [control] = data.controls as object[];
  const [event] = makeEvents(stream, {
    type,
    data: { ...data, controls: [{ ...control, description: 'Forged' }] },
    schemaVersion: metadata.schema_version,
    metadata: { organization_id: metadata.organization_id },
  });
  for (const [forged, why] of [
    [withoutOrigin, 'missing before this one. (ControlDetailsChanged'],
    [{ ...proof, origin: { ...origin!, proof: null } }, 'seal doesn’t cover this event. (FrameworkAdopted'],
    [{ ...proof, origin: { event: event!, proof: null } }, 'seal doesn’t cover this event. (FrameworkAdopted'],
    [{ ...proof, origin: { ...origin!, event: event! } }, 'not the event that was sealed. (FrameworkAdopted'],
  ] as const) {
    const { result, text } = checkChangeOnPage(forged, null);
    assert.equal([result, text.includes(why)], ['MISMATCH', true], text);
  }
  const unsealed = { ...proof, proof: null, origin: { ...origin!, proof: null } };
  assert.is(checkChangeOnPage(unsealed, null).result, 'UNSEALED');
});

test('gives notice of a change that was recorded out of order, in a browser and of a saved proof', async (context) => {
  const { proof } = (await prove(context, context.at.VendorReviewed!))!;
  const last = proof.events.at(-1)!;
  const recordedAt = (recorded_at: string): ChangeProof => {
    const before = proof.events.at(-2)!;
    const events = chainEvents(nodeCrypto, {
      stream: last.stream,
      revision: before.revision,
      previousHash: before.metadata.hash,
      input: {},
      newEvents: [{ type: last.type, data: last.data }],
      schemaVersion: () => last.metadata.schema_version,
      metadata: { ...last.metadata, recorded_at },
    });
    return { ...proof, events: [...proof.events.slice(0, -1), ...events], proof: null };
  };
  const position = `position ${proof.position}, recorded at`;
  for (const [time, notice] of [
    ['2020-01-01T00:00:00.000Z', `${position} 2020-01-01T00:00:00.000Z, after an event or seal of `],
    ['2099-01-01T00:00:00.000Z', `${position} 2099-01-01T00:00:00.000Z, ahead of the clock of the reader`],
  ] as const) {
    const forged = recordedAt(time);
    const { result, text } = checkChangeOnPage(forged, null);
    assert.equal([result, text.includes(`Recorded out of order: ${notice}`)], ['UNSEALED', true], text);
    const verdict = verifySavedChange(nodeCrypto, { ...forged, proof: proof.proof }, keysOf(proof), new Date());
    assert.match(String(verdict.out_of_order), notice);
  }
  const verdict = verifySavedChange(nodeCrypto, proof, keysOf(proof), new Date());
  assert.equal([verdict.valid, verdict.out_of_order], [true, null]);
  const noted = changeVerdictText({ ...verdict, out_of_order: 'position 9, recorded at …' });
  assert.match(noted, /^VALID\..*Out of order +position 9, recorded at …/s);
});

const keysOf = ({ keys }: ChangeProof) => keys.map((key) => readPublicKey(nodeCrypto, key));

test('is there for a VIEWER, and unknown for another organization or position', async ({ register }) => {
  assert.is((await readChangeProof(register.reader, callerAs('VIEWER'), ORGANIZATION, 2))?.check.fault, null);
  const foreign = await readChangeProof(register.reader, callerAs(), 'org_other', 2).catch((error) => error);
  assert.is(foreign.code, 'not_found');
  assert.is(await readChangeProof(register.reader, callerAs(), ORGANIZATION, 999_999), null);
});

test.run();
