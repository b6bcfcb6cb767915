/**
 * Every form that raises somebody's rights, or takes somebody's away, asks again who it is. A new form fails here until
 * somebody has decided whether it does. It asks before it does anything, and keeps what was typed.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { PERMISSIONS, type Permission, type PermissionRule } from '../../src/commands/organization/permissions.ts';
import { FAMILY_DESCRIPTIONS } from '../../src/register/families.ts';
import { TOKEN_FIELD } from '../../src/web/server/csrf.ts';
import { allRoutes } from '../../src/web/server/pages.ts';
import { askOnPages, type OAuthPages, startOAuthPages } from '../support/identity/oauth-pages.ts';
import { formsIn, OWNER, type PageAnswer, type TestBrowser, unescapeHtml } from '../support/web/web.ts';

const CONFIRM = '/settings/security/confirm';
const EVE = { name: 'Eve', email: 'eve@example.org', password: 'listens at every door' };
const LONG_AGO = '2026-01-01T00:00:00.000Z';

interface SensitiveForm {
  /** The permission that the form needs. OWN for what people do to their own account. */
  needs: Permission | 'OWN';
  /** The page with the form, to which the person comes back. */
  page: string;
  /** Text that a person types, and finds again. */
  typed?: Readonly<Record<string, string>>;
}

const ORGANIZATION = '/organizations/:id';
const MEMBERS = `${ORGANIZATION}/members`;
const MEMBER = `${MEMBERS}/:account`;
const SECURITY = '/settings/security';
const MEMBER_FORM = { needs: 'changeMembers', page: MEMBER } as const;
const OWN = { needs: 'OWN', page: SECURITY } as const;
const SETTINGS = `${ORGANIZATION}/settings`;
const reason = 'She took over & leads';

/** The forms that ask, by the address that they are sent to. */
const FORMS: Readonly<Record<string, SensitiveForm>> = {
  '/organizations': { needs: 'createOrganizations', page: '/organizations', typed: { name: 'Second & last' } },
  [`${ORGANIZATION}/name`]: { needs: 'renameOrganization', page: SETTINGS, typed: { name: 'Renamed & co' } },
  [`${ORGANIZATION}/approvals`]: { needs: 'changeApprovalPolicy', page: SETTINGS, typed: { hourly_changes: '42' } },
  [`${ORGANIZATION}/second-factor`]: { needs: 'requireSecondFactor', page: SETTINGS, typed: { from: '2030-01-31' } },
  [`${ORGANIZATION}/second-factor/optional`]: { needs: 'requireSecondFactor', page: SETTINGS },
  [`${MEMBERS}/invite`]: {
    needs: 'changeMembers',
    page: MEMBERS,
    typed: { role: 'ADMIN', until: '2030-01-31', note: 'For Bo & Cy' },
  },
  [`${MEMBERS}/withdraw`]: { needs: 'changeMembers', page: MEMBERS },
  [`${MEMBERS}/domains`]: { needs: 'changeMembers', page: MEMBERS, typed: { domain_role: 'EDITOR' } },
  [`${MEMBERS}/domains/withdraw`]: { needs: 'changeMembers', page: MEMBERS },
  [`${MEMBER}/role`]: { ...MEMBER_FORM, typed: { role: 'OWNER', reason } },
  [`${MEMBER}/access`]: { ...MEMBER_FORM, typed: { until: '2030-01-31', reason } },
  [`${MEMBER}/link`]: MEMBER_FORM,
  [`${MEMBER}/sessions/end`]: MEMBER_FORM,
  [`${MEMBER}/remove`]: { ...MEMBER_FORM, typed: { reason } },
  [`${ORGANIZATION}/tokens/:token/take-out`]: {
    needs: 'revokeTokens',
    page: `${ORGANIZATION}/tokens/:token`,
    typed: { reason },
  },
  '/settings/tokens': {
    needs: 'createTokens',
    page: '/settings/tokens',
    typed: { name: 'Laptop & co', role: 'AUDITOR', days: '30', read_only: 'on' },
  },
  '/settings/tokens/:token/regenerate': { needs: 'createTokens', page: '/settings/tokens', typed: { days: '7' } },
  '/settings/tokens/:token/autonomy': { needs: 'OWN', page: '/settings/tokens' },
  '/settings/tokens/:token/revoke': { needs: 'OWN', page: '/settings/tokens' },
  '/oauth/interaction/:uid': {
    needs: 'createTokens',
    page: '/oauth/interaction/:uid',
    typed: { access: 'read', role: 'VIEWER', days: '7' },
  },
  '/settings/assistants/autonomy': { needs: 'OWN', page: '/settings/assistants' },
  '/settings/assistants/disconnect': { needs: 'OWN', page: '/settings/assistants' },
  [`${SECURITY}/credentials/revoke`]: { needs: 'OWN', page: `${SECURITY}/credentials` },
  [`${SECURITY}/credentials/revoke-all`]: { needs: 'OWN', page: `${SECURITY}/credentials` },
  [`${SECURITY}/sessions/end`]: OWN,
  [`${SECURITY}/sessions/end-others`]: OWN,
  [`${SECURITY}/app`]: { needs: 'OWN', page: `${SECURITY}/app` },
  [`${SECURITY}/app/remove`]: OWN,
  [`${SECURITY}/passkeys`]: { needs: 'OWN', page: `${SECURITY}/passkeys` },
  [`${SECURITY}/passkeys/remove`]: OWN,
  [`${SECURITY}/recovery-codes`]: OWN,
  [`${SECURITY}/provider`]: OWN,
  [`${SECURITY}/provider/remove`]: OWN,
  '/settings/account/leave': { needs: 'OWN', page: '/settings/account' },
};

/** The forms of records. Controls come with their framework. */
const RECORD_FORMS = FAMILY_DESCRIPTIONS.flatMap(({ plural }) =>
  ['add', ':record/:act', 'many'].map((form) => `/organizations/:id/${plural}/${form}`),
).filter((path) => !path.endsWith('/controls/add'));

/** The forms that don't ask, and why. */
const NOT_ASKING: Readonly<Record<string, string>> = {
  '/sign-in': 'asks for the password',
  '/sign-in/second-factor': 'is the second factor',
  '/sign-in/second-factor/recovery-code': 'is the second factor',
  '/sign-in/second-factor/passkey': 'is the second factor',
  '/sign-in/openid': 'leads to the provider',
  '/sign-out': 'ends only the session that sends it',
  '/demo': 'signs in with the link of the demo',
  '/welcome/new': 'needs the secret of a link',
  '/welcome/accept': 'needs the secret of a link',
  '/welcome/reset': 'needs the secret of a link',
  [CONFIRM]: 'is the question',
  [`${CONFIRM}/code`]: 'is the question',
  [`${CONFIRM}/passkey`]: 'is the question',
  [`${CONFIRM}/provider`]: 'is the question',
  [`${SECURITY}/password`]: 'asks for the current password, or asks again without one',
  '/settings/account/erase': 'asks for the current password, or asks again without one',
  '/settings/account/name': 'changes nobody’s rights',
  ...Object.fromEntries(
    [
      ...['approve', 'change', 'decline', 'withdraw'].map((act) => `:proposal/${act}`),
      ...['several/approve', 'several/decline'],
    ].map((act) => [
      `${ORGANIZATION}/proposals/${act}`,
      'decides on a change of records, which a form of the record makes without asking. Below stands one that asks',
    ]),
  ),
  ...Object.fromEntries(
    [`${ORGANIZATION}/hand-over`, `${MEMBER}/hand-over`, `${ORGANIZATION}/undo/:call`].map((path) => [
      path,
      'changes records, as importRecords does without asking',
    ]),
  ),
  ...Object.fromEntries(RECORD_FORMS.map((path) => [path, 'changes records, as its tool does without asking'])),
};

interface Context {
  site: OAuthPages;
  owner: TestBrowser;
  /** The values of the parameters in addresses. */
  ids: Readonly<Record<string, string>>;
}

const test = suite<Context>('forms that ask again who it is');

test.before(async (context) => {
  const site = await startOAuthPages(undefined, { openId: true });
  const { web } = site;
  const owner = await site.signedIn();
  await web.invite(EVE, 'VIEWER');
  await web.members.domains.recordVouchedDomain(web.ownerId, 'example.org');
  const { path } = await askOnPages(site, owner);
  context.site = site;
  context.owner = owner;
  context.ids = {
    id: web.organizationId,
    account: (await web.people.accounts.findByEmail(EVE.email))!.id,
    token: (await web.tokens.listOfAccount(web.ownerId))[0]!.id,
    uid: path.split('/').at(-1)!,
  };
});
test.after(({ site }) => site.stop());

/** Makes the owner's session one that was confirmed long ago. */
async function ageSession({ web }: OAuthPages): Promise<void> {
  for (const { id } of await web.people.sessions.list(web.ownerId))
    await web.identity.accounts.update('sessions', id, { confirmed_at: LONG_AGO });
}

/** Returns everything that a form could have changed. */
async function stateOf({ web }: OAuthPages): Promise<string> {
  const { accounts, events } = web.identity;
  const collections = ['accounts', 'sessions', 'links', 'tokens', 'passkeys'] as const;
  const stored = await Promise.all(collections.map((name) => accounts.all(name)));
  return JSON.stringify([stored, await events.head(null)]);
}

const formIn = ({ text }: PageAnswer, action: string) => formsIn(text).find((form) => form.action === action);
const addressOf = (path: string, ids: Context['ids']) => path.replace(/:(\w+)/g, (_, name: string) => ids[name]!);

test('each form either asks, or a reason says why not', ({ site }) => {
  const paths = allRoutes(site.web).flatMap(({ method, path }) => (method === 'POST' ? [path] : []));
  const named = paths.map((path) => path.replace('/settings/tokens/:id', '/settings/tokens/:token'));
  assert.equal(named.sort(), [...Object.keys(FORMS), ...Object.keys(NOT_ASKING)].sort());
});

test('the permissions of forms that ask are those of the table', () => {
  const rules: readonly (readonly [string, PermissionRule])[] = Object.entries(PERMISSIONS);
  const asking = rules.flatMap(([permission, rule]) => (rule.needsRecentAuthentication ? [permission] : []));
  const ofForms = new Set(Object.values(FORMS).flatMap(({ needs }) => (needs === 'OWN' ? [] : [needs])));
  assert.equal(asking.sort(), [...ofForms].sort());
});

for (const [action, { page, typed = {} }] of Object.entries(FORMS)) {
  test(`${action} asks first, and keeps what was typed`, async ({ site, owner, ids }) => {
    const shown = formIn(await owner.get(addressOf(page, ids)), addressOf(action, ids));
    const other = formsIn((await owner.get('/settings/tokens')).text)[0]!;
    const fields = shown?.fields ?? new URLSearchParams({ [TOKEN_FIELD]: other.fields.get(TOKEN_FIELD)! });
    for (const [name, value] of Object.entries({ answer: 'allow', ...typed })) fields.set(name, value);
    await ageSession(site);
    const before = await stateOf(site);
    const answer = await owner.post(addressOf(action, ids), fields);
    assert.is(answer.status, 303);
    const asked = new URL(answer.to!, site.web.baseUrl);
    const back = new URL(asked.searchParams.get('next')!, site.web.baseUrl);
    assert.equal([asked.pathname, back.pathname], [CONFIRM, addressOf(page, ids)]);
    assert.is(await stateOf(site), before);

    await owner.follow(answer);
    const confirmed = await owner.send(CONFIRM, { current: OWNER.password });
    assert.is(confirmed.to, back.pathname + back.search);
    const returned = await owner.follow(confirmed);
    assert.match(unescapeHtml(returned.text), 'Identity confirmed. You can continue.');
    if (Object.keys(typed).length === 0) return;
    const form = formIn(returned, addressOf(action, ids));
    assert.equal(Object.fromEntries(Object.keys(typed).map((name) => [name, form?.fields.get(name)])), typed);
  });
}

test('an owner who approves another policy is asked again, alone and among several', async ({ site, owner, ids }) => {
  const { web } = site;
  const priya = { name: 'Priya', email: 'priya@example.org', password: 'many long words of hers' };
  const other = await web.invite(priya, 'OWNER');
  const account = (await web.people.accounts.findByEmail(priya.email))!;
  const base = addressOf(ORGANIZATION, ids);
  const change = async (four_eyes: Readonly<Record<string, string>>) => {
    await web.identity.accounts.update('sessions', (await web.people.sessions.list(web.ownerId))[0]!.id, {
      confirmed_at: new Date().toISOString(),
    });
    const form = formIn(await owner.get(`${base}/settings`), `${base}/approvals`)!;
    form.fields.delete('four_eyes');
    for (const [name, value] of Object.entries(four_eyes)) form.fields.set(name, value);
    return owner.post(form.action, form.fields);
  };
  await change({ four_eyes: 'VENDOR_ARCHIVE' });
  const page = (await change({})).to!;
  assert.match(page, /\/proposals\/prp_/);
  const several = `${base}/proposals/several?id=${page.split('/').at(-1)}`;
  const forms = [
    formIn(await other.get(page), `${page}/approve`)!,
    formIn(await other.get(several), `${base}/proposals/several/approve`)!,
  ];
  const [session] = await web.people.sessions.list(account.id);
  await web.identity.accounts.update('sessions', session!.id, { confirmed_at: LONG_AGO });
  const before = await stateOf(site);
  for (const { action, fields } of forms) {
    const asked = await other.post(action, fields);
    assert.match(asked.to ?? asked.text, CONFIRM);
    assert.is(await stateOf(site), before);
  }
});

test('a link fills in no form', async ({ owner, ids }) => {
  for (const [action, { page, typed }] of Object.entries(FORMS)) {
    if (typed === undefined) continue;
    for (const kept of ['', '&kept=', `&kept=${Buffer.alloc(32).toString('base64url')}`]) {
      const address = `${addressOf(page, ids)}?${new URLSearchParams(typed)}${kept}`;
      const form = formIn(await owner.get(address), addressOf(action, ids));
      for (const [name, value] of Object.entries(typed))
        assert.is.not(form?.fields.get(name), value, `${action} ${name}`);
    }
  }
});

test('who lacks the permission is refused, and not asked', async ({ site, ids }) => {
  const { web } = site;
  const bo = await web.invite({ name: 'Bo', email: 'bo@example.org', password: 'some other long words' }, 'ADMIN');
  const { id } = (await web.people.accounts.findByEmail('bo@example.org'))!;
  const [session] = await web.people.sessions.list(id);
  await web.identity.accounts.update('sessions', session!.id, { confirmed_at: LONG_AGO });
  await bo.get('/settings/tokens');
  assert.is((await bo.force(addressOf(`${MEMBER}/role`, ids), { role: 'OWNER' })).status, 403);
});

test.run();
