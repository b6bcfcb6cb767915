/**
 * Tries each cell of the table in docs/security.md of who may change whose means of signing in. A cell is `none` where no
 * form and no command does it.
 */
import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { COMMANDS } from '../../src/cli/commands.ts';
import { randomId } from '../../src/commands/engine/ids.ts';
import type { Role } from '../../src/commands/organization/caller.ts';
import { accountActor } from '../../src/identity/memberships/actor.ts';
import { Passwords } from '../../src/identity/sign-in/passwords.ts';
import { allRoutes } from '../../src/web/server/pages.ts';
import { CLIENT_INFO, codeOf } from '../support/identity/people.ts';
import { startWeb, type TestBrowser, textOf, type WebTest } from '../support/web/web.ts';

const WHO = ['the person', 'owner of all', 'owner of some', 'admin', 'operator'] as const;
type Who = (typeof WHO)[number];

const PIA = { name: 'Pia', email: 'pia@example.org', password: 'keeps bees on the roof' };
const ZED = { name: 'Zed', email: 'zed@example.org' };
const ADMIN = { name: 'Bo', email: 'bo@example.org' };
const NEXT = 'entirely other words';
const PROVIDER = 'https://id.example.org pia';

/** Pia, an auditor of the first organization, and everybody who could change how she signs in. */
interface World {
  web: WebTest;
  pia: TestBrowser;
  owner: TestBrowser;
  admin: TestBrowser;
  piaId: string;
  /** The page of Pia as a member. */
  member: string;
  tokenId: string;
}

type Act = (world: World) => Promise<unknown>;

interface Change {
  /** Sets up what the change needs. */
  prepare?: Act;
  /** Returns what differs once the change is done. */
  stateOf: Act;
  byPerson?: Act;
  /** Tried by both owners and the admin, in their browser. */
  byMember?: (world: World, browser: TestBrowser) => Promise<unknown>;
  byOperator?: Act;
}

/** Sends a form. The page in the browser needn't show it. */
async function sendForm(browser: TestBrowser, action: string, fields: Record<string, string> = {}): Promise<void> {
  await browser.get('/settings/tokens');
  await browser.force(action, fields);
}

const accountOf = async ({ web, piaId }: World) => (await web.people.accounts.get(piaId))!;
const sessionOf = async ({ web, piaId }: World) => (await web.people.sessions.list(piaId))[0]!;
const linksTo = async ({ web, piaId }: World) =>
  (await web.identity.accounts.find('links', 'account_id', piaId)).length;

async function addApp(world: World): Promise<void> {
  const session = await sessionOf(world);
  const { secret } = await world.web.people.totp.enrol(session);
  await world.web.people.totp.add(session, codeOf(secret, world.web.now()), CLIENT_INFO);
}

/** Ends Pia's access to the first organization. */
async function endAccess({ web, piaId }: World): Promise<void> {
  const until = new Date(web.now().getTime() + 60_000).toISOString();
  await web.members.changeEnd(web.organizationId, piaId, until, accountActor(web.ownerId));
  web.identity.clock.wait(120_000);
}

/** Sets Pia's password by a link of the operator. */
async function useLink({ web, piaId }: World): Promise<void> {
  const { secret } = await web.people.accountLinks.create(piaId, 'SYSTEM');
  await web.people.welcome.reset(secret, NEXT, CLIENT_INFO);
}

const linkByPage: Pick<Change, 'stateOf' | 'byPerson' | 'byMember' | 'byOperator'> = {
  stateOf: linksTo,
  byPerson: ({ web, piaId }) => web.people.accountLinks.create(piaId, piaId).catch(() => undefined),
  byMember: ({ member }, browser) => sendForm(browser, `${member}/link`),
  byOperator: ({ web, piaId }) => web.people.accountLinks.create(piaId, 'SYSTEM'),
};

const prolonging: Pick<Change, 'stateOf' | 'byMember'> = {
  stateOf: ({ web, piaId }) => web.members.membership(piaId, web.organizationId),
  byMember: ({ member }, browser) => sendForm(browser, `${member}/access`, { until: '2030-01-31' }),
};

/** By the first cell of a row of the table. */
const CHANGES: Readonly<Record<string, Change>> = {
  'a new password, with the current one': {
    stateOf: async (world) => (await accountOf(world)).password,
    byPerson: ({ pia }) => sendForm(pia, '/settings/security/password', { current: PIA.password, password: NEXT }),
  },
  'a link to a new password': linkByPage,
  'a link to a new password, if a provider is connected': {
    ...linkByPage,
    prepare: ({ web, piaId }) => web.identity.accounts.update('accounts', piaId, { subject: PROVIDER }),
  },
  'a link to the first address and password': {
    ...linkByPage,
    prepare: ({ web, piaId }) =>
      web.identity.accounts.update('accounts', piaId, { email: null, email_key: null, password: null }),
  },
  'another address': {
    stateOf: async (world) => (await accountOf(world)).email,
    byOperator: ({ web, piaId }) => web.people.accounts.changeEmail(piaId, 'other@example.org', CLIENT_INFO),
  },
  'adding a second factor': {
    stateOf: async (world) => (await accountOf(world)).totp,
    byPerson: async ({ web, pia }) => {
      const { text } = await pia.get('/settings/security/app');
      const code = codeOf(textOf(text, 'totp-secret').replaceAll(' ', ''), web.now());
      await pia.send('/settings/security/app', { code });
    },
  },
  'removing a second factor': {
    prepare: addApp,
    stateOf: async (world) => (await accountOf(world)).totp,
    byPerson: ({ pia }) => sendForm(pia, '/settings/security/app/remove'),
    byOperator: ({ web, piaId }) => web.people.factors.removeAll(piaId),
  },
  'disconnecting the provider': {
    prepare: ({ web, piaId }) => web.identity.accounts.update('accounts', piaId, { subject: PROVIDER }),
    stateOf: async (world) => (await accountOf(world)).subject,
    byPerson: ({ pia }) => sendForm(pia, '/settings/security/provider/remove'),
  },
  'ending sessions': {
    prepare: async (world) => world.web.people.signIn.withVerifiedAccount(await accountOf(world), 'LINK', CLIENT_INFO),
    stateOf: async ({ web, piaId }) => (await web.people.sessions.list(piaId)).length,
    byPerson: ({ pia }) => sendForm(pia, '/settings/security/sessions/end-others'),
    byMember: ({ member }, browser) => sendForm(browser, `${member}/sessions/end`),
  },
  'a new token (for an owner also by the operator)': {
    stateOf: async ({ web, piaId }) => (await web.tokens.listOfAccount(piaId)).length,
    byPerson: async ({ web, pia }) => {
      await pia.get('/settings/tokens');
      await pia.send('/settings/tokens', { name: 'Phone', role: 'VIEWER', organizations: web.organizationId });
    },
  },
  'new text for a token': {
    stateOf: async ({ web, tokenId }) => (await web.tokens.get(tokenId)).last_four,
    byPerson: ({ pia, tokenId }) => sendForm(pia, `/settings/tokens/${tokenId}/regenerate`, { days: '30' }),
    byOperator: ({ web, tokenId }) => web.tokens.regenerate(tokenId, 30),
  },
  'revoking a token or assistant, for people but the person in their organization only': {
    stateOf: async ({ web, tokenId }) => {
      const { revoked_at, organizations } = await web.tokens.get(tokenId);
      return [revoked_at, organizations];
    },
    byPerson: ({ pia, tokenId }) => sendForm(pia, `/settings/tokens/${tokenId}/revoke`),
    byMember: ({ web, tokenId }, browser) =>
      sendForm(browser, `/organizations/${web.organizationId}/tokens/${tokenId}/take-out`),
    byOperator: ({ web, tokenId }) => web.tokens.revoke(tokenId),
  },
  'erasing the account': {
    stateOf: async (world) => (await accountOf(world)).erased_at,
    byPerson: ({ pia }) =>
      sendForm(pia, '/settings/account/erase', { confirmation: 'erase my account', current: PIA.password }),
  },
  'prolonging an access that ended': { ...prolonging, prepare: endAccess },
  'prolonging it after a link set a new password since it ended: a new invitation is needed': {
    ...prolonging,
    prepare: async (world) => {
      await endAccess(world);
      await useLink(world);
    },
  },
};

/** Returns the rows of the table in docs/security.md: the change, and a cell for each of WHO. */
function documentedRows(): string[][] {
  const page = readFileSync(new URL('../../docs/security.md', import.meta.url), 'utf8');
  const table = page.slice(page.indexOf(`| change | ${WHO.join(' | ')} |`));
  const lines = table.slice(0, table.indexOf('\n\n')).split('\n').slice(2);
  return lines.map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

/** The password of everybody here, hashed once: hashing takes long. */
const hashedPassword = new Passwords().hash(PIA.password);

/** Adds a member with an address and a password. Returns their id. */
async function addMember(web: WebTest, { name, email }: Omit<typeof PIA, 'password'>, role: Role): Promise<string> {
  const id = randomId('acc');
  const record = { name, email, email_key: email, password: await hashedPassword, created_at: web.now().toISOString() };
  await web.identity.accounts.insert('accounts', { id, ...record });
  await web.members.add(web.organizationId, id, role, accountActor(web.ownerId));
  return id;
}

/** Returns a browser in which somebody has just signed in. */
async function signedIn(web: WebTest, id: string): Promise<TestBrowser> {
  const account = (await web.people.accounts.get(id))!;
  const { cookie } = await web.people.signIn.withVerifiedAccount(account, 'LINK', CLIENT_INFO);
  const browser = web.browser();
  browser.cookies.set('veritrail', cookie);
  return browser;
}

/** @param who for the owner of some, Pia's access to another organization has ended */
async function startWorld(who: Who): Promise<World> {
  const web = await startWeb(undefined, { openId: true });
  const piaId = await addMember(web, PIA, 'AUDITOR');
  const adminId = await addMember(web, ADMIN, 'ADMIN');
  const grant = { account_id: piaId, role: 'VIEWER', organizations: [web.organizationId] } as const;
  const { record } = await web.tokens.create({ name: 'Laptop', ...grant });
  if (who === 'owner of some') {
    const zed = await addMember(web, ZED, 'OWNER');
    const elsewhere = await web.members.createOrganization('Elsewhere', zed);
    const until = new Date(web.now().getTime() + 60_000).toISOString();
    await web.members.add(elsewhere.id, piaId, 'AUDITOR', accountActor(zed), until);
    web.identity.clock.wait(120_000);
  }
  const [owner, admin, pia] = [
    await signedIn(web, web.ownerId),
    await signedIn(web, adminId),
    await signedIn(web, piaId),
  ];
  const member = `/organizations/${web.organizationId}/members/${piaId}`;
  return { web, owner, admin, pia, piaId, member, tokenId: record.id };
}

/** Returns how somebody would make the change; undefined where nobody offers it to them. */
function actOf({ byPerson, byMember, byOperator }: Change, who: Who): Act | undefined {
  if (who === 'the person') return byPerson;
  if (who === 'operator') return byOperator;
  return byMember && ((world) => byMember(world, who === 'admin' ? world.admin : world.owner));
}

const test = suite('means of signing in');

test('the document has a row for each change', () => {
  assert.equal(
    documentedRows().map(([change]) => change),
    Object.keys(CHANGES),
  );
});

for (const [name = '', ...cells] of documentedRows()) {
  test(name, async () => {
    const change = CHANGES[name]!;
    for (const [column, who] of WHO.entries()) {
      const act = actOf(change, who);
      if (act === undefined) {
        assert.is(cells[column], 'none', who);
        continue;
      }
      const world = await startWorld(who);
      try {
        await change.prepare?.(world);
        const before = JSON.stringify(await change.stateOf(world));
        await act(world);
        const hasChanged = JSON.stringify(await change.stateOf(world)) !== before;
        assert.is(hasChanged ? 'yes' : 'no', cells[column], who);
      } finally {
        await world.web.stop();
      }
    }
  });
}

test('there is no other form about a member, and no other command about accounts and tokens', async () => {
  const web = await startWeb();
  try {
    const paths = allRoutes(web).flatMap(({ method, path }) => (method === 'POST' ? [path] : []));
    const ofMember = paths.flatMap((path) => /\/members\/:account\/(.+)$/.exec(path)?.[1] ?? []);
    // To hand over gives records another owner, and nobody a way to sign in.
    assert.equal(ofMember.sort(), ['access', 'hand-over', 'link', 'remove', 'role', 'sessions/end']);
  } finally {
    await web.stop();
  }
  const commands = COMMANDS.map(({ name }) => name).filter((name) => /^(account|token|member|session)/.test(name));
  assert.equal(commands.sort(), [
    ...['account email', 'account link', 'member list', 'session end'],
    ...['token create', 'token list', 'token regenerate', 'token revoke'],
  ]);
});

test('a new invitation brings back whose password a link set, and says so before', async () => {
  const world = await startWorld('owner of all');
  const { web, owner, pia, piaId, member } = world;
  try {
    await endAccess(world);
    assert.match((await owner.get(member)).text, 'name="until"');
    await useLink(world);
    const page = await owner.get(member);
    assert.not.match(page.text, 'name="until"');
    assert.match(page.text, 'a link of somebody else set a new password');
    const refused = await owner.force(`${member}/access`, { until: '' });
    assert.is(refused.status, 400);
    await owner.get(`/organizations/${web.organizationId}/members`);
    const invited = await owner.send(`/organizations/${web.organizationId}/members/invite`, { role: 'AUDITOR' });
    await pia.get('/sign-in');
    await pia.send('/sign-in', { email: PIA.email, password: NEXT });
    await pia.get(textOf(invited.text, 'invitation').slice(web.baseUrl.length));
    await pia.send('/welcome/accept');
    assert.is((await web.members.membership(piaId, web.organizationId))?.role, 'AUDITOR');
  } finally {
    await web.stop();
  }
});

test('a password that the person changed does not stand in the way', async () => {
  const world = await startWorld('owner of all');
  const { web, owner, pia, piaId, member } = world;
  try {
    await useLink(world);
    await endAccess(world);
    await pia.get('/sign-in');
    await pia.send('/sign-in', { email: PIA.email, password: NEXT });
    await sendForm(pia, '/settings/security/password', { current: NEXT, password: PIA.password });
    await sendForm(owner, `${member}/access`, { until: '' });
    assert.is((await web.members.membership(piaId, web.organizationId))?.role, 'AUDITOR');
  } finally {
    await web.stop();
  }
});

test.run();
