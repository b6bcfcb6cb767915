/** Every page in a real browser, wide and narrow, light and dark: accessible, complete, no console errors. */

import type { Browser, Page } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { accountActor } from '../../src/identity/memberships/actor.ts';
import { allRoutes } from '../../src/web/server/pages.ts';
import { addCrowd } from '../support/identity/crowd.ts';
import { codeOf } from '../support/identity/people.ts';
import { closeBrowsers, openWindow, startBrowser, type Window } from '../support/web/browser.ts';
import { checkPage } from '../support/web/check-page.ts';
import { proposeAs } from '../support/web/propose.ts';
import { OWNER, startWeb, type WebTest } from '../support/web/web.ts';

interface Context {
  web: WebTest;
  window: Window;
  page: Page;
}

const MEMBER = /\/organizations\/:id\/members\/:account$/;
const RISK = /\/organizations\/:id\/risks\/:record/;
const TOKEN = /\/organizations\/:id\/tokens\/:token$/;
/** Pages that need a special state, which the tests below set up. */
const SPECIAL_STATE_PATHS = ['/', '/sign-in', '/sign-in/second-factor', '/welcome', '/settings/security/confirm'];
/** The pages of one family stand for all: they have the same parts. */
const OTHER_FAMILIES = /\/:id\/(?:vendors|frameworks|controls|measures|obligations|nonconformities|audits|evidence)/;
/** Pages in the middle of a redirect: an assistant's sign-in and an OpenID provider's. */
const REDIRECT_PATHS = /^\/oauth\/|^\/sign-in\/openid/;

const browser = await startBrowser();
if (browser) run(browser);

function run(browser: Browser): void {
  const test = suite<Context>('pages in Chromium');

  test.before(async (context) => {
    const web = await startWeb('http://localhost:0', { openId: true });
    const window = await openWindow(browser, web.baseUrl);
    Object.assign(context, { web, window, page: window.page });
  });
  test.after(async ({ web }) => {
    await closeBrowsers();
    await web.stop();
  });

  /** Checks the open page. Chromium's complaints since the last check count too. */
  async function lookAt({ page, window }: Context, name: string): Promise<void> {
    const faults = await checkPage(page, name);
    assert.equal([...faults, ...window.complaints.splice(0)], [], name);
  }

  test('checks the pages before sign-in', async (context) => {
    const { page, web } = context;
    await page.goto('/');
    await lookAt(context, 'start-stranger');
    await page.goto('/sign-in');
    await lookAt(context, 'sign-in');
    await page.fill('[name=email]', 'nobody@example.org');
    await page.fill('[name=password]', 'not this one');
    await page.click('main button[type=submit]');
    await lookAt(context, 'sign-in-refused');
    const invitation = { kind: 'INVITATION', organization_id: web.organizationId, role: 'EDITOR' } as const;
    const { secret } = await web.people.links.create({ ...invitation, made_by: web.ownerId });
    await page.goto(`/welcome?key=${secret}`);
    await lookAt(context, 'invitation');
    const reset = await web.people.links.create({ kind: 'RESET', account_id: web.ownerId, made_by: 'SYSTEM' });
    await page.goto(`/welcome?key=${reset.secret}`);
    await lookAt(context, 'reset');
  });

  test('checks the set-up and every page of an owner', async (context) => {
    const { page, web } = context;
    await page.goto(`/welcome?key=${await web.people.setupLink(web.installation)}`);
    await lookAt(context, 'set-up');
    for (const [name, value] of Object.entries(OWNER)) await page.fill(`[name=${name}]`, value);
    await page.click('main button[type=submit]');
    await lookAt(context, 'start-first');
    for (const path of ['/organizations', '/settings/tokens', '/settings/assistants', '/settings/security']) {
      await page.goto(path);
      await lookAt(context, `empty${path.replaceAll('/', '-')}`);
    }
    await addCrowd(web);
    const routes = allRoutes(web).filter(
      ({ method, path }) => method === 'GET' && !REDIRECT_PATHS.test(path) && !OTHER_FAMILIES.test(path),
    );
    const input = {
      organization_id: web.organizationId,
      name: 'Nordic Backup',
      reason: 'Copies outside of the building',
    };
    const proposal = await proposeAs(web, web.ownerId, web.organizationId, { tool: 'addVendor', input });
    for (const { path } of routes.filter(({ path }) => !SPECIAL_STATE_PATHS.includes(path))) {
      const address = await addressOf(path.replace(':proposal', proposal), web);
      const answer = await page.goto(address);
      if (path.endsWith('/:proposal')) assert.is(answer!.status(), 200, address);
      assert.is(new URL(page.url()).pathname, address, 'no redirect');
      await lookAt(context, path.slice(1).replaceAll('/', '-').replaceAll(':', ''));
    }
  });

  test('checks the answers of forms: a new token, a link to share, errors, recovery codes', async (context) => {
    const { page, web } = context;
    await page.goto('/settings/tokens');
    await page.fill('#new [name=name]', 'Laptop');
    await page.check(`#new [name=organizations][value="${web.organizationId}"]`);
    await page.click('#new button[type=submit]');
    // Only one is open at a time.
    for (const client of ['Claude Desktop', 'curl']) {
      await page.locator('summary', { hasText: client }).click();
      await lookAt(context, `new-token-${client.split(' ')[0]}`);
    }
    await page.goto(`/organizations/${web.organizationId}/members`);
    await page.click('text=Create link');
    assert.match(page.url(), /\/members$/, 'not without a role');
    await page.getByLabel('Role', { exact: true }).selectOption('AUDITOR');
    await page.click('text=Create link');
    await lookAt(context, 'new-invitation');
    await page.goto('/settings/security');
    await page.fill('#current', OWNER.password);
    await page.fill('#password', 'short');
    await page.getByRole('button', { name: 'Change password' }).click();
    // The browser moves the focus there when it has drawn the page.
    await page.locator('[role=alert]:focus').waitFor();
    assert.ok(await page.locator('.fault').isVisible());
    await lookAt(context, 'faults');
    await page.goto('/nothing/here');
    await lookAt(context, 'nothing-here');
    await page.goto('/settings/tokens');
    await page.locator('summary').first().click();
    await lookAt(context, 'token-opened');
  });

  test('checks the second step: recovery codes, security with an app, and the code page', async (context) => {
    const { page, web } = context;
    await page.goto('/settings/security/app');
    const secret = (await page.locator('#totp-secret').textContent())!;
    await page.fill('[name=code]', codeOf(secret, web.now()));
    await page.click('text=Add app');
    await page.getByRole('heading', { name: 'Recovery codes' }).waitFor();
    await lookAt(context, 'recovery-codes');
    await page.goto('/settings/security');
    await lookAt(context, 'security-with-app');
    await page.getByRole('button', { name: 'Sign out', exact: true }).first().click();
    await lookAt(context, 'signed-out');
    await page.goto('/sign-in');
    await page.fill('[name=email]', OWNER.email);
    await page.fill('[name=password]', OWNER.password);
    await page.locator('main').getByRole('button', { name: 'Sign in' }).click();
    await page.locator('[name=code]').waitFor();
    await lookAt(context, 'second-factor');
    web.identity.clock.wait(60_000);
    await page.fill('[name=code]', codeOf(secret, web.now()));
    await page.locator('main').getByRole('button').first().click();
    await page.getByRole('heading', { name: 'Organizations', exact: true }).waitFor();
  });

  test('checks the reauthentication page', async (context) => {
    context.web.identity.clock.wait(16 * 60_000);
    await context.page.goto('/settings/security/passkeys');
    assert.match(context.page.url(), '/settings/security/confirm');
    await lookAt(context, 'confirm');
  });

  test.run();
}

/** Returns an address of a route, with the first member, token or risk. */
async function addressOf(path: string, web: WebTest): Promise<string> {
  const within = path.replace(':id', web.organizationId).replace(':type', 'changes-between');
  if (MEMBER.test(path)) return within.replace(':account', web.ownerId);
  if (RISK.test(path)) {
    const { risks } = await web.call<{ risks: { id: string }[] }>('listRisks', { organization_id: web.organizationId });
    return within.replace(':record', risks[0]!.id);
  }
  if (!TOKEN.test(path)) return within;
  const [first] = await web.organizationTokens.list(web.organizationId, accountActor(web.ownerId));
  return within.replace(':token', first!.id);
}
