/** A required second factor on each pair of stores: set by another process, read at past moments, exported and restored. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { organizationAggregate } from '../../src/commands/families.ts';
import type { OrganizationCommand } from '../../src/commands/organization/organization.ts';
import { accountActor, executeOrganizationCommand } from '../../src/identity/memberships/actor.ts';
import type { Session } from '../support/mcp/mcp-client.ts';
import { embeddedSettings, folderOfTest } from '../support/run/installed.ts';
import { until } from '../support/run/wait.ts';
import { type ServedPair, serve, startPairs, withOpenPair } from '../support/stores/pairs.ts';
import { runSuccessfully } from '../support/stores/run-on-pair.ts';

interface Context extends ServedPair {
  bo: Session;
  riskId: string;
  /** Changes the requirement as the owner, in another process. Returns the position. */
  command(command: OrganizationCommand): Promise<void>;
}

const APP = { secret: 'JBSWY3DPEHPK3PXP', step: 0 };
const today = new Date().toISOString().slice(0, 10);

for (const pair of await startPairs()) {
  const { DATA_DIR = '', EVENTSTORE_URL = null, MONGODB_URL = null } = pair.env;
  const settings = { dataDir: DATA_DIR, eventStoreUrl: EVENTSTORE_URL, mongodbUrl: MONGODB_URL };
  const test = suite<Context>(`a required second factor, on ${pair.name}`);

  test.before(async (context) => {
    const served = await serve(pair);
    const { organizationId, accountId, owner } = served;
    const bo = await served.as('EDITOR', { account_id: await served.addMember('Bo', 'EDITOR') });
    const answer = await bo.ok('addRisk', { organization_id: organizationId, name: 'Fire' });
    await withOpenPair(pair.env, ({ accounts }) => accounts.update('accounts', accountId, { totp: APP }));
    const command: Context['command'] = (order) =>
      withOpenPair(pair.env, async ({ handler }) => {
        await executeOrganizationCommand(handler, organizationId, order, accountActor(accountId));
      });
    await command({ type: 'RequireSecondFactor', from: today, reason: 'our policy' });
    const isRefused = () =>
      bo.refused('listRisks', { organization_id: organizationId }).then(
        () => true,
        () => false,
      );
    await until(isRefused, 5_000, 'the service knows of the requirement');
    const riskId = (answer as unknown as { risk: { id: string } }).risk.id;
    Object.assign(context, served, { owner, bo, riskId, command });
  });
  test.after((served) => served.close());

  test('keeps a member without one out, also from moments before it', async ({ bo, organizationId, riskId }) => {
    const organization_id = organizationId;
    const calls: [tool: string, input: object][] = [
      ['listRisks', { organization_id }],
      ['listRisks', { organization_id, as_of: '3' }],
      ['listChanges', { organization_id, as_of: '3' }],
      ['getRecords', { ids: [riskId] }],
      ['addRisk', { organization_id, name: 'Flood' }],
    ];
    for (const [tool, input] of calls) {
      const { code, message } = await bo.refused(tool, input);
      assert.is(code, 'forbidden', tool);
      assert.match(message, '/settings/security', tool);
    }
  });

  test('is a change with a position, which the moments before it don’t have', async ({ owner, organizationId }) => {
    const filter = { record_types: ['ORGANIZATION'], event_types: ['SecondFactorRequired'] };
    const changesAsOf = async (more: object) =>
      (await owner.ok('listChanges', { organization_id: organizationId, filter, verify: true, ...more })).changes;
    const read = async () => {
      const [change] = (await changesAsOf({})) as unknown as { position: string; reason: string; changes: unknown }[];
      return change;
    };
    const change = await until(read, 30_000, 'the read models have the event of the other process');
    assert.equal(change.changes, [{ field: 'second_factor_from', from: null, to: today }]);
    assert.is(change.reason, 'our policy');
    assert.is((await changesAsOf({ as_of: change.position })).length, 1);
    assert.equal(await changesAsOf({ as_of: String(Number(change.position) - 1) }), []);
  });

  test('is in an export, which verifies, and still holds after it was restored', async ({ organizationId }) => {
    const cwd = folderOfTest();
    const key = (await runSuccessfully(settings, cwd, 'seal-key')).out;
    await runSuccessfully(settings, cwd, 'export', organizationId, '--to', 'there.jsonl');
    assert.match(readFileSync(join(cwd, 'there.jsonl'), 'utf8'), /"type":"SecondFactorRequired"/);
    const home = embeddedSettings();
    await runSuccessfully(home, cwd, 'restore', 'there.jsonl', '--key', key);
    const state = await withOpenPair({ DATA_DIR: home.dataDir }, ({ handler }) =>
      handler.load(organizationAggregate(organizationId), true).then((loaded) => loaded.state),
    );
    assert.is(state?.second_factor_from, today);
  });

  test('ends when it is made optional, which is a change too', async ({ bo, owner, organizationId, command }) => {
    await command({ type: 'MakeSecondFactorOptional' });
    const isAdmitted = () =>
      bo.ok('listRisks', { organization_id: organizationId }).then(
        () => true,
        () => false,
      );
    await until(isAdmitted, 5_000, 'the service knows that it is optional');
    const filter = { event_types: ['SecondFactorMadeOptional'] };
    const { changes } = await owner.ok('listChanges', { organization_id: organizationId, filter, verify: true });
    const [change] = changes as unknown as { changes: unknown }[];
    assert.equal(change!.changes, [{ field: 'second_factor_from', from: today, to: null }]);
  });

  test.run();
}
