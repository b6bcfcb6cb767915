/** A MongoDB user without a right to the reporting database: health says that reports are off, and the service runs on. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  addVendors,
  assertEqualsRebuild,
  followed,
  reportingBecomes,
  reportingHealth,
} from '../../support/reporting/followed-reports.ts';
import { openReportingDatabase } from '../../support/reporting/reporting-database.ts';
import { startService } from '../../support/service.ts';
import { EngineRelay } from '../../support/stores/engine-relay.ts';
import { canStartMongo } from '../../support/stores/mongodb.ts';
import { sharedPair } from '../../support/stores/shared-pair.ts';

const UNAUTHORIZED = 13;

const test = suite('a user without a right to the reporting database');

test('reports are off until the user gets it, and nothing else is held up', async () => {
  const pair = (await sharedPair())!;
  const { engine, url } = await EngineRelay.to(pair.env.MONGODB_URL!);
  engine.refuses = (database) => database.endsWith('_reports');
  engine.code = UNAUTHORIZED;
  let service = await startService({ ...pair.env, MONGODB_URL: url });
  const { token } = service;
  try {
    await reportingBecomes(service, token, 'OFF');
    const { problem } = await reportingHealth(service, token);
    assert.match(problem!, 'Reports are off: the service may not write its reporting database.');
    assert.match(problem!, /Give the user in MONGODB_URL the role readWrite in veritrail_test_\w+_reports\./);
    await addVendors(service, token, 3);
    const readiness = await fetch(`${service.url}/readyz`);
    assert.is(readiness.status, 200);
    const headers = { authorization: `Bearer ${token}` };
    const health = await (await fetch(`${service.url}/api/mcp/v1/health`, { headers })).json();
    assert.is((health as { status: string }).status, 'ok');

    // A new start looks at once, and a running service each half a minute.
    await service.stop();
    engine.code = null;
    service = await startService({ ...pair.env, MONGODB_URL: url });
    await reportingBecomes(service, token, 'FOLLOWING');
    const database = await openReportingDatabase(pair.env);
    await followed(service, token, database);
    // The right is taken away while the service writes.
    engine.code = UNAUTHORIZED;
    await addVendors(service, token, 3);
    await reportingBecomes(service, token, 'OFF');
    engine.code = null;
    await followed(service, token, database);
    await assertEqualsRebuild(pair.env, database);
    await database.close();
  } finally {
    await service.stop();
    await engine.close();
    await pair.close();
  }
});

if (canStartMongo()) test.run();
