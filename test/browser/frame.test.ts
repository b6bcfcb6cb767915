/** The frame around pages, in Chromium: menus stay in the window and close, nothing focused is hidden, phones have one menu. */
import type { Browser, Page } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { until } from '../support/run/wait.ts';
import { closeBrowsers, openWindow, startBrowser, type Window } from '../support/web/browser.ts';
import { OWNER, startWeb, type WebTest } from '../support/web/web.ts';

interface Context {
  web: WebTest;
  window: Window;
  page: Page;
  path: string;
}

const browser = await startBrowser();
if (browser) run(browser);

function run(browser: Browser): void {
  const test = suite<Context>('frame in Chromium');

  test.before(async (context) => {
    const web = await startWeb('http://localhost:0');
    await web.setUpOwner();
    const organization_id = web.organizationId;
    const rows = Array.from({ length: 40 }, (_, index) => ({ reference_id: `R-${index}`, name: `Flood ${index}` }));
    await web.call('importRecords', { organization_id, type: 'RISK', rows });
    const window = await openWindow(browser, web.baseUrl);
    const { page } = window;
    await page.goto('/sign-in');
    await page.fill('[name=email]', OWNER.email);
    await page.fill('[name=password]', OWNER.password);
    await page.click('main button[type=submit]');
    Object.assign(context, { web, window, page, path: `/organizations/${organization_id}` });
  });
  test.after.each(({ window }) => assert.equal(window.complaints.splice(0), []));
  test.after(async ({ web }) => {
    await closeBrowsers();
    await web.stop();
  });

  test('keeps every menu inside the window', async ({ page, path }) => {
    for (const width of [1440, 1280, 1024, 768, 390]) {
      await page.setViewportSize({ width, height: 844 });
      for (const family of ['risks', 'measures', 'vendors']) {
        await page.goto(`${path}/${family}`);
        const menus = page.locator('details:has(> .menu)');
        for (let index = 0; index < (await menus.count()); index += 1) {
          const menu = menus.nth(index);
          if (!(await menu.isVisible())) continue;
          await menu.locator(':scope > summary').click();
          // It moves in the frame after it has opened.
          const isInside = ({ left, right }: DOMRect) => left >= 0 && right <= width;
          const boxOf = () => menu.locator(':scope > .menu').evaluate((node) => node.getBoundingClientRect());
          await until(async () => isInside(await boxOf()));
          await page.keyboard.press('Escape');
        }
      }
    }
  });

  test('closes the menu of moments on Esc and on a click elsewhere', async ({ page, path }) => {
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto(`${path}/risks`);
    const open = page.locator('.moment[open]');
    for (const close of [() => page.keyboard.press('Escape'), () => page.locator('h1').click()]) {
      await page.locator('.moment > summary').click();
      assert.is(await open.count(), 1);
      await close();
      assert.is(await open.count(), 0);
    }
  });

  test('nothing that has the focus is behind the bar', async ({ page, path }) => {
    await page.setViewportSize({ width: 1280, height: 500 });
    await page.goto(`${path}/risks`);
    await page.getByRole('link', { name: 'Flood 39', exact: true }).focus();
    for (let stop = 0; stop < 60; stop += 1) {
      await page.keyboard.press('Shift+Tab');
      const hidden = await page.evaluate(() => {
        const focus = document.activeElement!;
        const bar = document.querySelector('.bar')!.getBoundingClientRect();
        const inFrame = focus.closest('main') === null;
        return !inFrame && focus.getBoundingClientRect().top < bar.bottom - 1 ? focus.textContent : null;
      });
      assert.is(hidden, null);
    }
  });

  test('a phone shows the navigation only behind its menu', async ({ page, path }) => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(path);
    const home = page.locator('.rail').getByRole('link', { name: 'Risks' });
    assert.not(await home.isVisible());
    const { y } = (await page.locator('main').boundingBox())!;
    assert.ok(y < 170, `the page begins at ${y}`);
    await page.getByRole('link', { name: 'Menu', exact: true }).click();
    assert.ok(await home.isVisible());
    await page.getByRole('link', { name: 'Close menu' }).click();
    assert.not(await home.isVisible());
    await page.getByRole('link', { name: 'Menu', exact: true }).click();
    await home.click();
    await page.waitForURL(`**${path}/risks`);
    assert.not(await home.isVisible());
  });

  test.run();
}
