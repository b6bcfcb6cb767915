/** The reporting database in MongoDB has the figures of the reports on one connection across a rebuild, and no secret. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Session } from '../support/mcp/mcp-client.ts';
import { assertNoSecrets } from '../support/reporting/secrets.ts';
import { reportCaller, wholeReport } from '../support/reports.ts';
import { until } from '../support/run/wait.ts';
import { startService } from '../support/service.ts';
import { startMongo } from '../support/stores/mongodb.ts';
import { veritrail } from '../support/stores/shared-pair.ts';

/** Days before today of which the figures are compared. */
const DAYS_AGO = [0, 30, 100, 200, 365, 600];
const BUILD_LIMIT_MS = 240_000;

const mongo = await startMongo();
if (mongo) {
  const test = suite(`reporting database of the demo: ${mongo.name}`);
  test.after(mongo.close);

  test('figures are those of POSTURE, today and at five past days, before and after a rebuild', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'veritrail-reporting-'));
    const env = { DATA_DIR: folder, MONGODB_URL: mongo.url };
    const service = await startService(env, ['--demo']);
    const client = await MongoClient.connect(mongo.url);
    const db = client.db(`${client.db().databaseName}_reports`);
    const source = async () =>
      (await db.collection<{ _id: string; source?: string | null }>('_source').findOne({}))?.source ?? null;
    try {
      const session = new Session(service.url, service.token);
      const [organization] = (await session.ok('listOrganizations')).organizations;
      const organization_id = organization!.id;
      const getReport = reportCaller(session, organization_id);
      const figuresOf = async (day: string) => {
        const rows = await db
          .collection('figures_daily')
          .find({ organization_id, day: { $lte: new Date(day) } })
          .toArray();
        const newest = Math.max(...rows.map((row) => (row.day as Date).getTime()));
        return new Map(
          rows.filter((row) => (row.day as Date).getTime() === newest).map(({ figure, value }) => [figure, value]),
        );
      };
      const compare = async () => {
        for (const daysAgo of DAYS_AGO) {
          const day = new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10);
          const { data } = await wholeReport(getReport, { type: 'POSTURE', ...(daysAgo > 0 && { as_of: day }) });
          assert.ok(data.figures.length >= 63);
          const figures = await figuresOf(day);
          for (const { name, value } of data.figures) assert.is(figures.get(name), value, `${name} on ${day}`);
        }
      };
      const before = await until(source, BUILD_LIMIT_MS, 'the database is made');
      await compare();
      const names = (await db.listCollections().toArray()).map(({ name }) => name);
      // FerretDB reads all documents to count them. So many counts of large collections would hold the rebuild up.
      const counted = ['risks', 'vendors_history', 'changes', 'links', 'people'];
      const counts = () => Promise.all(counted.map((name) => db.collection(name).countDocuments()));
      const countsBefore = await counts();
      await veritrail(env, 'rebuild');
      const isMadeAnew = async () => {
        assert.equal(await counts(), countsBefore, 'a reader sees all rows during a rebuild');
        return ![before, null].includes(await source());
      };
      await until(isMadeAnew, BUILD_LIMIT_MS, 'all rows are made anew');
      await compare();
      const documents = await Promise.all(names.map((name) => db.collection(name).find().toArray()));
      const text = JSON.stringify(documents);
      assert.ok(text.length > 1_000_000);
      assertNoSecrets(text, service.token);
    } finally {
      await client.close();
      await service.stop();
      rmSync(folder, { recursive: true });
    }
  });

  test.run();
}
