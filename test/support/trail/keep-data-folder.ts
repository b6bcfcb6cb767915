/**
 * Records a data folder of this version as a fixture, with the answers that it must give. Run it by hand, with a new
 * folder, before you change stored data:
 *
 *     npx tsx test/support/trail/keep-data-folder.ts test/fixtures/data-folder-vN
 *
 * A recorded folder never changes: test/kept-data-folder.test.ts opens a copy of each with every later version.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { openStores } from '../../../src/stores/open.ts';
import { Session } from '../mcp/mcp-client.ts';
import { startHere } from '../run/in-process.ts';
import { veritrail } from '../run/run-command.ts';
import { until } from '../run/wait.ts';
import { BASE_URL, FolderRecorder, PEOPLE, writeCredentials, writePeople, writeRecords } from './kept-story.ts';

const REPORTS = [
  { type: 'RISK_REGISTER' },
  { type: 'VENDORS' },
  { type: 'OBLIGATIONS' },
  { type: 'NONCONFORMITIES' },
  { type: 'CHANGES_BETWEEN', from: '1' },
];
const LISTS = [
  'listVendors',
  'listRisks',
  'listMeasures',
  'listFrameworks',
  'listControls',
  'listAudits',
  'listObligations',
  'listNonconformities',
];

/** Reads each list, report and member as of a position. */
async function readAll(keeper: FolderRecorder, ids: Record<string, string>) {
  const { as_of } = await keeper.ok('listRisks', { as_of: new Date().toISOString().slice(0, 10) });
  const position = as_of!.position;
  const counts: Record<string, number> = {};
  for (const tool of LISTS) counts[tool] = (await keeper.ok(tool, { view: 'COUNT', as_of: position })).total;
  const { records } = await keeper.change('getRecords', { ids: Object.values(ids), as_of: position });
  const digests: Record<string, string> = {};
  for (const report of REPORTS) {
    const answer = (await keeper.ok('getReport', { ...report, as_of: position })) as unknown as {
      report: { digest: string };
    };
    digests[report.type] = answer.report.digest;
  }
  const { changes } = await keeper.ok('listChanges', { size: 100, as_of: position });
  const { organizations } = await keeper.change('listOrganizations', { include_members: true });
  return { position, counts, records, digests, organizations, changes };
}

/** Waits until the log has this many seals and the read models have caught up. */
async function waitUntilSealed(folder: string, least: number): Promise<void> {
  let seals = 0;
  await until(
    async () => {
      const stores = await openStores({ dataDir: folder, eventStoreUrl: null, mongodbUrl: null });
      seals = 0;
      for await (const batch of stores.events.readAll(null))
        seals += batch.filter(({ type }) => type === 'LogSealed').length;
      await stores.close();
      return seals >= least;
    },
    90_000,
    `${least} seals`,
  );
}

async function keep(target: string): Promise<void> {
  const cwd = mkdtempSync(join(tmpdir(), 'veritrail-keep-'));
  const folder = join(cwd, 'data');
  const service = await startHere({ DATA_DIR: folder, BASE_URL });
  const [first] = (await new Session(service.url, service.token).ok('listOrganizations')).organizations;
  const keeper = new FolderRecorder(service, service.token, first!.id);
  const run = async (...args: string[]) => {
    const { code, out, err } = await veritrail({ cwd, dataDir: folder }, ...args);
    if (code !== 0) throw new Error(`${args.join(' ')}: ${out} ${err}`);
    return out;
  };
  const ids = await writeRecords(keeper);
  const people = await writePeople(keeper);
  const credentials = await writeCredentials(keeper, people.owner);
  const complete = { id: ids.audit, state: 'COMPLETED' };
  await keeper.change('updateAudit', complete);
  await waitUntilSealed(folder, 1);
  await run('seal', '--to', 'kept-seal.json');
  const keys = [await run('seal-key')];
  await run('seal-key', '--rotate');
  const second = await keeper.add('Audit', {
    framework_id: ids.framework,
    name: 'Certification',
    kind: 'CERTIFICATION',
  });
  await keeper.change('updateAudit', { id: second, state: 'COMPLETED', reason: 'Found out' });
  // Seals of the daughter company, and of the first organization before and after the rotation.
  await waitUntilSealed(folder, 3);
  await keeper.change('updateVendor', { id: ids.cloud, description: 'Not sealed yet' });
  const read = await readAll(keeper, ids);
  await run('export', '--to', 'export.jsonl.gz');
  await run('backup', '--to', 'backup.jsonl.gz');
  keys.push(await run('seal-key'));
  await service.stop();

  mkdirSync(target);
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.db'))) {
    writeFileSync(join(target, `${name}.gz`), gzipSync(readFileSync(join(folder, name)), { level: 9 }));
  }
  for (const name of ['kept-seal.json', 'export.jsonl.gz', 'backup.jsonl.gz']) {
    writeFileSync(join(target, name), readFileSync(join(cwd, name)));
  }
  const expected = {
    made_at: new Date().toISOString(),
    organization_id: keeper.organization_id,
    tokens: { first: keeper.token, ...credentials },
    people: { ...PEOPLE, editor: { ...PEOPLE.editor, totp: people.secret, codes: people.codes } },
    keys,
    ids: { ...ids, second },
    ...read,
  };
  writeFileSync(join(target, 'expected.json'), `${JSON.stringify(expected, null, 2)}\n`);
  rmSync(cwd, { recursive: true });
}

const [target] = process.argv.slice(2);
if (target === undefined) throw new Error('Name the folder to write, test/fixtures/data-folder-v….');
await keep(resolve(target));
process.exit(0);
