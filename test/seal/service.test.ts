import * as assert from 'uvu/assert';
import { provesInclusion } from '../../src/trail/index.ts';
import { until } from '../support/run/wait.ts';
import { onBothPairs } from '../support/stores/pairs.ts';

await onBothPairs('sealing in the service', (test) => {
  test('the service seals a completed audit within 10 seconds, and listChanges proves it', async ({
    owner,
    organizationId,
  }) => {
    const organization_id = organizationId;
    const add = async (tool: string, record: string, input: object) =>
      ((await owner.ok(tool, input)) as unknown as Record<string, { id: string }>)[record]!;
    const controls = [{ section_title: 'A.1', name: 'Rules' }];
    const framework = await add('addFramework', 'framework', { organization_id, name: 'House rules', controls });
    const audit = await add('addAudit', 'audit', { organization_id, framework_id: framework.id, name: 'Spring' });
    await owner.ok('updateAudit', { id: audit.id, state: 'COMPLETED', auditor: 'Audit House', reason: 'Found out' });
    const filter = { event_types: ['LogSealed'] };
    const listSeals = async () => (await owner.ok('listChanges', { organization_id, filter })).changes;
    await until(async () => (await listSeals()).length > 0, 10_000, 'a seal');
    const completedAudits = { organization_id, filter: { event_types: ['AuditCompleted'] }, verify: true };
    const { changes, verification } = await owner.ok('listChanges', completedAudits);
    const [inclusion] = verification.inclusion;
    const { size, root } = verification.seal as { size: number; root: string };
    const proof = { position: Number(inclusion!.position), size, path: inclusion!.path! };
    assert.ok(provesInclusion(proof, String(changes[0]!.hash), { size, root }));
  });
});
