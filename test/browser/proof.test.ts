/** The sampling auditor's check: a change is proved in the browser, without a network, and every forgery is named. */
import type { Browser, Page } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { exportLines } from '../../src/queries/files/export-lines.ts';
import { withLog, withReadModels } from '../support/trail/tamper.ts';
import { alterChangeSql } from '../support/trail/verify-changes.ts';
import { closeBrowsers, openWindow, startBrowser, type Window } from '../support/web/browser.ts';
import { checkPage } from '../support/web/check-page.ts';
import { OWNER, startWeb, type WebTest } from '../support/web/web.ts';

interface Context {
  web: WebTest;
  window: Window;
  page: Page;
  /** The position and the event id of a review, and the address of its proof. */
  review: { position: number; id: string; address: string };
}

const REASON = 'Exercise: 17 of 94 clicked';

const browser = await startBrowser();
if (browser) run(browser);

function run(browser: Browser): void {
  const test = suite<Context>('a proof in Chromium');

  test.before(async (context) => {
    const web = await startWeb('http://localhost:0');
    await web.setUpOwner();
    const organization_id = web.organizationId;
    const { risk } = await web.call<{ risk: { id: string } }>('addRisk', {
      organization_id,
      name: 'Phishing mail',
      residual_likelihood: 2,
      residual_impact: 4,
    });
    await web.call('updateRisk', { organization_id, id: risk.id, residual_likelihood: 3, reason: REASON });
    const collected_at = '2026-02-03T12:00:00.000Z';
    const evidence = { name: 'Log', text: 'a\r\nb', collected_at, record_ids: [risk.id] };
    await web.call('addEvidence', { organization_id, ...evidence });
    await web.seal();
    type Changes = { changes: { position: string; event_id: string }[] };
    const { changes } = await web.call<Changes>('listChanges', {
      organization_id,
      filter: { record_id: [risk.id], event_types: ['RiskAssessed'] },
      verify: true,
    });
    const [{ position, event_id: id }] = changes as [Changes['changes'][number]];
    const window = await openWindow(browser, web.baseUrl);
    const { page } = window;
    await page.goto('/sign-in');
    await page.fill('[name=email]', OWNER.email);
    await page.fill('[name=password]', OWNER.password);
    await page.click('main button[type=submit]');
    const address = `/organizations/${organization_id}/changes/${position}`;
    Object.assign(context, { web, window, page, review: { position: Number(position), id, address } });
  });
  test.after.each(({ window }) => assert.equal(window.complaints.splice(0), []));
  test.after(async ({ web }) => {
    await closeBrowsers();
    await web.stop();
  });

  const outcome = (page: Page) => page.locator('[data-outcome]');
  const button = (page: Page) => page.getByRole('button', { name: 'Check in this browser' });

  /** Opens the panel, presses the button, and returns the result with its text. */
  async function check({ page, review }: Context): Promise<[result: string | null, text: string | null]> {
    await page.goto(review.address);
    await button(page).click();
    return [await outcome(page).getAttribute('data-result'), await outcome(page).textContent()];
  }

  test('checks a sealed change with the network cut, then finds one altered letter', async (context) => {
    const { page, review } = context;
    await page.goto(review.address);
    assert.match((await page.locator('main').textContent())!, /Sealed (\w+ \d+,|\d+ \w+) \d{4}, \d\d:\d\d/);
    await button(page).waitFor();
    await page.context().setOffline(true);
    await button(page).click();
    assert.is(await outcome(page).getAttribute('data-result'), 'SEALED');
    const copy = page.getByLabel('Now try to cheat: change one letter of this copy');
    const event = await copy.inputValue();
    assert.ok(event.includes(REASON));
    await copy.fill(event.replace('17 of 94', '11 of 94'));
    assert.match((await outcome(page).textContent())!, /^The original: It matches\./);
    const cheat = page.locator('[data-cheat-outcome]');
    assert.is(await cheat.getAttribute('data-result'), 'MISMATCH');
    assert.match((await cheat.textContent())!, /altered.*RiskAssessed, place 1 \(from 0\) in its stream risk-/);
    await copy.fill(event.slice(1));
    assert.match((await cheat.textContent())!, /no longer read this copy.*RiskAssessed/);
    await page.context().setOffline(false);
    assert.equal(await checkPage(page, 'proof-after-cheating'), []);
  });

  test('finds nothing wrong with any change of this history, which pages show in words', async ({ web, page }) => {
    const newest = web.reader.snapshot().newestPosition(web.organizationId);
    for (let position = 1; position <= newest; position += 1) {
      await page.goto(`/organizations/${web.organizationId}/changes/${position}`);
      await button(page).click();
      const result = await outcome(page).getAttribute('data-result');
      assert.ok(
        ['SEALED', 'UNSEALED', 'REDACTED'].includes(result!),
        `${position}: ${await outcome(page).textContent()}`,
      );
    }
    assert.match((await outcome(page).textContent())!, /No seal covers it yet: the next seal covers it\./);
  });

  test('names a change that was altered in the read models only', async (context) => {
    const { web, review } = context;
    const sql = alterChangeSql('reason', "'Exercise: 71 of 94 clicked'", review.position);
    await withReadModels(web.identity.dataDir, [sql], async () => {
      const [result, text] = await check(context);
      assert.is(result, 'MISMATCH');
      assert.match(text!, /the reason\. \(RiskAssessed, place 1 /);
      assert.match((await context.page.locator('main').textContent())!, /! Does not match/);
    });
  });

  test('names a change whose reason was emptied in the log, and calls erased data redacted', async (context) => {
    const { web, review } = context;
    const inLog = (set: string) =>
      withLog(web.identity.dataDir, [`UPDATE events SET ${set} WHERE id = '${review.id}'`], () => check(context));
    const [result, text] = await inLog("data = json_set(data, '$.reason', '')");
    assert.equal([result, /altered.*RiskAssessed, place 1 /.test(text!)], ['MISMATCH', true]);
    const erased = await inLog("data = '{}', metadata = json_set(metadata, '$.salt', '')");
    assert.equal([erased[0], erased[1]!.startsWith('Redacted.')], ['REDACTED', true]);
  });

  test('verifies a saved proof and an export here, and sends nothing', async ({ web, page, review }) => {
    const proof = await (await page.request.get(`${review.address}/proof`)).text();
    await page.goto(`/organizations/${web.organizationId}/verify`);
    const sent: string[] = [];
    page.on('request', (request) => sent.push(request.method()));
    const verify = async (name: string, text: string): Promise<[string | null, string]> => {
      await page.setInputFiles('#file', { name, mimeType: 'application/json', buffer: Buffer.from(text) });
      const done = outcome(page).filter({ hasNotText: 'Checking' }).filter({ hasText: /./ });
      await done.waitFor();
      const answer: [string | null, string] = [await done.getAttribute('data-result'), (await done.textContent())!];
      await page.setInputFiles('#file', []);
      return answer;
    };
    assert.is((await verify('proof.json', proof))[0], 'SEALED');
    const [altered, text] = await verify('altered.json', proof.replace('17 of 94', '11 of 94'));
    assert.equal([altered, /altered.*RiskAssessed/.test(text)], ['MISMATCH', true]);
    const lines: string[] = [];
    const { events } = web.identity;
    const source = { events, organizationId: web.organizationId, installation: web.installation, now: web.now };
    for await (const batch of exportLines(source)) lines.push(...batch);
    const exported = lines.map((line) => (line.endsWith('\n') ? line : `${line}\n`)).join('');
    assert.is((await verify('export.jsonl', exported))[0], 'SEALED');
    assert.is((await verify('altered.jsonl', exported.replace('17 of 94', '11 of 94')))[0], 'MISMATCH');
    assert.match((await verify('other.pdf', '%PDF-1.7'))[1], /neither an export, a seal/);
    assert.ok(
      sent.every((method) => method === 'GET'),
      'the page loads its script and sends no file',
    );
  });

  test('a new key clears the old verdict while it is typed, and so does a file that is taken away', async (context) => {
    const { web, page, review } = context;
    const proof = await (await page.request.get(`${review.address}/proof`)).body();
    await page.goto(`/organizations/${web.organizationId}/verify`);
    const result = (value: string) => page.locator(`[data-outcome][data-result=${value}]`).filter({ hasText: /./ });
    const keys = page.getByLabel('Public keys that you trust, one a line');
    const key = await keys.inputValue();
    await page.setInputFiles('#file', { name: 'proof.json', mimeType: 'application/json', buffer: proof });
    await result('SEALED').waitFor();
    await keys.press('End');
    await keys.pressSequentially('AAAA');
    await result('UNSEALED').filter({ hasText: 'line 1: neither a PEM nor base64' }).waitFor();
    assert.is(await keys.evaluate((field) => field === document.activeElement), true, 'the field still has the focus');
    await keys.fill(key);
    await result('SEALED').waitFor();
    await page.setInputFiles('#file', []);
    assert.is(await outcome(page).textContent(), '');
  });

  test('shows the change and saves its proof without JavaScript', async ({ web, page, review }) => {
    const plain = await openWindow(browser, web.baseUrl, { javaScriptEnabled: false });
    await plain.page.context().addCookies(await page.context().cookies());
    await plain.page.goto(review.address);
    const text = (await plain.page.locator('main').textContent())!;
    assert.match(
      text,
      /This change is in the sealed history\. If somebody without the private key had altered it after/,
    );
    assert.match(text, /Without JavaScript, this browser can’t check the proof/);
    assert.not.ok(await button(plain.page).isVisible());
    const proof = await page.request.get(`${review.address}/proof`);
    assert.is((await proof.json()).format, 'veritrail-change-proof-1');
    assert.is(proof.headers()['cache-control'], 'no-store');
    await plain.close();
  });

  test.run();
}
