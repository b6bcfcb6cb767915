import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { run } from '../../src/cli/run.ts';
import { randomId } from '../../src/commands/engine/ids.ts';
import type { AccessLogRow } from '../../src/identity/access-log/access-log-row.ts';
import { OneTimeLinks } from '../../src/identity/accounts/one-time-links.ts';
import { accountActor, SYSTEM_ACTOR } from '../../src/identity/memberships/actor.ts';
import { type Session, Sessions } from '../../src/identity/sign-in/sessions.ts';
import type { AccountRecord } from '../../src/stores/account-store.ts';
import { closeAll } from '../support/identity/identity.ts';
import { type Company, openOrganization } from '../support/identity/membership.ts';
import { CLIENT_INFO } from '../support/identity/people.ts';

const test = suite<{ company: Company }>('veritrail member and account');

test.before.each(async (context) => {
  context.company = await openOrganization();
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

/** Adds a member who can sign in. */
async function withEmail(company: Company): Promise<string> {
  const bo = await company.member('EDITOR', 'Bo');
  const email = { email: 'Bo@Example.org', email_key: 'bo@example.org', password: 'a hash' };
  await company.accounts.update('accounts', bo, email);
  return bo;
}

/** Returns the account and the kind of the link that a command printed. */
async function linkIn(company: Company, out: string) {
  const secret = /^https:\/\/register\.example\/welcome\?key=(\S+)$/.exec(out)![1]!;
  const link = (await new OneTimeLinks({ accounts: company.accounts, now: () => new Date() }).find(secret))!;
  return [link.kind, link.account_id, link.made_by];
}

test('members are listed with their sign-in methods', async ({ company }) => {
  const bo = await withEmail(company);
  const una = await company.member('AUDITOR', 'Una');
  const until = '2099-11-30T23:59:59.999Z';
  await company.members.changeEnd(company.organizationId, una, until, SYSTEM_ACTOR);
  const { out, code } = await veritrail(company, 'member', 'list');
  assert.is(code, 0);
  assert.equal(
    out.split('\n').map((line) => line.split(/ {2,}/)),
    [
      ['ACCOUNT', 'NAME', 'E-MAIL', 'ROLE', 'ACCESS'],
      [company.owner, 'First owner', 'none', 'OWNER'],
      [bo, 'Bo', 'Bo@Example.org', 'EDITOR'],
      [una, 'Una', 'none', 'AUDITOR', `until ${until}`],
    ],
  );
  const { id } = await company.members.createOrganization('Another', company.owner);
  const json = JSON.parse((await veritrail(company, 'member', 'list', id, '--json')).out);
  const owner = {
    account_id: company.owner,
    role: 'OWNER',
    name: 'First owner',
    until: null,
    ended: false,
    email: null,
  };
  assert.equal(json, [owner]);
  assert.is((await veritrail(company, 'member', 'list', randomId('org'))).code, 1);
  assert.is((await veritrail(company, 'member', 'list', id, id)).code, 2);
});

test('a link restores access, for an address or an account id', async ({ company }) => {
  const bo = await withEmail(company);
  for (const accountOption of [bo, 'Bo@Example.org', 'BO@EXAMPLE.ORG']) {
    const { out, err, code } = await veritrail(company, 'account', 'link', accountOption);
    assert.is(code, 0, err);
    assert.equal(await linkIn(company, out), ['RESET', bo, 'SYSTEM']);
    assert.match(err, new RegExp(`^For Bo \\(${bo}\\)`));
    assert.not.match(err, /key=/);
  }
  const accessEntries = await company.accounts.find('access', 'organization_id', company.organizationId);
  const about = accessEntries.map(({ event_type, actor_id, account_id, details }) => [
    event_type,
    actor_id,
    account_id,
    details,
  ]);
  const linkCreated = ['ACCOUNT_LINK_CREATED', 'SYSTEM', bo, { link: 'RESET' }];
  assert.equal(about, [linkCreated, linkCreated, linkCreated], 'auditors see it');
  assert.not.match(JSON.stringify(accessEntries), /key=/);
});

test('the operator changes an address to an unused one', async ({ company }) => {
  const bo = await withEmail(company);
  const { code, out } = await veritrail(company, 'account', 'email', 'bo@example.org', 'Bo.B@Example.org');
  assert.equal([code, out], [0, `Bo (${bo}) now signs in with Bo.B@Example.org.`]);
  const account = async (id: string) => (await company.accounts.get<AccountRecord>('accounts', id))!;
  const { email, email_key, password } = await account(bo);
  assert.equal([email, email_key, password], ['Bo.B@Example.org', 'bo.b@example.org', 'a hash']);
  const accessEntries = await company.accounts.find('access', 'organization_id', company.organizationId);
  assert.equal(
    accessEntries.map(({ event_type, account_id }) => [event_type, account_id]),
    [['EMAIL_CHANGED', bo]],
  );
  for (const [args, exit] of [
    [[company.owner, 'bo.b@example.org'], 1],
    [[company.owner, 'no address'], 1],
    [['nobody@example.org', 'new@example.org'], 1],
    [[bo], 2],
    [[bo, 'new@example.org', 'more'], 2],
  ] as const) {
    assert.is((await veritrail(company, 'account', 'email', ...args)).code, exit, args.join(' '));
  }
  assert.is((await account(company.owner)).email ?? null, null);
});

test('the operator restores access to a person who lost every second factor', async ({ company }) => {
  const bo = await withEmail(company);
  const app = { totp: { secret: 'A'.repeat(32), step: 0 }, recovery: ['h'] };
  await company.accounts.update('accounts', bo, app);
  await company.accounts.insert('passkeys', { id: 'key', account_id: bo });
  const factors = async () => {
    const { totp, recovery } = (await company.accounts.get<AccountRecord & typeof app>('accounts', bo))!;
    return [totp, recovery, (await company.accounts.find('passkeys', 'account_id', bo)).length];
  };
  await veritrail(company, 'account', 'link', bo);
  assert.equal(await factors(), [app.totp, ['h'], 1], 'a link alone removes no factor');
  const { code } = await veritrail(company, 'account', 'link', bo, '--without-factors');
  assert.equal([code, ...(await factors())], [0, null, [], 0]);
  const accessEntries = await company.accounts.find('access', 'organization_id', company.organizationId);
  assert.is(accessEntries.filter(({ event_type }) => event_type === 'FACTOR_REMOVED').length, 2, 'auditors see it');
});

test('the operator ends the sessions of one person, or of everybody', async ({ company }) => {
  const bo = await withEmail(company);
  const una = await company.member('AUDITOR', 'Una');
  const sessions = new Sessions({ accounts: company.accounts, now: () => new Date() });
  const signIn = async () => {
    for (const id of [bo, bo, una]) await sessions.create({ id, generation: 0 }, CLIENT_INFO, 'SIGNED_IN');
  };
  const sessionsLeft = async () =>
    (await company.accounts.all<Session>('sessions')).map(({ account_id }) => account_id);
  await signIn();
  const { out, code } = await veritrail(company, 'session', 'end', 'bo@example.org');
  assert.equal([code, out], [0, 'Ended 2 sessions.']);
  assert.equal(await sessionsLeft(), [una]);
  await signIn();
  assert.is((await veritrail(company, 'session', 'end', '--all')).out, 'Ended 4 sessions.');
  assert.equal(await sessionsLeft(), []);
  assert.is((await veritrail(company, 'session', 'end', una)).out, 'Ended 0 sessions.');
  const entries = await company.accounts.find<AccessLogRow>('access', 'organization_id', company.organizationId);
  const ended = entries.filter(({ event_type }) => event_type === 'SESSIONS_ENDED');
  assert.equal(
    ended.map(({ account_id, details }) => [account_id, details.sessions]).sort(),
    [
      [bo, 2],
      [bo, 2],
      [una, 2],
    ].sort(),
  );
});

test('ending sessions takes one person, or everybody', async ({ company }) => {
  for (const args of [[], ['a@example.org', 'b@example.org'], ['--all', 'a@example.org']])
    assert.is((await veritrail(company, 'session', 'end', ...args)).code, 2, args.join(' '));
  const unknown = await veritrail(company, 'session', 'end', 'nobody@example.org');
  assert.is(unknown.code, 1);
  assert.match(unknown.err, 'Account nobody@example.org was not found');
});

test('only existing factors are recorded as removed', async ({ company }) => {
  const bo = await withEmail(company);
  const removedFactors = async () => {
    await veritrail(company, 'account', 'link', bo, '--without-factors');
    const rows = await company.accounts.find<AccountRecord & Pick<AccessLogRow, 'event_type' | 'details'>>(
      'access',
      'organization_id',
      company.organizationId,
    );
    return rows.filter(({ event_type }) => event_type === 'FACTOR_REMOVED').map(({ details }) => details.factor);
  };
  assert.equal(await removedFactors(), []);
  await company.accounts.insert('passkeys', { id: 'key', account_id: bo });
  assert.equal(await removedFactors(), ['PASSKEY']);
  assert.equal(await removedFactors(), ['PASSKEY'], 'the previous address');
});

test('an account without an address gets a link to choose one', async ({ company }) => {
  const { out } = await veritrail(company, 'account', 'link', company.owner);
  assert.equal(await linkIn(company, out), ['SETUP', company.owner, 'SYSTEM']);
});

test('no link is created for an unknown or erased account', async ({ company }) => {
  const lostBrowser = await withEmail(company);
  await company.members.leaveAll(lostBrowser);
  await company.accounts.update('accounts', lostBrowser, {
    email: null,
    email_key: null,
    erased_at: '2026-01-01T00:00:00.000Z',
  });
  for (const accountOption of [lostBrowser, 'bo@example.org', 'nobody@example.org', 'acc_none', '@']) {
    const { code, out, err } = await veritrail(company, 'account', 'link', accountOption);
    assert.equal([code, out], [1, ''], accountOption);
    assert.match(err, /member list/);
  }
  assert.is((await veritrail(company, 'account', 'link')).code, 2);
});

test('an assistant is listed among the tokens', async ({ company }) => {
  const bo = await company.member('EDITOR', 'Bo');
  const client = { id: 'c', name: 'Some assistant' };
  const newToken = {
    name: client.name,
    account_id: bo,
    role: 'EDITOR',
    organizations: [company.organizationId],
  } as const;
  await company.tokens.connect({ ...newToken, client }, accountActor(bo));
  assert.match((await veritrail(company, 'token', 'list')).out, /Some assistant {2}EDITOR {2}assistant /);
});

test.run();
