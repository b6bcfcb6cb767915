/** Files with one proof: the command and the page "Verify a file" take the same ones, and say the same. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { verifyAnyFile } from '../../src/browser/verify-any-file.ts';
import type { ChangeProof } from '../../src/queries/proofs/check-change.ts';
import { readChangeProof } from '../../src/queries/proofs/read-change-proof.ts';
import { callerAs, ORGANIZATION, startRegister, temporaryFolder } from '../support/register.ts';
import { type WholeReport, wholeReport } from '../support/reports.ts';
import { veritrail } from '../support/run/run-command.ts';
import { testKey } from '../support/trail/sealed-history.ts';
import { sealing } from '../support/trail/sealing.ts';

interface Context {
  cwd: string;
  key: string;
  change: ChangeProof;
  unsealed: ChangeProof;
  pack: WholeReport;
  pendingPack: WholeReport;
}

const test = suite<Context>('veritrail verify, for proofs');
const organization_id = ORGANIZATION;

test.before(async (context) => {
  const register = await startRegister();
  const sealer = sealing(register);
  const vendor = { organization_id, name: 'Hosting', reason: 'We buy it' };
  const { vendor: added } = await register.call<{ vendor: { id: string } }>('addVendor', vendor);
  await register.call('updateVendor', { id: added.id, name: 'Hosting in Oslo', reason: 'They moved' });
  const at = register.reader.snapshot().newestPosition(organization_id);
  const proofAt = async (position: number) =>
    (await readChangeProof(register.reader, callerAs('AUDITOR'), organization_id, position))!.proof;
  const unsealed = await proofAt(at);
  const framework = { organization_id, name: 'House rules', controls: [{ section_title: '1', name: 'Only one' }] };
  const { framework: adopted } = await register.call<{ framework: { id: string } }>('addFramework', framework);
  const audit = { organization_id, framework_id: adopted.id, name: 'Spring', state: 'IN_PROGRESS' };
  const { audit: opened } = await register.call<{ audit: { id: string } }>('addAudit', audit);
  await register.call('updateAudit', { id: opened.id, state: 'COMPLETED', reason: 'Found out' });
  const input = { organization_id, type: 'AUDIT_PACK', audit_id: opened.id };
  const readPack = () => wholeReport((report) => register.call('getReport', { ...input, ...report }), input);
  const pendingPack = await readPack();
  await sealer.waitAndSeal(61_000);
  const { public_key: key } = await sealer.keys.currentKey();
  Object.assign(context, { cwd: temporaryFolder(), key, unsealed, pendingPack });
  Object.assign(context, { change: await proofAt(at), pack: await readPack() });
  await register.stop();
});
test.after(({ cwd }) => rmSync(cwd, { recursive: true }));

/** Verifies a file with the command and with the page's function. Checks that both say the same. */
async function verify({ cwd, key }: Context, content: object | string, trustedKey = key, ...options: string[]) {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  writeFileSync(join(cwd, 'file.json'), text);
  const args = ['file.json', '--key', trustedKey, ...options];
  const result = await veritrail({ cwd, dataDir: join(cwd, 'absent') }, 'verify', ...args);
  const page = await verifyAnyFile(new Blob([text]), trustedKey);
  if (result.code < 2 && options.length === 0) assert.is(page.text, result.out);
  return { ...result, page: page.result };
}

test('a saved proof of a change is valid, and shows the change', async (context) => {
  const { code, out, err, page } = await verify(context, context.change);
  assert.equal([code, err, page], [0, '', 'SEALED']);
  assert.match(out, /^VALID\. A signed seal covers this change\.$/m);
  assert.match(out, /^Event +VendorDetailsChanged, place 1 \(from 0\) in its stream vendor-\S+, id \S+$/m);
  assert.match(out, /^Why +They moved$/m);
  assert.match(out, /^Changed +Vendor: Hosting → Hosting in Oslo$/m);
  assert.match(
    out,
    /^Proved +who, when, why, before and after, by the seal made at .*Z over positions 1 to \d+, key /m,
  );
  writeFileSync(join(context.cwd, 'file.json.gz'), gzipSync(JSON.stringify(context.change)));
  const zipped = await veritrail({ cwd: context.cwd }, 'verify', 'file.json.gz', '--key', context.key);
  assert.equal([zipped.code, zipped.out], [0, out]);
});

test('the page blames a key that is none, with its line, and not the file', async ({ key, change }) => {
  const verifyWith = (keys: string) => verifyAnyFile(new Blob([JSON.stringify(change)]), keys);
  for (const [keys, problem] of [
    ['AAAABBBB', 'line 1: neither a PEM nor base64 of 32 bytes'],
    [`${key}\n\nno key`, 'line 3: neither a PEM nor base64 of 32 bytes'],
    [`${key}\n-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----`, 'line 2: a PEM that is not a public key'],
    [' \n', 'there is no key'],
  ] as const) {
    const text = `not checked, because your keys can’t be read (${problem}). Correct them.`;
    assert.equal(await verifyWith(keys), { result: 'UNSEALED', text });
  }
  assert.is((await verifyWith(`\n${key}\n`)).result, 'SEALED');
});

test('a saved proof fails that is altered, not sealed, or signed by another key', async (context) => {
  const { change } = context;
  const altered = JSON.stringify(change).replace('moved', 'stayed');
  for (const [content, fault, page] of [
    [altered, 'This event was altered after it was recorded.', 'MISMATCH'],
    [{ ...change, position: '1' }, 'This is not the event that was sealed.', 'MISMATCH'],
    [context.unsealed, 'The proof has no seal', 'UNSEALED'],
  ] as const) {
    const result = await verify(context, content);
    assert.equal([result.code, result.page], [1, page], result.out);
    assert.ok(result.out.startsWith(`NOT VALID. ${fault}`), result.out);
    assert.match(result.out, /^Proved +nothing$/m);
    assert.not.match(result.out, /Oslo/);
    assert.is(result.err, 'veritrail verify: The proof is not valid.');
  }
  const other = await verify(context, change, testKey(9).public_key);
  assert.equal([other.code, other.page], [1, 'MISMATCH']);
  assert.match(other.out, /^NOT VALID\. None of the keys that you gave signed the seal\. \(VendorDetailsChanged/m);
});

test('a redacted change is valid, and the verdict says what nobody can check', async (context) => {
  const { change } = context;
  const [first, last] = change.events as [ChangeProof['events'][number], ChangeProof['events'][number]];
  const erase = (event: typeof last) => ({ ...event, data: {}, metadata: { ...event.metadata, salt: '' } });
  for (const [events, proved, redacted] of [
    [[first, erase(last)], 'who and when, by', 'the data of this event'],
    [[erase(first), last], 'who, when and why, by', 'the data of an earlier event'],
  ] as const) {
    const { code, out, page } = await verify(context, { ...change, events });
    assert.equal([code, page], [0, 'REDACTED'], out);
    assert.match(out, new RegExp(`^Proved +${proved}`, 'm'));
    assert.match(out, new RegExp(`^Redacted +${redacted}`, 'm'));
    assert.not.match(out, /^(?:Changed|Name)/m);
  }
});

test('an audit pack is valid, as a file and as an answer, until it is altered', async (context) => {
  const { pack, pendingPack } = context;
  for (const content of [{ report: pack }, pack]) {
    const { code, out, err, page } = await verify(context, content);
    assert.equal([code, err, page], [0, '', 'SEALED']);
    assert.match(out, /^VALID\. The digest matches the data, and a signed seal covers change \d+\.$/m);
    assert.match(out, new RegExp(`^Proved +change ${pack.position} is in the history, by the seal made at `, 'm'));
    assert.match(
      out,
      /^Not proved +that the history says what the pack says: the seal covers changes, not the digest$/m,
    );
    assert.match(out, new RegExp(`^Digest +${pack.digest}$`, 'm'));
  }
  const [section, ...others] = pack.data.sections;
  const otherRows = [{ ...section!, rows: [{ ...section!.rows[0], name: 'Autumn' }] }, ...others];
  const proof = pack.proof as { event: object; seal: object };
  for (const [report, fault, page] of [
    [{ ...pack, data: { ...pack.data, sections: otherRows } }, 'The digest doesn’t match the data', 'MISMATCH'],
    [
      { ...pack, proof: { ...proof, event: { ...proof.event, position: '1' } } },
      'The proof is not the one',
      'MISMATCH',
    ],
    [
      { ...pack, proof: { ...proof, seal: { ...proof.seal, root: 'ab'.repeat(32) } } },
      'The key didn’t sign',
      'MISMATCH',
    ],
    [
      { ...pack, proof: { ...proof, event: { ...proof.event, position: '1' }, seal: { ...proof.seal, size: 1 } } },
      'The key didn’t sign',
      'MISMATCH',
    ],
    [pendingPack, 'The pack has no seal', 'UNSEALED'],
  ] as const) {
    const result = await verify(context, { report });
    assert.equal([result.code, result.page], [1, page], result.out);
    assert.ok(result.out.startsWith(`NOT VALID. ${fault}`), result.out);
  }
});

test('the verdict is also JSON', async (context) => {
  const { valid, kind, position, change } = JSON.parse(
    (await verify(context, context.change, context.key, '--json')).out,
  );
  assert.equal([valid, kind, position, change.reason], [true, 'CHANGE', context.change.position, 'They moved']);
  const pack = JSON.parse((await verify(context, { report: context.pack }, context.key, '--json')).out);
  assert.equal([pack.valid, pack.kind, pack.digest], [true, 'PACK', context.pack.digest]);
});

test('refuses a damaged proof, a part of a pack, another file, and a kept seal with a proof', async (context) => {
  const { change, pack } = context;
  for (const [content, said] of [
    [{ ...change, events: [] }, /its proof is incomplete or damaged/],
    [{ ...change, events: 'none' }, /its proof is incomplete or damaged/],
    [{ report: { ...pack, left_out: { changes: 3 } } }, /only a part of an audit pack: download the pack/],
    [
      { report: { ...pack, type: 'POSTURE' } },
      /neither an export, a seal, a saved proof nor the JSON of an audit pack/,
    ],
    ['{"format":"veritrail-change-proof-1"', /neither an export, a seal, a saved proof/],
  ] as const) {
    const { code, out, err, page } = await verify(context, content);
    assert.equal([code, out, page], [2, '', 'MISMATCH'], err);
    assert.match(err, said);
  }
  const seal = await verify(context, change, context.key, '--seal', 'file.json');
  assert.is(seal.code, 2);
});

test('a gzip file without anything to unzip is damaged', async ({ cwd, key }) => {
  writeFileSync(join(cwd, 'cut.gz'), gzipSync('anything').subarray(0, 10));
  const { code, err } = await veritrail({ cwd }, 'verify', 'cut.gz', '--key', key);
  assert.equal([code, err], [2, 'veritrail verify: The file is damaged. Only 0 bytes can be unzipped.']);
});

test.run();
