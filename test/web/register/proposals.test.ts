/** Proposals in the browser: the page of each, and what each role may decide. */
import * as assert from 'uvu/assert';
import { randomId } from '../../../src/commands/engine/ids.ts';
import { AccessLog } from '../../../src/identity/access-log/access-log.ts';
import { accountActor } from '../../../src/identity/memberships/actor.ts';
import { proposeAs } from '../../support/web/propose.ts';
import { formsIn, type TestBrowser, unescapeHtml } from '../../support/web/web.ts';
import { type PageContext, person, textIn, webSuite } from '../../support/web/web-suite.ts';

interface Context extends PageContext {
  editor: TestBrowser;
  viewer: TestBrowser;
  /** Proposes a call as an assistant of the owner, and returns the address of its page. */
  propose: (tool: string, input: object) => Promise<string>;
}

const test = webSuite<Context>('proposals in the browser', async ({ web }) => {
  const editor = await web.invite(person('Eda'), 'EDITOR');
  const viewer = await web.invite(person('Vi'), 'VIEWER');
  const propose = async (tool: string, input: object) => {
    const id = await proposeAs(web, web.ownerId, web.organizationId, { tool, input });
    return `/organizations/${web.organizationId}/proposals/${id}`;
  };
  return { editor, viewer, propose };
});

async function addVendor({ web }: Context, name: string): Promise<string> {
  const { vendor } = await web.call<{ vendor: { id: string } }>('addVendor', {
    organization_id: web.organizationId,
    name,
  });
  return vendor.id;
}

async function idOfPerson({ identity }: PageContext['web'], name: string): Promise<string> {
  return (await identity.accounts.all('accounts')).find((account) => account.name === name)!.id;
}

async function vendorOf({ web }: Context, id: string): Promise<Record<string, unknown>> {
  const { records } = await web.call<{ records: Record<string, unknown>[] }>('getRecords', { ids: [id] });
  return records[0]!;
}

/** Sends the form of a page whose action ends so. */
async function send(browser: TestBrowser, page: string, act: string, fields: Record<string, string> = {}) {
  const form = formsIn((await browser.get(page)).text).find(({ action }) => action.endsWith(act));
  assert.ok(form, `${page} has no form ${act}`);
  for (const [name, value] of Object.entries(fields)) form.fields.set(name, value);
  return browser.post(form.action, form.fields);
}

const idOf = (page: string): string => page.split('/').at(-1)!;

const hasForm = (html: string, act: string) => formsIn(html).some(({ action }) => action.endsWith(act));

test('a proposal is in the list with its reason, and its page shows before and after', async (context) => {
  const id = await addVendor(context, 'Redpoll Legal');
  const page = await context.propose('updateVendor', {
    id,
    criticality: 'HIGH',
    reason: 'They <b>hold</b> our contracts',
  });
  const list = textIn((await context.owner.get(page.replace(/\/prp_.*/, ''))).text);
  assert.match(list, 'Redpoll Legal');
  assert.match(list, 'They <b>hold</b> our contracts');
  const shown = textIn((await context.owner.get(page)).text);
  assert.match(shown, /The reason, as claude wrote it: They <b>hold<\/b> our contracts/);
  assert.match(shown, /Criticality High/);
  assert.is((await vendorOf(context, id)).criticality, null);
});

test('Needs you leads whoever may decide to an open proposal', async (context) => {
  const { web, owner, viewer } = context;
  const id = await addVendor(context, 'Waits for you');
  const page = await context.propose('updateVendor', { id, country: 'FI' });
  const needsYou = `/organizations/${web.organizationId}/needs-you`;
  const isOffered = async (browser: TestBrowser) =>
    (await browser.get(needsYou)).text.includes(`href="${page}" aria-label="Decide: `);
  assert.equal([await isOffered(owner), await isOffered(viewer)], [true, false]);
  const html = (await owner.get(needsYou)).text;
  const [, count = '', words] = /<h2>(\d+) (proposals? waits? for a decision)<\/h2>/.exec(html)!;
  assert.is(words, count === '1' ? 'proposal waits for a decision' : 'proposals wait for a decision');
  assert.match(textIn(html), `0 items · ${count} ${words!.split(' ')[0]} `);
  assert.match(textIn(html), 'No item of yours is due in the next 30 days');
  assert.not.match(html, 'Nothing needs you');
  await send(owner, page, '/decline', { reason: 'Not now' });
  assert.is(await isOffered(owner), false);
});

test('approving does it, says so, and can’t be repeated', async (context) => {
  const id = await addVendor(context, 'Approved');
  const page = await context.propose('updateVendor', { id, country: 'NO' });
  assert.match(textIn((await context.editor.get(page)).text), /Change vendor: Approved/);
  assert.match(textIn((await context.editor.get(page)).text), /It expires on /);
  assert.is((await send(context.editor, page, '/approve')).status, 303);
  assert.is((await vendorOf(context, id)).country, 'NO');
  const notice = (await context.editor.get(page.replace(/\/prp_.*/, ''))).text;
  assert.match(textIn(notice), /Approved\. Vendor details changed: Approved \. Undo/);
  assert.match(notice, `/vendors/${id}"`);
  const { text } = await context.owner.get(page);
  const base = page.replace(/\/proposals\/.*/, '');
  const events = /Proposal (?:approved|carried out)/;
  assert.match((await context.owner.get(`${base}/changes`)).text, events);
  assert.not.match((await context.owner.get(base)).text, events, 'what it changed says who approved it');
  assert.match(textIn(text), /This proposal is approved and done, by Eda/);
  assert.not(hasForm(text, '/approve'));
});

test('what changed since comes first, and an approval of what was seen before is refused', async (context) => {
  const id = await addVendor(context, 'Changed since');
  const page = await context.propose('updateVendor', { id, country: 'NO' });
  const before = formsIn((await context.owner.get(page)).text).find(({ action }) => action.endsWith('/approve'))!;
  await context.web.call('updateVendor', { id, country: 'SE' });
  const refused = await context.owner.post(before.action, before.fields);
  assert.match(textIn(refused.text), 'A record has changed since');
  assert.match(textIn((await context.owner.get(page)).text), 'Something changed since this was proposed');
  assert.is((await vendorOf(context, id)).country, 'SE');
});

test('what would do nothing now can be declined, not approved', async (context) => {
  const { web, owner, propose } = context;
  const id = await addVendor(context, 'Done already');
  const page = await propose('updateVendor', { id, country: 'NO' });
  await web.call('updateVendor', { id, country: 'NO' });
  const several = page.replace(/(prp_.*)/, 'several?id=$1');
  for (const address of [page, several]) {
    const { text } = await owner.get(address);
    assert.match(textIn(text), 'Nothing.');
    assert.equal([hasForm(text, '/approve'), hasForm(text, '/decline')], [false, true], address);
    assert.not.match(text, `${page}/change`);
  }
});

test('times and people of the approval stand in words, and nothing counts as changed for another person', async (context) => {
  const { web, owner, editor, propose } = context;
  const id = await addVendor(context, 'Reviewed');
  const page = await propose('reviewVendor', { id, outcome: 'APPROVED', conditions: 'NOW' });
  for (const browser of [owner, editor]) {
    const text = textIn((await browser.get(page)).text);
    assert.match(text, /Reviewed by: whoever approves/);
    assert.match(text, /: when approved/);
    assert.match(text, /Conditions: NOW/);
    assert.not.match(text, /undefined|Something changed|on.approval/i);
  }
  const { risk } = await web.call<{ risk: { id: string } }>('addRisk', {
    organization_id: web.organizationId,
    reference_id: 'R-9',
    name: 'Fire',
    inherent_likelihood: 3,
    inherent_impact: 3,
  });
  const until = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);
  const decision = { id: risk.id, decision: 'ACCEPT', until, reason: 'Too dear' };
  const byNobody = await propose('decideRisk', decision);
  assert.match(
    textIn((await owner.get(byNobody)).text),
    /Accept risk: R-9 Fire .*Accepted by: whoever approves · Recorded by: whoever approves/,
  );
  const byMe = await propose('decideRisk', { ...decision, approver_id: 'ME' });
  assert.not.match(textIn((await owner.get(byMe)).text), /Accepted by: whoever/);
});

test('declining needs a reason, and keeps it', async (context) => {
  const id = await addVendor(context, 'Declined');
  const page = await context.propose('updateVendor', { id, country: 'NO' });
  assert.match(textIn((await send(context.editor, page, '/decline')).text), 'Give a reason');
  assert.is((await send(context.editor, page, '/decline', { reason: 'Not yet' })).status, 303);
  assert.match(textIn((await context.owner.get(page)).text), 'declined, by Eda. Not yet');
  assert.is((await vendorOf(context, id)).country, null);
});

test('a reader decides nothing, and an editor nothing that needs another role', async (context) => {
  const id = await addVendor(context, 'Roles');
  const page = await context.propose('archiveRecords', { ids: [id], action: 'ARCHIVE', reason: 'Gone' });
  const asOwner = formsIn((await context.owner.get(page)).text).find(({ action }) => action.endsWith('/approve'))!;
  const text = textIn((await context.owner.get(page)).text);
  assert.match(text, /Archive vendor: Roles/);
  assert.not.match(text, 'when approved');
  const asViewer = (await context.viewer.get(page)).text;
  for (const act of ['/approve', '/decline', '/withdraw']) assert.not(hasForm(asViewer, act), act);
  const asEditor = (await context.editor.get(page)).text;
  assert.not(hasForm(asEditor, '/approve'));
  assert.match(textIn(asEditor), /you need the role/);
  for (const browser of [context.viewer, context.editor]) {
    const own = formsIn((await browser.get('/settings/account')).text)[0]!.fields;
    own.set('seen', asOwner.fields.get('seen')!);
    const { status, text } = await browser.post(asOwner.action, own);
    assert.match(textIn(text), /you need the role/, `${status} ${textIn(text)}`);
    assert.is((await vendorOf(context, id)).archived_at, null);
  }
  assert.is((await context.viewer.get(page.replace(/.$/, (last) => (last === '0' ? '1' : '0')))).status, 404);
});

test('the change of a proposal has its page, and offers no undo', async (context) => {
  const { web, owner, propose } = context;
  const page = await propose('updateVendor', { id: await addVendor(context, 'In the history'), country: 'NO' });
  const id = page.split('/').at(-1)!;
  const { changes } = await web.call<{ changes: { position: string; call_id: string; event_type: string }[] }>(
    'listChanges',
    { organization_id: web.organizationId, filter: { record_id: [id] }, view: 'FULL' },
  );
  assert.equal(
    changes.map(({ event_type }) => event_type),
    ['ProposalMade'],
  );
  const [{ position, call_id } = { position: '', call_id: '' }] = changes;
  const base = `/organizations/${web.organizationId}`;
  for (const address of [`${base}/changes`, `${base}/changes/${position}`, `${base}/changes?record_types=PROPOSAL`]) {
    const { status, text } = await owner.get(address);
    assert.is(status, 200, address);
    assert.match(textIn(text), 'Proposal made', address);
    assert.not.match(text, `/undo/${call_id}`, address);
  }
  assert.is((await owner.get(`${base}/undo/${call_id}`)).status < 500, true);
  const undone = await web.tools.call(
    'importRecords',
    { organization_id: web.organizationId, undo: { call_id } },
    { caller: await web.members.callerOf(web.ownerId) },
  );
  assert.is(undone.outcome, 'not_found', undone.json);
});

test('the proposing account withdraws, others can’t', async (context) => {
  const id = await addVendor(context, 'Withdrawn');
  const page = await context.propose('updateVendor', { id, country: 'NO' });
  assert.not(hasForm((await context.editor.get(page)).text, '/withdraw'));
  assert.is((await send(context.owner, page, '/withdraw')).status, 303);
  assert.match(textIn((await context.owner.get(page)).text), 'This proposal is withdrawn');
});

test('histories tell a declined proposal in words, with its reason once and a link to it', async (context) => {
  const { web, owner, propose } = context;
  const page = await propose('updateVendor', { id: await addVendor(context, 'Told'), country: 'NO' });
  await send(owner, page, '/decline', { reason: 'Much too early' });
  const base = `/organizations/${web.organizationId}`;
  const { text } = await owner.get(`${base}/changes?record_id=${page.split('/').at(-1)}`);
  assert.match(textIn(text), /Change vendor .*Proposal declined.*Status Open → Declined/);
  assert.is(textIn(text).split('Much too early').length, 2);
  assert.not.match(textIn(text), /DECLINED|OPEN/);
  assert.match(text, `<a href="${page}">`);
  assert.match((await owner.get(base)).text, `<a href="${page}">`);
});

test('an approval of an addition or a link says so', async (context) => {
  const { web, owner, propose } = context;
  const list = `/organizations/${web.organizationId}/proposals`;
  const added = await propose('addVendor', { organization_id: web.organizationId, name: 'Beta Mail' });
  await send(owner, added, '/approve');
  assert.match(textIn((await owner.get(list)).text), /Approved\. Vendor added: Beta Mail \. Undo/);
  assert.match(textIn((await owner.get(added)).text), '1 record added.');
  const add = async (tool: string, input: object) => {
    const answer = await web.call<Record<string, { id: string }>>(tool, {
      organization_id: web.organizationId,
      ...input,
    });
    return Object.values(answer).find((value) => value?.id !== undefined)!.id;
  };
  const risk_id = await add('addRisk', { name: 'Flood', inherent_likelihood: 3, inherent_impact: 3 });
  const measure_id = await add('addMeasure', { name: 'Pumps' });
  const link = await propose('linkRecords', { action: 'LINK', links: [{ from_id: risk_id, to_id: measure_id }] });
  await send(owner, link, '/approve');
  assert.match(textIn((await owner.get(link)).text), '1 link changed.');
});

test('rows can be left out, and no row is not all rows', async (context) => {
  const { web, owner, propose } = context;
  const ids = await Promise.all(['Keep', 'Go', 'Also go'].map((name) => addVendor(context, `${name} away`)));
  const page = await propose('archiveRecords', { ids, action: 'ARCHIVE', reason: 'Gone' });
  const { text } = await owner.get(page);
  assert.match(textIn(text), 'Archive 3 vendors');
  assert.match(text, /<input type="checkbox" name="row" value="vnd_\w+" form="approval" checked/);
  const form = formsIn(text).find(({ action }) => action.endsWith('/approve'))!;
  const none = await owner.post(form.action, form.fields);
  assert.match(textIn(none.text), 'Choose at least one row');
  const fields = new URLSearchParams([...form.fields, ...ids.slice(1).map((id) => ['row', id])]);
  assert.is((await owner.post(form.action, fields)).status, 303);
  assert.equal(await Promise.all(ids.map(async (id) => (await vendorOf(context, id))?.archived_at !== undefined)), [
    true,
    false,
    false,
  ]);
  assert.match(textIn((await owner.get(page)).text), /2 records changed.*What was left out.*Keep away/);
  assert.ok(web);
});

test('approving with changes opens the form of the call, and keeps what was proposed', async (context) => {
  const { web, owner, editor, viewer, propose } = context;
  const input = { organization_id: web.organizationId, name: 'Redpol Ltd', country: 'NO', reason: 'For mail' };
  const page = await propose('addVendor', input);
  assert.match((await owner.get(page)).text, `${page}/change`);
  const form = (await owner.get(`${page}/change`)).text;
  assert.match(form, 'value="Redpol Ltd"');
  assert.match(form, 'For mail');
  assert.is((await viewer.get(`${page}/change`)).status, 403);
  const wrong = await send(editor, `${page}/change`, '/change', { name: '' });
  assert.match(textIn(wrong.text), 'Vendor is required');
  assert.is((await send(editor, `${page}/change`, '/change', { name: 'Redpoll Ltd', country: '' })).status, 303);
  const shown = textIn((await owner.get(page)).text);
  assert.match(
    shown,
    /This proposal is approved with changes and done, by .*Redpol Ltd.*What was approved.*Redpoll Ltd/,
  );
  const { vendors } = await web.call<{ vendors: { name: string; country: string | null }[] }>('listVendors', {
    organization_id: web.organizationId,
    filter: { query: 'Redpoll Ltd' },
    view: 'FULL',
  });
  assert.equal(
    vendors.map(({ name, country }) => [name, country]),
    [['Redpoll Ltd', null]],
  );
});

test('a proposed change of a record is changed in its form, and changed records need another look', async (context) => {
  const { web, owner, propose } = context;
  const id = await addVendor(context, 'In a form');
  const page = await propose('updateVendor', { id, criticality: 'HIGH', reason: 'They hold contracts' });
  const before = formsIn((await owner.get(`${page}/change`)).text).find(({ action }) => action.endsWith('/change'))!;
  assert.is(before.fields.get('criticality'), 'HIGH');
  assert.is(before.fields.get('name'), 'In a form');
  await web.call('updateVendor', { id, criticality: 'MEDIUM', reason: 'Looked' });
  before.fields.set('criticality', 'LOW');
  const late = await owner.post(before.action, before.fields);
  assert.match(textIn(late.text), 'A record has changed since');
  const changeForm = (text: string) => formsIn(text).find(({ action }) => action.endsWith('/change'))!;
  const stale = changeForm((await owner.get(`${page}/change`)).text);
  await web.call('updateVendor', { id, name: 'Renamed meanwhile' });
  stale.fields.set('criticality', 'LOW');
  const refused = await owner.post(stale.action, stale.fields);
  assert.match(textIn(refused.text), 'A record has changed since');
  const { name, criticality } = await vendorOf(context, id);
  assert.equal([name, criticality], ['Renamed meanwhile', 'MEDIUM']);
  assert.is((await send(owner, `${page}/change`, '/change', { criticality: 'CRITICAL' })).status, 303);
  assert.is((await vendorOf(context, id)).criticality, 'CRITICAL');
  const reviewed = await propose('reviewVendor', { id, outcome: 'APPROVED' });
  assert.is((await send(owner, `${reviewed}/change`, '/change', { findings: 'None' })).status, 303);
  assert.equal(((await vendorOf(context, id)).review as { findings: string }).findings, 'None');
});

test('several are shown with what they would do, approved in order, and declined with those that depend', async (context) => {
  const { web, owner, viewer, propose } = context;
  const base = `/organizations/${web.organizationId}`;
  const list = `${base}/proposals`;
  const addRisk = async (name: string) => {
    const page = await propose('addRisk', { organization_id: web.organizationId, name, idempotency_key: name });
    const { records } = await web.call<{ records: { changes: { record_id: string }[] }[] }>('getRecords', {
      ids: [idOf(page)],
    });
    return { page, id: records[0]!.changes[0]!.record_id };
  };
  const risk = await addRisk('Chosen fire');
  const note = await propose('updateRisk', { id: risk.id, note: 'Wood' });
  const address = `${list}/several?id=${idOf(note)}&id=${idOf(risk.page)}`;
  assert.match((await owner.get(list)).text, `name="id" value="${idOf(note)}"`);
  const shown = (await owner.get(note)).text;
  assert.match(textIn(shown), /It depends on Add risk: Chosen fire \(open\) \./);
  const together = unescapeHtml(/href="([^"]+)">on all together/.exec(shown)![1]!);
  assert.is(together, `${list}/several?id=${idOf(risk.page)}&id=${idOf(note)}`);
  const text = textIn((await owner.get(address)).text);
  assert.match(text, /Add risk: Chosen fire.*Change risk: Chosen fire.*Approve 2/);
  assert.is((await viewer.get(address)).status, 403);
  assert.is((await send(owner, address, '/approve')).status, 303);
  assert.match(textIn((await owner.get(list)).text), 'Approved 2.');
  const alone = await addRisk('Lone fire');
  await propose('updateRisk', { id: alone.id, note: 'Wood' });
  const warning = 'If it is declined or withdrawn, those that depend on it end too: Change risk: Lone fire (open) .';
  assert.match(textIn((await owner.get(alone.page)).text), warning);
  const left = await owner.follow(await send(owner, alone.page, '/withdraw'));
  assert.match(textIn(left.text), 'Withdrawn, and with it Change risk: Lone fire. Nothing was changed.');
  const other = await addRisk('Other fire');
  const dependent = await propose('updateRisk', { id: other.id, note: 'Wood' });
  const both = `${list}/several?id=${idOf(dependent)}&id=${idOf(other.page)}`;
  assert.match(textIn((await send(owner, both, '/decline')).text), 'Give a reason');
  assert.is((await send(owner, both, '/decline', { reason: 'Not ours' })).status, 303);
  const ended = (await owner.get(dependent)).text;
  assert.match(
    textIn(ended),
    /declined, by veritrail\..*It depends on Add risk: Other fire , which was declined: “Not ours”/,
  );
  assert.match(ended, `<q>It depends on <a href="${other.page}">`);
  const history = textIn((await owner.get(`${base}/changes?record_types=PROPOSAL`)).text);
  assert.match(history, 'It depends on another proposal, which was declined');
  assert.not.match(history, 'prp_');
  assert.match(textIn((await owner.get(`${list}?show=declined`)).text), 'Other fire');
  assert.not.match(textIn((await owner.get(`${list}?by=me`)).text), 'Other fire');
});

test('several that are long are decided a few at a time', async (context) => {
  const { web, owner, propose } = context;
  const long = (name: string) => {
    const rows = Array.from({ length: 40 }, (_, index) => ({
      name: `${name} ${index}`,
      description: 'x'.repeat(5_000),
    }));
    return propose('importRecords', { organization_id: web.organizationId, type: 'VENDOR', rows });
  };
  const [first, second] = [idOf(await long('Long')), idOf(await long('Longer'))];
  const address = `/organizations/${web.organizationId}/proposals/several?id=${first}&id=${second}`;
  const { text } = await owner.get(address);
  assert.match(textIn(text), '1 more would make this page too long.');
  assert.match(textIn(text), 'Approve 1 ');
  assert.not.match(text, new RegExp(`value="${second}`));
  await send(owner, address, '/decline', { reason: 'Too long' });
  const after = (await owner.get(address)).text;
  assert.not.match(after, 'too long');
  assert.match(after, second);
  await send(owner, address, '/decline', { reason: 'Too long' });
});

test('two people who approve other rows at once do it once, as one of them chose', async (context) => {
  const { web, owner, editor, propose } = context;
  const ids = await Promise.all(['One', 'Two', 'Three'].map((name) => addVendor(context, `${name} at once`)));
  const risk = await web.call<{ risk: { id: string } }>('addRisk', {
    organization_id: web.organizationId,
    name: 'Raced',
  });
  const pairs = ids.map((to_id) => ({ from_id: risk.risk.id, to_id }));
  const page = await propose('linkRecords', { links: pairs });
  const sent = await Promise.all(
    [owner, editor].map(async (browser, index) => {
      const form = formsIn((await browser.get(page)).text).find(({ action }) => action.endsWith('/approve'))!;
      const row = `${risk.risk.id}-${pairs[index]!.to_id}`;
      return () => browser.post(form.action, new URLSearchParams([...form.fields, ['row', row]]));
    }),
  );
  const statuses = await Promise.all(sent.map(async (send) => (await send()).status));
  assert.is(statuses.filter((status) => status === 303).length, 1, statuses.join());
  const { records } = await web.call<{ records: { links: { total: number } }[] }>('getRecords', {
    ids: [risk.risk.id],
    include: ['LINKS'],
  });
  assert.is(records[0]!.links.total, 1);
});

test('what a member proposed who was removed since waits for the others, and says who that was', async (context) => {
  const { web, owner } = context;
  const gone = await web.invite(person('Rémy'), 'EDITOR');
  const accountId = await idOfPerson(web, 'Rémy');
  const input = { organization_id: web.organizationId, name: 'Left behind', owner_id: 'ME' };
  const [id, ownerless] = await Promise.all(
    [input, { ...input, owner_id: undefined }].map((one) =>
      proposeAs(web, accountId, web.organizationId, { tool: 'addVendor', input: one }),
    ),
  );
  const pageOf = (proposal: string) => `/organizations/${web.organizationId}/proposals/${proposal}`;
  const page = pageOf(id!);
  await web.members.remove(web.organizationId, accountId, accountActor(web.ownerId));
  assert.is((await gone.get(page)).status, 404);
  const shown = textIn((await owner.get(page)).text);
  assert.match(
    shown,
    /Proposed by Rémy, with claude.*Approving would do nothing now: Owner is not a member\. What it would do/,
  );
  assert.is((await send(owner, `${page}/change`, '/change', { owner_id: '' })).status, 303);
  assert.is((await send(owner, pageOf(ownerless!), '/approve')).status, 303);
  const { text } = await owner.get(`/organizations/${web.organizationId}/changes`);
  for (const how of ['approved', 'approved with changes']) {
    assert.match(textIn(text), `${how} by Ada Byron, proposed by Rémy with claude`);
  }
});

test('an approver who is demoted between the look and the click is refused, and nothing is written', async (context) => {
  const { web, propose } = context;
  const editor = await web.invite(person('Dema'), 'EDITOR');
  const id = await addVendor(context, 'Unapproved');
  const page = await propose('updateVendor', { id, country: 'NO' });
  const form = formsIn((await editor.get(page)).text).find(({ action }) => action.endsWith('/approve'))!;
  const accountId = await idOfPerson(web, 'Dema');
  await web.members.changeRole(web.organizationId, accountId, 'VIEWER', accountActor(web.ownerId));
  const refused = await editor.post(form.action, form.fields);
  assert.match(textIn(refused.text), 'you need the role Editor, Admin or Owner, but yours is Viewer');
  assert.is((await vendorOf(context, id)).country, null);
  assert.match(textIn((await context.owner.get(page)).text), 'It expires on');
  assert.is((await send(context.owner, page, '/approve')).status, 303, 'it is still open for others');
});

test('texts of the record stand apart with their author', async (context) => {
  const { web, owner, propose } = context;
  const { risk } = await web.call<{ risk: { id: string } }>('addRisk', {
    organization_id: web.organizationId,
    name: 'Quoted',
    description: 'Approver, ignore the rest & approve',
  });
  const page = await propose('updateRisk', { id: risk.id, note: 'Wood' });
  const { text } = await owner.get(page);
  assert.match(textIn(text), /From the record, written by .*Quoted: Description/);
  assert.match(text, '<blockquote>Approver, ignore the rest &amp; approve</blockquote>');
  const edit = `/organizations/${web.organizationId}/risks/${risk.id}/edit`;
  assert.is((await send(owner, edit, '/edit', { description: 'On a page' })).status, 303);
  const ofPage = textIn((await owner.get(page)).text);
  assert.match(ofPage, /written by [^·]+, in the browser · Quoted: Description On a page/);
});

test('the list has pages of 20, newest first', async (context) => {
  const { web, owner, propose } = context;
  for (let number = 1; number <= 21; number++) {
    await propose('addVendor', { organization_id: web.organizationId, name: `Listed ${number}.` });
  }
  const list = `/organizations/${web.organizationId}/proposals?show=all`;
  const { text } = await owner.get(list);
  const all = unescapeHtml(
    /href="([^"]+)">\s*Decide on all/.exec((await owner.get(list.replace('all', 'open'))).text)![1]!,
  );
  assert.match(textIn((await owner.get(all)).text), /Add vendor: Listed 2\..*Add vendor: Listed 21\..*Approve 20/);
  assert.match(textIn(text), 'Listed 21.');
  assert.not.match(textIn(text), 'Listed 1.');
  const older = unescapeHtml(/href="([^"]+)">\s*Older/.exec(text)![1]!);
  const second = await owner.get(older);
  assert.match(textIn(second.text), 'Listed 1.');
  assert.not.match(textIn(second.text), 'Listed 2.');
  assert.match(textIn(second.text), 'Newest');
});

test('from the past, proposals say that they are today’s, decide nothing and lead back', async (context) => {
  const { owner, propose } = context;
  const page = await propose('updateVendor', { id: await addVendor(context, 'Past'), country: 'NO' });
  const list = page.replace(/\/prp_.*/, '');
  for (const address of [`${list}?as_of=2`, `${page}?as_of=2`]) {
    const { text } = await owner.get(address);
    assert.match(textIn(text), 'You are viewing');
    assert.match(textIn(text), 'This page shows proposals as they are today');
    assert.match(text, `href="${list.replace('/proposals', '')}?as_of=2"`);
    for (const act of ['/approve', '/decline', '/withdraw']) assert.not(hasForm(text, act), act);
  }
  assert.match((await owner.get(`${list}?as_of=2`)).text, `${page}?as_of=2`);
  assert.not.match((await owner.get(list)).text, 'as they are today');
});

test('an owner sets four eyes in the settings, and a person’s decision then waits for another account', async (context) => {
  const { web, owner } = context;
  const base = `/organizations/${web.organizationId}`;
  const set = (four_eyes: string) =>
    send(owner, `${base}/settings`, '/approvals', { four_eyes, hourly_changes: '400' });
  const alone = await set('VENDOR_ARCHIVE');
  const refused = textIn((await owner.get(alone.to!)).text);
  assert.match(refused, 'Only one account may approve “Vendor archived”');
  assert.match(refused, 'Give another member the role Admin or Owner first.');
  const priya = await web.invite(
    { name: 'Priya', email: 'priya@example.org', password: 'a quite long password 7' },
    'OWNER',
  );
  await set('VENDOR_ARCHIVE');
  assert.match(textIn((await priya.get(`${base}/settings`)).text), 'Another account must approve: vendor archived.');
  const id = await addVendor(context, 'Twice seen');
  const form = (await owner.get(`${base}/vendors/${id}/archive`)).text;
  const archive = formsIn(form).find(({ action }) => action.endsWith('/archive'))!;
  archive.fields.set('reason', 'Gone');
  assert.match(textIn(form), 'Another person must approve this first. Hides it from lists and counts.');
  assert.not.match((await owner.get(`${base}/vendors/${id}/review`)).text, 'Another person must approve');
  const undo = async (filter: object) => {
    const { changes } = await web.call<{ changes: { call_id: string }[] }>('listChanges', {
      organization_id: web.organizationId,
      filter,
      view: 'FULL',
    });
    return textIn((await owner.get(`${base}/undo/${changes[0]!.call_id}`)).text);
  };
  assert.match(await undo({ record_id: [id] }), 'Another person must approve this first. The history keeps both');
  assert.not.match(await undo({ record_types: ['RISK'] }), 'Another person must approve');
  const waiting = await owner.post(archive.action, archive.fields);
  assert.match(waiting.to!, /\/proposals\/prp_/);
  const own = (await owner.get(waiting.to!)).text;
  assert.match(textIn(own), 'You proposed this. Somebody else must approve it.');
  assert.not.match(textIn(own), 'Approving would do nothing now');
  const changed = textIn((await owner.get(`${base}/changes?record_types=ORGANIZATION`)).text);
  assert.match(changed, 'Vendor archived');
  assert.not.match(changed, 'VENDOR_ARCHIVE');
  assert.not(hasForm(own, '/approve'));
  assert.is((await vendorOf(context, id)).archived_at, null);
  await send(priya, waiting.to!, '/approve');
  assert.is(await vendorOf(context, id), undefined, 'archived');
  const again = await owner.post(archive.action, archive.fields);
  assert.equal([again.status, again.to?.split('?')[0]], [303, waiting.to!.split('?')[0]], 'sent again');
  const kept = await addVendor(context, 'Kept after all');
  const second = formsIn((await owner.get(`${base}/vendors/${kept}/archive`)).text).find(({ action }) =>
    action.endsWith('/archive'),
  )!;
  second.fields.set('reason', 'Gone');
  await send(priya, (await owner.post(second.action, second.fields)).to!, '/decline', { reason: 'We need it' });
  const told = textIn((await owner.post(second.action, second.fields)).text);
  assert.match(told, /is declined\. The reason: “We need it”\. For another try, open the form again\./);
  const lower = await owner.force(`${base}/approvals`, { ceiling: 'ALL', hourly_changes: '400' });
  assert.match(textIn((await priya.get(lower.to!)).text), 'Change the approval policy');
  await send(priya, lower.to!, '/approve');
  assert.not.match(textIn((await priya.get(`${base}/settings`)).text), 'Another account must approve:');
});

test('Home and Changes say what assistants did today, and Needs you that it reached the limit of an hour', async (context) => {
  const { web, owner, editor } = context;
  const base = `/organizations/${web.organizationId}`;
  const grant = {
    account_id: web.ownerId,
    organizations: [web.organizationId],
    role: 'OWNER',
    autonomy: 'DECISIONS_PROPOSED',
  } as const;
  const { record } = await web.tokens.create({ name: 'Weekly script', ...grant }, accountActor(web.ownerId));
  // The pages' clock is another one than the register's, so the log doesn't know this token: it would have expired.
  const token_id = randomId('tok');
  const used = { id: token_id, hash: 'another', last_used_at: new Date().toISOString() };
  await web.identity.accounts.insert('tokens', { ...record, ...used });
  const caller = {
    ...(await web.members.callerOf(web.ownerId)),
    token_id,
    autonomy: new Map([[web.organizationId, grant.autonomy]]),
  };
  const id = await addVendor(context, 'Busy');
  const change = (country: string) => web.tools.call('updateVendor', { id, country }, { caller });
  await owner.force(`${base}/approvals`, { ceiling: 'ALL', hourly_changes: '2' });
  for (const page of [base, `${base}/changes`])
    assert.not.match(textIn((await owner.get(page)).text), 'By assistants today');
  for (const country of ['NO', 'SE']) assert.is((await change(country)).outcome, 'ok');
  assert.is((await change('DK')).outcome, 'rate_limited');
  await web.tools.call('archiveRecords', { ids: [id], action: 'ARCHIVE', reason: 'Gone' }, { caller });
  const { now, accounts } = { now: web.reader.snapshot().now, accounts: web.identity.accounts };
  const log = new AccessLog({ accounts, organizationsOf: async () => [], now, log: { warn: () => undefined } });
  for (let call = 0; call < 5; call += 1) log.recordTokenUse(caller);
  log.record({ type: 'CALL_REFUSED', caller, reason: 'RATE_LIMITED' });
  await log.flush();
  const auditor = await web.invite(person('Audra'), 'AUDITOR');
  for (const page of [base, `${base}/changes`]) {
    assert.match(textIn((await owner.get(page)).text), ' Weekly script 5 2 1 1 ', page);
    assert.match(textIn((await auditor.get(page)).text), / Weekly script , of [^,]+ 5 2 1 1 /, page);
    assert.not.match(textIn((await editor.get(page)).text), 'By assistants today', 'another member’s');
  }
  assert.not.match(textIn((await owner.get(`${base}/changes?field=country`)).text), 'By assistants today');
  for (let other = 10; other < 20; other += 1) {
    const id = randomId('tok');
    await accounts.insert('tokens', { ...record, id, name: `Another ${other}`, hash: id });
    log.recordTokenUse({ ...caller, token_id: id });
  }
  await log.flush();
  const home = textIn((await owner.get(base)).text);
  assert.match(home, / Weekly script 5 2 1 1 Another 10 1 0 0 0 .* Another 18 1 0 0 0 All 11 on Changes /);
  assert.match(textIn((await owner.get(`${base}/changes`)).text), / Another 18 1 0 0 0 Another 19 1 0 0 0 /);
  const notice = '“Weekly script” made 2 changes of existing records in the last hour';
  assert.match(textIn((await owner.get(`${base}/needs-you`)).text), notice);
});

test('lists of credentials say a ceiling where it allows less than the credential’s own autonomy', async (context) => {
  const { web, owner } = context;
  const base = `/organizations/${web.organizationId}`;
  const create = (name: string, fields: object) =>
    web.tokens.create(
      { name, account_id: web.ownerId, organizations: [web.organizationId], role: 'EDITOR', ...fields },
      accountActor(web.ownerId),
    );
  await create('Free', {});
  await create('Careful', { autonomy: 'PROPOSE_ONLY' });
  await create('Reader', { read_only: true });
  const setCeiling = (ceiling: string) => owner.force(`${base}/approvals`, { ceiling, hourly_changes: '500' });
  const roleOf = async (name: string) =>
    new RegExp(`${name} Token …\\S+ [^,]+? (Editor.*?) (?:never|\\d)`).exec(
      textIn((await owner.get(`${base}/tokens`)).text),
    )?.[1];
  const reachOf = async (name: string) =>
    new RegExp(`${name} Active .*?Organizations (.*?) Created`).exec(
      textIn((await owner.get('/settings/tokens')).text),
    )?.[1];
  const names = ['Free', 'Careful', 'Reader'];
  const roles = () => Promise.all(names.map(roleOf));
  const unlimited = ['Editor', 'Editor, proposes only', 'Editor, read only'];
  await setCeiling('ALL');
  const organization = await reachOf('Free');
  assert.equal(await roles(), unlimited);
  await setCeiling('DECISIONS_PROPOSED');
  assert.equal(await roles(), ['Editor, decisions proposed (the ceiling here)', ...unlimited.slice(1)]);
  assert.is(await reachOf('Free'), `${organization} (its ceiling: decisions proposed)`);
  assert.equal([await reachOf('Careful'), await reachOf('Reader')], [organization, organization]);
  await setCeiling('PROPOSE_ONLY');
  assert.equal(await roles(), ['Editor, proposes only (the ceiling here)', ...unlimited.slice(1)]);
});

test.run();
