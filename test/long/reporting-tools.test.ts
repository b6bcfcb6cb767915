/** Tools that people make reports with read the same figures as the reports have, on one connection across a rebuild. */
import { type ChildProcess, execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import Database from 'libsql';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Session } from '../support/mcp/mcp-client.ts';
import { reportsFile } from '../support/reporting/reporting-database.ts';
import { assertNoSecretBytes, assertNoSecrets } from '../support/reporting/secrets.ts';
import { reportCaller, wholeReport } from '../support/reports.ts';
import { until } from '../support/run/wait.ts';
import { type Service, startService } from '../support/service.ts';
import { veritrail } from '../support/stores/shared-pair.ts';

const pathOf = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const SUPPORT = pathOf('../support/reporting/');
/** .ci/run installs these two. Without them, the tests of DuckDB and JDBC are skipped. */
const DUCKDB = process.env.DUCKDB_PYTHON ?? join(SUPPORT, 'tools/duckdb');
const JDBC = process.env.SQLITE_JDBC ?? join(SUPPORT, 'tools/jdbc');

/** Days before today of which the figures are compared. */
const DAYS_AGO = [0, 30, 100, 200, 365, 600];

interface Tool {
  name: string;
  child: ChildProcess;
  ask(line: string): Promise<string>;
}

const test = suite<{ service: Service; env: Record<string, string>; session: Session; organizationId: string }>(
  'reporting tools',
);

test.before(async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'veritrail-reporting-'));
  context.env = { DATA_DIR: join(folder, 'data'), REPORTS_DIR: join(folder, 'for reports') };
  context.service = await startService(context.env, ['--demo']);
  context.session = new Session(context.service.url, context.service.token);
  const [organization] = (await context.session.ok('listOrganizations')).organizations;
  context.organizationId = organization!.id;
  await until(() => existsSync(reportsFile(context.env)) && sourceOf(context.env), 60_000, 'the database is made');
});

test.after(async ({ service, env }) => {
  await service.stop();
  rmSync(join(env.DATA_DIR!, '..'), { recursive: true });
});

test('figures are those of POSTURE, today and at five past days, before and after a rebuild', async (context) => {
  const { env, session, organizationId } = context;
  const tools = toolsOn(reportsFile(env));
  const days = DAYS_AGO.map((days) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10));
  const getReport = reportCaller(session, organizationId);
  const compare = async () => {
    for (const [index, day] of days.entries()) {
      const asOf = index === 0 ? {} : { as_of: day };
      const { data } = await wholeReport(getReport, { type: 'POSTURE', ...asOf });
      assert.ok(data.figures.length >= 63);
      for (const { name, ask } of tools) {
        const answer = await ask(`${organizationId} ${day}`);
        const values = new Map(answer.split(' ').map((pair) => pair.split('=') as [string, string]));
        for (const figure of data.figures) {
          const expected = figure.value === null ? 'null' : figure.value;
          const value = values.get(figure.name);
          assert.is(value === 'null' ? value : Number(value), expected, `${name}: ${figure.name} on ${day}`);
        }
      }
    }
  };
  try {
    await compare();
    const before = sourceOf(env);
    await veritrail(env, 'rebuild');
    await until(() => sourceOf(env) !== before, 60_000, 'all rows are made anew');
    await compare();
  } finally {
    for (const { child } of tools) child.kill();
  }
});

test('the examples give the same rows in each tool, and those of the lists', async ({
  env,
  session,
  organizationId,
}) => {
  const run = (tool: string, python = 'python3', more = {}) => {
    const today = new Date().toISOString().slice(0, 10);
    const args = [pathOf('../../examples/reporting/figures.py'), reportsFile(env), organizationId, today, '500', tool];
    const options = { encoding: 'utf8', env: { ...process.env, ...more }, maxBuffer: 1 << 26 } as const;
    return JSON.parse(execFileSync(python, args, options)) as Record<string, Record<string, unknown>[]>;
  };
  const answers = run('sqlite3');
  assert.is(Object.keys(answers).length, 10);
  for (const [name, rows] of Object.entries(answers)) assert.ok(rows.length > 0, name);
  if (hasDuckDb()) assert.equal(run('duckdb', 'python3', duckDbEnv()), answers);
  if (existsSync(JDBC)) {
    const today = new Date().toISOString().slice(0, 10);
    const sql = pathOf('../../examples/reporting/figures.sql');
    const args = [join(SUPPORT, 'Examples.java'), reportsFile(env), sql, organizationId, today, '500'];
    const { stdout } = await promisify(execFile)('java', ['-cp', `${JDBC}/*`, ...args]);
    assert.equal(
      stdout.trim().split('\n'),
      Object.entries(answers).map(([name, rows]) => `${name} ${rows.length}`),
      'as Metabase sends them',
    );
  }
  if (spawnSync('python3', ['-c', 'import pandas']).status === 0) assert.equal(run('pandas'), answers);
  const list = async (tool: string, plural: string, filter: object) =>
    (await session.walk(tool, plural as 'risks', { organization_id: organizationId, filter, size: 100 })).map(
      ({ id }) => String(id),
    );
  const idsOf = (name: string, column: string) => answers[name]!.map((row) => String(row[column])).sort();
  assert.equal(
    idsOf('vendors_overdue_for_review', 'record_id'),
    (await list('listVendors', 'vendors', { review_overdue: true })).sort(),
  );
  assert.equal(
    idsOf('controls_without_valid_evidence', 'id'),
    (await list('listControls', 'controls', { missing: ['EVIDENCE'] })).sort(),
  );
  assert.equal(idsOf('risks_by_score_and_owner', 'id'), (await list('listRisks', 'risks', {})).sort());
});

test('no secret is in the file or beside it', ({ env, service }) => {
  const db = new Database(reportsFile(env), { readonly: true });
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").raw().all() as [string][];
  const text = tables.map(([name]) => JSON.stringify(db.prepare(`SELECT * FROM "${name}"`).raw().all())).join('\n');
  db.close();
  assert.ok(text.length > 1_000_000);
  assertNoSecrets(text, service.token);
  const folder = env.REPORTS_DIR!;
  for (const file of readdirSync(folder)) assertNoSecretBytes(readFileSync(join(folder, file)), service.token);
});

test.run();

function sourceOf(env: Record<string, string>): string | null {
  const db = new Database(reportsFile(env), { readonly: true });
  try {
    return String((db.prepare('SELECT source FROM _source').raw().get() as [string])[0]);
  } catch {
    return null;
  } finally {
    db.close();
  }
}

/** Starts each tool that is installed, with a connection of its own. */
function toolsOn(file: string): Tool[] {
  const script = join(SUPPORT, 'figures_on_line.py');
  const tools = [toolOf('sqlite3', 'python3', [script, file, 'sqlite3'])];
  if (hasDuckDb()) tools.push(toolOf('DuckDB', 'python3', [script, file, 'duckdb'], duckDbEnv()));
  else console.log('skipped: DuckDB is not installed');
  if (existsSync(JDBC)) tools.push(toolOf('JDBC', 'java', ['-cp', `${JDBC}/*`, join(SUPPORT, 'Figures.java'), file]));
  else console.log('skipped: sqlite-jdbc is not installed');
  return tools;
}

function hasDuckDb(): boolean {
  return existsSync(DUCKDB);
}

function duckDbEnv(): Record<string, string> {
  const find = [
    '-c',
    'import glob,sys; print(glob.glob(sys.argv[1] + "/**/sqlite_scanner.duckdb_extension", recursive=True)[0])',
  ];
  const extension = execFileSync('python3', [...find, DUCKDB], { encoding: 'utf8' }).trim();
  return { PYTHONPATH: DUCKDB, DUCKDB_SQLITE_EXTENSION: extension };
}

function toolOf(name: string, command: string, args: readonly string[], env: Record<string, string> = {}): Tool {
  const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
  const ask = async (line: string) => {
    child.stdin!.write(`${line}\n`);
    const { value, done } = await lines.next();
    assert.not(done, `${name} ended`);
    return String(value);
  };
  return { name, child, ask };
}
