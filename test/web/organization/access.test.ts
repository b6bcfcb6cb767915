import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { commandLineCaller } from '../../../src/cli/accounts/caller-for.ts';
import { AccessLog } from '../../../src/identity/access-log/access-log.ts';
import { VERSION } from '../../../src/version.ts';
import { OWNER, startWeb, type TestBrowser, unescapeHtml, type WebTest } from '../../support/web/web.ts';

const CLIENT_INFO = { address: '203.0.113.7', agent: 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0' };
const HOUR_MS = 3_600_000;

interface Context {
  web: WebTest;
  owner: TestBrowser;
  log: AccessLog;
  path: string;
}

const test = suite<Context>('access log page');

test.before.each(async (context) => {
  const web = await startWeb();
  const log = new AccessLog({
    accounts: web.identity.accounts,
    organizationsOf: async (id) => [...(await web.members.rolesOf(id)).keys()],
    now: web.now,
    log: { warn: (details) => assert.unreachable(JSON.stringify(details)) },
  });
  const owner = await web.setUpOwner();
  Object.assign(context, { web, log, owner, path: `/organizations/${web.organizationId}/access` });
});
test.after.each(({ web }) => web.stop());

/** Returns the page's rows as cell texts. */
function rowsOf(html: string): string[][] {
  const rows = [...html.matchAll(/<tr\b[^>]*>(.*?)<\/tr>/gs)].slice(1);
  return rows.map(([, row = '']) =>
    [...row.matchAll(/<t[hd]\b[^>]*>(.*?)<\/t[hd]>/gs)].map(([, cell = '']) =>
      unescapeHtml(cell.replace(/<[^>]*>/g, '')),
    ),
  );
}

test('shows who signed in, how and from where', async ({ web, owner, log, path }) => {
  const account_id = web.ownerId;
  const { record } = await web.tokens.create({
    name: 'Laptop',
    account_id,
    role: 'EDITOR',
    organizations: [web.organizationId],
  });
  const roles = new Map([[web.organizationId, 'EDITOR' as const]]);
  const caller = { account_id, token_id: record.id, client: null, roles, members: roles, read_only: false };
  log.recordTokenUse(caller, 'An <b>assistant</b>', undefined, () => '127.0.0.1');
  web.identity.clock.wait(HOUR_MS);
  log.recordTokenUse(caller, 'An <b>assistant</b>', undefined, () => '127.0.0.1');
  web.identity.clock.wait(60_000);
  log.record({ type: 'SIGN_IN_REFUSED', account_id, reason: 'WRONG_PASSWORD', clientInfo: CLIENT_INFO });
  web.identity.clock.wait(HOUR_MS);
  log.recordRefusal({ event_type: 'TOKEN_REFUSED', actor_id: null });
  web.identity.clock.wait(60_000);
  log.record({ type: 'SIGNED_IN', account_id, factor: 'PASSKEY', clientInfo: CLIENT_INFO });
  web.identity.clock.wait(60_000);
  log.recordAccess({ event_type: 'ACCOUNT_LINK_CREATED', actor_id: 'SYSTEM', account_id });
  await log.close();
  const { status, text } = await owner.get(path);
  assert.is(status, 200);
  // Cached names may be a few seconds old.
  assert.equal(rowsOf(text.replaceAll(OWNER.name, 'Owner')), [
    ['2026-03-01 11:03 UTC', 'Link created', 'veritrail, for Owner', 'this machine', '1'],
    ['2026-03-01 11:02 UTC', 'Signed in (passkey)', 'Owner', 'Firefox on Linux203.0.113.7', '1'],
    ['2026-03-01 11:01 UTC', 'Token refused', 'Somebody, unknown account', 'not recorded', '1'],
    [
      '2026-03-01 10:01 UTC',
      'Sign-in refused (wrong password)',
      `Somebody, as Owner`,
      'Firefox on Linux203.0.113.7',
      '1',
    ],
    [
      '2026-03-01 09:00 UTC until 2026-03-01 10:00 UTC',
      'Token used',
      `Laptop, of Owner`,
      'An <b>assistant</b>127.0.0.1',
      '2',
    ],
  ]);
});

test('describes downloads: report or family, format, position and filters', async ({ web, owner, log, path }) => {
  const caller = await web.members.callerOf(web.ownerId);
  const { organizationId: organization_id } = web;
  const frm = 'frm_0123456789abcdefghjkmnpqrs';
  const file = {
    organization_id,
    type: 'risks',
    format: 'csv',
    position: '8',
    filter: '{"query":"<b>"}',
    after: 'rsk_1',
  };
  for (const event of [
    { type: 'REPORT_GENERATED', caller, download: { type: 'POSTURE', format: 'HTML', position: '7' } },
    {
      type: 'REPORT_GENERATED',
      caller: { ...caller, token_id: 'tok_1' },
      download: {
        type: 'STATEMENT_OF_APPLICABILITY',
        format: 'PDF',
        position: '12',
        framework_id: frm,
        owner_id: web.ownerId,
      },
    },
    { type: 'EXPORT_DOWNLOADED', caller, download: file },
    {
      type: 'EXPORT_DOWNLOADED',
      caller: { ...caller, clientInfo: CLIENT_INFO },
      download: { type: 'changes', format: 'jsonl', position: '9', filter: '{"event_type":["A","B"],"is_new":true}' },
    },
    {
      type: 'EXPORT_DOWNLOADED',
      caller: commandLineCaller('export'),
      download: { type: 'history', format: 'jsonl', position: '10' },
    },
  ] as const) {
    log.record({ ...event, download: { organization_id, ...event.download } });
    web.identity.clock.wait(60_000);
  }
  await log.close();
  const { text } = await owner.get(`${path}?kind=downloads`);
  assert.equal(
    rowsOf(text.replaceAll(OWNER.name, 'Owner')).map(([, what]) => what),
    [
      'Export downloaded (History, JSON Lines, change 10, with the command line)',
      'Export downloaded (Changes, JSON Lines, change 9, where event type A or B, is new true)',
      'Export downloaded (Risks, CSV, change 8, where query <b>, resumed after rsk_1)',
      `Report generated (Statement of applicability, PDF, change 12, framework ${frm}, records of Owner, with a token)`,
      'Report generated (Posture, web page, change 7)',
    ],
  );
  assert.equal(
    rowsOf(text)
      .slice(0, 3)
      .map(([, , , from]) => from),
    [`veritrail export ${VERSION}`, 'Firefox on Linux203.0.113.7', 'not recorded'],
  );
  const bookmarked = await owner.get(`${path}?kind=drawn`);
  assert.equal(rowsOf(bookmarked.text), rowsOf(text), 'the earlier name of this filter is accepted');
  assert.match(bookmarked.text, /value="downloads" selected|selected[^>]*value="downloads"/);
});

test('filters by kind and dates, and explains invalid ones', async ({ web, log, path }) => {
  for (let day = 0; day < 3; day += 1) {
    log.record({ type: 'SIGNED_IN', account_id: web.ownerId, factor: 'TOTP', clientInfo: CLIENT_INFO });
    log.record({ type: 'PASSWORD_CHANGED', account_id: web.ownerId, by: 'PASSWORD', clientInfo: CLIENT_INFO });
    await log.flush();
    web.identity.clock.waitDays(1);
  }
  const browser = await signedIn(web);
  const days = async (query: string) => {
    const { text } = await browser.get(`${path}?${query}`);
    return rowsOf(text).map(([when = '', what = '']) => `${when.slice(0, 10)} ${what.split(' ')[0]}`);
  };
  assert.equal(await days('kind=accounts&from=&to=2026-03-02'), ['2026-03-02 Password', '2026-03-01 Password']);
  assert.equal(await days('kind=sign-ins&from=2026-03-02&to=2026-03-02'), ['2026-03-02 Signed']);
  assert.equal(await days('kind=downloads'), []);
  assert.is((await days('kind=constructor')).length, 6);
  const response = await browser.get(`${path}?kind=refusals&from=2026-02-30`);
  assert.is(response.status, 400);
  assert.match(response.text, 'aria-invalid="true"');
  assert.match(response.text, 'value="2026-02-30"');
  assert.match(response.text, /value="refusals" selected|selected[^>]*value="refusals"/);
  assert.is((await browser.get(`${path}?cursor=x`)).status, 400);
});

test('keeps the filter from page to page', async ({ web, owner, log, path }) => {
  for (let i = 0; i < 60; i += 1) {
    log.record({ type: 'SIGNED_IN', account_id: web.ownerId, factor: 'TOTP', clientInfo: CLIENT_INFO });
    web.identity.clock.wait(60_000);
  }
  await log.close();
  const linkOf = (html: string, words: string) =>
    unescapeHtml(new RegExp(`<a[^>]*href="([^"]*)"[^>]*>${words}</a>`).exec(html)?.[1] ?? '');
  const first = await owner.get(`${path}?kind=sign-ins`);
  assert.is(rowsOf(first.text).length, 50);
  assert.is(linkOf(first.text, 'Newest'), '');
  const older = await owner.get(linkOf(first.text, 'Older'));
  assert.is(rowsOf(older.text).length, 10);
  assert.is(linkOf(older.text, 'Older'), '');
  assert.is(linkOf(older.text, 'Newest'), `${path}?kind=sign-ins`);
});

test('is open only to roles that may read it', async ({ web, path }) => {
  for (const [role, status] of [
    ['ADMIN', 200],
    ['AUDITOR', 200],
    ['EDITOR', 403],
    ['VIEWER', 403],
  ] as const) {
    const email = `${role.toLowerCase()}@example.org`;
    const browser = await web.invite({ name: `An ${role}`, email, password: `${role} of the register` }, role);
    assert.is((await browser.get(path)).status, status, role);
    assert.is((await browser.get('/organizations/org_00000000000000000000000000/access')).status, 404);
  }
  assert.is((await web.browser().get(path)).status, 303, 'signed out');
});

/** Signs the owner in again, because days have passed. */
async function signedIn(web: WebTest): Promise<TestBrowser> {
  const browser = web.browser();
  await browser.get('/sign-in');
  assert.is((await browser.send('/sign-in', OWNER)).status, 303);
  return browser;
}

test.run();
