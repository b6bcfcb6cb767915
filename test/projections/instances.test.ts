/** Instances of two versions on the same stores. An event that one can't read isn't written while it runs. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { INSTANCE_TERM_MS, LiveInstances } from '../../src/projections/engine/instances.ts';
import { READABLE_EVENTS } from '../../src/register/events.ts';
import { folderOfTest } from '../support/run/installed.ts';
import { veritrail } from '../support/run/run-command.ts';
import { until } from '../support/run/wait.ts';
import { type ServedPair, serve, startPairs, withOpenPair } from '../support/stores/pairs.ts';

const YEAR_MS = 365 * 86_400_000;
/** Events that an older version can read: no vendor reviews, and risk assessments of an earlier schema version. */
const OLDER = Object.fromEntries(
  Object.entries({ ...READABLE_EVENTS, RiskAssessed: 0 }).filter(([type]) => !type.startsWith('VendorReview')),
);

for (const pair of await startPairs()) {
  const test = suite<{ served: ServedPair; vendor: string; risk: string }>(
    `instances of two versions, on ${pair.name}`,
  );

  test.before(async (context) => {
    context.served = await serve(pair);
    const { owner, organizationId: organization_id } = context.served;
    context.vendor = (await owner.ok('addVendor', { organization_id, name: 'Nimbus' })).vendor.id;
    context.risk = (await owner.ok('addRisk', { organization_id, name: 'Flood' })).risk.id;
  });
  test.after(({ served }) => served.close());

  test('refuses a command whose event a running older instance cannot read', async (context) => {
    const { vendor, risk, served } = context;
    const { owner, organizationId: organization_id } = served;
    const review = { id: vendor, outcome: 'APPROVED', idempotency_key: 'once' };
    await withOpenPair(pair.env, async ({ reads }) => {
      const older = new LiveInstances({ reads, readable: OLDER });
      await older.start();
      const { vendor: other } = await owner.ok('addVendor', { organization_id, name: 'Oldwick' });
      const reviewRefused = () => owner.refused('reviewVendor', { id: other.id, outcome: 'APPROVED' });
      await until(() => reviewRefused().catch(() => null), 5_000, 'the service has seen the older instance');
      const refusal = await owner.refused('reviewVendor', review);
      assert.equal([refusal.code, refusal.retryable], ['unavailable', true]);
      assert.match(refusal.message, /older version .* cannot read VendorReviewed\. Upgrade all instances/);
      const ratings = { id: risk, inherent_likelihood: 2, inherent_impact: 3, reason: 'Found out' };
      assert.match((await owner.refused('updateRisk', ratings)).message, /cannot read RiskAssessed/);
      const rows = [{ name: 'Long approved', status: 'APPROVED' }];
      const importRefusal = await owner.refused('importRecords', { organization_id, type: 'VENDOR', rows });
      assert.match(importRefusal.message, /cannot read VendorReviewImported/);
      await owner.ok('updateVendor', { id: vendor, description: 'What both can read is written' });

      const cwd = folderOfTest();
      writeFileSync(join(cwd, 'risks.csv'), 'Name,Inherent likelihood,Inherent impact\nFire,3,4\n');
      const run = (...args: string[]) => veritrail({ cwd, dataDir: pair.env.DATA_DIR!, env: pair.env }, ...args);
      // A command of this version follows the same rule, and may write events that the older one can read.
      writeFileSync(join(cwd, 'update.csv'), `Id,Inherent likelihood,Inherent impact\n${risk},3,4\n`);
      const update = await run(
        'import',
        'update.csv',
        '--type',
        'risks',
        '--map',
        'id=Id',
        '--organization',
        organization_id,
      );
      assert.match(update.err + update.out, /cannot read RiskAssessed\. Upgrade all instances/);
      assert.is(update.code, 1);
      assert.is((await run('import', 'risks.csv', '--type', 'risks', '--organization', organization_id)).code, 0);
      await older.stop();
    });
    await until(
      () => owner.ok('reviewVendor', review).catch(() => null),
      5_000,
      'it is written after the other instance stopped',
    );
    const { vendors } = await owner.ok('listVendors', { organization_id, view: 'FULL' });
    assert.equal([vendors[0]!.status, vendors[0]!.revision], ['APPROVED', 3]);
  });

  test('a killed instance counts until its entry has stood still for 30 s, whatever its clock said', async () => {
    await withOpenPair(pair.env, async ({ reads }) => {
      // As after kill -9: its entry is neither renewed nor removed. That of an older version names a time, a year ahead.
      const entry = await reads.sharedEntry<object>('instances');
      const killed = {
        'killed now': { beat: 3, reads: OLDER },
        'killed then': { expires_at: Date.now() + YEAR_MS, reads: OLDER },
      };
      assert.ok(await reads.compareAndSet('instances', entry?.version ?? 0, { ...entry?.value, ...killed }));
      let ms = 0;
      const newer = new LiveInstances({ reads, now: () => ms });
      const look = async () => {
        await newer.follow();
        await newer.stop();
        return newer.canRead('VendorReviewed');
      };
      for (ms = 0; ms < INSTANCE_TERM_MS; ms += 1_000) assert.is(await look(), false);
      assert.is(await look(), true);
      assert.is(newer.canRead('VendorAdded'), true);
      await newer.start();
      await newer.stop();
      const ids = async () => Object.keys((await reads.sharedEntry<object>('instances'))!.value);
      assert.not(
        (await ids()).some((id) => id.startsWith('killed')),
        'a live instance removes the entries',
      );
      // For the clock of this test it stood still too.
      await until(async () => (await ids()).length === 1, 10_000, 'the running service registers again');
    });
  });

  test('many instances can register concurrently', async () => {
    await withOpenPair(pair.env, async ({ reads }) => {
      const all = Array.from({ length: 8 }, () => new LiveInstances({ reads }));
      await Promise.all(all.map((instance) => instance.start()));
      const countRegistered = async () => Object.keys((await reads.sharedEntry<object>('instances'))!.value).length;
      // The service is registered too.
      assert.is(await countRegistered(), 9);
      await Promise.all(all.map((instance) => instance.stop()));
      assert.is(await countRegistered(), 1);
    });
  });

  test.run();
}
