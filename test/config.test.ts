import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ConfigError, readConfig, warningsOf } from '../src/config.ts';
import { createLogger } from '../src/log.ts';

const config = suite('config', { cwd: '' });

config.before.each((context) => {
  context.cwd = mkdtempSync(join(tmpdir(), 'veritrail-config-'));
});
config.after.each((context) => rmSync(context.cwd, { recursive: true }));

function issuesOf(env: Record<string, string>, cwd: string): readonly string[] {
  try {
    readConfig(env, cwd);
  } catch (error) {
    assert.instance(error, ConfigError);
    return (error as ConfigError).issues;
  }
  return [];
}

config('needs nothing to be set', ({ cwd }) => {
  assert.equal(readConfig({}, cwd), {
    port: 8080,
    host: '127.0.0.1',
    dataDir: join(cwd, 'data'),
    baseUrl: null,
    eventStoreUrl: null,
    mongodbUrl: null,
    riskAcceptanceMaxDays: 366,
    writeWaitMs: 5000,
    logLevel: 'info',
  });
});

config('reads every setting', ({ cwd }) => {
  const env = {
    PORT: '0',
    HOST: '0.0.0.0',
    DATA_DIR: '/var/lib/veritrail',
    BASE_URL: 'https://grc.example.com/trail/',
    EVENTSTORE_URL: 'esdb+discover://admin:secret@es1:2113,es2:2113?tls=true',
    MONGODB_URL: 'mongodb://m1:27017,m2:27017/veritrail?replicaSet=rs0',
    RISK_ACCEPTANCE_MAX_DAYS: '90',
    WRITE_WAIT_MS: '250',
    LOG_LEVEL: 'debug',
  };
  assert.equal(readConfig(env, cwd), {
    port: 0,
    host: '0.0.0.0',
    dataDir: '/var/lib/veritrail',
    baseUrl: 'https://grc.example.com/trail',
    eventStoreUrl: env.EVENTSTORE_URL,
    mongodbUrl: env.MONGODB_URL,
    riskAcceptanceMaxDays: 90,
    writeWaitMs: 250,
    logLevel: 'debug',
  });
});

config('reads .env, which the environment overrules', ({ cwd }) => {
  writeFileSync(join(cwd, '.env'), 'PORT=9000\nLOG_LEVEL=warn\nHOST=\n');
  const read = readConfig({ PORT: '9001' }, cwd);
  assert.is(read.port, 9001);
  assert.is(read.logLevel, 'warn');
  assert.is(read.host, '127.0.0.1');
});

config('takes an empty variable as not set', ({ cwd }) => {
  assert.equal(readConfig({ BASE_URL: '', MONGODB_URL: '  ', PORT: '' }, cwd), readConfig({}, cwd));
});

config("gives the client library the event store's earlier scheme", ({ cwd }) => {
  assert.is(readConfig({ EVENTSTORE_URL: 'kurrentdb://es:2113' }, cwd).eventStoreUrl, 'esdb://es:2113');
  assert.is(
    readConfig({ EVENTSTORE_URL: 'kurrentdb+discover://es:2113' }, cwd).eventStoreUrl,
    'esdb+discover://es:2113',
  );
});

for (const [name, value] of [
  ['PORT', '80a'],
  ['PORT', '65536'],
  ['PORT', '-1'],
  ['BASE_URL', 'compliance.example.com'],
  ['BASE_URL', 'ftp://compliance.example.com'],
  ['BASE_URL', 'https://compliance.example.com/?a=1'],
  ['BASE_URL', 'https://someone:hunter2@compliance.example.com'],
  ['EVENTSTORE_URL', 'http://admin:hunter2@localhost:2113'],
  ['EVENTSTORE_URL', 'esdb://'],
  ['MONGODB_URL', 'postgres://admin:hunter2@localhost'],
  ['ALLOW_PLAIN_HTTP', 'yes'],
  ['RISK_ACCEPTANCE_MAX_DAYS', '0'],
  ['WRITE_WAIT_MS', '1.5'],
  ['LOG_LEVEL', 'loud'],
] as const) {
  config(`refuses ${name}=${value}, by name and without repeating it`, ({ cwd }) => {
    const issues = issuesOf({ [name]: value }, cwd);
    assert.is(issues.length, 1);
    assert.match(issues[0]!, new RegExp(`^${name} must `));
    assert.not.match(issues[0]!, 'hunter2');
  });
}

config('names everything that is wrong at once', ({ cwd }) => {
  const issues = issuesOf({ PORT: 'x', MONGODB_URL: 'x', LOG_LEVEL: 'x' }, cwd);
  assert.equal(
    issues.map((issue) => issue.split(' ')[0]),
    ['PORT', 'MONGODB_URL', 'LOG_LEVEL'],
  );
  assert.throws(() => readConfig({ PORT: 'x', LOG_LEVEL: 'x' }, cwd), /PORT must[\s\S]*LOG_LEVEL must/);
});

config('warns by name of a BASE_URL that is missing where others are served', ({ cwd }) => {
  const warned = (env: Record<string, string>) => warningsOf(readConfig({ ...env, ALLOW_PLAIN_HTTP: 'true' }, cwd));
  assert.match(warned({ HOST: '0.0.0.0' }).join(), /^BASE_URL is not set: .* than localhost are answered 403/);
  assert.match(warned({ HOST: '192.0.2.1' }).join(), /than localhost or 192\.0\.2\.1 are answered 403/);
  assert.equal(warned({ HOST: '0.0.0.0', BASE_URL: 'http://compliance.example.com' }), []);
  assert.equal(warned({}), []);
});

config('says when .env cannot be read', ({ cwd }) => {
  const folder = mkdtempSync(join(cwd, 'folder-'));
  writeFileSync(join(folder, 'file'), '');
  assert.match(issuesOf({}, join(folder, 'file'))[0] ?? '', /^\.env in .* cannot be read/);
});

for (const host of ['127.0.0.1', '127.0.0.2', '::1', 'localhost']) {
  config(`serves plain HTTP on ${host}`, ({ cwd }) => {
    assert.is(readConfig({ HOST: host }, cwd).host, host);
    assert.is(readConfig({ HOST: host, BASE_URL: 'http://localhost:8080' }, cwd).host, host);
  });
}

for (const host of ['0.0.0.0', '::', '10.0.0.7', '127.example.com']) {
  config(`serves plain HTTP on ${host} only by name or behind https`, ({ cwd }) => {
    assert.match(issuesOf({ HOST: host }, cwd)[0] ?? '', /^HOST .*ALLOW_PLAIN_HTTP=true/);
    assert.match(issuesOf({ HOST: host, ALLOW_PLAIN_HTTP: 'false' }, cwd)[0] ?? '', /^HOST /);
    assert.match(issuesOf({ HOST: host, BASE_URL: 'http://localhost:8080' }, cwd)[0] ?? '', /^HOST /);
    assert.equal(issuesOf({ HOST: host, ALLOW_PLAIN_HTTP: 'true' }, cwd), []);
    assert.equal(issuesOf({ HOST: host, BASE_URL: 'https://compliance.example.com' }, cwd), []);
  });
}

config('refuses to be reached by plain HTTP from elsewhere through a proxy', ({ cwd }) => {
  const env = { BASE_URL: 'http://compliance.example.com' };
  assert.match(issuesOf(env, cwd)[0] ?? '', /^BASE_URL /);
  assert.equal(issuesOf({ ...env, ALLOW_PLAIN_HTTP: 'true' }, cwd), []);
});

config('logs JSON lines without secrets', () => {
  let written = '';
  const sink = new Writable({
    write(chunk, _encoding, done) {
      written += chunk;
      done();
    },
  });
  const log = createLogger('info', sink);
  log.info({ token: 'hunter2', req: { headers: { authorization: 'hunter2' }, password: 'hunter2' }, kept: 1 }, 'asked');
  log.debug('quiet');
  const line = JSON.parse(written);
  assert.is(line.msg, 'asked');
  assert.is(line.kept, 1);
  assert.match(line.time, /^\d{4}-\d\d-\d\dT/);
  assert.not.match(written, 'hunter2');
  assert.match(written, '[Redacted]');
});

config.run();
