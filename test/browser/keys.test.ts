/** The palette, the keys, the time bar and times in the reader’s zone, in Chromium. */
import type { Browser, Page } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { closeBrowsers, openWindow, startBrowser, type Window } from '../support/web/browser.ts';
import { checkPage } from '../support/web/check-page.ts';
import { OWNER, startWeb, type WebTest } from '../support/web/web.ts';

const RISKS = 20;

interface Context {
  web: WebTest;
  window: Window;
  page: Page;
  risks: string;
}

const browser = await startBrowser();
if (browser) run(browser);

function run(browser: Browser): void {
  const test = suite<Context>('keys in Chromium');

  test.before(async (context) => {
    const web = await startWeb('http://localhost:0');
    await web.setUpOwner();
    const organization_id = web.organizationId;
    const rows = Array.from({ length: RISKS }, (_, index) => ({ reference_id: `R-${index}`, name: `Flood ${index}` }));
    await web.call('importRecords', { organization_id, type: 'RISK', rows });
    const window = await openWindow(browser, web.baseUrl, { timezoneId: 'Asia/Kolkata' });
    const { page } = window;
    await page.goto('/sign-in');
    await page.fill('[name=email]', OWNER.email);
    await page.fill('[name=password]', OWNER.password);
    await page.click('main button[type=submit]');
    Object.assign(context, { web, window, page, risks: `/organizations/${organization_id}/risks` });
  });
  test.after.each(({ window }) => assert.equal(window.complaints.splice(0), []));
  test.after(async ({ web }) => {
    await closeBrowsers();
    await web.stop();
  });

  const focused = (page: Page) => page.locator(':focus');

  test('finds a record by its number, by the keyboard alone, and gives the focus back', async ({ page, risks }) => {
    await page.goto(risks);
    await page.getByRole('link', { name: 'Flood 3', exact: true }).focus();
    const before = await focused(page).textContent();
    await page.keyboard.press('Control+k');
    const field = page.getByRole('combobox');
    await page.getByRole('option', { name: 'Home' }).waitFor();
    assert.equal(await checkPage(page, 'palette'), []);
    await page.keyboard.press('Escape');
    assert.is(await focused(page).textContent(), before);
    await page.keyboard.press('Control+k');
    await field.fill('flood');
    await page.getByRole('option', { name: 'All risks that match' }).waitFor();
    assert.is(await field.getAttribute('aria-activedescendant'), 'option-0');
    await page.keyboard.press('ArrowUp');
    const active = await field.getAttribute('aria-activedescendant');
    assert.match((await page.locator(`#${active}`).textContent())!, 'All risks that match');
    await field.fill('zzzz');
    await page.getByText('Nothing matches “zzzz”.').waitFor();
    await page.getByRole('option', { name: 'All changes' }).waitFor();
    assert.is(await field.getAttribute('aria-activedescendant'), '', 'Enter opens no next step');
    await field.fill('r-17');
    await page.getByRole('option', { name: 'R-17 Flood 17', selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'R-17 Flood 17' }).waitFor();
  });

  test('moves through rows, goes to the search, and lists the keys', async ({ page, risks }) => {
    await page.goto(`${risks}?order_by=name`);
    for (const key of ['j', 'j', 'k']) await page.keyboard.press(key);
    assert.is((await focused(page).textContent())?.trim(), 'Flood 0');
    await page.keyboard.press('/');
    await page.keyboard.type('j?');
    assert.is(await focused(page).inputValue(), 'j?');
    await page.locator('h1').click();
    await page.keyboard.press('?');
    const keys = page.getByRole('dialog', { name: 'Keys' });
    await keys.getByRole('checkbox').uncheck();
    assert.equal(await checkPage(page, 'keys'), []);
    await keys.getByRole('button', { name: 'Close' }).click();
    await page.reload();
    for (const key of ['j', '?']) await page.keyboard.press(key);
    assert.is(await focused(page).count(), 0);
    assert.is(await page.getByRole('dialog').count(), 0);
    await page.evaluate('localStorage.clear()');
  });

  test('steps through changes by the arrow keys, and goes where the bar is released', async ({ page, risks, web }) => {
    const newest = web.reader.snapshot().newestPosition(web.organizationId);
    await page.goto(`${risks}?order_by=name`);
    const bar = page.getByRole('slider', { name: 'Moment shown' });
    await bar.focus();
    for (const position of [newest - 1, newest - 2]) {
      await page.keyboard.press('ArrowLeft');
      await page.waitForURL(`**${risks}?order_by=name&as_of=${position}`);
      await page.locator('#time-bar :focus').waitFor();
    }
    await page.keyboard.press('ArrowRight');
    await page.waitForURL(`**as_of=${newest - 1}`);
    const { x, y, width } = (await bar.boundingBox())!;
    await page.mouse.move(x + 5, y + 5);
    await page.mouse.down();
    await page.mouse.move(x + width / 2, y + 5);
    assert.match((await page.locator('#time-bar output').textContent())!, /^\d+ \w+ \d{4}$/);
    await page.mouse.up();
    await page.waitForURL(new RegExp(`${risks}\\?order_by=name&as_of=\\d{4}-\\d\\d-\\d\\d$`));
    const field = page.locator('#time-day');
    const messageAt = async (day: string) => {
      await field.fill(day);
      return field.evaluate((input: HTMLInputElement) => input.validationMessage);
    };
    assert.match(await messageAt('2000-01-01'), /^The history begins on \S.*\d{4}\.$/);
    assert.is(await messageAt((await field.getAttribute('min'))!), '');
  });

  test('chooses a day and names it in the zone of the reader, in the title too', async ({ page, risks }) => {
    await page.goto(risks);
    const field = page.locator('#as_of');
    await page.locator('details.moment > summary').click();
    assert.match((await page.locator('label[for=as_of]').textContent())!, /in Asia\/(Kolkata|Calcutta)$/);
    await field.fill('2026-01-15');
    await Promise.all([page.waitForURL(/as_of=/), field.press('Enter')]);
    assert.is(new URL(page.url()).searchParams.get('as_of'), '2026-01-15T18:29:59.999Z', 'the end of the day in India');
    assert.match(await page.title(), /^(?!.*UTC).*15.*2026.*(IST|GMT\+5:30)/);
    assert.is(await page.locator('#as_of').inputValue(), '2026-01-15');
  });

  test('shows times in the zone of the reader, and UTC on hover', async ({ page, risks }) => {
    await page.goto(risks);
    await page.getByRole('link', { name: 'Flood 3', exact: true }).click();
    const time = page.locator('.timeline small time').first();
    const [title, text] = [(await time.getAttribute('title'))!, (await time.textContent())!];
    const local = new Date(Date.parse(title) + 5.5 * 3_600_000).toISOString();
    assert.match(text, new RegExp(`, ${local.slice(11, 16)} (IST|GMT\\+5:30)$`));
  });

  test('has one clock: the slider, options and changes are in the reader’s zone', async ({ page, risks, web }) => {
    const { organizationId: organization_id } = web;
    const newest = web.reader.snapshot().newestPosition(organization_id);
    await page.goto(`${risks}?as_of=${newest - 1}`);
    const shown = await page.locator('.then time').textContent();
    assert.match(shown!, /GMT\+5:30$/);
    const bar = page.getByRole('slider', { name: 'Moment shown' });
    assert.is(await bar.getAttribute('aria-valuetext'), shown);
    await page.goto(`${risks}?as_of=2024-02-03`);
    const before = await page.locator('.then time').textContent();
    assert.is(await bar.getAttribute('aria-valuetext'), before);
    await page.goto(risks);
    assert.is(await bar.getAttribute('aria-valuetext'), 'Today');
    const { risk } = await web.call<{ risk: { id: string } }>('addRisk', { organization_id, name: 'Fire' });
    await web.call('updateRisk', { organization_id, id: risk.id, name: 'Great fire' });
    await page.goto(`${risks}/${risk.id}/revisions?to=${newest + 2}`);
    const option = await page.locator('select[name=to] option:checked').textContent();
    const heading = await page.locator('thead th').last().locator('time').textContent();
    assert.ok(option!.includes(heading!), `${option} has the time ${heading}`);
    await page.goto(`/organizations/${organization_id}/changes`);
    assert.not.match((await page.locator('main').textContent())!, /\d{4}-\d\d-\d\d \d\d:\d\d|UTC/);
  });

  test.run();
}
