/** This version opens what earlier versions wrote: the data folder itself, a backup of it and an export. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CommandHandler } from '../src/commands/engine/handler.ts';
import {
  ACCESS_ENTRY_TYPES,
  currentEntryType,
  FORMER_ENTRY_TYPES,
} from '../src/identity/access-log/access-entry-types.ts';
import { AccessEvents } from '../src/identity/access-log/access-events.ts';
import type { AccessLogRow } from '../src/identity/access-log/access-log-row.ts';
import { AccountNames } from '../src/identity/accounts/account-names.ts';
import { openIdentity } from '../src/identity/identity.ts';
import { migrateAccounts } from '../src/identity/migrations/migrate.ts';
import type { ActiveGeneration } from '../src/projections/engine/active-generation.ts';
import { buildGeneration } from '../src/projections/engine/build-generation.ts';
import { COLLECTIONS, PROJECTIONS_VERSION } from '../src/projections/models.ts';
import { openStores, type StoreSettings } from '../src/stores/open.ts';
import { openSqliteAccountStore } from '../src/stores/sqlite/account-store.ts';
import { assertRestartSafe } from './contract/account-migrations.ts';
import { CLIENT_INFO, codeOf, refusalOf } from './support/identity/people.ts';
import { Session } from './support/mcp/mcp-client.ts';
import { dumpDocuments, SILENT_LOG } from './support/register.ts';
import { startHere } from './support/run/in-process.ts';
import { embeddedSettings } from './support/run/installed.ts';
import { veritrail } from './support/run/run-command.ts';
import { startMongo } from './support/stores/mongodb.ts';
import { runSuccessfully } from './support/stores/run-on-pair.ts';
import {
  contains,
  copyRecordedFolder,
  type RecordedFolder,
  recordedFolders,
} from './support/trail/kept-data-folder.ts';

/** Inputs with which a report has the recorded digest. Some have another `report_version` by default now. */
const EXTRA_INPUTS: Readonly<Record<string, object>> = {
  AUDIT_PACK: { report_version: '1' },
  CHANGES_BETWEEN: { from: '1', report_version: '1' },
  DUE_ITEMS: { report_version: '1' },
  EVIDENCE: { report_version: '1' },
  NONCONFORMITIES: { report_version: '1' },
  RISK_REGISTER: { report_version: '1' },
  STATEMENT_OF_APPLICABILITY: { report_version: '1' },
  VENDORS: { report_version: '1' },
};

for (const name of recordedFolders()) define(name);

function define(name: string): void {
  const test = suite<RecordedFolder>(`the recorded data folder ${name}`);
  test.before.each((context) => void Object.assign(context, copyRecordedFolder(name)));

  test('a service shows the recorded folder’s records, counts, reports and changes unchanged', async ({
    expected: kept,
    dataDir,
  }) => {
    const { organization_id, position: as_of } = kept;
    const service = await startHere({ DATA_DIR: dataDir });
    const creation = await veritrail({ cwd: dataDir }, 'token', 'create', '--name', 'now', '--role', 'OWNER');
    const session = new Session(service.url, creation.out.split('\n')[0]!);
    for (const [tool, total] of Object.entries(kept.counts)) {
      const answer = await session.ok(tool, { organization_id, as_of, view: 'COUNT' });
      assert.is(answer.total, total, tool);
    }
    const { records } = await session.ok('getRecords', { ids: Object.values(kept.ids), as_of });
    for (const record of kept.records) {
      const now = records.find(({ id }) => id === record.id);
      assert.ok(contains(now, record), `${JSON.stringify(now)} holds ${JSON.stringify(record)}`);
    }
    for (const [type, digest] of Object.entries(kept.digests)) {
      const extraInput = EXTRA_INPUTS[type] ?? {};
      const answer = await session.ok('getReport', { organization_id, type, as_of, ...extraInput });
      assert.is((answer as unknown as { report: { digest: string } }).report.digest, digest, type);
    }
    const { changes, verification } = await session.ok('listChanges', {
      organization_id,
      as_of,
      size: 100,
      verify: true,
    });
    assert.is(verification.verdict, 'VALID');
    assert.ok(contains(changes, kept.changes), 'changes');
    await service.stop();
  });

  test('the recorded folder’s read models equal a rebuild, if the projections’ version is the same', async ({
    expected: kept,
    dataDir,
  }) => {
    const stores = await openStores(embeddedSettings(dataDir));
    const active = (await stores.reads.sharedEntry<ActiveGeneration>('active'))!.value;
    const served = await stores.reads.open(
      active.generation,
      active.version === PROJECTIONS_VERSION ? COLLECTIONS : [],
    );
    const checkpoints = await served.checkpoints();
    const generation = await buildGeneration({ ...stores, installation: active.installation });
    assert.is.not(generation.generation, active.generation);
    const models = await stores.reads.open(generation.generation, COLLECTIONS);
    for (const { organizationId, position, parked } of checkpoints) {
      const now = await models.checkpoint(organizationId);
      assert.equal([now!.position, now!.parked], [position, parked]);
    }
    if (active.version === PROJECTIONS_VERSION) {
      const organizations = [kept.organization_id];
      assert.equal(await dumpDocuments(models, organizations), await dumpDocuments(served, organizations));
    }
    await served.close();
    await models.close();
    await stores.close();
  });

  test('the recorded folder’s credentials still work', ({ expected: kept, dataDir }) =>
    letsIn(kept, embeddedSettings(dataDir)));

  test('migrating the recorded folder has the same result after a kill at any write', async () => {
    const open = async () => {
      const store = openSqliteAccountStore(copyRecordedFolder(name).dataDir);
      return { store, close: () => store.close() };
    };
    await assertRestartSafe(open);
  });

  test('a migration gives the access log’s entries their current types', async ({ dataDir }) => {
    const earlier = Object.entries(await entryTypes(dataDir));
    assert.ok(earlier.some(([type]) => Object.hasOwn(FORMER_ENTRY_TYPES, type)));
    await migrate(embeddedSettings(dataDir));
    const counts = await entryTypes(dataDir);
    assert.equal(counts, Object.fromEntries(earlier.map(([type, count]) => [currentEntryType(type), count])));
    const currentTypes: readonly string[] = ACCESS_ENTRY_TYPES;
    for (const type of Object.keys(counts)) assert.ok(currentTypes.includes(type), type);
  });

  test('an export of the recorded folder verifies with its recorded seal and key', async ({
    expected: kept,
    dataDir,
    cwd,
  }) => {
    const [first, later] = kept.keys.map((keys) => keys.split('\n'));
    const settings = embeddedSettings(dataDir);
    await migrate(settings);
    assert.equal((await runSuccessfully(settings, cwd, 'seal-key')).out.split('\n'), later);
    await runSuccessfully(settings, cwd, 'export', '--to', 'now.jsonl');
    await runSuccessfully(settings, cwd, 'verify', 'now.jsonl', '--key', first![0]!, '--seal', 'kept-seal.json');
    await runSuccessfully(settings, cwd, 'verify', 'export.jsonl.gz', '--key', first![0]!, '--seal', 'kept-seal.json');
  });

  test('the recorded backup restores into embedded stores and into MongoDB', async ({ expected: kept, cwd }) => {
    const mongo = await startMongo();
    const targets = [embeddedSettings(), ...(mongo === null ? [] : [{ ...embeddedSettings(), mongodbUrl: mongo.url }])];
    for (const settings of targets) {
      await runSuccessfully(settings, cwd, 'restore', 'backup.jsonl.gz');
      await letsIn(kept, settings);
    }
    await mongo?.close();
  });

  test.run();
}

/** Counts the rows of a folder's access log by their type. */
async function entryTypes(dataDir: string): Promise<Record<string, number>> {
  const { accounts, close } = await openStores(embeddedSettings(dataDir));
  const counts: Record<string, number> = {};
  for (const { event_type } of await accounts.all<AccessLogRow>('access')) {
    // Records of counters have no type.
    if (event_type !== undefined) counts[event_type] = (counts[event_type] ?? 0) + 1;
  }
  await close();
  return counts;
}

/** Runs the first steps of a start. */
async function migrate(settings: StoreSettings): Promise<void> {
  const { accounts, close } = await openStores(settings);
  await migrateAccounts(accounts, { exclusive: true });
  await close();
}

/** Checks that tokens, passwords, second factors and roles of the recorded accounts work, soon after the recording. */
async function letsIn(
  { made_at, organization_id, tokens, people }: RecordedFolder['expected'],
  settings: StoreSettings,
) {
  await migrate(settings);
  const stores = await openStores(settings);
  const now = () => new Date(Date.parse(made_at) + 3_600_000);
  const handler = new CommandHandler(stores.events, { now, maxAcceptanceDays: 366 });
  const accessEvents = new AccessEvents();
  const names = new AccountNames(stores.accounts);
  const identity = openIdentity({
    ...stores,
    names,
    accessEvents,
    handler,
    clock: { now, isTrusted: () => true },
    baseUrl: 'http://localhost:8080',
    log: SILENT_LOG,
  });
  const { accounts, signIn, factors } = identity.people;

  const auditor = (await identity.authenticator.authenticate(tokens.live))!;
  assert.equal([...auditor.roles], [[organization_id, 'AUDITOR']]);
  assert.equal([...(await identity.authenticator.authenticate(tokens.first))!.roles], [[organization_id, 'OWNER']]);
  assert.is(await identity.authenticator.authenticate(tokens.revoked), null);

  const { owner, editor, gone } = people;
  const signedIn = await signIn.withPassword(owner.email, owner.password, CLIENT_INFO);
  assert.equal([signedIn.next, signedIn.session.account_id], ['DONE', auditor.account_id]);
  assert.is((await refusalOf(signIn.withPassword(gone.email, gone.password, CLIENT_INFO))).code, 'forbidden');
  const firstStep = await signIn.withPassword(editor.email, editor.password, CLIENT_INFO);
  assert.equal([...firstStep.factors].sort(), ['PASSKEY', 'RECOVERY_CODE', 'TOTP']);
  const session = await signIn.withTotp(firstStep.cookie, codeOf(editor.totp, now()), CLIENT_INFO);
  assert.is(session.next, 'DONE');
  const account = (await accounts.get(session.session.account_id))!;
  assert.equal([account.name, (await factors.of(account)).length], ['Edith Clarke-Adams', 3]);

  const members = await identity.members.membersOf(organization_id);
  const roles = Object.fromEntries(members.map(({ name, role }) => [name, role]));
  assert.equal(roles, { 'Ada Byron': 'OWNER', 'Augusta Auditor': 'AUDITOR', 'Edith Clarke-Adams': 'EDITOR' });
  const credentials = await identity.tokens.listOfAccount(auditor.account_id);
  assert.equal(credentials.map(({ kind }) => kind).sort(), ['API', 'API', 'API', 'ASSISTANT']);
  await identity.close();
  await stores.close();
}
