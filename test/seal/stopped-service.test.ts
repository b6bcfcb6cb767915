import { createHash } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { activeGeneration } from '../../src/projections/engine/active-generation.ts';
import { changeId } from '../../src/projections/history/change-document.ts';
import { collectionName } from '../../src/stores/mongodb/read-models.ts';
import { veritrail } from '../support/run/run-command.ts';
import { until } from '../support/run/wait.ts';
import { type Pair, type ServedPair, serve, startPairs, withOpenPair } from '../support/stores/pairs.ts';
import { alterReadModels } from '../support/trail/tamper.ts';
import { alterChangeSql } from '../support/trail/verify-changes.ts';

const WRONG_HASH = createHash('sha256').update('another event').digest('hex');

/** Gives a change a wrong hash in the read models that are served. */
async function alterHash({ env }: Pair, organizationId: string, position: number): Promise<void> {
  if (!env.MONGODB_URL) return alterReadModels(env.DATA_DIR!, [alterChangeSql('hash', `'${WRONG_HASH}'`, position)]);
  const active = await withOpenPair(env, ({ reads }) => activeGeneration(reads));
  const client = new MongoClient(env.MONGODB_URL);
  const changes = client.db().collection<{ _id: string }>(collectionName('changes', active!.generation));
  const { modifiedCount } = await changes.updateOne(
    { _id: changeId(organizationId, position) },
    { $set: { hash: WRONG_HASH } },
  );
  await client.close();
  assert.is(modifiedCount, 1);
}

for (const pair of await startPairs()) {
  const test = suite<ServedPair>(`sealing stops in the service, on ${pair.name}`);

  test.before(async (context) => {
    Object.assign(context, await serve(pair));
  });
  test.after(({ close }) => close());

  test('health names the positions, and after a rebuild the next seal verifies', async (served) => {
    const { owner, organizationId: organization_id, url, token } = served;
    const add = async (tool: string, record: string, input: object) =>
      ((await owner.ok(tool, { organization_id, ...input })) as unknown as Record<string, { id: string }>)[record]!;
    const controls = [{ section_title: 'A.1', name: 'Rules' }];
    const framework = await add('addFramework', 'framework', { name: 'House rules', controls });
    const audit = await add('addAudit', 'audit', { framework_id: framework.id, name: 'Spring' });
    const { position } = (await owner.ok('addVendor', { organization_id, name: 'B' })) as unknown as {
      position: string;
    };
    await alterHash(pair, organization_id, Number(position));
    await owner.ok('updateAudit', { id: audit.id, state: 'COMPLETED', auditor: 'Audit House', reason: 'Found out' });
    const health = async () => {
      const answer = await fetch(`${url}/api/mcp/v1/health`, { headers: { authorization: `Bearer ${token}` } });
      return (await answer.json()) as { status: string; sealing_stopped?: object[] };
    };
    await until(async () => (await health()).sealing_stopped !== undefined, 10_000, 'a stop');
    const { status, sealing_stopped: stops } = await health();
    const [stop] = stops as { organization_id: string; from_position: string; to_position: string }[];
    assert.equal([status, stop!.organization_id, stop!.from_position], ['degraded', organization_id, '1']);
    assert.ok(Number(stop!.to_position) >= Number(position), stop!.to_position);
    const seals = { organization_id, filter: { event_types: ['LogSealed'] } };
    assert.equal((await owner.ok('listChanges', seals)).changes, []);
    assert.is((await veritrail({ cwd: pair.env.DATA_DIR!, env: pair.env }, 'rebuild')).code, 0);
    await until(async () => (await owner.ok('listChanges', seals)).changes.length === 1, 20_000, 'a seal');
    await until(async () => (await health()).status === 'ok', 5_000, 'the end of the stop');
    const verified = (await owner.ok('listChanges', { organization_id, verify: true })).verification;
    assert.equal([verified.verdict, verified.faults], ['VALID', []]);
  });

  test.run();
}
