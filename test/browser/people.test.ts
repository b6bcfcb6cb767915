/** Other ways to use the pages: keyboard only, without JavaScript, with a passkey. */
import type { Browser, Page } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { plugInAuthenticator } from '../support/identity/authenticator.ts';
import { codeOf } from '../support/identity/people.ts';
import { closeBrowsers, openWindow, startBrowser } from '../support/web/browser.ts';
import { OWNER, startWeb, type WebTest } from '../support/web/web.ts';

const BO = { name: 'Bo', email: 'bo@example.org', password: 'some other long words' };
/** More tab stops than any page has. */
const MOST_STOPS = 40;

const browser = await startBrowser();
if (browser) run(browser);

function run(browser: Browser): void {
  const test = suite<{ web: WebTest }>('people in Chromium');

  test.before.each(async (context) => {
    context.web = await startWeb('http://localhost:0');
  });
  test.after.each(({ web }) => web.stop());
  test.after(closeBrowsers);

  test('works by keyboard alone: every focus is visible, and sign-in needs no pointer', async ({ web }) => {
    await web.setUpOwner();
    const { page, complaints, close } = await openWindow(browser, web.baseUrl);
    await page.goto('/sign-in');
    await tabTo(page, 'document.activeElement.name === "email"');
    await page.keyboard.type(OWNER.email);
    await tabTo(page, 'document.activeElement.name === "password"');
    await page.keyboard.type(OWNER.password);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Connect an assistant' }).waitFor();
    await page.goto('/settings/tokens');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    assert.ok(await page.evaluate('document.activeElement.id === "main"'), 'the first stop leads to the content');
    await tabTo(page, 'document.activeElement.name === "name"');
    await page.keyboard.type('By keyboard');
    await tabTo(page, 'document.activeElement.textContent.trim() === "Create token"');
    await page.keyboard.press('Space');
    await page.getByRole('heading', { name: 'Your new token' }).waitFor();
    assert.equal(complaints, []);
    await close();
  });

  test('works without JavaScript, from the set-up link to a token and sign-out', async ({ web }) => {
    const { page, complaints, close } = await openWindow(browser, web.baseUrl, { javaScriptEnabled: false });
    await page.goto(`/welcome?key=${await web.people.setupLink(web.installation)}`);
    for (const [name, value] of Object.entries(OWNER)) await page.fill(`[name=${name}]`, value);
    await page.locator('main').getByRole('button').click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.goto('/settings/tokens');
    await page.fill('[name=email]', OWNER.email);
    await page.fill('[name=password]', OWNER.password);
    await page.locator('main').getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Create a token' }).waitFor();
    await page.fill('#new [name=name]', 'Without a script');
    await page.click('#new button[type=submit]');
    const token = await page.locator('#token').textContent();
    assert.match(token!, /^vtr_\w{49}$/);
    assert.is(await page.getByRole('button', { name: 'Copy' }).count(), 0, 'no button that would do nothing');
    await page.locator('summary', { hasText: 'curl' }).click();
    assert.match((await page.locator('#curl').textContent())!, token!);
    await page.goto('/settings/security/app');
    const secret = (await page.locator('#totp-secret').textContent())!;
    await page.fill('[name=code]', codeOf(secret, web.now()));
    await page.click('text=Add app');
    assert.is((await page.locator('#codes').textContent())!.split('\n').length, 10);
    await page.goto('/settings/security/passkeys');
    assert.ok(await page.getByText('This browser can’t create passkeys here').isVisible());
    assert.not(await page.locator('[name=name]').isVisible());
    assert.equal(complaints, []);
    await close();
  });

  test('copies the shown text with the copy button, and says so', async ({ web }) => {
    const options = { permissions: ['clipboard-read', 'clipboard-write'] };
    const { page, complaints, close } = await openWindow(browser, web.baseUrl, options);
    await setUp(page, web);
    await page.goto('/settings/tokens');
    await page.fill('#new [name=name]', 'Laptop');
    await page.click('#new button[type=submit]');
    await page.locator('[data-copy=token]').click();
    await page.getByText('Copied').waitFor();
    const copied = await page.evaluate('navigator.clipboard.readText()');
    assert.is(copied, await page.locator('#token').textContent());
    assert.equal(complaints, []);
    await close();
  });

  test('an organization requires a second factor: the owner sets it, and a member adds one to come back', async ({
    web,
  }) => {
    const { page, complaints, close } = await openWindow(browser, web.baseUrl);
    await setUp(page, web);
    await addApp(page, web);
    const settings = `/organizations/${web.organizationId}/settings`;
    await web.invite(BO, 'EDITOR');
    await page.goto(settings);
    await page.getByText('1 member has none yet').waitFor();
    await page.getByRole('button', { name: 'Require a second factor' }).click();
    await page.getByText('Second factor required.').waitFor();
    assert.ok(
      await page
        .getByText(/^Required since/)
        .first()
        .isVisible(),
    );
    assert.equal(complaints, []);
    await close();

    const other = await openWindow(browser, web.baseUrl);
    await other.page.goto('/sign-in');
    await other.page.fill('[name=email]', BO.email);
    await other.page.fill('[name=password]', BO.password);
    await other.page.locator('main').getByRole('button', { name: 'Sign in' }).click();
    await other.page.goto(`/organizations/${web.organizationId}/risks`);
    await other.page.getByText('requires a second factor of its members').waitFor();
    assert.is(await other.page.getByRole('navigation').count(), 0, 'nothing else of the organization');
    await other.page.getByRole('link', { name: 'Add a second factor' }).click();
    await other.page.getByRole('link', { name: /app/i }).first().waitFor();
    await addApp(other.page, web);
    await other.page.goto(`/organizations/${web.organizationId}/risks`);
    await other.page.getByRole('heading', { name: 'Risks' }).waitFor();
    await other.close();
  });

  test('adds a passkey, asks for it at sign-in, and removes it', async ({ web }) => {
    const { page, complaints, close } = await openWindow(browser, web.baseUrl);
    await setUp(page, web);
    const key = await plugInAuthenticator(page);
    await page.goto('/settings/security');
    await page.getByRole('link', { name: 'Add a passkey' }).click();
    await page.fill('[name=name]', 'Blue key');
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByRole('heading', { name: 'Recovery codes' }).waitFor();
    assert.is(await key.credentials(), 1);

    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.goto('/sign-in');
    await page.fill('[name=email]', OWNER.email);
    await page.fill('[name=password]', OWNER.password);
    await page.locator('main').getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: /passkey/i }).click();
    await page.getByRole('heading', { name: 'Connect an assistant' }).waitFor();

    await page.goto('/settings/security');
    await page.getByRole('button', { name: 'Remove Blue key' }).click();
    await page.getByText('Passkey removed.').waitFor();
    await key.remove();
    assert.equal(complaints, []);
    await close();
  });

  test('says when the browser creates no passkey', async ({ web }) => {
    const { page, close } = await openWindow(browser, web.baseUrl);
    await setUp(page, web);
    const key = await plugInAuthenticator(page, { isUserVerified: false });
    await page.goto('/settings/security/passkeys');
    await page.fill('[name=name]', 'Nobody’s key');
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByText('The browser did not create a passkey.').waitFor();
    assert.is(await key.credentials(), 0);
    await close();
  });

  test.run();
}

async function setUp(page: Page, web: WebTest): Promise<void> {
  await page.goto(`/welcome?key=${await web.people.setupLink(web.installation)}`);
  for (const [name, value] of Object.entries(OWNER)) await page.fill(`[name=${name}]`, value);
  await page.locator('main').getByRole('button').click();
  await page.getByRole('heading', { name: 'Connect an assistant' }).waitFor();
}

/** Returns true if the focused element has a visible outline inside the viewport. */
const SEEN = `(() => {
  const style = getComputedStyle(document.activeElement);
  const box = document.activeElement.getBoundingClientRect();
  const inside = box.bottom > 0 && box.top < innerHeight && box.width > 0;
  return inside && style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2;
})()`;

/** Presses Tab until the page meets a condition. Every focused element on the way must be visible. */
async function tabTo(page: Page, condition: string): Promise<void> {
  for (let stop = 0; stop < MOST_STOPS; stop++) {
    await page.keyboard.press('Tab');
    const where = await page.evaluate('document.activeElement.outerHTML.slice(0, 100)');
    assert.ok(await page.evaluate(SEEN), `the focus is not seen on ${where}`);
    if (await page.evaluate(condition)) return;
  }
  throw new Error(`Tab does not lead to ${condition}`);
}

/** Adds an authenticator app. */
async function addApp(page: Page, web: WebTest): Promise<void> {
  await page.goto('/settings/security/app');
  const secret = (await page.locator('#totp-secret').textContent())!;
  await page.fill('[name=code]', codeOf(secret, web.now()));
  await page.click('text=Add app');
  await page.getByRole('heading', { name: 'Recovery codes' }).waitFor();
}
