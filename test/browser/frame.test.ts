/** The layout of pages, in Chromium: everything is inside the window and in sight, on phones, at 400 % zoom and on paper. */
import type { Browser, Page } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { until } from '../support/run/wait.ts';
import { accessibilityFaults } from '../support/web/axe.ts';
import { closeBrowsers, openWindow, startBrowser, type Window } from '../support/web/browser.ts';
import { OWNER, startWeb, type WebTest } from '../support/web/web.ts';

/** A laptop's window is not higher. */
const HEIGHT = 640;
/** A window of 1280 × 1024 pixels at 400 % zoom. */
const ZOOMED = { width: 320, height: 256 };
/** The parts that stay in sight above or below the rows of a list. */
const BARS = '.bar, thead th, .chosen';

interface Context {
  web: WebTest;
  window: Window;
  page: Page;
  path: string;
  /** The page of a risk. */
  risk: string;
  /** The day of the changes. */
  day: string;
}

/** Presses a key. Returns what then has the focus if it lies under one of these parts that stay in sight. */
async function coverAfter(page: Page, key: string, parts: string): Promise<string | null> {
  await page.keyboard.press(key);
  return page.evaluate((selector) => {
    const focus = document.activeElement!;
    const box = focus.getBoundingClientRect();
    const covers = [...document.querySelectorAll(selector)].filter((part) => {
      const { top, bottom, left, right } = part.getBoundingClientRect();
      const isUnder = box.top < bottom - 1 && box.bottom > top + 1 && box.left < right - 1 && box.right > left + 1;
      return isUnder && !part.contains(focus) && !focus.contains(part);
    });
    // The region of a whole table has the focus too, and is higher than the window.
    if (covers.length === 0 || box.height > innerHeight) return null;
    return `${focus.outerHTML.slice(0, 200)} at ${box.top} to ${box.bottom} is under ${covers[0]!.outerHTML.slice(0, 60)}`;
  }, parts);
}

const browser = await startBrowser();
if (browser) run(browser);

function run(browser: Browser): void {
  const test = suite<Context>('frame in Chromium');

  test.before(async (context) => {
    const web = await startWeb('http://localhost:0');
    await web.setUpOwner();
    const organization_id = web.organizationId;
    const rows = Array.from({ length: 40 }, (_, index) => ({
      ...(index === 0 ? { next_review_due: '2024-02-25' } : { reference_id: `R-${index}` }),
      name: `Flood ${index}`,
      inherent_likelihood: 1 + (index % 5),
      inherent_impact: 4,
    }));
    await web.call('importRecords', { organization_id, type: 'RISK', rows });
    const window = await openWindow(browser, web.baseUrl);
    const { page } = window;
    await page.goto('/sign-in');
    await page.fill('[name=email]', OWNER.email);
    await page.fill('[name=password]', OWNER.password);
    await page.click('main button[type=submit]');
    const path = `/organizations/${organization_id}`;
    const { risks } = await web.call<{ risks: { id: string }[] }>('listRisks', { organization_id });
    const day = web.now().toISOString().slice(0, 10);
    Object.assign(context, { web, window, page, path, day, risk: `${path}/risks/${risks[0]!.id}` });
  });
  test.after.each(({ window }) => assert.equal(window.complaints.splice(0), []));
  test.after(async ({ web }) => {
    await closeBrowsers();
    await web.stop();
  });

  test('keeps every menu inside the window', async ({ page, path }) => {
    for (const width of [1440, 1280, 1024, 768, 390]) {
      await page.setViewportSize({ width, height: HEIGHT });
      for (const family of ['risks', 'measures', 'vendors']) {
        await page.goto(`${path}/${family}`);
        const menus = page.locator('details:has(> .menu)');
        for (let index = 0; index < (await menus.count()); index += 1) {
          const menu = menus.nth(index);
          if (!(await menu.isVisible())) continue;
          await menu.locator(':scope > summary').click();
          // It moves in the frame after it has opened.
          const isInside = ({ left, right, bottom }: DOMRect) => left >= 0 && right <= width && bottom <= HEIGHT;
          const boxOf = () => menu.locator(':scope > .menu').evaluate((node) => node.getBoundingClientRect());
          await until(async () => isInside(await boxOf()));
          const apply = menu.getByRole('button', { name: 'Apply' });
          for (const button of await apply.all()) {
            assert.ok(isInside(await button.evaluate((node) => node.getBoundingClientRect())), 'Apply is in sight');
          }
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

  test('nothing that has the focus is behind a bar', async ({ page, path }) => {
    for (const size of [
      { width: 1280, height: 500 },
      { width: 390, height: HEIGHT },
    ]) {
      await page.setViewportSize(size);
      await page.goto(`${path}/risks`);
      const boxes = page.locator('[name=ids]');
      await boxes.last().focus();
      for (let stop = 0; stop < 60; stop += 1) assert.is(await coverAfter(page, 'Shift+Tab', BARS), null);
      await boxes.first().check();
      assert.ok(await page.locator('.chosen').isVisible());
      for (let stop = 0; stop < 60; stop += 1) assert.is(await coverAfter(page, 'Tab', BARS), null);
    }
  });

  test('no field of a filter that has the focus is behind the button of its menu', async ({ page, path }) => {
    await page.setViewportSize({ width: 1280, height: 360 });
    await page.goto(`${path}/risks`);
    const menu = page.locator('.list-filters details', { hasText: 'More filters' });
    await menu.locator('summary').focus();
    await page.keyboard.press('Enter');
    const apply = menu.getByRole('button', { name: 'Apply' });
    await until(async () => (await apply.evaluate((node) => node.getBoundingClientRect())).bottom <= 360);
    const fields = await menu.locator('.menu :is(input, select):visible').count();
    assert.ok(fields > 5);
    for (let stop = 0; stop < fields; stop += 1)
      assert.is(await coverAfter(page, 'Tab', '[open] > .menu > button'), null);
  });

  test('a phone shows the navigation only behind its menu', async ({ page, path }) => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(path);
    const home = page.locator('.rail').getByRole('link', { name: 'Risks' });
    assert.not(await home.isVisible());
    const { y } = (await page.locator('main').boundingBox())!;
    assert.ok(y < 60, `the page begins at ${y}`);
    await page.getByRole('link', { name: 'Menu', exact: true }).click();
    assert.ok(await home.isVisible());
    await page.getByRole('link', { name: 'Close menu' }).click();
    assert.not(await home.isVisible());
    await page.getByRole('link', { name: 'Menu', exact: true }).click();
    await home.click();
    await page.waitForURL(`**${path}/risks`);
    assert.not(await home.isVisible());
  });

  test('a phone’s bar is one row with search, moment and menu, and the person in the open menu', async (context) => {
    const { page, path, day } = context;
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(`${path}/risks?as_of=${day}`);
    const rowOf = (selector: string) =>
      page
        .locator(selector)
        .first()
        .evaluate((node) => node.getBoundingClientRect().y);
    for (const part of ['.brand', '.rail .switch', '.search-link', '.moment > summary']) {
      assert.ok((await rowOf(part)) < 48, part);
    }
    const signOut = page.getByRole('button', { name: 'Sign out' });
    assert.not(await signOut.isVisible());
    await page.getByRole('link', { name: 'Menu', exact: true }).click();
    assert.ok(await signOut.isVisible());
  });

  test('a phone’s bar stays whole above the content, and its open menu fills the window', async (context) => {
    const { page, path, day } = context;
    await page.setViewportSize({ width: 390, height: 844 });
    const boxOf = (selector: string) =>
      page
        .locator(selector)
        .first()
        .evaluate((node) => node.getBoundingClientRect());
    await page.goto(`${path}/risks`);
    await page.evaluate(() => scrollTo(0, 900));
    assert.is(await page.evaluate(() => scrollY), 900);
    const [rail, beside] = [await boxOf('.rail'), await boxOf('.bar')];
    assert.equal([rail.top, beside.top, rail.left, beside.right], [0, 0, 0, 390]);
    assert.equal([rail.right, rail.bottom], [beside.left, beside.bottom], 'one bar');
    await page.goto(`${path}/risks?as_of=${day}`);
    const date = page.locator('.moment > summary > time');
    assert.ok(await date.evaluate((node) => node.scrollWidth <= node.clientWidth), 'the date is whole');
    await page.goto(`${path}/risks#rail`);
    const [first, bar, signOut] = [
      await boxOf('.rail a[aria-current]'),
      await boxOf('.bar'),
      await boxOf('.person form'),
    ];
    assert.is(first.left, 390 - first.right);
    assert.equal([bar.left, bar.right], [0, 390]);
    assert.ok(signOut.right < 390, `“Sign out” ends at ${signOut.right}`);
  });

  test('a phone folds the form of a comparison, and a wide window shows it', async ({ page, path, risk, day }) => {
    for (const address of [`${path}/compare?from=${day}`, `${risk}/revisions`]) {
      for (const [width, isOpen] of [
        [390, false],
        [1280, true],
      ] as const) {
        await page.setViewportSize({ width, height: HEIGHT });
        await page.goto(address);
        const field = page.getByLabel('Until');
        const summary = page.getByText('Change the moments');
        assert.equal([await field.isVisible(), await summary.isVisible()], [isOpen, !isOpen], `${address} at ${width}`);
        if (isOpen) continue;
        await summary.click();
        assert.ok(await field.isVisible());
      }
    }
  });

  test('the controls of the time bar stand at the same place at each moment', async ({ page, path, day }) => {
    await page.setViewportSize({ width: 1280, height: 800 });
    const places: unknown[] = [];
    for (const address of [path, `${path}/risks`, `${path}/risks?as_of=${day}`]) {
      await page.goto(address);
      const { x, width } = (await page.locator('#time-day').boundingBox())!;
      const links = await page.locator('.time-links').boundingBox();
      places.push([x, width, links!.height]);
    }
    assert.equal(places, [places[0], places[0], places[0]]);
  });

  test('no page is wider than its window, whatever its moment', async ({ page, path, risk, day }) => {
    for (const width of [1280, 1024, 900, 768, 390]) {
      await page.setViewportSize({ width, height: HEIGHT });
      for (const address of [path, `${path}/risks?as_of=${day}T23:00:00Z`, `${risk}?as_of=2`, `${path}/controls`]) {
        await page.goto(address);
        assert.is(await page.evaluate(() => document.documentElement.scrollWidth), width, `${address} at ${width}`);
      }
    }
  });

  test('shows content on the first screen at 400 % zoom, and nothing beside it', async ({ page, path, risk, day }) => {
    await page.setViewportSize(ZOOMED);
    const past = `${path}/risks?as_of=${day}`;
    for (const address of [
      path,
      `${path}/risks`,
      past,
      risk,
      `${path}/members`,
      `${path}/changes`,
      '/settings/account',
    ]) {
      await page.goto(address);
      const { scrollWidth, bottom } = await page.evaluate(() => ({
        scrollWidth: document.documentElement.scrollWidth,
        bottom: document.querySelector('h1')!.getBoundingClientRect().bottom,
      }));
      assert.is(scrollWidth, ZOOMED.width, address);
      assert.ok(bottom < ZOOMED.height, `${address}: the title ends at ${bottom}`);
    }
  });

  test('the heading of a long table stays below the bar', async ({ page, path }) => {
    await page.setViewportSize({ width: 1280, height: 600 });
    await page.goto(`${path}/risks`);
    await page.getByRole('link', { name: 'Flood 20', exact: true }).focus();
    await page.mouse.wheel(0, 700);
    const gap = () =>
      page.evaluate(() => {
        const [bar, head] = ['.bar', 'thead th'].map((part) => document.querySelector(part)!.getBoundingClientRect());
        return scrollY > 300 ? head!.top - bar!.bottom : null;
      });
    await until(async () => Math.abs((await gap()) ?? 99) <= 1);
  });

  test('reports are accessible, and reflow at 320 px', async ({ page, path }) => {
    for (const report of ['posture', 'risk-register', 'due-items']) {
      const address = `/api/v1${path}/reports/${report}?format=html`;
      const html = await (await page.context().request.get(address)).text();
      // At its own address, its policy lets no script run, so axe can't.
      await page.goto('about:blank');
      await page.setContent(html);
      assert.equal(await accessibilityFaults(page), [], report);
      await page.setViewportSize(ZOOMED);
      assert.is(await page.evaluate(() => document.documentElement.scrollWidth), ZOOMED.width, report);
    }
  });

  test('the time bar is a slider without other controls in it, and a refused moment’s link is large enough', async (context) => {
    const { page, path } = context;
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto(path);
    await page.getByRole('slider', { name: 'Moment shown' }).waitFor();
    assert.equal(await accessibilityFaults(page), []);
    await page.goto(`${path}/risks?as_of=someday`);
    assert.equal(await accessibilityFaults(page), []);
  });

  test('paper has the organization, the moment and the date, and no empty cards', async ({ page, path, day }) => {
    await page.emulateMedia({ media: 'print' });
    await page.goto(path);
    const paper = page.locator('.paper');
    assert.match(await paper.innerText(), / · Today, \d+ \w+ \d{4}$/);
    for (const text of ['Connect an assistant', 'Menu'])
      assert.not(await page.getByText(text).first().isVisible(), text);
    await page.goto(`${path}/risks`);
    assert.ok(await page.locator('main [data-row]').first().isVisible(), 'a list with boxes is printed');
    assert.not(await page.locator('main [name=ids]').first().isVisible(), 'without its boxes');
    for (const [address, text] of [
      [`${path}/needs-you?owner=all`, 'Next step'],
      [`${path}/changes`, /^Undo( all \d+)?$/],
    ] as const) {
      await page.goto(address);
      const act = page.locator('main').getByText(text).first();
      assert.not(await act.isVisible(), `${text}`);
      await page.emulateMedia({ media: 'screen' });
      assert.ok(await act.isVisible(), `${text}`);
      await page.emulateMedia({ media: 'print' });
    }
    await page.goto(`${path}/risks?as_of=${day}`);
    assert.match(await paper.innerText(), / · \d+ \w+ \d{4} · printed on \d+ \w+ \d{4}$/);
    await page.emulateMedia({ media: 'screen' });
    assert.not(await paper.isVisible());
  });

  test.run();
}
