import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { randomId } from '../../../src/commands/engine/ids.ts';
import type { UncheckedRow } from '../../../src/stores/event-store.ts';
import { DAMAGES, damagedRow } from '../../contract/event-store/unreadable.ts';
import { makeEvents } from '../../support/histories/events.ts';
import { readable } from '../../support/histories/readable.ts';
import { callTool, getJson } from '../../support/mcp/call-tool.ts';
import { Session, type ToolError } from '../../support/mcp/mcp-client.ts';
import { startHere } from '../../support/run/in-process.ts';
import { veritrail } from '../../support/run/run-command.ts';
import { until } from '../../support/run/wait.ts';
import { startService } from '../../support/service.ts';
import { embeddedPair, serve, startPairs, withOpenPair } from '../../support/stores/pairs.ts';
import { runSuccessfully } from '../../support/stores/run-on-pair.ts';

const test = suite('rows that cannot be read, in the service');

const KINDS = Object.entries(DAMAGES);
const RECORDS_PER_SEAL = 260;

/** Replaces rows of a log by damaged ones, as a failing disk would. */
function damage(dataDir: string, rows: readonly UncheckedRow[]): void {
  const db = new Database(join(dataDir, 'events.db'));
  const update = db.prepare(
    'UPDATE events SET data = CAST(? AS TEXT), metadata = CAST(? AS TEXT) WHERE stream = ? AND revision = ?',
  );
  for (const { stream, revision, bytes } of rows) update.run([bytes.data, bytes.metadata, stream, revision]);
  db.close();
}

/** Returns all rows of a log as the file has them. */
function rowsOf(dataDir: string): unknown[] {
  const db = new Database(join(dataDir, 'events.db'));
  const rows = db
    .prepare('SELECT position, stream, revision, id, type, hex(data), hex(metadata) FROM events ORDER BY position')
    .raw()
    .all([]);
  db.close();
  return rows;
}

async function addVendor(
  owner: Session,
  organization_id: string,
  name: string,
): Promise<{ id: string; position: string }> {
  const { vendor, position } = await owner.ok('addVendor', { organization_id, name, criticality: 'LOW' });
  return { id: String(vendor.id), position: String(position) };
}

test('each kind of damage stops its record only, with the whole service going on', async () => {
  const pair = embeddedPair();
  const served = await serve(pair, startService);
  const { organizationId } = served;
  const dataDir = pair.env.DATA_DIR!;
  const vendors = new Map<string, { id: string; position: string }>();
  for (const [name] of KINDS) vendors.set(name, await addVendor(served.owner, organizationId, name));
  const intact = await addVendor(served.owner, organizationId, 'Intact');
  const other = await served.foreignOrganization();
  const theirs = await addVendor(other.owner, other.id, 'Theirs');
  await served.service.stop();

  const rows: UncheckedRow[] = [];
  await withOpenPair(pair.env, async ({ events }) => {
    for (const [name, { damage: damaging }] of KINDS) {
      const [event] = readable(await events.readStream(`vendor-${vendors.get(name)!.id}`));
      rows.push(damagedRow(event!, damaging));
    }
  });
  damage(dataDir, rows);
  const cwd = mkdtempSync(join(tmpdir(), 'veritrail-rows-'));
  const rebuilt = await veritrail({ cwd, dataDir }, 'rebuild');
  assert.is(rebuilt.code, 0, rebuilt.err);

  const service = await startService(pair.env);
  const owner = new Session(service.url, served.token);
  const theirOwner = new Session(service.url, other.owner.token);

  for (const [name] of KINDS) {
    const { id, position } = vendors.get(name)!;
    const { code, message, retryable } = await owner.refused('updateVendor', { id, description: 'x' });
    assert.equal([code, retryable], ['unavailable', false], name);
    assert.match(message, `the event at position ${position} cannot be read`);
  }
  const changed = await owner.ok('updateVendor', { id: intact.id, description: 'x' });
  assert.not('pending' in changed);
  assert.is(Number(changed.position), Number(intact.position) + 1);
  assert.is((await theirOwner.ok('updateVendor', { id: theirs.id, description: 'x' })).position, '5');
  const list = await owner.ok('listVendors', { organization_id: organizationId });
  assert.equal(
    list.vendors.map(({ name }) => name),
    ['Intact'],
  );
  assert.is((list as { incomplete?: true }).incomplete, true);
  const foreign = await theirOwner.refused('updateVendor', { id: vendors.get(KINDS[0]![0])!.id, description: 'x' });
  assert.is(foreign.code, 'not_found', 'others learn nothing of the damaged record');

  const importOne = (from: number) =>
    owner.ok('importRecords', {
      organization_id: organizationId,
      type: 'VENDOR',
      reason: 'x',
      rows: Array.from({ length: RECORDS_PER_SEAL / 2 }, (_, row) => ({
        name: `Row ${from} ${row}`,
        criticality: 'LOW',
      })),
    });
  await importOne(1);
  await importOne(2);
  const isSealed = async () => {
    const { changes } = await owner.ok('listChanges', {
      organization_id: organizationId,
      filter: { event_types: ['LogSealed'] },
    });
    return changes.length > 0;
  };
  await until(isSealed, 20_000, 'sealing goes on');
  const { verification } = await owner.ok('listChanges', { organization_id: organizationId, verify: true, size: 1 });
  assert.is(verification.verdict, 'INVALID');
  const faults = verification.faults as { why: string }[];
  assert.ok(
    faults.every(({ why }) => why === 'ALTERED'),
    JSON.stringify(faults),
  );

  const refused = await veritrail({ cwd, dataDir }, 'export', organizationId, '--to', 'ours.jsonl');
  assert.is(refused.code, 1);
  const { stream } = rows[0]!;
  assert.match(
    refused.err,
    `${stream} is damaged: the event at position ${vendors.get(KINDS[0]![0])!.position} cannot be read`,
  );
  assert.not.match(refused.err, /\n +at /);
  assert.is((await veritrail({ cwd, dataDir }, 'export', other.id, '--to', 'theirs.jsonl')).code, 0);
  const backedUp = await veritrail({ cwd, dataDir }, 'backup', '--to', 'all.jsonl.gz');
  assert.is(backedUp.code, 0, backedUp.err);
  await service.stop();

  const copy = join(cwd, 'data');
  const restored = await veritrail({ cwd, dataDir: copy }, 'restore', 'all.jsonl.gz');
  assert.is(restored.code, 0, restored.err);
  assert.equal(rowsOf(copy), rowsOf(dataDir));
  await pair.close();
});

for (const pair of await startPairs()) {
  test(`a record, an organization and a row of nobody: each stops only itself, on ${pair.name}`, async () => {
    const served = await serve(pair);
    const { organizationId } = served;
    const damaged = await addVendor(served.owner, organizationId, 'Damaged');
    const intact = await addVendor(served.owner, organizationId, 'Intact');
    const second = await served.secondOrganization();
    const ofBoth = await served.as('ADMIN', { organizations: [organizationId, second] });
    const ofSecond = await served.as('ADMIN', { organizations: [second] });
    const broken = () => ({ data: Buffer.from('{'), metadata: Buffer.from('{"a"') });
    const lost = `vendor-${randomId('vnd')}`;
    await withOpenPair(pair.env, async ({ events }) => {
      for (const stream of [`vendor-${damaged.id}`, `organization-${second}`]) {
        const after = readable(await events.readStream(stream)).at(-1);
        const [event] = makeEvents(stream, { after });
        await events.appendRow(damagedRow(event!, broken));
      }
      await events.appendRow(damagedRow(makeEvents(lost)[0]!, broken));
    });

    const check = async (url: string) => {
      const [owner, both] = [served.owner, ofBoth].map(({ token }) => new Session(url, token));
      const projections = async () => {
        const { body } = await getJson(`${url}/api/mcp/v1/health`, served.token);
        return body.projections as { parked_events: number; unattributed_events?: number; hint?: string };
      };
      await until(async () => (await projections()).parked_events === 3, 5_000, 'all three are parked');
      const { unattributed_events, hint } = await projections();
      assert.is(unattributed_events, 1);
      assert.match(hint!, 'Later positions of one organization may have moved');
      const { code, message } = await owner!.refused('updateVendor', { id: damaged.id, description: 'x' });
      assert.is(code, 'unavailable');
      assert.match(message, /the event at position \d+ cannot be read, because it is not JSON|its data is not JSON/);
      const description = `changed through ${url}`;
      assert.not('pending' in (await both!.ok('updateVendor', { id: intact.id, description })));
      assert.is((await both!.ok('listVendors', { organization_id: organizationId })).vendors.length, 2);
      // A token that reaches nothing else can't be checked at all.
      for (const { token } of [ofBoth, ofSecond]) {
        const call = () => callTool(url, token, 'listVendors', { organization_id: second });
        const isNoticed = async () => (await call()).code === 'unavailable';
        await until(isNoticed, 5_000, `the damage is noticed: ${JSON.stringify((await call()).body)}`);
        const { status, body } = await call();
        assert.equal([status, (body.error as ToolError).retryable], [503, false]);
      }
    };
    await check(served.url);
    await served.service.stop();
    const restarted = await startHere(pair.env);
    await check(restarted.url);
    await restarted.stop();

    const { EVENTSTORE_URL = null, MONGODB_URL = null, DATA_DIR = '' } = pair.env;
    const settings = { dataDir: DATA_DIR, eventStoreUrl: EVENTSTORE_URL, mongodbUrl: MONGODB_URL };
    const cwd = mkdtempSync(join(tmpdir(), 'veritrail-rows-'));
    await runSuccessfully(settings, cwd, 'backup', '--to', 'all.jsonl');
    const home = { dataDir: join(cwd, 'data'), eventStoreUrl: null, mongodbUrl: null };
    await runSuccessfully(home, cwd, 'restore', 'all.jsonl');
    const bytes = async (env: Record<string, string>) =>
      withOpenPair(env, async ({ events }) => {
        const all: string[] = [];
        for await (const batch of events.readAll(null)) {
          for (const event of batch) {
            all.push(event.data === null ? `${event.id} ${event.bytes.data} ${event.bytes.metadata}` : event.id);
          }
        }
        return all;
      });
    assert.equal(await bytes({ DATA_DIR: home.dataDir }), await bytes(pair.env));
    await pair.close();
  });
}

test.run();
