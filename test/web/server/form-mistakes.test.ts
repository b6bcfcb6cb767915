/** A mistake in any form comes back to the form: with what was typed, and a summary that links to each field. */
import * as assert from 'uvu/assert';
import { EVIDENCE } from '../../../src/register/evidence.ts';
import { FAMILY_DESCRIPTIONS } from '../../../src/register/families.ts';
import { FRAMEWORK } from '../../../src/register/framework.ts';
import { ALL_TOOLS } from '../../../src/tools/all-tools.ts';
import { addFormOf } from '../../../src/web/register/forms/add-forms.ts';
import { titleFieldOf } from '../../../src/web/register/naming-fields.ts';
import type { Route } from '../../../src/web/server/page-request.ts';
import { allRoutes } from '../../../src/web/server/pages.ts';
import { askOnPages, startOAuthPages } from '../../support/identity/oauth-pages.ts';
import { codeOf } from '../../support/identity/people.ts';
import { isKeeping, runExamples } from '../../support/mcp/examples.ts';
import { proposeAs } from '../../support/web/propose.ts';
import { formsIn, OWNER, type TestBrowser, type WebTest } from '../../support/web/web.ts';
import { type PageContext, webSuite } from '../../support/web/web-suite.ts';

const EVE = { name: 'Eve', email: 'eve@example.org', password: 'listens at every door' };
const BOB = { name: 'Bob', email: 'bob@example.org', password: 'sends many messages' };
const CLEO = { name: 'Cleo', email: 'cleo@example.org', password: 'keeps codes in a drawer' };
const CLIENT_INFO = { address: '127.0.0.1', agent: '' };
/** More than a reason can have. */
const LONG_REASON = 'x'.repeat(2_001);
const QUARTER_MS = 15 * 60_000;

interface Context extends PageContext {
  routes: Route[];
  ids: { eve: string; token: string; call: string; proposal: string };
  /** A record of each family, by the family's plural. */
  records: Readonly<Record<string, string>>;
}

/** A mistake in one form. */
interface Mistake {
  /** The page with the form. `:account`, `:call`, `:proposal` and `:token` stand for ids. */
  page: string;
  /** The values as typed, by field name. */
  typed: Readonly<Record<string, string>>;
  /** The ids of the fields with errors, in the order of the summary. */
  faults: readonly string[];
  /** Fields that are never shown again. */
  secrets?: readonly string[];
  /** Returns the browser, and the page's query. Default: the owner's. */
  open?(context: Context): Promise<{ browser: TestBrowser; query?: string }>;
}

/**
 * Forms without a field to fill in. WARNING: hidden ids or a date; the next page says what is wrong. BUTTON: nothing at all.
 * SCRIPT: filled in by the browser's passkeys. PROVIDER: leads to the OpenID provider.
 */
type Unmistakable = 'WARNING' | 'BUTTON' | 'SCRIPT' | 'PROVIDER';

const MEMBER = '/organizations/:id/members/:account';
const CONFIRM = '/settings/security/confirm';

/** The forms that add and correct records, without their required fields. Evidence is added to a risk. */
const RECORD_FORM_MISTAKES = Object.fromEntries(
  FAMILY_DESCRIPTIONS.flatMap((family): [string, Mistake][] => {
    const { plural, tools } = family;
    const title = titleFieldOf(family);
    const typed = { [title]: '', reason: LONG_REASON };
    const required = Object.entries(family.fields).filter(([name, { required, kind, setBy }]) => {
      return name === title || (required && setBy === undefined && kind === 'id');
    });
    const add = `/organizations/:id/${plural}/add`;
    const act = `/organizations/:id/${plural}/:record/:act`;
    const adopt = { page: add, typed: { reason: LONG_REASON }, faults: ['library_id', 'reason'] };
    const addFaults = [...required.map(([name]) => name), 'reason'];
    const open: Mistake['open'] = async ({ owner, records }) => ({
      browser: owner,
      query: family.type === EVIDENCE.type ? `?record_ids=${records.risks}` : '',
    });
    return [
      ...(addFormOf(family)
        ? [
            [add, family.type === FRAMEWORK.type ? adopt : { page: add, typed, faults: addFaults, open }] as [
              string,
              Mistake,
            ],
          ]
        : []),
      tools.update
        ? [act, { page: act.replace(':act', 'edit'), typed, faults: [title, 'reason'] }]
        : [act, { page: act.replace(':act', 'archive'), typed: { reason: '' }, faults: ['reason'] }],
    ];
  }),
);

/** The forms that change many records, without the new owner. */
const MANY_FORM_MISTAKES = Object.fromEntries(
  ['hand-over', ...FAMILY_DESCRIPTIONS.map(({ plural }) => `${plural}/many`)].map((form): [string, Mistake] => {
    const page = `/organizations/:id/${form}`;
    const plural = form.split('/').length === 1 ? 'risks' : form.split('/')[0]!;
    const open: Mistake['open'] = async ({ owner, records }) => ({ browser: owner, query: `?ids=${records[plural]}` });
    return [page, { page, typed: { owner_id: '', reason: LONG_REASON }, faults: ['owner_id', 'reason'], open }];
  }),
);

/** One entry for each POST route. */
const MISTAKES: Readonly<Record<string, Mistake | Unmistakable | 'CONSENT'>> = {
  '/sign-in': {
    page: '/sign-in',
    typed: { email: '', password: 'guessed' },
    faults: ['email'],
    secrets: ['password'],
    open: async ({ web }) => ({ browser: web.browser() }),
  },
  '/sign-out': 'BUTTON',
  '/sign-in/second-factor': {
    page: '/sign-in/second-factor',
    typed: { code: 'no code' },
    faults: ['code'],
    open: async ({ web }) => ({ browser: await atSecondFactor(web, BOB) }),
  },
  '/sign-in/second-factor/recovery-code': {
    page: '/sign-in/second-factor',
    typed: { recovery_code: 'no code' },
    faults: ['recovery_code'],
    open: async ({ web }) => ({ browser: await atSecondFactor(web, CLEO) }),
  },
  '/sign-in/second-factor/passkey': 'SCRIPT',
  '/sign-in/openid': 'PROVIDER',
  '/demo': 'BUTTON',
  '/welcome/new': {
    page: '/welcome',
    typed: { name: '', email: 'new@example.org', password: '' },
    faults: ['name', 'password'],
    secrets: ['password'],
    open: async ({ web }) => {
      const invitation = { kind: 'INVITATION', organization_id: web.organizationId, role: 'VIEWER' } as const;
      const { secret } = await web.people.links.create({ ...invitation, made_by: web.ownerId });
      return { browser: web.browser(), query: `?key=${secret}` };
    },
  },
  '/welcome/accept': 'BUTTON',
  '/welcome/reset': {
    page: '/welcome',
    typed: { password: 'short' },
    faults: ['password'],
    secrets: ['password'],
    open: async ({ web, ids }) => {
      const { secret } = await web.people.accountLinks.create(ids.eve, web.ownerId);
      return { browser: web.browser(), query: `?key=${secret}` };
    },
  },
  '/oauth/interaction/:uid': 'CONSENT',
  [`${CONFIRM}/passkey`]: 'SCRIPT',
  [`${CONFIRM}/provider`]: 'PROVIDER',
  '/settings/security/provider': 'PROVIDER',
  '/settings/security/provider/remove': 'BUTTON',
  '/organizations': { page: '/organizations', typed: { name: '' }, faults: ['name'] },
  '/organizations/:id/name': { page: '/organizations/:id/settings', typed: { name: '' }, faults: ['name'] },
  '/organizations/:id/approvals': 'WARNING',
  '/organizations/:id/second-factor': 'WARNING',
  '/organizations/:id/second-factor/optional': 'BUTTON',
  '/organizations/:id/members/invite': {
    page: '/organizations/:id/members',
    typed: { note: 'x'.repeat(201), role: '' },
    faults: ['role', 'note'],
  },
  ...RECORD_FORM_MISTAKES,
  ...MANY_FORM_MISTAKES,
  '/organizations/:id/members/withdraw': 'WARNING',
  '/organizations/:id/members/domains': 'WARNING',
  '/organizations/:id/members/domains/withdraw': 'WARNING',
  [`${MEMBER}/role`]: { page: MEMBER, typed: { role: 'ADMIN', reason: LONG_REASON }, faults: ['role-reason'] },
  [`${MEMBER}/access`]: {
    page: MEMBER,
    typed: { until: 'in March', reason: LONG_REASON },
    faults: ['until', 'access-reason'],
  },
  [`${MEMBER}/link`]: 'BUTTON',
  [`${MEMBER}/sessions/end`]: 'BUTTON',
  [`${MEMBER}/hand-over`]: {
    page: `${MEMBER}/hand-over`,
    typed: { owner_id: '', reason: LONG_REASON },
    faults: ['owner_id', 'reason'],
  },
  [`${MEMBER}/remove`]: { page: MEMBER, typed: { reason: LONG_REASON }, faults: ['removal-reason'] },
  '/organizations/:id/undo/:call': {
    page: '/organizations/:id/undo/:call',
    typed: { reason: LONG_REASON },
    faults: ['reason'],
  },
  '/organizations/:id/tokens/:token/take-out': {
    page: '/organizations/:id/tokens/:token',
    typed: { reason: LONG_REASON },
    faults: ['reason'],
  },
  '/settings/tokens': {
    page: '/settings/tokens',
    typed: { name: '', role: 'AUDITOR', read_only: 'on', days: '0' },
    faults: ['name', 'days'],
  },
  '/settings/tokens/:id/autonomy': 'BUTTON',
  '/settings/assistants/autonomy': 'WARNING',
  '/organizations/:id/proposals/:proposal/approve': 'BUTTON',
  '/organizations/:id/proposals/:proposal/withdraw': 'BUTTON',
  '/organizations/:id/proposals/:proposal/change': {
    page: '/organizations/:id/proposals/:proposal/change',
    typed: { name: '' },
    faults: ['name'],
  },
  '/organizations/:id/proposals/several/approve': 'BUTTON',
  '/organizations/:id/proposals/several/decline': {
    page: '/organizations/:id/proposals/several?id=:proposal',
    typed: { reason: '' },
    faults: ['reason'],
  },
  '/organizations/:id/proposals/:proposal/decline': {
    page: '/organizations/:id/proposals/:proposal',
    typed: { reason: '' },
    faults: ['reason'],
  },
  '/settings/tokens/:id/regenerate': { page: '/settings/tokens', typed: { days: '999' }, faults: ['days-:token'] },
  '/settings/tokens/:id/revoke': 'BUTTON',
  '/settings/assistants/disconnect': 'WARNING',
  '/settings/security/password': {
    page: '/settings/security',
    typed: { current: OWNER.password, password: 'short' },
    faults: ['password'],
    secrets: ['current', 'password'],
  },
  '/settings/security/sessions/end': 'WARNING',
  '/settings/security/sessions/end-others': 'BUTTON',
  '/settings/security/credentials/revoke': 'WARNING',
  '/settings/security/credentials/revoke-all': 'BUTTON',
  '/settings/security/app': { page: '/settings/security/app', typed: { code: '' }, faults: ['code'] },
  '/settings/security/app/remove': 'BUTTON',
  '/settings/security/passkeys': 'SCRIPT',
  '/settings/security/passkeys/remove': 'WARNING',
  '/settings/security/recovery-codes': 'BUTTON',
  '/settings/account/name': { page: '/settings/account', typed: { name: '' }, faults: ['name'] },
  '/settings/account/leave': 'WARNING',
  '/settings/account/erase': {
    page: '/settings/account',
    typed: { confirmation: 'erase it', current: 'wrong' },
    faults: ['confirmation'],
    secrets: ['current'],
    open: async ({ web }) => ({ browser: await signIn(web, EVE) }),
  },
  // Last, because after this time every session needs its identity confirmed.
  [`${CONFIRM}/code`]: {
    page: CONFIRM,
    typed: { code: 'no code' },
    faults: ['code'],
    open: async ({ web, owner }) => {
      await addApp(web, web.ownerId);
      web.identity.clock.wait(QUARTER_MS);
      return { browser: owner };
    },
  },
  [CONFIRM]: {
    page: CONFIRM,
    typed: { current: 'wrong' },
    faults: ['current'],
    secrets: ['current'],
    open: async ({ web, owner }) => {
      web.identity.clock.wait(QUARTER_MS);
      return { browser: owner };
    },
  },
};

const test = webSuite<Context>(
  'mistakes in forms',
  async ({ web }) => {
    await web.invite(EVE, 'VIEWER');
    const eve = (await web.members.membersOf(web.organizationId)).find(({ name }) => name === EVE.name)!;
    const [token] = await web.tokens.listOfAccount(web.ownerId);
    const risk = { organization_id: web.organizationId, name: 'Added by mistake', owner_id: eve.account_id };
    const { call_id: call } = await web.call<{ call_id: string }>('addRisk', risk);
    const proposal = await proposeAs(web, web.ownerId, web.organizationId, { tool: 'addRisk', input: risk });
    const ids = { eve: eve.account_id, token: token!.id, call, proposal };
    return { routes: allRoutes(web), ids, records: await addRecords(web) };
  },
  { openId: true },
);

async function signIn(web: WebTest, person: typeof OWNER): Promise<TestBrowser> {
  const browser = web.browser();
  await browser.get('/sign-in');
  await browser.send('/sign-in', { email: person.email, password: person.password });
  return browser;
}

/** Returns a browser that has to give a second factor next. */
async function atSecondFactor(web: WebTest, person: typeof OWNER): Promise<TestBrowser> {
  await web.invite(person, 'VIEWER');
  const member = (await web.members.membersOf(web.organizationId)).find(({ name }) => name === person.name)!;
  await addApp(web, member.account_id);
  return signIn(web, person);
}

/** Adds an authenticator app to an account that is signed in. */
async function addApp(web: WebTest, accountId: string): Promise<void> {
  const session = (await web.people.sessions.list(accountId))[0]!;
  const { secret } = await web.people.totp.enrol(session);
  await web.people.totp.add(session, codeOf(secret, web.now()), CLIENT_INFO);
}

/** Adds a record of each family by the tools' examples. Returns their ids. */
async function addRecords(web: WebTest): Promise<Record<string, string>> {
  const runs = await runExamples(ALL_TOOLS.filter(isKeeping), (tool, input) => web.call(tool, input));
  const answers = JSON.stringify(runs.map(({ input, answer }) => ({ input, answer })));
  return Object.fromEntries(
    FAMILY_DESCRIPTIONS.map(({ plural, prefix }) => [plural, new RegExp(`${prefix}_\\w+`).exec(answers)![0]]),
  );
}

const pathFor = ({ web, ids, records }: Context, path: string) =>
  path
    .replace(/(?<=\/(\w+)\/):record/, (_, plural: string) => records[plural]!)
    .replace('/organizations/:id', `/organizations/${web.organizationId}`)
    .replace(':account', ids.eve)
    .replace(':call', ids.call)
    .replace(':proposal', ids.proposal)
    .replace('/tokens/:id', `/tokens/${ids.token}`)
    .replace(':token', ids.token);

test('every form is in the table', ({ routes }) => {
  const paths = routes.filter(({ method }) => method === 'POST').map(({ path }) => path);
  assert.equal(Object.keys(MISTAKES).sort(), paths.sort());
});

for (const [path, mistake] of Object.entries(MISTAKES)) {
  if (typeof mistake === 'object') {
    test(`${path} comes back with what was typed`, async (context) => {
      const { browser, query = '' } = (await mistake.open?.(context)) ?? { browser: context.owner };
      assert.is((await browser.get(`${pathFor(context, mistake.page)}${query}`)).status, 200);
      const action = pathFor(context, path.endsWith('/:act') ? mistake.page : path);
      const { status, text } = await browser.send(action, mistake.typed);
      assert.is(status, 400);
      const faults = mistake.faults.map((id) => id.replace(':token', context.ids.token));
      checkErrors(text, faults);
      const sent = formsIn(text).find((form) => form.action.split('?')[0] === action)!;
      for (const [name, value] of Object.entries(mistake.typed)) {
        assert.is(sent.fields.get(name), mistake.secrets?.includes(name) ? '' : value, name);
      }
    });
  }
  if (mistake === 'WARNING') {
    test(`${path} leads to a page that says what is wrong`, async ({ owner, ...context }) => {
      await owner.get('/settings/account');
      const answer = await owner.force(pathFor({ owner, ...context }, path));
      assert.is(answer.status, 303);
      const { text } = await owner.follow(answer);
      assert.match(text, /<p class="notice warning" role="status">[^<]+<\/p>/);
    });
  }
}

test('an assistant’s question comes back with what was chosen', async () => {
  const site = await startOAuthPages();
  const browser = await site.signedIn();
  const { path } = await askOnPages(site, browser);
  const { status, text } = await browser.send(path, { answer: 'allow', access: 'read', role: 'AUDITOR', days: '0' });
  assert.is(status, 400);
  checkErrors(text, ['days']);
  const sent = formsIn(text).find(({ action }) => action === path)!;
  assert.equal([sent.fields.get('role'), sent.fields.get('days'), sent.fields.get('access')], ['AUDITOR', '0', 'read']);
  await site.stop();
});

/** Checks the title, the summary and the marks of the fields with errors. */
function checkErrors(text: string, ids: readonly string[]): void {
  assert.match(text, '<title>Error: ');
  const summaries = [...text.matchAll(/<div class="notice errors" role="alert"[^>]*>(.*?)<\/div>/gs)];
  assert.is(summaries.length, 1, 'one summary');
  assert.equal(
    [...summaries[0]![1]!.matchAll(/<a href="#([^"]+)">[^<]+<\/a>/g)].map(([, id]) => id),
    ids,
  );
  for (const id of ids) {
    const [field = ''] =
      new RegExp(`<(?:input|select|textarea)[^>]* id="${id}"[^>]*>|<(?:input|select|textarea) id="${id}"[^>]*>`).exec(
        text,
      ) ?? [];
    assert.match(field, 'aria-invalid="true"', id);
    assert.match(field, new RegExp(`aria-describedby="[^"]*\\b${id}-fault"`), id);
    assert.match(text, new RegExp(`id="${id}-fault">[^<]+<`), id);
  }
}

test.run();
