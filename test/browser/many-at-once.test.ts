/** Many records at once in Chromium: choosing rows, the bar, the preview, and handing over what is due. */
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { closeBrowsers, openWindow, startBrowser, type Window } from '../support/web/browser.ts';
import { checkPage } from '../support/web/check-page.ts';
import { OWNER, startWeb, type WebTest } from '../support/web/web.ts';

const PRIYA = { name: 'Priya Raman', email: 'priya@example.org', password: 'raises a likelihood 7' };

const browser = await startBrowser();
if (browser) run(browser);

function run(browser: Browser): void {
  const test = suite<{ web: WebTest; windows: Window[]; base: string }>('many at once in Chromium');

  test.before(async (context) => {
    const web = await startWeb('http://localhost:0');
    await web.setUpOwner();
    await web.invite(PRIYA, 'EDITOR');
    Object.assign(context, { web, windows: [], base: `/organizations/${web.organizationId}` });
    for (let number = 1; number <= 12; number += 1) {
      const due = { next_review_due: '2024-01-31', owner_id: 'ME' };
      await web.call('addRisk', { organization_id: web.organizationId, name: `Risk ${number}`, ...due });
    }
  });
  test.after(async ({ web, windows }) => {
    for (const { complaints, close } of windows) {
      await close();
      assert.equal(complaints, []);
    }
    await web.stop();
    await closeBrowsers();
  });

  async function sitDown(
    { web, windows }: { web: WebTest; windows: Window[] },
    options: BrowserContextOptions = {},
  ): Promise<Page> {
    const window = await openWindow(browser, web.baseUrl, options);
    windows.push(window);
    const { page } = window;
    await page.goto('/sign-in');
    await page.fill('[name=email]', OWNER.email);
    await page.fill('[name=password]', OWNER.password);
    await page.locator('main').getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL((url) => !url.pathname.startsWith('/sign-in'));
    return page;
  }

  async function countOwned({ web }: { web: WebTest }, name: string): Promise<number> {
    const filter = { owner_id: [name] };
    const input = { organization_id: web.organizationId, filter, view: 'COUNT' };
    return (await web.call<{ total: number }>('listRisks', input)).total;
  }

  test('twelve risks get another owner in at most six clicks', async (context) => {
    const page = await sitDown(context);
    let clicks = 0;
    const click = async (locator: ReturnType<Page['locator']>) => {
      clicks += 1;
      await locator.click();
    };
    await page.goto(`${context.base}/risks`);
    assert.not(await page.locator('.chosen').isVisible(), 'nothing is chosen yet');
    await click(page.getByLabel('All 12'));
    assert.is((await page.locator('[data-chosen]').innerText()).trim(), 'All chosen');
    await click(page.getByRole('button', { name: 'Owner', exact: true }));
    await page.locator('select[name=owner_id]').selectOption({ label: 'Priya Raman' });
    await page.fill('[name=reason]', 'She runs the laboratory now');
    await click(page.getByRole('button', { name: 'Show what changes' }));
    assert.is(await page.getByText('Ada Byron').locator('xpath=self::del').count(), 12);
    await click(page.getByRole('button', { name: 'Change owner: 12 records' }));
    await page.waitForURL(/\/risks$/);
    assert.match(await page.locator('.notice[role=status]').innerText(), 'Done: Change owner · 12 records.');
    assert.ok(clicks + 1 <= 6, `${clicks} clicks and one choice`);
    assert.is(await countOwned(context, PRIYA.name), 12);
  });

  test('the bar counts the chosen rows, and works without script', async (context) => {
    const page = await sitDown(context);
    await page.goto(`${context.base}/risks`);
    await page.getByRole('checkbox', { name: 'Choose Risk 3', exact: true }).check();
    await page.getByRole('checkbox', { name: 'Choose Risk 4', exact: true }).check();
    assert.is((await page.locator('[data-chosen]').innerText()).trim(), '2 chosen');
    await page.getByRole('checkbox', { name: 'Choose Risk 4', exact: true }).uncheck();
    assert.is((await page.locator('[data-chosen]').innerText()).trim(), '1 chosen');
    const plain = await sitDown(context, { javaScriptEnabled: false });
    await plain.goto(`${context.base}/risks`);
    await plain.getByRole('checkbox', { name: 'Choose Risk 3', exact: true }).check();
    await plain.getByRole('button', { name: 'Due', exact: true }).click();
    await plain.fill('[name=next_review_due]', '2031-01-31');
    await plain.getByRole('button', { name: 'Show what changes' }).click();
    await plain.getByRole('button', { name: 'Change dates: 1 record' }).click();
    await plain.waitForURL(/\/risks$/);
    assert.match(await plain.locator('tr', { hasText: 'Risk 3' }).innerText(), '31 Jan 2031');
  });

  test('Needs you is filtered, sorted and handed over', async (context) => {
    const page = await sitDown(context);
    await page.goto(`${context.base}/needs-you?owner=all`);
    await page.locator('summary', { hasText: 'Kind' }).click();
    await page.getByLabel('Risk reviews').check();
    await page.getByRole('button', { name: 'Apply' }).first().click();
    await page.waitForURL(/kind=RISK_REVIEW/);
    await page.getByRole('link', { name: 'Record', exact: true }).click();
    await page.waitForURL(/order_by=record/);
    const rows = page.locator('main [data-row]');
    assert.is(await rows.first().innerText(), 'Risk 1');
    await page.getByRole('checkbox', { name: 'Choose Risk 1', exact: true }).check();
    await page.getByRole('checkbox', { name: 'Choose Risk 2', exact: true }).check();
    await page.getByRole('button', { name: 'Hand over' }).click();
    await page.locator('select[name=owner_id]').selectOption({ label: 'Ada Byron (you)' });
    await page.getByRole('button', { name: 'Show what changes' }).click();
    await page.getByRole('button', { name: 'Hand over: 2 records' }).click();
    await page.waitForURL(/needs-you\?kind=RISK_REVIEW&owner=all&order_by=record/);
    assert.is(await countOwned(context, OWNER.name), 2);
  });

  test('lists with chosen rows, Needs you and the form pass the checks of accessibility', async (context) => {
    const page = await sitDown(context);
    for (const [name, path] of [
      ['many-list', '/risks'],
      ['needs-you', '/needs-you?owner=all&kind=RISK_REVIEW&kind=MEASURE&kind=VENDOR_REVIEW'],
    ] as const) {
      await page.goto(context.base + path);
      await page.locator('[name=ids]').first().check();
      assert.equal(await checkPage(page, name), [], name);
    }
    await page.goto(`${context.base}/risks/many?act=owner&all=true`);
    assert.equal(await checkPage(page, 'many-form'), []);
    await page.locator('select[name=owner_id]').selectOption({ index: 1 });
    await page.getByRole('button', { name: 'Show what changes' }).click();
    assert.equal(await checkPage(page, 'many-mistakes'), []);
    await page.fill('[name=reason]', 'Because');
    await page.getByRole('button', { name: 'Show what changes' }).click();
    assert.equal(await checkPage(page, 'many-preview'), []);
  });

  test.run();
}
