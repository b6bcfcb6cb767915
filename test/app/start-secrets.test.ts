/** The token and the first owner's link that a first start creates: the place that it writes them to, and its output. */
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { bannerLogLines, bannerText, type StartBanner, veritrailCommand } from '../../src/app/start-banner.ts';
import { deliverStartSecret } from '../../src/app/start-secret.ts';
import { readConfig } from '../../src/config.ts';
import { callTool } from '../support/mcp/call-tool.ts';
import { startService } from '../support/service.ts';

const GREETING: StartBanner = {
  address: 'http://127.0.0.1:8080',
  endpoint: 'http://127.0.0.1:8080/api/mcp/v1',
  organizationId: 'org_1',
  firstToken: { text: 'vtr_1' },
  setupLink: { text: 'http://127.0.0.1:8080/welcome?key=k' },
  demoLink: null,
  notes: ['A note.'],
  command: 'npx veritrail',
};

const secrets = suite<{ folder: string }>('secrets of the first start');

secrets.before.each((context) => {
  context.folder = mkdtempSync(join(tmpdir(), 'veritrail-secrets-'));
});
secrets.after.each(({ folder }) => rmSync(folder, { recursive: true }));

const linesOf = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
const modeOf = (file: string) => (statSync(file).mode & 0o777).toString(8);

secrets(
  'a service for other machines prints no secret: they are in files, and the log is only JSON',
  async ({ folder }) => {
    const DATA_DIR = join(folder, 'data');
    const [tokenFile, linkFile] = [join(DATA_DIR, 'first-token'), join(DATA_DIR, 'setup-link')] as const;
    const env = { DATA_DIR, BASE_URL: 'https://register.example' };
    const service = await startService(env);
    const lines = linesOf(service.output());
    assert.not.match(service.output(), /vtr_|key=/);
    assert.ok(lines.some(({ token_file, msg }) => token_file === tokenFile && String(msg).includes(tokenFile)));
    assert.ok(lines.some(({ link_file }) => link_file === linkFile));
    assert.equal([modeOf(tokenFile), modeOf(linkFile)], ['600', '600']);
    const answer = await callTool(service.url, readFileSync(tokenFile, 'utf8').trim(), 'listOrganizations');
    assert.is(answer.status, 200);
    assert.match(JSON.stringify(answer), /ADMIN/);
    const link = readFileSync(linkFile, 'utf8');
    assert.match(link, /^https:\/\/register\.example\/welcome\?key=[\w-]{43}\n$/);
    await service.stop();

    const restarted = await startService(env);
    assert.not.match(restarted.output(), /vtr_|key=|first start/);
    assert.not.equal(readFileSync(linkFile, 'utf8'), link);
    assert.is(modeOf(linkFile), '600');
    await restarted.stop();
  },
);

secrets('a token is printed only if the settings serve this machine alone', ({ folder }) => {
  const DATA_DIR = join(folder, 'none-yet');
  const handed = (env: Record<string, string>) =>
    deliverStartSecret(readConfig({ DATA_DIR, ...env }, folder), 'first-token', 'vtr_1');
  for (const env of [{}, { HOST: '::1' }, { BASE_URL: 'http://localhost:8080' }]) {
    assert.equal(handed(env as Record<string, string>), { text: 'vtr_1' });
  }
  assert.not.ok(existsSync(DATA_DIR));
  for (const env of [
    { HOST: '0.0.0.0', ALLOW_PLAIN_HTTP: 'true' },
    { BASE_URL: 'https://register.example' },
    { TRUSTED_PROXIES: '127.0.0.1' },
    { EVENTSTORE_URL: 'esdb://e:2113', MONGODB_URL: 'mongodb://m', BASE_URL: 'https://register.example' },
  ]) {
    rmSync(DATA_DIR, { recursive: true, force: true });
    assert.equal(handed(env as Record<string, string>), { file: join(DATA_DIR, 'first-token') }, JSON.stringify(env));
    assert.is(modeOf(DATA_DIR), '700');
  }
});

secrets('a file that others could read is replaced, and an unneeded one is removed', ({ folder }) => {
  const config = readConfig({ DATA_DIR: folder, BASE_URL: 'https://register.example' }, folder);
  const file = join(folder, 'setup-link');
  writeFileSync(file, 'old', { mode: 0o644 });
  deliverStartSecret(config, 'setup-link', 'new');
  assert.equal([readFileSync(file, 'utf8'), modeOf(file)], ['new\n', '600']);
  assert.is(deliverStartSecret(config, 'setup-link', null), null);
  assert.not.ok(existsSync(file));
});

secrets('if no file can be written, the next step is printed instead', ({ folder }) => {
  const blocked = join(folder, 'blocked');
  writeFileSync(blocked, '');
  const config = readConfig({ DATA_DIR: blocked, BASE_URL: 'https://register.example' }, folder);
  const firstToken = deliverStartSecret(config, 'first-token', 'vtr_1');
  const setupLink = deliverStartSecret(config, 'setup-link', 'key=k');
  const demoLink = deliverStartSecret(config, 'demo-link', 'key=d');
  for (const expectedText of [
    bannerText({ ...GREETING, firstToken, setupLink, demoLink }),
    bannerLogLines({ ...GREETING, firstToken, setupLink, demoLink }),
  ]) {
    assert.match(
      expectedText,
      /could not be written to .*first-token \(\w+\)\. Create another one: npx veritrail token create/,
    );
    assert.match(expectedText, /could not be written to .*setup-link \(\w+\)\. Create one: npx veritrail account link/);
    assert.match(expectedText, /could not be written to .*demo-link \(\w+\)\. Make the data folder writable/);
    assert.not.match(expectedText, /vtr_|key=/);
  }
});

secrets('if the output is not a terminal, each line is JSON and its fields have the secrets', () => {
  const [listening, note, start, link, ...more] = linesOf(bannerLogLines(GREETING));
  assert.equal([listening!.address, note!.msg, more], [GREETING.address, 'A note.', []]);
  assert.equal([start!.endpoint, start!.organization_id, start!.token], [GREETING.endpoint, 'org_1', 'vtr_1']);
  assert.is(link!.link, 'http://127.0.0.1:8080/welcome?key=k');
  assert.is(linesOf(bannerLogLines({ ...GREETING, notes: [], firstToken: null, setupLink: null })).length, 1);
});

secrets('commands name the data folder if it is not the default', ({ folder }) => {
  const commandFor = (DATA_DIR: string) => veritrailCommand(readConfig({ DATA_DIR }, folder), folder);
  assert.is(commandFor(''), 'npx veritrail');
  assert.is(commandFor('./data'), 'npx veritrail');
  assert.is(commandFor('demo-data'), `DATA_DIR=${join(folder, 'demo-data')} npx veritrail`);
  assert.is(commandFor("Ada's data"), `DATA_DIR='${folder}/Ada'\\''s data' npx veritrail`);
  const banner = { ...GREETING, command: commandFor('demo-data') };
  assert.match(bannerText(banner), `${banner.command} token create --name "my assistant" --role EDITOR`);
});

secrets('the demo prints its own link, and nothing else that opens an account', () => {
  const demoLink = { text: 'http://127.0.0.1:8080/demo?key=d' };
  const banner = { ...GREETING, firstToken: null, setupLink: null, demoLink };
  assert.match(bannerText(banner), /Open this link in a browser to look around the demo.*\n\n {2}http\S+key=d\n/);
  assert.is(linesOf(bannerLogLines(banner)).at(-1)!.link, demoLink.text);
});

secrets.run();
