/** The time bar: from change to change and from audit to audit, for the organization and for a record. */

import * as assert from 'uvu/assert';
import { type TestBrowser, unescapeHtml } from '../../support/web/web.ts';
import { type PageContext, webSuite } from '../../support/web/web-suite.ts';

const VIEWER = { name: 'Vera Viewer', email: 'vera@example.org', password: 'a quite long password 8' };

interface Context extends PageContext {
  viewer: TestBrowser;
  /** Positions after each change of the risk. */
  positions: number[];
  risk: string;
  audits: [first: string, second: string];
}

const test = webSuite<Context>('time bar', async ({ web, base }) => {
  const viewer = await web.invite(VIEWER, 'VIEWER');
  const organization_id = web.organizationId;
  const newest = () => web.reader.snapshot().newestPosition(organization_id);
  const { risk } = await web.call<{ risk: { id: string } }>('addRisk', { organization_id, name: 'Fire' });
  const positions = [newest()];
  const { framework } = await web.call<{ framework: { id: string } }>('addFramework', {
    organization_id,
    library_id: 'GDPR',
  });
  const complete = async (name: string) => {
    const { audit } = await web.call<{ audit: { id: string } }>('addAudit', {
      organization_id,
      framework_id: framework.id,
      name,
    });
    await web.call('updateAudit', { organization_id, id: audit.id, state: 'IN_PROGRESS', reason: 'Found out' });
    await web.call('updateAudit', { organization_id, id: audit.id, state: 'COMPLETED', reason: 'Found out' });
    return audit.id;
  };
  const first = await complete('First audit');
  await web.seal();
  await web.call('updateRisk', { organization_id, id: risk.id, name: 'Great fire' });
  positions.push(newest());
  const second = await complete('Second audit');
  await web.call('updateRisk', { organization_id, id: risk.id, name: 'Greatest fire' });
  positions.push(newest());
  return { viewer, positions, risk: `${base}/risks/${risk.id}`, audits: [first, second] };
});

/** Returns the `as_of` of the link that a key follows: null for today, undefined without a link. */
async function stepFrom(browser: TestBrowser, address: string, step: string): Promise<string | null | undefined> {
  const { text } = await browser.get(address);
  const [, href] = new RegExp(`<a href="([^"]*)" data-step="${step}"`).exec(text) ?? [];
  return href === undefined ? undefined : new URL(unescapeHtml(href), 'http://base').searchParams.get('as_of');
}

test('goes from change to change of a record, and to today after the last', async ({ owner, risk, positions }) => {
  const [added, renamed, last] = positions as [number, number, number];
  const steps = (asOf: string) =>
    Promise.all(['earlier', 'later'].map((step) => stepFrom(owner, `${risk}${asOf}`, step)));
  assert.equal(await steps(''), [String(renamed), undefined]);
  assert.equal(await steps(`?as_of=${renamed}`), [String(added), null]);
  assert.equal(await steps(`?as_of=${last - 1}`), [String(added), null]);
  assert.equal(await steps(`?as_of=${added}`), [undefined, String(renamed)]);
});

test('goes through all changes of the organization, but not through seals', async ({ owner, web, base }) => {
  const { total } = await web.call<{ total: number }>('listChanges', {
    organization_id: web.organizationId,
    view: 'COUNT',
  });
  let address = `${base}/vendors?status=APPROVED`;
  let steps = 0;
  for (let asOf = await stepFrom(owner, address, 'earlier'); asOf; asOf = await stepFrom(owner, address, 'earlier')) {
    address = `${base}/vendors?status=APPROVED&as_of=${asOf}`;
    steps += 1;
  }
  assert.is(steps, total - 1);
});

test('goes from audit to audit', async ({ owner, base, audits: [first, second], positions }) => {
  assert.match((await owner.get(`${base}/audits`)).text, 'Go to: First audit, ');
  assert.is(await stepFrom(owner, base, 'earlier-audit'), second);
  assert.is(await stepFrom(owner, base, 'later-audit'), undefined);
  assert.is(await stepFrom(owner, `${base}?as_of=${second}`, 'earlier-audit'), first);
  assert.is(await stepFrom(owner, `${base}?as_of=${first}`, 'later-audit'), second);
  assert.is(await stepFrom(owner, `${base}?as_of=${positions[0]}`, 'later-audit'), first);
  assert.is(await stepFrom(owner, `${base}?as_of=${positions[0]}`, 'earlier-audit'), undefined);
});

test('lists the days of a few changes', async ({ viewer, risk, web }) => {
  const today = web.reader.snapshot().today();
  const { text } = await viewer.get(risk);
  assert.match(text, `<a href="${risk}?as_of=${today}"><time datetime="${today}"`);
  assert.not.match(text, 'id="time-bar"');
});

test('draws the changes of a record that has many', async ({ owner, risk, web }) => {
  const [id] = risk.split('/').slice(-1);
  for (let index = 0; index < 20; index += 1) {
    await web.call('updateRisk', { organization_id: web.organizationId, id, name: `Fire ${index}` });
  }
  const { text } = await owner.get(risk);
  const today = web.reader.snapshot().today();
  assert.match(text, `data-address="${risk}" data-days="${today}" data-shown="0"`);
  assert.match(text, `<a href="${risk}?as_of=${today}" tabindex="-1">`);
  assert.match(text, '<svg viewBox="0 0 10 48" width="24"', 'one day does not fill the page');
  assert.match(text, new RegExp(`<title data-at="${today}" data-at-text="([^"]+)">\\1: 23 changes</title>`));
});

test.run();
