/** Access to files of reports, records and changes, by a token or by a page session. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Role } from '../../../src/commands/organization/caller.ts';
import { addToMembershipIndex } from '../../../src/identity/memberships/membership-index.ts';
import { Sessions } from '../../../src/identity/sign-in/sessions.ts';
import { writeSmallRegister } from '../../support/histories/small-register.ts';
import { until } from '../../support/run/wait.ts';
import { embeddedPair, type ServedPair, serve, withOpenPair } from '../../support/stores/pairs.ts';
import { type PageAnswer, TestBrowser, withoutFormTokens } from '../../support/web/web.ts';

interface Context extends ServedPair {
  env: Record<string, string>;
  /** Signed in as the organization's OWNER. */
  browser: TestBrowser;
}

const REPORT = 'reports/vendors?format=csv&as_of=20';
const FILES = [REPORT, 'records/risks?format=csv&as_of=20', 'changes?as_of=20'];
const JSON_ONLY = { Accept: 'application/json' };

const test = suite<Context>('access to files');

test.before(async (context) => {
  const pair = embeddedPair();
  Object.assign(context, await serve(pair), { env: pair.env });
  await writeSmallRegister(context.owner, context.organizationId);
  context.browser = await signIn(context, context.accountId);
});
test.after((served) => served.close());

/** Returns a browser in which the account has just signed in. */
async function signIn({ env, url }: Context, accountId: string): Promise<TestBrowser> {
  const clientInfo = { address: '127.0.0.1', agent: 'a browser' };
  const { cookie } = await withOpenPair(env, ({ accounts }) =>
    new Sessions({ accounts, now: () => new Date() }).create({ id: accountId, generation: 0 }, clientInfo, 'SIGNED_IN'),
  );
  const browser = new TestBrowser(url, new URL(url).host, url);
  browser.cookies.set('veritrail', cookie);
  return browser;
}

async function signInAs(context: Context, role: Role): Promise<TestBrowser> {
  const id = await context.addMember(role, role);
  await withOpenPair(context.env, ({ accounts }) => addToMembershipIndex(accounts, id, context.organizationId));
  return signIn(context, id);
}

const pathOf = ({ organizationId }: Pick<Context, 'organizationId'>, file: string) =>
  `/api/v1/organizations/${organizationId}/${file}`;

const byToken = (context: Context, token: string, file: string, headers = JSON_ONLY): Promise<PageAnswer> =>
  new TestBrowser(context.url, new URL(context.url).host, context.url).get(pathOf(context, file), {
    Authorization: `Bearer ${token}`,
    ...headers,
  });

test('returns the same file for a token and for a session', async (context) => {
  for (const file of FILES) {
    const withToken = await byToken(context, context.token, file);
    const withSession = await context.browser.get(pathOf(context, file), { 'User-Agent': 'Mozilla/5.0 (X11)' });
    assert.equal([withToken.status, withSession.status], [200, 200], file);
    assert.ok(withToken.text.length > 100);
    const lines = ({ text }: PageAnswer) =>
      text.split(/\r?\n/).filter((line) => !line.startsWith('report,generated_at'));
    assert.equal(lines(withSession), lines(withToken));
    assert.is(withSession.headers['cache-control'], 'no-store');
  }
});

test('sends browsers to sign in, and refuses other clients', async (context) => {
  for (const file of FILES) {
    const path = pathOf(context, file);
    const stranger = new TestBrowser(context.url, new URL(context.url).host, context.url);
    const redirected = await stranger.get(path);
    assert.equal([redirected.status, redirected.to], [303, `/sign-in?next=${encodeURIComponent(path)}`]);
    const refusal = await stranger.get(path, JSON_ONLY);
    assert.is(refusal.status, 401, file);
    assert.match(String(refusal.headers['www-authenticate']), /^Bearer realm="veritrail"/);
    stranger.cookies.set('veritrail', 'no-session-of-anybody');
    assert.is((await stranger.get(path, JSON_ONLY)).status, 401, 'an unknown session cookie');
  }
});

test('refuses a session with a bad token, in a subrequest of another site, or with POST, PUT or DELETE', async (context) => {
  const { browser } = context;
  for (const file of FILES) {
    const path = pathOf(context, file);
    assert.is((await browser.get(path, { Authorization: 'Bearer vtr_nonsense' })).status, 401, 'the token counts');
    assert.is((await browser.get(path, { Origin: 'https://evil.example' })).status, 403);
    assert.is((await browser.get(path, { Host: 'evil.example' })).status, 403);
    for (const site of ['cross-site', 'same-site']) {
      const headersFrom = (directive: string) => ({
        ...JSON_ONLY,
        'Sec-Fetch-Site': site,
        'Sec-Fetch-Dest': directive,
      });
      assert.is((await browser.get(path, headersFrom('document'))).status, 200, 'links from other sites work');
      for (const directive of ['empty', 'image', 'script', 'iframe']) {
        assert.is((await browser.get(path, headersFrom(directive))).status, 403, `${directive} from a ${site} page`);
      }
    }
    const sameOrigin = { 'Sec-Fetch-Site': 'same-origin', 'Sec-Fetch-Dest': 'empty' };
    assert.is((await browser.get(path, sameOrigin)).status, 200);
    assert.equal(
      await Promise.all(
        ['POST', 'PUT', 'DELETE'].map(async (verb) => (await browser.request(verb, path, null, {})).status),
      ),
      [405, 405, 405],
    );
  }
});

test('requires the same roles as the tools, for tokens and sessions', async (context) => {
  const expectedStatuses: [string, viewer: number, auditor: number][] = [
    ['records/risks', 200, 200],
    ['records/risks?as_of=20', 200, 200],
    ['changes', 200, 200],
    ['reports/vendors', 200, 200],
    ['reports/audit-pack', 403, 400],
  ];
  const tokens = [(await context.as('VIEWER')).token, (await context.as('AUDITOR')).token];
  const people = [await signInAs(context, 'VIEWER'), await signInAs(context, 'AUDITOR')];
  for (const [file, ...statuses] of expectedStatuses) {
    const tokenStatuses = await Promise.all(tokens.map(async (token) => (await byToken(context, token, file)).status));
    const sessionStatuses = await Promise.all(
      people.map(async (person) => (await person.get(pathOf(context, file))).status),
    );
    assert.equal([tokenStatuses, sessionStatuses], [statuses, statuses], file);
  }
});

test('gives the same answer for another organization and for one that does not exist', async (context) => {
  const { id } = await context.foreignOrganization();
  const unknownId = `${id.slice(0, -3)}000`;
  for (const file of FILES) {
    const answers = [];
    for (const organizationId of [id, unknownId]) {
      const path = pathOf({ organizationId }, file);
      answers.push(
        await context.browser.get(path, JSON_ONLY),
        await byToken({ ...context, organizationId }, context.token, file),
      );
    }
    const pages = [];
    for (const organizationId of [id, unknownId]) {
      const { status, text } = await context.browser.get(pathOf({ organizationId }, file));
      pages.push([status, withoutFormTokens(text).replaceAll(organizationId, 'org')]);
    }
    assert.equal([pages[0]![0], pages[1]], [404, pages[0]], file);
    // A page and a token are told in different words.
    for (const [index, { status, text }] of answers.entries())
      assert.equal([status, text], [404, answers[index % 2]!.text], file);
  }
});

test('refuses to continue a file after the token or session was revoked', async (context) => {
  const { browser, env, organizationId } = context;
  const tokenInput = { name: 'short-lived', account_id: context.accountId, role: 'AUDITOR' as const };
  const issued = await withOpenPair(env, ({ tokens }) =>
    tokens.create({ ...tokenInput, organizations: [organizationId] }),
  );
  const getFile = (file: string) => byToken(context, issued.token, file);
  const getFirstPart = async () => {
    const answer = await getFile('records/risks');
    return answer.status === 200 && answer;
  };
  const firstPart = await until(getFirstPart, 5_000, 'the token is known');
  const secondPart = `records/risks?cursor=${String(firstPart.headers['veritrail-cursor'])}`;
  assert.is((await getFile(secondPart)).status, 200);
  await withOpenPair(env, ({ tokens }) => tokens.revoke(issued.record.id));
  const isRefused = async () => (await getFile(secondPart)).status === 401;
  assert.ok(await until(isRefused, 5_000, 'the token is known to be revoked'));
  const path = pathOf({ organizationId }, secondPart);
  assert.is((await browser.get(path)).status, 200, 'the session still works');
  await withOpenPair(env, ({ accounts }) =>
    new Sessions({ accounts, now: () => new Date() }).endOthers(context.accountId, null),
  );
  for (const file of FILES) assert.is((await browser.get(pathOf(context, file), JSON_ONLY)).status, 401, file);
  assert.is((await browser.get(path, JSON_ONLY)).status, 401);
});

test('logs each download with its credential', async (context) => {
  const { owner, organizationId: organization_id } = context;
  const filter = { record_types: ['ACCESS'], event_types: ['EXPORT_DOWNLOADED', 'REPORT_GENERATED'], actor_id: ['ME'] };
  const filterWithOldNames = { ...filter, event_types: ['EXPORT_DRAWN', 'REPORT_DRAWN'] };
  const allLogged = async () => {
    const { changes } = await owner.ok('listChanges', { organization_id, filter, size: 100 });
    const kinds = new Set<string>();
    for (const row of changes) {
      const { type, token_id, address } = Object.fromEntries(row.changes.map(({ field, to }) => [field, to]));
      assert.is(address, '127.0.0.1', `${type}`);
      kinds.add(`${type} ${token_id === undefined ? 'session' : 'token'}`);
      // Some requests of this file send a User-Agent, which names no browser.
      if (token_id === undefined) assert.ok(row.client === null || row.client === 'Unknown browser');
    }
    const expectedKinds = ['risks', 'changes', 'VENDORS'].flatMap((type) => [`${type} session`, `${type} token`]);
    return expectedKinds.every((kind) => kinds.has(kind));
  };
  assert.ok(await until(allLogged, 5_000, 'each file is logged'));
  const [withNewNames, withOldNames] = await Promise.all(
    [filter, filterWithOldNames].map((by) => owner.ok('listChanges', { organization_id, filter: by, size: 100 })),
  );
  assert.equal(withOldNames!.changes, withNewNames!.changes, 'the earlier names of the types are accepted');
});

test.run();
