import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as assert from 'uvu/assert';
import { proveEvent } from '../../src/queries/proofs/proofs.ts';
import { provesInclusion, readPublicKey } from '../../src/trail/index.ts';
import { isSigned, type LogSealed } from '../../src/trail/seals/seal-events.ts';
import { ORGANIZATION, type TestRegister, temporaryFolder } from '../support/register.ts';
import { registerSuite } from '../support/register-suite.ts';
import { addVendors, allEvents, type Sealing, sealing } from '../support/trail/sealing.ts';

interface VerifiedChanges {
  changes: { position: string; hash: string }[];
  verification: {
    verdict: string;
    seal: (LogSealed & { position: string; event_id: string }) | null;
    inclusion: { position: string; path: string[] | null }[];
  };
  next_cursor?: string;
}

const test = registerSuite<{ register: TestRegister; sealer: Sealing }>('proofs', 'EACH', async (register) => {
  return { sealer: sealing(register) };
});

function verifyList(register: TestRegister, input: object = {}): Promise<VerifiedChanges> {
  return register.call<VerifiedChanges>('listChanges', { organization_id: ORGANIZATION, verify: true, ...input });
}

test('proveEvent uses the first seal that covers the event', async ({ register, sealer }) => {
  await sealer.waitAndSeal(0);
  assert.is(await proveEvent(register.projections.models, ORGANIZATION, 1), null, 'nothing is sealed yet');
  await sealer.waitAndSeal(61_000);
  await addVendors(register, 40);
  await sealer.waitAndSeal(0);
  await sealer.waitAndSeal(61_000);
  const events = await allEvents(register.stores.events);
  const sizes = new Set<number>();
  for (let position = 1; position <= 44; position += 1) {
    const proof = (await proveEvent(register.projections.models, ORGANIZATION, position))!;
    assert.ok(provesInclusion(proof.inclusion, events[position - 1]!.metadata.hash, proof.seal), String(position));
    sizes.add(proof.seal.size);
    assert.ok(proof.seal.size >= position);
  }
  assert.equal([...sizes], [2, 44]);
  assert.is(await proveEvent(register.projections.models, ORGANIZATION, 45), null, 'the newest seal itself');
});

test('listChanges proves each listed event against the newest seal', async ({ register, sealer }) => {
  assert.equal((await verifyList(register)).verification.seal, null);
  await sealer.waitAndSeal(61_000);
  await addVendors(register, 3);
  const { changes, verification } = await verifyList(register);
  const { position: _position, event_id: _id, ...seal } = verification.seal!;
  const { key } = readPublicKey((await sealer.keys.currentKey()).public_key);
  assert.ok(isSigned(ORGANIZATION, 'LogSealed', seal, seal.signature, key));
  assert.equal(
    verification.inclusion.map(({ position, path }) => [position, path !== null]),
    [
      ['7', false],
      ['6', false],
      ['5', false],
      ['2', true],
      ['1', true],
    ],
  );
  for (const [index, { position, path }] of verification.inclusion.entries()) {
    assert.is(changes[index]!.position, position);
    if (path === null) continue;
    const proof = { position: Number(position), size: seal.size, path };
    assert.ok(provesInclusion(proof, changes[index]!.hash, seal));
    assert.not.ok(provesInclusion(proof, changes[(index + 1) % 5]!.hash, seal));
  }
});

test('examples/check-changes.ts verifies an answer of listChanges with only the key', async ({ register, sealer }) => {
  await sealer.waitAndSeal(61_000);
  await addVendors(register, 1);
  const { public_key } = await sealer.keys.currentKey();
  const answer = await verifyList(register);
  const folder = temporaryFolder();
  const check = (verified: VerifiedChanges) => {
    writeFileSync(join(folder, 'answer.json'), JSON.stringify(verified));
    const example = fileURLToPath(new URL('../../examples/check-changes.ts', import.meta.url));
    const args = ['--import', 'tsx', example, join(folder, 'answer.json'), ORGANIZATION, public_key];
    const { status, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    return [
      status,
      stdout
        .trim()
        .split('\n')
        .map((line) => line.split(': ')[1]),
    ];
  };
  assert.equal(check(answer), [0, ['not sealed yet', 'proved', 'proved']]);
  const last = answer.changes.at(-1)!;
  const altered = { ...answer, changes: answer.changes.with(-1, { ...last, hash: answer.changes[0]!.hash }) };
  assert.equal(check(altered), [1, ['not sealed yet', 'proved', 'NOT PROVED']]);
  rmSync(folder, { recursive: true });
});

test('listChanges with proofs stays within the answer limit and returns all changes', async ({ register, sealer }) => {
  await addVendors(register, 150);
  await sealer.waitAndSeal(61_000);
  const positions: string[] = [];
  let cursor: string | undefined;
  do {
    const answer = await verifyList(register, { size: 100, ...(cursor ? { cursor } : {}) });
    assert.ok(JSON.stringify(answer).length <= 60_000);
    assert.equal([answer.verification.verdict, answer.changes.length], ['VALID', answer.verification.inclusion.length]);
    positions.push(...answer.changes.map(({ position }) => position));
    cursor = answer.next_cursor;
  } while (cursor !== undefined);
  assert.equal(
    positions,
    Array.from({ length: 152 }, (_, n) => String(152 - n)),
  );
});

test.run();
