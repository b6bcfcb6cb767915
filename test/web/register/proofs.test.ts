/** The pages of a change's proof and of verifying a file, and compared revisions: each says only what is so. */

import * as assert from 'uvu/assert';
import { SealKeys } from '../../../src/seal/seal-keys.ts';
import { startWeb, unescapeHtml } from '../../support/web/web.ts';
import { type PageContext, textIn, webSuite } from '../../support/web/web-suite.ts';

/** A page shows so many pieces of evidence of a record, and compares no more. */
const MAX_EVIDENCE = 100;
const STOPPED = 'Sealing has stopped, says this test.';

interface Context extends PageContext {
  vendor: string;
}

const test = webSuite<Context>(
  'pages of proofs',
  async ({ web }) => {
    const { organizationId: organization_id } = web;
    const { vendor } = await web.call<{ vendor: { id: string } }>('addVendor', { organization_id, name: 'Hosting' });
    return { vendor: vendor.id };
  },
  { sealingProblem: async () => STOPPED },
);

test('an unsealed change does not promise a seal while sealing has stopped', async ({ web, owner, base }) => {
  const position = web.reader.snapshot().newestPosition(web.organizationId);
  const text = textIn((await owner.get(`${base}/changes/${position}`)).text);
  assert.match(text, `No seal covers this change yet. ${STOPPED}`);
  assert.not.match(text, 'within a minute');
  assert.match(text, /Event VendorAdded Revision 1 of the record/);
});

test('an event of a seal waits for the seal after the next change', async () => {
  const web = await startWeb();
  const owner = await web.setUpOwner();
  const newest = () => web.reader.snapshot().newestPosition(web.organizationId);
  const before = newest();
  await web.seal();
  const position = newest();
  const home = textIn((await owner.get(`/organizations/${web.organizationId}?as_of=${before}`)).text);
  assert.match(home, `0 changes since, only ${position - before} events of seals.`);
  const text = textIn((await owner.get(`/organizations/${web.organizationId}/changes/${position}`)).text);
  assert.match(text, 'History sealed, change');
  assert.match(text, 'No seal covers this change yet. The next seal covers it. One is made after the next change.');
  await web.stop();
});

test('a change shows names and times, and keeps the values of the event to compare', async ({ web, owner, base }) => {
  const organization_id = web.organizationId;
  const { vendor } = await web.call<{ vendor: { id: string } }>('addVendor', { organization_id, name: 'Hosting' });
  const collected_at = '2026-02-03T12:00:00.000Z';
  await web.call('addEvidence', { organization_id, name: 'Log', text: 'ok', collected_at, record_ids: [vendor.id] });
  const position = web.reader.snapshot().newestPosition(organization_id);
  const html = (await owner.get(`${base}/changes/${position}`)).text;
  const text = textIn(html);
  assert.match(text, 'Evidence of – → Hosting');
  assert.match(text, 'Collected – → 3 Feb 2026, 12:00 UTC');
  assert.not.match(text, '2026-02-03T');
  assert.not.match(text, vendor.id);
  assert.match(html, `<data data-text="changes.collected_at.to" value="${collected_at}">`);
  assert.match(unescapeHtml(html), `<data data-text="changes.record_ids.to" value="["${vendor.id}"]">`);
  assert.match(html, new RegExp(`href="${base}/evidence/evd_\\w+\\?change=${position}#change-${position}"`));
  const record = /href="([^"]*\/evidence\/evd_\w+)\?/.exec(html)![1]!;
  assert.match(textIn((await owner.get(record)).text), /Evidence of Hosting/);
  assert.match(
    html,
    new RegExp(`<a href="${base}/vendors/${vendor.id}">Hosting</a>`),
    'a record among values is a link',
  );
});

test('a change has the menu of moments, and is not there before it was recorded', async ({ web, owner, base }) => {
  const organization_id = web.organizationId;
  await web.call('addVendor', { organization_id, name: 'Courier' });
  const position = web.reader.snapshot().newestPosition(organization_id);
  const change = `${base}/changes/${position}`;
  assert.match((await owner.get(change)).text, '<details class="moment"><summary>Today</summary>');
  const then = await owner.get(`${change}?as_of=${position}`);
  assert.match(
    textIn(then.text),
    /Vendor added, change \d+ .*You are viewing|You are viewing.*Vendor added, change \d+/,
  );
  const { status, text } = await owner.get(`${change}?as_of=${position - 1}`);
  assert.is(status, 404);
  assert.match(textIn(text), /Change \d+: not recorded yet It was recorded later, on /);
  assert.match(text, `href="${change}">Back to today`);
});

test('a token in a change is called a token', async ({ web, owner, base }) => {
  const organization_id = web.organizationId;
  const filter = { event_types: ['TokenCreated'] };
  const { changes } = await web.call<{ changes: { position: string }[] }>('listChanges', { organization_id, filter });
  const text = textIn((await owner.get(`${base}/changes/${changes[0]!.position}`)).text);
  assert.match(text, /Token – → Account: .* · Role: /);
});

test('a sealed change shows its key, also after another key took over, and so does the page for files', async ({
  web,
  owner,
  base,
  vendor,
}) => {
  const position = web.reader.snapshot().newestPosition(web.organizationId);
  const keys = new SealKeys(web.identity.accounts, web.now);
  await web.seal();
  const first = (await keys.currentKey()).public_key;
  const verifyPage = async () => textIn((await owner.get(`${base}/verify`)).text);
  assert.match(await verifyPage(), `one a line ${first} This is the key of this service’s newest seal.`);
  assert.not.match(await verifyPage(), 'before a key was replaced');
  await keys.rotate();
  const organization_id = web.organizationId;
  await web.call('updateVendor', { organization_id, id: vendor, description: 'Servers' });
  await web.seal();
  const second = (await keys.currentKey()).public_key;
  assert.is.not(second, first);
  assert.match(await verifyPage(), `one a line ${second} This is the key`);
  assert.match(await verifyPage(), `A file from before a key was replaced needs the key of its time: ${first}`);
  const proof = textIn((await owner.get(`${base}/changes/${position}`)).text);
  assert.match(proof, `with the one you were given: ${first}`);
  assert.match(proof, 'If somebody without the private key had altered it after');
});

test('compared revisions say that links were not compared if there are too many', async ({
  web,
  owner,
  base,
  vendor,
}) => {
  const { organizationId: organization_id } = web;
  const add = () => web.call('addEvidence', { organization_id, name: 'Log', text: 'ok', record_ids: [vendor] });
  for (let count = 0; count < MAX_EVIDENCE; count += 1) await add();
  const compare = async () => textIn((await owner.get(`${base}/vendors/${vendor}/revisions`)).text);
  assert.not.match(await compare(), 'not all were compared');
  await add();
  assert.match(await compare(), 'more links than are read here, so not all were compared');
});

test.run();
