/** The link that a start with the demo prints, in a service of its own. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createLogger } from '../../src/app/logger.ts';
import { startApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { openDemo } from '../../src/demo/fill.ts';
import { startService } from '../support/service.ts';

const test = suite<{ DATA_DIR: string }>('link to the demo');

test.before.each((context) => {
  context.DATA_DIR = mkdtempSync(join(tmpdir(), 'veritrail-demo-'));
});
test.after.each(({ DATA_DIR }) => rmSync(DATA_DIR, { recursive: true }));

const KEY = /key=[\w-]{43}/g;
const statusOf = async (address: string) => (await fetch(address)).status;

test('each start with --demo prints one link, which works until the service stops', async ({ DATA_DIR }) => {
  const service = await startService({ DATA_DIR }, ['--demo']);
  const [key] = service.output().match(KEY)!;
  const page = await fetch(`${service.url}/demo?${key}`);
  const text = await page.text();
  assert.is(page.status, 200, text);
  for (const name of ['Ingrid Solheim', 'Tomasz Zielinski', 'Astrid Lund']) assert.match(text, name);
  assert.is(await statusOf(`${service.url}/demo`), 404);
  await service.stop();
  assert.is(service.output().match(KEY)!.length, 1, 'requests are logged without the key');
  assert.match(service.output(), /vtr_/, 'an assistant can be connected, too');
  assert.not.match(service.output(), /welcome/);

  const config = readConfig({ DATA_DIR, PORT: '0' }, '/nowhere');
  const restarted = await startApp(config, createLogger('silent'), openDemo);
  const newKey = `key=${restarted.demoLink}`;
  const demo = (each = '') => `http://127.0.0.1:${restarted.port}/demo?${each}`;
  const statuses = await Promise.all([key, newKey].map((each) => statusOf(demo(each)))).finally(restarted.stop);
  assert.equal([...statuses, restarted.setupLink], [404, 200, null]);

  const withoutDemo = await startApp(config, createLogger('silent'));
  const status = await statusOf(`http://127.0.0.1:${withoutDemo.port}/demo?${newKey}`).finally(withoutDemo.stop);
  assert.equal([status, withoutDemo.demoLink], [404, null]);
  assert.ok(withoutDemo.setupLink, 'the first owner can still begin');
});

test.run();
