/** Keys and tokens of known forms are refused in texts, and nothing else is. The examples are put together here: none exists. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import * as assert from 'uvu/assert';
import { generateToken } from '../../../src/identity/tokens/token.ts';
import { secretIn } from '../../../src/tools/schema/secret-forms.ts';
import { type Answer, ORGANIZATION } from '../../support/register.ts';
import { registerSuite } from '../../support/register-suite.ts';

const test = registerSuite('keys and tokens in texts');

const letters = (length: number) => 'aB3dE5gH7jK9mN'.repeat(10).slice(0, length);
const capitals = (length: number) => 'ABCD2EFG3HIJ4'.repeat(10).slice(0, length);
const hex = (length: number) => 'a1b2c3d4e5f60789'.repeat(10).slice(0, length);

const SECRETS: Readonly<Record<string, string>> = {
  'a private key': `-----BEGIN RSA PRIVATE KEY${'-'.repeat(5)}\n${letters(64)}`,
  'an age secret key': `AGE-SECRET-KEY-1${capitals(58)}`,
  'a JSON web token': `Bearer eyJ${letters(20)}.eyJ${letters(40)}.${letters(43)}`,
  'a token of veritrail': generateToken(),
  'an address with a password': `postgres://app:${letters(12)}@db.internal/register`,
  'an access key of AWS': `AKIA${capitals(16)}`,
  'a secret key of AWS': `aws_secret_access_key = ${letters(40)}`,
  'a key of Azure storage': `AccountName=x;AccountKey=${letters(86)}==`,
  'a client secret of Microsoft Entra': `abc8Q~${letters(34)}`,
  'an API key of Google': `AIza${letters(35)}`,
  'a client secret of Google': `GOCSPX-${letters(28)}`,
  'a token of GitHub': `ghp_${letters(36)}`,
  'a token of GitLab': `glpat-${letters(20)}`,
  'a token of Slack': `xoxb-${letters(24)}`,
  'a webhook of Slack': `https://hooks.slack.com/services/T${letters(9)}/B${letters(9)}/${letters(24)}`,
  'a webhook of Discord': `https://discord.com/api/webhooks/${'123456789'.repeat(2)}/${letters(68)}`,
  'a key of Stripe': `sk_live_${letters(24)}`,
  'a key of Anthropic': `sk-ant-api03-${letters(40)}`,
  'a key of OpenAI': `sk-proj-${letters(60)}`,
  'a token of Hugging Face': `hf_${'abcDEF'.repeat(6).slice(0, 34)}`,
  'a token of npm': `npm_${letters(36)}`,
  'a token of PyPI': `pypi-AgE${letters(80)}`,
  'a token of Docker Hub': `dckr_pat_${letters(27)}`,
  'a key of SendGrid': `SG.${letters(22)}.${letters(43)}`,
  'a key of Twilio': `SK${hex(32)}`,
  'a key of Mailgun': `key-${hex(32)}`,
  'a token of Telegram': `123456789:AA${letters(33)}`,
  'a token of Shopify': `shpat_${hex(32)}`,
  'a token of DigitalOcean': `dop_v1_${hex(64)}`,
  'a token of Databricks': `dapi${hex(32)}`,
  'a token of HashiCorp Vault': `hvs.${letters(24)}`,
  'a token of Grafana': `glsa_${letters(32)}`,
};

test('each form is found, alone and within a text', () => {
  for (const [name, secret] of Object.entries(SECRETS)) {
    assert.is(secretIn(secret), name);
    assert.is(secretIn(`We found “${secret}” in a mail.`), name, secret);
  }
});

test('an address with a password is found, however short', () => {
  for (const address of ['redis://:secret@cache/0', 'https://u:p@h', 'ftp://u:p!x@ftp.x.io', 'sftp://bob:pa$$@nas'])
    assert.is(secretIn(`Use ${address}.`), 'an address with a password', address);
});

test('digests, ids, addresses and sentences about passwords pass', () => {
  const digest = createHash('sha256').update('a').digest();
  for (const text of [
    digest.toString('hex'),
    digest.toString('base64'),
    `sha256:${digest.toString('hex')}`,
    ORGANIZATION,
    crypto.randomUUID(),
    'Passwords have at least 16 characters; the secret key is kept in a vault, and the API key changes every 90 days.',
    'The private key is in the safe. BEGIN with the public key.',
    'https://example.org/path:with/colons@and-signs?x=1:2@3',
    'mailto:ada@example.org, ssh://git@example.org/repository.git',
    'SK-27001-Lieferantenbewertung, ASIA-PACIFIC-REGION-OFFICES, key-management-procedure-2026-revision-4',
    'Donaudampfschifffahrtsgesellschaftskapitänsmützenhalter',
  ]) {
    assert.is(secretIn(text), null, text);
  }
});

test('no text of the demo, the library and the requests is refused', () => {
  for (const [folder, ending] of [
    ['src/demo/data/', '.json'],
    ['src/library/data/', '.json'],
    ['docs/', 'requests.md'],
  ] as const) {
    const files = readdirSync(new URL(`../../../${folder}`, import.meta.url)).filter((name) => name.endsWith(ending));
    assert.ok(files.length > 0);
    for (const file of files) {
      const text = readFileSync(new URL(`../../../${folder}${file}`, import.meta.url), 'utf8');
      assert.is(secretIn(text), null, file);
    }
  }
});

test('a call with one is refused at its field, and the refusal doesn’t repeat it', async ({ register }) => {
  const secret = SECRETS['a token of GitHub']!;
  for (const field of ['name', 'description', 'reason']) {
    const input = { organization_id: ORGANIZATION, name: 'A', [field]: `See ${secret}` };
    const { error } = await register.call<Answer & { error: { code: string; field: string; message: string } }>(
      'addVendor',
      input,
    );
    assert.equal([error.code, error.field], ['invalid_input', field]);
    assert.match(error.message, 'contains a token of GitHub');
    assert.not.match(JSON.stringify(error), secret);
  }
  const rows = [{ name: 'Redpoll', description: secret }];
  const answer = await register.call('importRecords', { organization_id: ORGANIZATION, type: 'VENDOR', rows });
  assert.match(JSON.stringify(answer), 'contains a token of GitHub');
  assert.not.match(JSON.stringify(answer), secret);
});

test.run();
