import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createLogger } from '../../src/app/logger.ts';
import { ConfigError, readConfig, warningsOf } from '../../src/config.ts';

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

config('needs no settings', ({ cwd }) => {
  assert.equal(readConfig({}, cwd), {
    port: 8080,
    host: '127.0.0.1',
    dataDir: join(cwd, 'data'),
    reportsDir: join(cwd, 'data/reports'),
    baseUrl: null,
    tls: null,
    trustedProxies: [],
    allowedOrigins: [],
    rateLimitPerMinute: null,
    maxEventsPerHour: 500_000,
    oidc: null,
    clientMetadataFetch: 'auto',
    eventStoreUrl: null,
    mongodbUrl: null,
    chromiumPath: '/usr/bin/chromium',
    riskAcceptanceMaxDays: 366,
    writeWaitMs: 5000,
    logLevel: 'info',
    logSecurityEvents: true,
    metrics: null,
    unknownNames: [],
  });
});

config('reads every setting', ({ cwd }) => {
  const env = {
    PORT: '0',
    HOST: '0.0.0.0',
    DATA_DIR: '/var/lib/veritrail',
    REPORTS_DIR: '/srv/reports',
    BASE_URL: 'HTTPS://GRC.example.com:443/',
    TLS_CERT: '/etc/veritrail/chain.pem',
    TLS_KEY: 'key.pem',
    TRUSTED_PROXIES: '127.0.0.1, 10.0.0.0/8 2001:db8::/32',
    ALLOWED_ORIGINS: 'https://app.example.com, http://localhost:3000',
    RATE_LIMIT_PER_MINUTE: '120',
    OIDC_ISSUER: 'https://login.example.com/realms/one',
    OIDC_CLIENT_ID: 'veritrail',
    OIDC_CLIENT_SECRET: 'hunter2',
    CLIENT_METADATA_FETCH: 'off',
    EVENTSTORE_URL: 'esdb+discover://admin:secret@es1:2113,es2:2113?tls=true',
    MONGODB_URL: 'mongodb://m1:27017,m2:27017/veritrail?replicaSet=rs0',
    CHROMIUM_PATH: 'browser/chromium',
    RISK_ACCEPTANCE_MAX_DAYS: '90',
    WRITE_WAIT_MS: '250',
    LOG_LEVEL: 'debug',
    LOG_SECURITY_EVENTS: 'false',
    METRICS_TOKEN: 'f'.repeat(32),
    METRICS_PORT: '9464',
  };
  assert.equal(readConfig(env, cwd), {
    port: 0,
    host: '0.0.0.0',
    dataDir: '/var/lib/veritrail',
    reportsDir: '/srv/reports',
    baseUrl: 'https://grc.example.com',
    tls: { cert: '/etc/veritrail/chain.pem', key: join(cwd, 'key.pem') },
    trustedProxies: ['127.0.0.1', '10.0.0.0/8', '2001:db8::/32'],
    allowedOrigins: ['https://app.example.com', 'http://localhost:3000'],
    rateLimitPerMinute: 120,
    maxEventsPerHour: 500_000,
    oidc: { issuer: env.OIDC_ISSUER, clientId: 'veritrail', clientSecret: 'hunter2' },
    clientMetadataFetch: 'off',
    eventStoreUrl: env.EVENTSTORE_URL,
    mongodbUrl: env.MONGODB_URL,
    chromiumPath: join(cwd, 'browser/chromium'),
    riskAcceptanceMaxDays: 90,
    writeWaitMs: 250,
    logLevel: 'debug',
    logSecurityEvents: false,
    metrics: { token: 'f'.repeat(32), port: 9464 },
    unknownNames: [],
  });
});

config('reads .env; environment variables take precedence', ({ cwd }) => {
  writeFileSync(join(cwd, '.env'), 'PORT=9000\nLOG_LEVEL=warn\nHOST=\n');
  const read = readConfig({ PORT: '9001' }, cwd);
  assert.is(read.port, 9001);
  assert.is(read.logLevel, 'warn');
  assert.is(read.host, '127.0.0.1');
});

config('treats an empty variable as not set', ({ cwd }) => {
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
  ['BASE_URL', 'https://:hunter2@compliance.example.com'],
  ['BASE_URL', 'https://compliance.example.com/trail'],
  ['BASE_URL', 'https:\\\\compliance.example.com'],
  ['TRUSTED_PROXIES', 'proxy.example.com'],
  ['TRUSTED_PROXIES', '10.0.0.0/33'],
  ['TRUSTED_PROXIES', '10.0.0.1,2001:db8::/129'],
  ['TRUSTED_PROXIES', '10.0.0.0/8/8'],
  ['TRUSTED_PROXIES', '10.0.0.0/'],
  ['TRUSTED_PROXIES', 'true'],
  ['ALLOWED_ORIGINS', '*'],
  ['ALLOWED_ORIGINS', 'null'],
  ['ALLOWED_ORIGINS', 'http://app.example.com'],
  ['ALLOWED_ORIGINS', 'https://app.example.com/'],
  ['ALLOWED_ORIGINS', 'https://app.example.com:443'],
  ['ALLOWED_ORIGINS', 'https://App.example.com'],
  ['ALLOWED_ORIGINS', 'https://*.example.com'],
  ['ALLOWED_ORIGINS', 'https://app.example.com/path'],
  ['ALLOWED_ORIGINS', 'app.example.com'],
  ['RATE_LIMIT_PER_MINUTE', '0'],
  ['RATE_LIMIT_PER_MINUTE', '60/s'],
  ['OIDC_ISSUER', 'http://login.example.com'],
  ['OIDC_ISSUER', 'https://login.example.com/?realm=hunter2'],
  ['OIDC_ISSUER', 'login.example.com'],
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

config('lists all problems in one error', ({ cwd }) => {
  const issues = issuesOf({ PORT: 'x', MONGODB_URL: 'x', LOG_LEVEL: 'x' }, cwd);
  assert.equal(
    issues.map((issue) => issue.split(' ')[0]),
    ['PORT', 'MONGODB_URL', 'LOG_LEVEL'],
  );
  assert.throws(() => readConfig({ PORT: 'x', LOG_LEVEL: 'x' }, cwd), /PORT must[\s\S]*LOG_LEVEL must/);
});

for (const [given, missing] of [
  [['TLS_CERT'], ['TLS_KEY']],
  [['TLS_KEY'], ['TLS_CERT']],
  [['OIDC_ISSUER'], ['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET']],
  [['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'], ['OIDC_ISSUER']],
] as const) {
  config(`${given.join(' and ')} cannot be set alone`, ({ cwd }) => {
    const issues = issuesOf(Object.fromEntries(given.map((name) => [name, 'https://login.example.com'])), cwd);
    assert.equal(
      issues.map((issue) => issue.split(' ')[0]),
      [...missing],
    );
    for (const issue of issues) assert.match(issue, `must be set too, since ${given.join(' and ')}`);
  });
}

config('a provider on this machine may be without https', ({ cwd }) => {
  const env = { OIDC_ISSUER: 'http://localhost:8081/realm', OIDC_CLIENT_ID: 'x', OIDC_CLIENT_SECRET: 'y' };
  assert.is(readConfig(env, cwd).oidc?.issuer, env.OIDC_ISSUER);
});

config('https served by this process needs no proxy, and is reported as https', ({ cwd }) => {
  const tls = { TLS_CERT: 'c', TLS_KEY: 'k' };
  assert.is(readConfig({ ...tls, HOST: '0.0.0.0' }, cwd).host, '0.0.0.0');
  assert.is(readConfig({ ...tls, BASE_URL: 'https://grc.example.com' }, cwd).baseUrl, 'https://grc.example.com');
  const BASE_URL = 'http://grc.example.com';
  assert.match(
    issuesOf({ ...tls, BASE_URL, ALLOW_PLAIN_HTTP: 'true' }, cwd)[0] ?? '',
    /^BASE_URL must begin with https/,
  );
});

config('credentials are rate-limited by default if other machines are served, else only if set', ({ cwd }) => {
  const limitOf = (env: Record<string, string>) => readConfig(env, cwd).rateLimitPerMinute;
  assert.is(limitOf({}), null);
  assert.is(limitOf({ BASE_URL: 'http://localhost:8080' }), null);
  assert.is(limitOf({ RATE_LIMIT_PER_MINUTE: '60' }), 60);
  assert.is(limitOf({ BASE_URL: 'https://grc.example.com' }), 6000);
  assert.is(limitOf({ HOST: '::', ALLOW_PLAIN_HTTP: 'true' }), 6000);
  assert.is(limitOf({ BASE_URL: 'https://grc.example.com', RATE_LIMIT_PER_MINUTE: '100000' }), 100_000);
});

config('warns about a missing BASE_URL if other machines are served', ({ cwd }) => {
  const warned = (env: Record<string, string>) => warningsOf(readConfig({ ...env, ALLOW_PLAIN_HTTP: 'true' }, cwd));
  assert.match(warned({ HOST: '0.0.0.0' }).join(), /^BASE_URL is not set\. .* than localhost get 403/);
  assert.match(warned({ HOST: '192.0.2.1' }).join(), /than localhost or 192\.0\.2\.1 get 403/);
  assert.equal(warned({ HOST: '0.0.0.0', BASE_URL: 'http://compliance.example.com' }), []);
  assert.equal(warned({}), []);
});

config('warns, with the setting’s name, if clients behind a proxy cannot be distinguished', ({ cwd }) => {
  const warned = (env: Record<string, string>) =>
    warningsOf(readConfig({ BASE_URL: 'https://grc.example.com', ...env }, cwd));
  assert.match(warned({}).join(), /^TRUSTED_PROXIES is not set\. All clients behind the proxy count as one address/);
  assert.equal(warned({ TRUSTED_PROXIES: '127.0.0.1' }), []);
  assert.equal(warned({ TLS_CERT: 'c', TLS_KEY: 'k' }), []);
});

config('warns about names in .env that are no settings', ({ cwd }) => {
  writeFileSync(join(cwd, '.env'), 'RATE_LIMIT=60\nPORT=8081\nMETRICS_TOKEN_FILE=\n');
  const read = readConfig({ HOME: '/home/ada' }, cwd);
  assert.is(read.port, 8081);
  assert.equal(warningsOf(read), ['.env names RATE_LIMIT, which is not a setting. This line has no effect.']);
});

config('reads the quotes, comments and line ends of .env', ({ cwd }) => {
  const path = (line: string) => {
    writeFileSync(join(cwd, '.env'), line);
    const { chromiumPath, logLevel } = readConfig({}, cwd);
    assert.is(logLevel, 'warn', line);
    return chromiumPath;
  };
  for (const [text, value] of [
    ['/a b', '/a b'],
    ['  /a   # why', '/a'],
    ['"/a # b"  # why', '/a # b'],
    ["'/a # b'", '/a # b'],
    [`"/it's"`, "/it's"],
    ['/a=b?c=$HOME&d', '/a=b?c=$HOME&d'],
    ["'/a\\nb'", '/a\\nb'],
  ] as const) {
    assert.is(path(`# it's a comment\nCHROMIUM_PATH=${text}\nLOG_LEVEL=warn`), value);
    assert.is(path(`\uFEFFCHROMIUM_PATH=${text}\r\n\r\nexport LOG_LEVEL="warn"\r\n`), value);
  }
});

config('lets no line of .env without = hide the next setting', ({ cwd }) => {
  writeFileSync(join(cwd, '.env'), 'DATA_DIR=data\nsecret\nPORT=none\n');
  // Later versions of Node.js skip such a line.
  assert.match(issuesOf({}, cwd)[0] ?? '', /^(?:\.env has a line without "=" before PORT\.$|PORT must be)/);
});

config('reports an unreadable .env', ({ cwd }) => {
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

config('serves metrics only if set, with a strong token or on a separate port', ({ cwd }) => {
  assert.is(readConfig({}, cwd).metrics, null);
  const token = 'f'.repeat(64);
  assert.equal(readConfig({ METRICS_TOKEN: token }, cwd).metrics, { token, port: null });
  assert.equal(readConfig({ METRICS_PORT: '9464' }, cwd).metrics, { token: null, port: 9464 });
  for (const weakSecret of ['secret', 'f'.repeat(31), `${'f'.repeat(32)} f`]) {
    assert.match(
      issuesOf({ METRICS_TOKEN: weakSecret }, cwd)[0] ?? '',
      /^METRICS_TOKEN must have at least 32 characters/,
    );
  }
  assert.match(issuesOf({ METRICS_PORT: '8080' }, cwd)[0] ?? '', /^METRICS_PORT must differ from PORT/);
});

config('logs JSON lines without secrets', () => {
  let output = '';
  const sink = new Writable({
    write(chunk, _encoding, done) {
      output += chunk;
      done();
    },
  });
  const log = createLogger('info', sink);
  log.info({ token: 'hunter2', req: { headers: { authorization: 'hunter2' }, password: 'hunter2' }, kept: 1 }, 'asked');
  log.debug('quiet');
  const line = JSON.parse(output);
  assert.is(line.msg, 'asked');
  assert.is(line.kept, 1);
  assert.match(line.time, /^\d{4}-\d\d-\d\dT/);
  assert.not.match(output, 'hunter2');
  assert.match(output, '[Redacted]');
});

config.run();
