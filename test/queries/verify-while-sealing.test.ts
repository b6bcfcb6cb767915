/** Verifies an organization that is sealed again before the verification has finished. */

import * as assert from 'uvu/assert';
import { listChanges } from '../../src/queries/changes/list-changes.ts';
import { Reader } from '../../src/queries/moments/snapshot.ts';
import type { Verification } from '../../src/queries/proofs/verify-changes.ts';
import { provesInclusion } from '../../src/trail/index.ts';
import { callerAs, ORGANIZATION } from '../support/register.ts';
import { registerSuite } from '../support/register-suite.ts';
import { addVendors, sealing } from '../support/trail/sealing.ts';
import { withOverrides } from '../support/with-overrides.ts';

const test = registerSuite('a verification', 'EACH');

interface Answer {
  changes: { position: string; hash: string }[];
  verification: Verification & { inclusion: { position: string; path: string[] | null }[] };
}

test('uses its first seal, even if a newer one is appended in between', async ({ register }) => {
  const { projections } = register;
  const sealer = sealing(register);
  await addVendors(register, 4);
  await sealer.waitAndSeal(61_000);
  let newSeals = 0;
  const models = withOverrides(projections.models, {
    // Called after the newest seal was read, and before positions are compared with it.
    count: async (...args) => {
      if (newSeals++ === 0) {
        await addVendors(register, 3);
        await sealer.waitAndSeal(61_000);
      }
      return projections.models.count(...args);
    },
  });
  const reader = new Reader(() => ({ models, progress: projections.progress }), register.reader.snapshot());
  const input = { organization_id: ORGANIZATION, size: 20, view: 'SUMMARY', verify: true } as const;
  const { changes, verification } = (await listChanges(reader, callerAs(), input)) as Answer;
  assert.is(newSeals, 1);
  assert.equal([verification.verdict, verification.faults], ['VALID', []]);
  const seal = verification.seal!;
  const hashes = new Map(changes.map(({ position, hash }) => [position, hash]));
  const provenChanges = verification.inclusion.filter(({ path }) => path !== null);
  assert.is(provenChanges.length, seal.size);
  for (const { position, path } of provenChanges) {
    const proof = { position: Number(position), size: seal.size, path: path! };
    assert.ok(provesInclusion(proof, hashes.get(position)!, seal), `position ${position}`);
  }
});

test.run();
