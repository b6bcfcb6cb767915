/** Stories of the demo's people, who find their answers in the pages of one started service. Most count their clicks. */
import type { Browser, Locator, Page } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { until } from '../run/wait.ts';
import { type Service, startService } from '../service.ts';
import { closeBrowsers, openWindow, type Window } from './browser.ts';
import { checkPage } from './check-page.ts';

const SEAL_TIMEOUT_MS = 90_000;
const DAY_MS = 86_400_000;

/** A person of the demo in front of a window. */
class Visitor {
  clicks = 0;

  constructor(readonly window: Window) {}

  get page(): Page {
    return this.window.page;
  }

  get main(): Locator {
    return this.page.locator('main');
  }

  async click(target: Locator): Promise<void> {
    this.clicks += 1;
    await target.click();
  }

  /** Clicks a link and waits for its page. */
  async follow(link: Locator): Promise<void> {
    const before = this.page.url();
    await this.click(link);
    await this.page.waitForURL((url) => url.href !== before);
  }

  rail(name: string): Locator {
    return this.page.getByRole('navigation', { name: 'Fjordlys Diagnostics' }).getByRole('link', { name });
  }
}

/** Empty stores for the service of the stories. */
export interface StoryStores {
  name: string;
  /** The service's settings. */
  env: Record<string, string>;
  /** The longest wait for a page. */
  pageTimeoutMs: number;
  /** Called after the service has stopped. */
  close(): Promise<void>;
}

/** Runs the stories on a service that fills these stores. */
export function runDemoStories(browser: Browser, stores: StoryStores): void {
  const test = suite<{ service: Service; windows: Window[] }>(`stories in Chromium: ${stores.name}`);

  test.before(async (context) => {
    context.service = await startService(stores.env, ['--demo']);
    context.windows = [];
    const { page } = await visit(context, 'Ingrid');
    const isSealed = async () => (await (await page.request.get(page.url())).text()).includes('Last sealed ');
    await until(isSealed, SEAL_TIMEOUT_MS, 'the demo is sealed');
  });
  test.after.each(async ({ windows }) => {
    for (const { complaints, close } of windows.splice(0)) {
      await close();
      assert.equal(complaints, []);
    }
  });
  test.after(async ({ service }) => {
    await closeBrowsers();
    await service.stop();
    await stores.close();
  });

  /** Opens the printed link in a new window. */
  async function openLink({ service, windows }: { service: Service; windows: Window[] }): Promise<Window> {
    const window = await openWindow(browser, service.url);
    windows.push(window);
    window.page.context().setDefaultTimeout(stores.pageTimeoutMs);
    await window.page.goto(/\/demo\?key=[\w-]+/.exec(service.output())![0]);
    return window;
  }

  /** Opens the printed link and chooses a person. Returns them on Home. */
  async function visit(context: { service: Service; windows: Window[] }, name: string): Promise<Visitor> {
    const window = await openLink(context);
    await window.page.getByRole('button', { name: `Look around as ${name}` }).click();
    await window.page.waitForURL(/\/organizations\/org_\w+$/);
    return new Visitor(window);
  }

  /** Presses Check with the network cut. */
  async function checkOffline(visitor: Visitor): Promise<void> {
    const { page } = visitor;
    const button = page.getByRole('button', { name: 'Check in this browser' });
    await button.waitFor();
    await page.context().setOffline(true);
    await visitor.click(button);
    assert.is(await page.locator('[data-outcome]').getAttribute('data-result'), 'SEALED');
  }

  test('the printed link leads to the people, and each of their pages back to it', async (context) => {
    const { page } = await openLink(context);
    assert.equal(await checkPage(page, 'demo'), []);
    await page.getByRole('button', { name: 'Look around as Astrid' }).click();
    await page.getByText('You look as Astrid Lund.').waitFor();
    assert.equal(await checkPage(page, 'demo-home'), []);
    await page.getByRole('link', { name: 'Look as somebody else' }).click();
    await page.getByRole('button', { name: 'Look around as Priya' }).click();
    await page.getByText('You look as Priya Raman.').waitFor();
  });

  test('the first minute: the audit, what changed since, the check, and a forgery', async (context) => {
    const visitor = await visit(context, 'Ingrid');
    const { page, main } = visitor;
    await main.getByRole('heading', { name: 'See how you stood at your certification audit' }).waitFor();
    await visitor.follow(main.getByRole('link', { name: /^Go to \d/ }));
    assert.match(
      await page.getByRole('status').first().innerText(),
      /^You are viewing .* as completed\. \d+ changes since/,
    );
    assert.is(await page.evaluate("getComputedStyle(document.querySelector('.past')).borderLeftWidth"), '4px');
    await visitor.follow(main.getByRole('link', { name: 'See what changed since' }));
    assert.match(
      await main.locator('.lead').innerText(),
      /^Worse: overdue 0 → \d+; controls without a working measure 2 → \d+; open findings 3 → \d+; vendors past review \d+ → \d+; 22 controls lost their full implementation/,
    );
    await visitor.follow(main.getByRole('link', { name: 'Check the newest of these changes' }));
    assert.match(await main.innerText(), /Made-up history\. The check is real, the dates are not\./);
    await checkOffline(visitor);
    const copy = page.getByLabel('Now try to cheat: change one letter of this copy');
    await copy.fill((await copy.inputValue()).replace('Three offers', 'Thrée offers'));
    assert.is(await page.locator('[data-cheat-outcome]').getAttribute('data-result'), 'MISMATCH');
    assert.is(visitor.clicks, 4);
  });

  test('the sampling auditor follows a control to its finding, checks the closure, and has the pack', async (context) => {
    const visitor = await visit(context, 'Tomasz');
    const { page, main } = visitor;
    await visitor.follow(main.getByRole('link', { name: 'Certification audit', exact: true }));
    await visitor.follow(main.getByRole('link', { name: /^Audit pack/ }));
    const download = page.waitForEvent('download');
    await visitor.click(main.getByRole('link', { name: 'JSON', exact: true }));
    const pack = await readText(await (await download).createReadStream());
    assert.ok(
      pack.includes((await main.locator('.digest > code').textContent())!),
      'the pack has the digest of its page',
    );

    await visitor.click(main.locator('summary', { hasText: /^A\.8/ }));
    await visitor.follow(main.getByRole('link', { name: /^A\.8\.13/ }));
    assert.match(await page.getByRole('status').first().innerText(), /Certification audit, as completed/);
    assert.match(await main.innerText(), /Covered: M-08 is implemented\./);
    const section = (name: string) => main.getByRole('region', { name }).innerText();
    assert.match(await section('Measures'), /M-08 Off-site backups.*Implemented/s);
    assert.match(await section('Evidence'), /First restore test\s+valid until/);
    assert.match(await section('Findings'), /NC-01: .*Open/s);

    await visitor.follow(main.getByRole('link', { name: /^NC-01/ }).first());
    await visitor.follow(page.getByRole('link', { name: 'Back to today' }));
    assert.match(await main.getByRole('banner').or(main.locator('header')).innerText(), /Closed/);
    const closure = main.locator('.timeline > li', { hasText: 'The last three tests have a completed form.' });
    assert.match(await closure.innerText(), / · Ingrid Solheim/);
    await visitor.follow(closure.getByRole('link', { name: /^Change \d+$/ }));
    await checkOffline(visitor);
    assert.ok(visitor.clicks <= 9, `${visitor.clicks} clicks`);
  });

  test('the Monday officer reaches the reason of the worst risk, and shares its address', async (context) => {
    const visitor = await visit(context, 'Ingrid');
    const { page, main } = visitor;
    await visitor.follow(visitor.rail('Needs you'));
    const scores = (await main.locator('.score').allInnerTexts()).map(Number);
    const worst = main.locator('tr', { has: page.locator('.score') }).nth(scores.indexOf(Math.max(...scores)));
    await visitor.follow(worst.getByRole('rowheader').getByRole('link'));
    const change = main.locator('.timeline > li', { hasText: 'Exercise: 17 of 94 clicked' });
    assert.match(await change.innerText(), /^Residual likelihood 2 → 3/);
    const recordedAt = await change.locator('time').first().getAttribute('datetime');
    assert.is(daysSince(recordedAt!), 30);
    assert.ok(visitor.clicks <= 3, `${visitor.clicks} clicks to the reason`);

    const colleague = await visit(context, 'Mateo');
    await visitor.click(change.locator('summary'));
    await visitor.follow(change.getByRole('link', { name: 'Link to this change' }));
    await colleague.page.goto(page.url());
    const highlighted = ({ main }: Visitor) => main.locator('li[aria-current]').innerText();
    assert.match(await highlighted(visitor), /17 of 94/);
    assert.is(await highlighted(colleague), await highlighted(visitor));

    await visitor.follow(change.getByRole('link', { name: 'before and after' }));
    assert.match(await main.getByRole('row', { name: /^Residual likelihood/ }).innerText(), /2\s+3/);
    await page.goBack();
    await visitor.follow(change.getByRole('link', { name: 'the register before this change' }));
    await colleague.page.goto(page.url());
    const moment = ({ page }: Visitor) => page.getByRole('status').first().innerText();
    assert.match(await moment(visitor), /^You are viewing/);
    assert.is(await moment(colleague), await moment(visitor));
  });

  test('the director sees where they stand, what moved and why, and has it on paper', async (context) => {
    const visitor = await visit(context, 'Astrid');
    const { page, main } = visitor;
    const overdue = await main.getByRole('link', { name: 'Overdue' }).innerText();
    const [, difference] = /\+(\d+) since .*\d{4}/.exec(overdue)!;
    await visitor.follow(main.getByRole('link', { name: 'This quarter so far' }));
    assert.match(await main.locator('.lead').innerText(), /^Worse: overdue \d+ → \d+/);
    const figures = main.getByRole('table', { name: 'Figures' });
    assert.match(await figures.getByRole('row', { name: /^Overdue/ }).innerText(), new RegExp(`▲ ${difference} worse`));
    const critical = figures
      .getByRole('row', { name: /^Risks scored 15 or more/ })
      .locator('li', { hasText: 'phishing' });
    await visitor.follow(critical.getByRole('link', { name: /phishing/ }));
    assert.match(await main.getByRole('region', { name: 'History' }).innerText(), /17 of 94 clicked/);
    assert.is(visitor.clicks, 2, 'to the reason');
    await visitor.follow(visitor.rail('Home'));
    await visitor.follow(main.getByRole('link', { name: 'Board report, to print' }));
    assert.match(await page.locator('body').innerText(), /Posture/);
    assert.is(visitor.clicks, 4, 'with the way back to Home');
  });

  test('the board sees a quarter against the last, each difference with exactly its records', async (context) => {
    const visitor = await visit(context, 'Astrid');
    const { page, main } = visitor;
    await visitor.follow(visitor.rail('Changes'));
    await visitor.follow(main.getByRole('link', { name: 'Compare two moments' }));
    await visitor.follow(main.getByRole('link', { name: /^Q\d \d{4} against the quarter before/ }).first());
    assert.is(visitor.clicks, 3);
    assert.match(await main.locator('.lead').innerText(), /^Worse: .*\n+Better: /);
    const digest = (await main.locator('.digest > code').textContent())!;
    const figures = main.getByRole('table', { name: 'Figures' }).locator('tbody tr');
    assert.ok((await figures.count()) > 5);
    let links = 0;
    for (const figure of await figures.all()) {
      const [before, after] = (await figure.locator('td').allInnerTexts()).slice(0, 2).map(Number);
      // Coverage is a share, which no records add up to.
      if (Number.isNaN(before)) continue;
      let sum = 0;
      for (const link of await figure.getByRole('link', { name: /^[+−]\d/ }).all()) {
        const [, sign, count] = /^([+−])(\d+)/.exec(await link.innerText())!;
        assert.is(await countRecords(page, await link.getAttribute('href')), Number(count), await figure.innerText());
        sum += sign === '−' ? -Number(count) : Number(count);
        links += 1;
      }
      assert.is(after! - before!, sum, await figure.innerText());
    }
    assert.ok(links > 3, `${links} links`);
    await visitor.follow(figures.getByRole('link').first());
    assert.ok((await main.getByRole('rowheader').count()) > 0);
    await page.goBack();
    await visitor.follow(main.getByRole('link', { name: 'as a report' }));
    assert.ok(
      (await page.locator('body').innerText()).includes(digest),
      'the report CHANGES_BETWEEN has the same digest',
    );
  });

  test('the menu of moments fits a phone, and dates keep their distance', async (context) => {
    const { page, main } = await visit(context, 'Ingrid');
    await page.setViewportSize({ width: 360, height: 780 });
    await page.goto(`${page.url()}/vendors?contract_until_before=2099-12-31`);
    assert.match(await main.locator('.set').innerText(), /^Contract ends before 31 Dec 2099/);
    await page.locator('.moment > summary').click();
    await page.getByText('At an audit').click();
    const link = page.locator('.moment .menu').getByRole('link', { name: 'Certification audit' });
    const { x, width, height } = (await link.boundingBox())!;
    assert.ok(x >= 0 && x + width <= 360 && height < 50, `${x} ${width} ${height}`);
  });

  test('no column of the risk register is hidden at 1000 px, and the report leads back', async (context) => {
    const { page } = await visit(context, 'Ingrid');
    const report = `/api/v1${new URL(page.url()).pathname}/reports/risk-register?format=html`;
    const html = await (await page.request.get(report)).text();
    await page.goto(report);
    await page.getByRole('link', { name: 'Back to the register' }).click();
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    // The service's page is in a sandbox, where no script can measure.
    await page.goto('about:blank');
    await page.setViewportSize({ width: 1000, height: 900 });
    await page.setContent(html);
    const hidden = await page
      .locator('.scroll')
      .evaluateAll((boxes) => boxes.map(({ clientWidth, scrollWidth }) => scrollWidth - clientWidth));
    assert.ok(hidden.length > 3 && hidden.every((width) => width <= 0), String(hidden));
  });

  test.run();
}

/** Returns the number of records that a list's page shows. */
async function countRecords(page: Page, address: string | null): Promise<number> {
  const html = await (await page.request.get(address!)).text();
  return html.match(/<th scope="row"/g)?.length ?? 0;
}

async function readText(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

/** Returns the days between the dates of a time and now, in UTC. */
function daysSince(time: string): number {
  const dayOf = (date: Date) => Math.floor(date.getTime() / DAY_MS);
  return dayOf(new Date()) - dayOf(new Date(time));
}
