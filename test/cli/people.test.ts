import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { run } from '../../src/cli/run.ts';
import { randomId } from '../../src/commands/engine/ids.ts';
import type { AccessLogRow } from '../../src/identity/access-log/access-log-row.ts';
import { OneTimeLinks } from '../../src/identity/accounts/one-time-links.ts';
import { accountActor } from '../../src/identity/memberships/actor.ts';
import type { AccountRecord } from '../../src/stores/account-store.ts';
import { closeAll } from '../support/identity/identity.ts';
import { type Company, openOrganization } from '../support/identity/membership.ts';

const test = suite<{ here: Company }>('veritrail member and account');

test.before.each(async (context) => {
  context.here = await openOrganization();
});
test.after.each(closeAll);

async function veritrail({ dataDir }: Company, ...args: string[]) {
  const [out, err]: string[][] = [[], []];
  const shell = {
    env: { DATA_DIR: dataDir, BASE_URL: 'https://register.example' },
    cwd: dataDir,
    out: (text: string) => out!.push(text),
    err: (text: string) => err!.push(text),
  };
  return { code: await run(args, shell), out: out!.join('\n'), err: err!.join('\n') };
}

/** A member who can sign in. */
async function withEmail(here: Company): Promise<string> {
  const bo = await here.member('EDITOR', 'Bo');
  const email = { email: 'Bo@Example.org', email_key: 'bo@example.org', password: 'a hash' };
  await here.accounts.update('accounts', bo, email);
  return bo;
}

/** The account and the kind of the link that a command has printed. */
async function linked(here: Company, out: string) {
  const secret = /^https:\/\/register\.example\/welcome\?key=(\S+)$/.exec(out)![1]!;
  const link = (await new OneTimeLinks({ accounts: here.accounts, now: () => new Date() }).find(secret))!;
  return [link.kind, link.account_id, link.made_by];
}

test('members are listed with what they sign in by', async ({ here }) => {
  const bo = await withEmail(here);
  const { out, code } = await veritrail(here, 'member', 'list');
  assert.is(code, 0);
  assert.equal(
    out.split('\n').map((line) => line.split(/ {2,}/)),
    [
      ['ACCOUNT', 'NAME', 'E-MAIL', 'ROLE'],
      [here.owner, 'Owner', 'none', 'OWNER'],
      [bo, 'Bo', 'Bo@Example.org', 'EDITOR'],
    ],
  );
  const { id } = await here.members.createOrganization('Another', here.owner);
  const json = JSON.parse((await veritrail(here, 'member', 'list', id, '--json')).out);
  assert.equal(json, [{ account_id: here.owner, role: 'OWNER', name: 'Owner', email: null }]);
  assert.is((await veritrail(here, 'member', 'list', randomId('org'))).code, 1);
  assert.is((await veritrail(here, 'member', 'list', id, id)).code, 2);
});

test('a link lets somebody back in, by address or account', async ({ here }) => {
  const bo = await withEmail(here);
  for (const accountOption of [bo, 'Bo@Example.org', 'BO@EXAMPLE.ORG']) {
    const { out, err, code } = await veritrail(here, 'account', 'link', accountOption);
    assert.is(code, 0, err);
    assert.equal(await linked(here, out), ['RESET', bo, 'SYSTEM']);
    assert.match(err, new RegExp(`^For Bo \\(${bo}\\)`));
    assert.not.match(err, /key=/);
  }
  const accessEntries = await here.accounts.find('access', 'organization_id', here.organizationId);
  const about = accessEntries.map(({ event_type, actor_id, account_id, details }) => [
    event_type,
    actor_id,
    account_id,
    details,
  ]);
  const made = ['ACCOUNT_LINK_CREATED', 'SYSTEM', bo, { link: 'RESET' }];
  assert.equal(about, [made, made, made], 'auditors see it');
  assert.not.match(JSON.stringify(accessEntries), /key=/);
});

test('an address is changed by who has the stores, to one that is free', async ({ here }) => {
  const bo = await withEmail(here);
  const { code, out } = await veritrail(here, 'account', 'email', 'bo@example.org', 'Bo.B@Example.org');
  assert.equal([code, out], [0, `Bo (${bo}) now signs in with Bo.B@Example.org.`]);
  const account = async (id: string) => (await here.accounts.get<AccountRecord>('accounts', id))!;
  const { email, email_key, password } = await account(bo);
  assert.equal([email, email_key, password], ['Bo.B@Example.org', 'bo.b@example.org', 'a hash']);
  const accessEntries = await here.accounts.find('access', 'organization_id', here.organizationId);
  assert.equal(
    accessEntries.map(({ event_type, account_id }) => [event_type, account_id]),
    [['EMAIL_CHANGED', bo]],
  );
  for (const [args, exit] of [
    [[here.owner, 'bo.b@example.org'], 1],
    [[here.owner, 'no address'], 1],
    [['nobody@example.org', 'new@example.org'], 1],
    [[bo], 2],
    [[bo, 'new@example.org', 'more'], 2],
  ] as const) {
    assert.is((await veritrail(here, 'account', 'email', ...args)).code, exit, args.join(' '));
  }
  assert.is((await account(here.owner)).email ?? null, null);
});

test('whoever has lost every second factor is let in by who has the stores', async ({ here }) => {
  const bo = await withEmail(here);
  const app = { totp: { secret: 'A'.repeat(32), step: 0 }, recovery: ['h'] };
  await here.accounts.update('accounts', bo, app);
  await here.accounts.insert('passkeys', { id: 'key', account_id: bo });
  const factors = async () => {
    const { totp, recovery } = (await here.accounts.get<AccountRecord & typeof app>('accounts', bo))!;
    return [totp, recovery, (await here.accounts.find('passkeys', 'account_id', bo)).length];
  };
  await veritrail(here, 'account', 'link', bo);
  assert.equal(await factors(), [app.totp, ['h'], 1], 'a link alone takes none');
  const { code } = await veritrail(here, 'account', 'link', bo, '--without-factors');
  assert.equal([code, ...(await factors())], [0, null, [], 0]);
  const accessEntries = await here.accounts.find('access', 'organization_id', here.organizationId);
  assert.is(accessEntries.filter(({ event_type }) => event_type === 'FACTOR_REMOVED').length, 2, 'auditors see it');
});

test('only factors that there were are recorded as removed', async ({ here }) => {
  const bo = await withEmail(here);
  const removedFactors = async () => {
    await veritrail(here, 'account', 'link', bo, '--without-factors');
    const rows = await here.accounts.find<AccountRecord & Pick<AccessLogRow, 'event_type' | 'details'>>(
      'access',
      'organization_id',
      here.organizationId,
    );
    return rows.filter(({ event_type }) => event_type === 'FACTOR_REMOVED').map(({ details }) => details.factor);
  };
  assert.equal(await removedFactors(), []);
  await here.accounts.insert('passkeys', { id: 'key', account_id: bo });
  assert.equal(await removedFactors(), ['PASSKEY']);
  assert.equal(await removedFactors(), ['PASSKEY'], 'the one of before');
});

test('an account without an address gets a link to choose one', async ({ here }) => {
  const { out } = await veritrail(here, 'account', 'link', here.owner);
  assert.equal(await linked(here, out), ['SETUP', here.owner, 'SYSTEM']);
});

test('no link leads to nobody, or into an account that was erased', async ({ here }) => {
  const gone = await withEmail(here);
  await here.members.leaveAll(gone);
  await here.accounts.update('accounts', gone, { email: null, email_key: null, erased_at: '2026-01-01T00:00:00.000Z' });
  for (const accountOption of [gone, 'bo@example.org', 'nobody@example.org', 'acc_none', '@']) {
    const { code, out, err } = await veritrail(here, 'account', 'link', accountOption);
    assert.equal([code, out], [1, ''], accountOption);
    assert.match(err, /member list/);
  }
  assert.is((await veritrail(here, 'account', 'link')).code, 2);
});

test('an assistant is listed among the tokens', async ({ here }) => {
  const bo = await here.member('EDITOR', 'Bo');
  const client = { id: 'c', name: 'Some assistant' };
  const wanted = { name: client.name, account_id: bo, role: 'EDITOR', organizations: [here.organizationId] } as const;
  await here.tokens.connect({ ...wanted, client }, accountActor(bo));
  assert.match((await veritrail(here, 'token', 'list')).out, /Some assistant {2}EDITOR {2}assistant /);
});

test.run();
