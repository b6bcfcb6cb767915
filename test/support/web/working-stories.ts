/** People who work in the browser alone: the stories of an officer, of a review, of two people, without script and by keys. */
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { reportChoices } from '../../../src/reports/report-choices.ts';
import type { Pair } from '../stores/pairs.ts';
import { closeBrowsers, openWindow, type Window } from './browser.ts';
import { checkPage } from './check-page.ts';
import { OWNER, startWeb, type TestBrowser, type WebTest } from './web.ts';

const PRIYA = { name: 'Priya Raman', email: 'priya@example.org', password: 'raises a likelihood 7' };

/** The clicks and fields of an officer's day with ten tasks. */
const MAX_ACTIONS_OF_A_DAY = 60;

/** A person in front of a window. Each click, and each field that is filled in, counts as one action. */
class Worker {
  actions = 0;
  clicks = 0;

  constructor(
    readonly window: Window,
    private readonly base: string,
  ) {}

  get page(): Page {
    return this.window.page;
  }

  get main(): Locator {
    return this.page.locator('main');
  }

  /** Clicks a link or button and waits for its page. */
  async press(role: 'link' | 'button', name: string | RegExp): Promise<void> {
    this.actions += 1;
    this.clicks += 1;
    const exact = typeof name === 'string';
    const before = await this.page.evaluate('performance.timeOrigin');
    await this.page.getByRole(role, { name, exact }).first().click();
    await this.page.waitForFunction(`performance.timeOrigin !== ${before} && document.readyState === 'complete'`);
  }

  async rail(name: string): Promise<void> {
    await this.press('link', new RegExp(`^${name}`));
  }

  /** Opens the first record of a list. */
  async pressRow(): Promise<void> {
    const row = this.main.locator('a[data-row]').first();
    await this.press('link', (await row.innerText()).trim());
  }

  /** Opens the menu of a record and presses an entry. */
  async pressInMenu(name: RegExp): Promise<void> {
    this.actions += 1;
    this.clicks += 1;
    await this.page.locator('summary[aria-label=More]').click();
    await this.press('link', name);
  }

  async fill(fields: Readonly<Record<string, string>>): Promise<void> {
    for (const [name, value] of Object.entries(fields)) {
      this.actions += 1;
      await this.main.locator(`[name="${name}"]:not([type=hidden])`).last().fill(value);
    }
  }

  /** Fills in the first fields of a list. */
  async fillEach(name: string, values: readonly string[]): Promise<void> {
    for (const [at, value] of values.entries()) {
      this.actions += 1;
      await this.main.locator(`[name="${name}"]:not([type=hidden])`).nth(at).fill(value);
    }
  }

  async choose(fields: Readonly<Record<string, string | RegExp>>): Promise<void> {
    for (const [name, label] of Object.entries(fields)) {
      this.actions += 1;
      const select = this.main.locator(`select[name="${name}"]`);
      const option = select.locator('option', { hasText: label }).first();
      await select.selectOption((await option.getAttribute('value'))!);
    }
  }

  /** Waits for the notice of the last act. */
  async expectNotice(text: string | RegExp): Promise<void> {
    const notice = this.main.locator('.notice[role=status]');
    assert.match(await notice.innerText(), text);
  }

  open(path: string): Promise<unknown> {
    return this.page.goto(this.base + path);
  }
}

/** Runs the stories on stores that are started anew for each of them. Without `startStores`, on embedded ones. */
export function runWorkingStories(browser: Browser, name: string, startStores?: () => Promise<Pair | null>): void {
  const test = suite<{ web: WebTest; owner: TestBrowser; windows: Window[]; pair: Pair | null }>(
    `working in Chromium: ${name}`,
  );

  test.before.each(async (context) => {
    context.pair = (await startStores?.()) ?? null;
    const { EVENTSTORE_URL = null, MONGODB_URL = null } = context.pair?.env ?? {};
    context.web = await startWeb('http://localhost:0', {
      stores: { eventStoreUrl: EVENTSTORE_URL, mongodbUrl: MONGODB_URL },
      reportChoices: (caller, id) => reportChoices(context.web.reader, caller, id),
    });
    context.owner = await context.web.setUpOwner();
    context.windows = [];
  });
  test.after.each(async ({ web, windows, pair }) => {
    for (const { complaints, close } of windows) {
      await close();
      assert.equal(complaints, []);
    }
    await web.stop();
    await pair?.close();
  });
  test.after(closeBrowsers);

  /** Signs a person in, in a window of their own, and opens Home. */
  async function sitDown(
    { web, windows }: { web: WebTest; windows: Window[] },
    person: typeof OWNER,
    options: BrowserContextOptions = {},
  ): Promise<Worker> {
    const window = await openWindow(browser, web.baseUrl, options);
    windows.push(window);
    const { page } = window;
    await page.goto('/sign-in');
    await page.fill('[name=email]', person.email);
    await page.fill('[name=password]', person.password);
    await page.locator('main').getByRole('button', { name: 'Sign in' }).click();
    const worker = new Worker(window, `/organizations/${web.organizationId}`);
    await worker.open('');
    return worker;
  }

  test('an officer without an assistant starts empty, and ends with a statement of applicability', async (context) => {
    await context.web.invite(PRIYA, 'EDITOR');
    const officer = await sitDown(context, OWNER);
    // 1. A framework.
    await officer.press('link', 'Adopt a framework');
    await officer.choose({ library_id: 'ISO/IEC 27001:2022' });
    await officer.press('button', 'Adopt framework');
    await officer.expectNotice(/Added ISO\/IEC 27001:2022/);
    // 2. and 3. Two measures, one after the other.
    await officer.rail('Measures');
    await officer.press('link', 'Add measure');
    await officer.fill({ reference_id: 'M-1', name: 'Off-site backups' });
    await officer.press('button', 'Add measure and another');
    assert.is(await officer.page.evaluate('document.activeElement.name'), 'reference_id', 'ready for the next one');
    await officer.fill({ reference_id: 'M-2', name: 'Restore tests' });
    await officer.press('button', 'Add measure');
    // 4. A vendor.
    await officer.rail('Vendors');
    await officer.press('link', 'Add vendor');
    await officer.fill({ name: 'Nimbus Hosting' });
    await officer.choose({ criticality: 'High' });
    await officer.press('button', 'Add vendor');
    // 5. and 6. A risk, with its owner and its links, by number and by name.
    await officer.rail('Risks');
    await officer.press('link', 'Add risk');
    await officer.fill({ reference_id: 'R-1', name: 'Ransomware stops the laboratory', next_review_due: '2030-01-31' });
    await officer.choose({ inherent_likelihood: /Likely/, inherent_impact: /Severe/, owner_id: 'Priya Raman' });
    await officer.fillEach('to_id', ['M-1', 'm-2', 'Nimbus Hosting']);
    await officer.press('button', 'Add risk');
    await officer.expectNotice(/Added R-1 Ransomware stops the laboratory\. Linked with .*M-1 Off-site backups/);
    assert.match(await officer.main.innerText(), /Owner: Priya Raman/);
    assert.match(await officer.main.getByRole('region', { name: 'Measures' }).innerText(), /M-1.*M-2/s);
    // 7. A measure is done.
    await officer.press('link', /Off-site backups/);
    await officer.press('link', 'Mark implemented');
    await officer.fill({ reason: 'The contract runs' });
    await officer.press('button', 'Mark implemented');
    // 8. Two controls are excluded.
    for (const number of ['A.7.6', 'A.8.30']) {
      await officer.open(`/controls?section_title=${number}`);
      await officer.pressRow();
      await officer.press('link', 'Exclude control');
      await officer.fill({ exclusion_justification: 'We have none' });
      await officer.press('button', 'Exclude control');
    }
    // 9. A finding, and its end.
    await officer.rail('Findings');
    await officer.press('link', 'Add finding');
    await officer.fill({ reference_id: 'NC-1', description: 'No restore test in May' });
    await officer.choose({ severity: 'Minor' });
    await officer.press('button', 'Add finding');
    await officer.pressInMenu(/^Close finding/);
    await officer.fill({
      root_cause: 'A holiday',
      corrective_action: 'A stand-in',
      effectiveness_check: 'Seen in June',
      reason: 'Done',
    });
    await officer.press('button', 'Close finding');
    await officer.expectNotice(/Close finding/);
    // 10. The statement.
    await officer.rail('Reports');
    await officer.press('link', /Statement of applicability/i);
    await officer.press('button', 'Open');
    assert.match(await officer.page.locator('body').innerText(), /A\.7\.6[\s\S]*We have none/);
    assert.ok(officer.actions <= MAX_ACTIONS_OF_A_DAY, `${officer.actions} clicks and fields`);
  });

  test('a vendor review that is overdue is done in three clicks and a sentence', async (context) => {
    const { web } = context;
    const { organizationId: organization_id, ownerId: owner_id } = web;
    await web.call('addVendor', { organization_id, name: 'Redpoll Legal', owner_id, next_review_due: '2024-01-31' });
    const officer = await sitDown(context, OWNER);
    await officer.rail('Needs you');
    await officer.press('link', 'Mark reviewed: Redpoll Legal');
    await officer.choose({ outcome: 'Approved' });
    await officer.fill({ findings: 'Nothing to report.' });
    await officer.press('button', 'Mark reviewed');
    await officer.expectNotice('Done: Mark reviewed · Redpoll Legal.');
    assert.is(officer.clicks, 3);
    assert.match(officer.page.url(), /\/needs-you$/);
  });

  test('two people edit one risk: both fields stay, and one field is chosen', async (context) => {
    const { web } = context;
    const { organizationId: organization_id } = web;
    await web.invite(PRIYA, 'EDITOR');
    const rated = { name: 'Phishing', inherent_likelihood: 2, inherent_impact: 3 };
    const { risk } = await web.call<{ risk: { id: string } }>('addRisk', { organization_id, ...rated });
    const [officer, priya] = [await sitDown(context, OWNER), await sitDown(context, PRIYA)];
    for (const worker of [officer, priya]) await worker.open(`/risks/${risk.id}/edit`);
    await priya.choose({ inherent_likelihood: /Possible/ });
    await priya.fill({ reason: 'The last exercise' });
    await priya.press('button', 'Save changes');
    await officer.fill({ category: 'People', reason: 'Seen at a neighbour' });
    await officer.choose({ inherent_likelihood: /Almost certain/ });
    await officer.press('button', 'Save changes');
    assert.match(
      await officer.main.innerText(),
      /Priya Raman changed Inherent likelihood from 2 · Unlikely to 3 · Possible/,
    );
    assert.equal(await checkPage(officer.page, 'form-contested'), []);
    await officer.main.getByLabel('Take theirs').check();
    await officer.press('button', 'Save changes');
    const facts = await officer.main.getByRole('region', { name: 'Facts' }).innerText();
    assert.match(facts, /Category\s+People/);
    assert.match(facts, /Inherent likelihood\s+3/);
  });

  /** Sets a wrong category on 37 measures by one call of an assistant. Returns their ids. */
  async function changeMany({ call, organizationId: organization_id }: WebTest): Promise<string[]> {
    const rows = Array.from({ length: 37 }, (_, index) => ({ name: `Measure ${index + 1}`, category: 'Backup' }));
    const added = await call<{ rows: { id: string }[] }>('importRecords', { organization_id, type: 'MEASURE', rows });
    const ids = added.rows.map(({ id }) => id);
    const wrong = { organization_id, type: 'MEASURE', ids, set: { category: 'Cats' }, reason: 'One word for all' };
    const { selection } = await call<{ selection: string }>('importRecords', { ...wrong, dry_run: true }, 'claude');
    await call('importRecords', { ...wrong, selection }, 'claude');
    return ids;
  }

  test('a wrong change of 37 measures by an assistant is undone in two clicks, from Home and from a history', async (context) => {
    const { web } = context;
    const ids = await changeMany(web);
    const officer = await sitDown(context, OWNER);
    await officer.press('link', 'Undo all 37');
    assert.match(await officer.main.innerText(), /Cats → Backup|Cats\s+→\s+Backup/);
    assert.equal(await checkPage(officer.page, 'undo-many'), []);
    await officer.press('button', 'Undo all 37');
    assert.is(officer.clicks, 2);
    await officer.expectNotice('37 changes are undone.');
    assert.equal(await checkPage(officer.page, 'undo-notice'), []);
    // The undo itself is undone the same way, which brings the wrong change back, without script.
    const second = await sitDown(context, OWNER, { javaScriptEnabled: false });
    await second.open(`/measures/${ids[20]}`);
    assert.match(await second.main.getByRole('region', { name: 'History' }).innerText(), /undone by Ada Byron/);
    for (const role of ['link', 'button'] as const) {
      await second.page.getByRole(role, { name: 'Undo all 37' }).first().click();
      await second.page.waitForLoadState();
    }
    await second.page.getByText('37 changes are redone.').waitFor();
    assert.match(await second.main.getByRole('region', { name: 'Facts' }).innerText(), /Category\s+Cats/);
  });

  test('an act is undone from its notice by keyboard', async (context) => {
    const { web } = context;
    const { organizationId: organization_id } = web;
    const { risk } = await web.call<{ risk: { id: string } }>('addRisk', { organization_id, name: 'Fire' });
    const officer = await sitDown(context, OWNER);
    const { page } = officer;
    await officer.open(`/risks/${risk.id}/edit`);
    await officer.fill({ category: 'Buildings' });
    await officer.press('button', 'Save changes');
    await page.getByRole('button', { name: 'Undo' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('The change is undone.').waitFor();
    assert.match(await officer.main.innerText(), /Undone: Category/);
    assert.equal(await checkPage(page, 'record-undone'), []);
  });

  test('a double click adds one risk', async (context) => {
    const officer = await sitDown(context, OWNER);
    await officer.open('/risks/add');
    await officer.fill({ name: 'Clicked twice' });
    await officer.page.getByRole('button', { name: 'Add risk', exact: true }).dblclick();
    await officer.page.waitForURL(/\/risks\/rsk_\w+$/);
    await officer.rail('Risks');
    assert.is(await officer.main.locator('a[data-row]').count(), 1);
  });

  test('links a record without script: the form names those that may be meant', async (context) => {
    const { web } = context;
    const { organizationId: organization_id } = web;
    const { risk } = await web.call<{ risk: { id: string } }>('addRisk', { organization_id, name: 'Leak' });
    for (const reference_id of ['M-71', 'M-72'])
      await web.call('addMeasure', { organization_id, reference_id, name: 'Encrypt backups' });
    const officer = await sitDown(context, OWNER, { javaScriptEnabled: false });
    await officer.open(`/risks/${risk.id}/link`);
    // The search step finds records by the beginning of their words.
    await officer.main.locator('[name=to_id]').first().fill('encr');
    await officer.main.getByRole('button', { name: 'Link records' }).click();
    await officer.main
      .getByText(/No record has the number or name “encr”/)
      .first()
      .waitFor();
    await officer.main.getByRole('radio', { name: /M-72/ }).check();
    await officer.main.getByRole('button', { name: 'Link records' }).click();
    await officer.page.getByText('Linked with M-72 Encrypt backups.').waitFor();
  });

  test('suggests records while their name is typed', async (context) => {
    const { web } = context;
    const { organizationId: organization_id } = web;
    const { risk } = await web.call<{ risk: { id: string } }>('addRisk', { organization_id, name: 'Leak' });
    await web.call('addMeasure', { organization_id, reference_id: 'M-71', name: 'Encrypt backups' });
    const officer = await sitDown(context, OWNER);
    await officer.open(`/risks/${risk.id}/link`);
    await officer.main.locator('[name=to_id]').first().pressSequentially('encr');
    const option = officer.main.locator('datalist option');
    await option.first().waitFor({ state: 'attached' });
    assert.equal(await option.evaluateAll((all) => all.map((one) => one.getAttribute('value'))), ['M-71']);
  });

  test('adds a risk by keyboard alone, from the palette', async (context) => {
    const officer = await sitDown(context, OWNER);
    const { page } = officer;
    await page.keyboard.press('Control+k');
    await page.keyboard.type('add risk');
    await page.getByRole('option', { name: 'Add risk', selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/risks\/add$/);
    for (let stops = 0; !(await page.evaluate('document.activeElement.name === "name"')); stops += 1) {
      assert.ok(stops < 60, 'the field can be reached');
      await page.keyboard.press('Tab');
    }
    await page.keyboard.type('By keyboard');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/risks\/rsk_\w+$/);
    await officer.expectNotice('Added By keyboard.');
  });

  test('forms, their mistakes and the buttons of records pass the checks of accessibility', async (context) => {
    const { web } = context;
    const { organizationId: organization_id } = web;
    const { risk } = await web.call<{ risk: { id: string } }>('addRisk', { organization_id, name: 'Fire' });
    const officer = await sitDown(context, OWNER);
    for (const [name, path] of [
      ['form-add', '/risks/add'],
      ['form-evidence', `/evidence/add?record_ids=${risk.id}`],
      ['form-edit', `/risks/${risk.id}/edit`],
      ['form-accept', `/risks/${risk.id}/accept`],
      ['form-link', `/risks/${risk.id}/link`],
      ['record-buttons', `/risks/${risk.id}`],
    ] as const) {
      await officer.open(path);
      assert.equal(await checkPage(officer.page, name), [], name);
    }
    await officer.open('/risks/add');
    await officer.press('button', 'Add risk');
    assert.equal(await checkPage(officer.page, 'form-mistakes'), []);
  });

  test.run();
}
