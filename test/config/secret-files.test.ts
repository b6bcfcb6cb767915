/** Settings whose value is in a file, such as a container's secret. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { SECRET_FILE_NAMES } from '../../src/config/secret-files.ts';
import { ConfigError, readConfig, SETTING_NAMES } from '../../src/config.ts';

const URL_OF_MONGODB = 'mongodb://reader:hunter2@db.example/register';

const files = suite<{ cwd: string; write(name: string, text: string): string }>('settings from files');

files.before.each((context) => {
  context.cwd = mkdtempSync(join(tmpdir(), 'veritrail-secret-files-'));
  context.write = (name, text) => {
    writeFileSync(join(context.cwd, name), text);
    return join(context.cwd, name);
  };
});
files.after.each(({ cwd }) => rmSync(cwd, { recursive: true }));

function issuesOf(env: Record<string, string>, cwd: string): readonly string[] {
  try {
    readConfig(env, cwd);
  } catch (error) {
    if (error instanceof ConfigError) return error.issues;
    throw error;
  }
  return [];
}

files(
  'a setting is read from a file, with or without a line end, by an absolute or relative path',
  ({ cwd, write }) => {
    const MONGODB_URL_FILE = write('mongodb', `${URL_OF_MONGODB}\n`);
    assert.is(readConfig({ MONGODB_URL_FILE }, '/nowhere').mongodbUrl, URL_OF_MONGODB);
    assert.is(readConfig({ MONGODB_URL_FILE: 'mongodb' }, cwd).mongodbUrl, URL_OF_MONGODB);
    write('eventstore', 'kurrentdb://e:2113?tls=false');
    assert.is(readConfig({ EVENTSTORE_URL_FILE: 'eventstore' }, cwd).eventStoreUrl, 'esdb://e:2113?tls=false');
    write('.env', 'OIDC_CLIENT_SECRET_FILE=secret\n');
    write('secret', ' s3cret \r\n');
    const oidc = { OIDC_ISSUER: 'https://login.example.com', OIDC_CLIENT_ID: 'veritrail' };
    assert.is(readConfig(oidc, cwd).oidc!.clientSecret, 's3cret');
  },
);

files('one error names every setting whose file can’t be used, without its path or content', ({ cwd, write }) => {
  write('mongodb', URL_OF_MONGODB);
  write('blank', ' \n');
  mkdirSync(join(cwd, 'folder'));
  const { MONGODB_URL, ...issues } = {
    MONGODB_URL: issuesOf({ MONGODB_URL: URL_OF_MONGODB, MONGODB_URL_FILE: 'mongodb' }, cwd),
    several: issuesOf({ EVENTSTORE_URL_FILE: 'folder', MONGODB_URL_FILE: 'absent', PORT: 'x' }, cwd),
    blank: issuesOf({ OIDC_CLIENT_SECRET_FILE: 'blank' }, cwd),
  };
  assert.equal(MONGODB_URL, ['MONGODB_URL and MONGODB_URL_FILE are both set. Remove one of them.']);
  assert.equal(issues.several, [
    'EVENTSTORE_URL_FILE names a file that cannot be read (EISDIR). Check its path and permissions.',
    'MONGODB_URL_FILE names a file that cannot be read (ENOENT). Check its path and permissions.',
    'PORT must be a whole number from 0 to 65535.',
  ]);
  assert.equal(issues.blank, ['OIDC_CLIENT_SECRET_FILE names a file that is empty.']);
  write('wrong', 'postgres://reader:hunter2@db');
  const [problem] = issuesOf({ MONGODB_URL_FILE: 'wrong' }, cwd);
  assert.match(problem!, /^MONGODB_URL must begin with mongodb:/);
  assert.not.match(problem!, /hunter2/);
});

files('each _FILE setting is named after a setting, and is a setting itself', () => {
  for (const name of SECRET_FILE_NAMES) {
    assert.ok(SETTING_NAMES.includes(name));
    assert.ok(SETTING_NAMES.includes(name.replace(/_FILE$/, '')), name);
  }
});

files.run();
