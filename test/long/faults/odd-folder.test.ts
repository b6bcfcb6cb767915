import { copyFileSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { callUntilAccepted, firstOrganization } from '../../support/mcp/call-tool.ts';
import { type Service, startService } from '../../support/service.ts';
import { checkRebuild } from '../../support/stores/check-stores.ts';
import { embeddedPair, type Pair, withOpenPair } from '../../support/stores/pairs.ts';

interface Context {
  pair: Pair;
  token: string;
  organization_id: string;
}

const test = suite<Context>('an incomplete data folder');

/** Creates a complete folder that a service has written and closed. */
test.before.each(async (context) => {
  context.pair = embeddedPair();
  const service = await startService(context.pair.env);
  context.token = service.token;
  context.organization_id = await firstOrganization(service.url, service.token);
  for (const name of ['One', 'Two', 'Three']) {
    await callUntilAccepted(service.url, service.token, 'addVendor', {
      organization_id: context.organization_id,
      name,
    });
  }
  await service.stop();
});

test.after.each(({ pair }) => pair.close());

function files({ pair }: Context, pattern: RegExp): string[] {
  const folder = pair.env.DATA_DIR!;
  return readdirSync(folder)
    .filter((file) => pattern.test(file))
    .map((file) => join(folder, file));
}

function remove(context: Context, pattern: RegExp): void {
  const removed = files(context, pattern);
  assert.ok(removed.length > 0, `${pattern}`);
  for (const file of removed) rmSync(file);
}

async function vendors({ url }: Service, { token, organization_id }: Context): Promise<string[]> {
  const { body } = await callUntilAccepted(url, token, 'listVendors', { organization_id });
  return (body.vendors as { name: string }[]).map(({ name }) => name);
}

const startError = ({ pair }: Context) =>
  startService(pair.env).then(
    () => 'was started',
    (error: Error) => error.message,
  );

for (const [missing, pattern] of [
  ['every file of read models', /^read/],
  ['every generation’s file', /^read-/],
  ['the register with the active generation', /^read\.db/],
] as const) {
  test(`a start rebuilds the read models if ${missing} is missing`, async (context) => {
    remove(context, pattern);
    const service = await startService(context.pair.env);
    assert.equal(await vendors(service, context), ['One', 'Three', 'Two']);
    const args = { organization_id: context.organization_id, name: 'Four' };
    assert.is((await callUntilAccepted(service.url, context.token, 'addVendor', args)).status, 200);
    await service.stop();
    await withOpenPair(context.pair.env, checkRebuild);
  });
}

test('a start without the log is refused and names the remedies', async (context) => {
  remove(context, /^events\.db/);
  assert.match(await startError(context), /account store has tokens, but the log is empty\. Restore a backup/);
});

test('a start without the accounts is refused and names the remedies', async (context) => {
  remove(context, /^accounts\.db/);
  const error = await startError(context);
  assert.match(error, /account store is empty/);
  assert.match(error, /Restore a backup that holds both, or .*veritrail init --adopt-log/);
});

test('read models of another installation are not served', async (context) => {
  remove(context, /^(events|accounts)\.db/);
  const service = await startService(context.pair.env);
  const { token } = service;
  const organization_id = await firstOrganization(service.url, token);
  assert.is.not(organization_id, context.organization_id);
  assert.equal(await vendors(service, { ...context, token, organization_id }), []);
  await callUntilAccepted(service.url, token, 'addVendor', { organization_id, name: 'New' });
  assert.equal(await vendors(service, { ...context, token, organization_id }), ['New']);
  await service.stop();
  await withOpenPair(context.pair.env, checkRebuild);
});

test('a start rebuilds read models that are ahead of a restored log and accounts', async (context) => {
  const restored = files(context, /^(events|accounts)\.db$/);
  const backupName = (file: string) => `${file}.backup`;
  for (const file of restored) copyFileSync(file, backupName(file));
  let service = await startService(context.pair.env);
  for (const name of ['Lost', 'Lost too']) {
    await callUntilAccepted(service.url, context.token, 'addVendor', {
      organization_id: context.organization_id,
      name,
    });
  }
  await service.stop();
  for (const file of files(context, /^(events|accounts)\.db(-wal|-shm)?$/)) rmSync(file);
  for (const file of restored) renameSync(backupName(file), file);
  service = await startService(context.pair.env);
  assert.equal(await vendors(service, context), ['One', 'Three', 'Two']);
  await service.stop();
  await withOpenPair(context.pair.env, checkRebuild);
});

test.run();
