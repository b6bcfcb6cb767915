/** Undo in the browser: from the notice after an act, from histories, of one record and of many, by role. */
import * as assert from 'uvu/assert';
import { addDays } from '../../../src/commands/engine/dates.ts';
import { callsOfChanges } from '../../../src/queries/changes/call-of-change.ts';
import { undoneText } from '../../../src/web/register/undo/undo-answer.ts';
import { formsIn, type PageAnswer, type TestBrowser, unescapeHtml } from '../../support/web/web.ts';
import { addRecord, type PageContext, person, textIn, webSuite } from '../../support/web/web-suite.ts';

type Person = 'OWNER' | 'EDITOR' | 'VIEWER';

interface Context extends PageContext {
  browsers: Record<Person, TestBrowser>;
}

const test = webSuite<Context>('undo', async ({ web, owner }) => ({
  browsers: {
    OWNER: owner,
    EDITOR: await web.invite(person('Eda'), 'EDITOR'),
    VIEWER: await web.invite(person('Vi'), 'VIEWER'),
  },
}));

/** Adds measures by one call and returns their ids. */
async function addMeasures({ web }: Context, count: number, category: string): Promise<string[]> {
  const rows = Array.from({ length: count }, (_, index) => ({ name: `${category} ${index + 1}`, category }));
  const input = { organization_id: web.organizationId, type: 'MEASURE', rows };
  return (await web.call<{ rows: { id: string }[] }>('importRecords', input)).rows.map(({ id }) => id);
}

/** Returns what a record holds, without what each write changes. */
async function contentOf({ web }: Context, id: string): Promise<object> {
  const input = { organization_id: web.organizationId, ids: [id], include: ['ARCHIVED', 'LINKS'] };
  const { records } = await web.call<{ records: Record<string, unknown>[] }>('getRecords', input);
  const { revision: _revision, updated_at: _updated, ...content } = records[0]!;
  return content;
}

/** Sends the form of an act and returns the page with its notice. */
async function act(browser: TestBrowser, page: string, name: string, fields: Record<string, string>) {
  await browser.get(`${page}/${name}`);
  const answer = await browser.send(`${page}/${name}`, fields);
  assert.is(answer.status, 303, textIn(answer.text));
  return browser.follow(answer);
}

const noticeIn = (html: string) => textIn(/<(div|p) class="notice[^>]* role="status">.*?<\/\1>/s.exec(html)?.[0] ?? '');

/** Returns the forms by which a page undoes a call. */
const undoForms = (html: string) => formsIn(html).filter(({ action }) => action.includes('/undo/'));

/** Presses Undo in the notice of a page, and returns the page after it. */
async function pressUndo(browser: TestBrowser, { text }: PageAnswer): Promise<PageAnswer> {
  const [form] = undoForms(text);
  assert.ok(form, `an undo in: ${noticeIn(text)}`);
  const answer = await browser.post(form.action, form.fields);
  assert.is(answer.status, 303, textIn(answer.text));
  return browser.follow(answer);
}

/** Returns the links of a page that lead to an undo, with their texts. */
const undoLinks = (html: string) =>
  [...html.matchAll(/<a href="([^"]*\/undo\/[^"]*)"[^>]*>([^<]*)/g)].map(([, href = '', text = '']) => ({
    href: unescapeHtml(href),
    text,
  }));

test('every act is undone by one click in its notice, and the undo by one more', async (context) => {
  const { browsers, base, web } = context;
  const { OWNER } = browsers;
  const risk = await addRecord(context, 'addRisk', { name: 'Fire' });
  const finding = await addRecord(context, 'addNonconformity', { description: 'No test' });
  const measure = await addRecord(context, 'addMeasure', { reference_id: 'M-1', name: 'Sprinklers' });
  const vendor = await addRecord(context, 'addVendor', { name: 'Nimbus' });
  const obligation = await addRecord(context, 'addObligation', { requirement: 'Report' });
  const pages = { risk: `/risks/${risk}`, finding: `/nonconformities/${finding}`, measure: `/measures/${measure}` };
  const until = addDays(web.reader.snapshot().today(), 100);
  const acts: readonly (readonly [id: string, page: string, act: string, fields: Record<string, string>])[] = [
    [risk, pages.risk, 'edit', { category: 'People' }],
    [risk, pages.risk, 'edit', { owner_id: web.ownerId }],
    [risk, pages.risk, 'link', { to_id: 'M-1' }],
    [risk, pages.risk, 'in-treatment', { reason: 'Begun' }],
    [risk, pages.risk, 'reviewed', { reason: 'Read' }],
    [risk, pages.risk, 'accept', { until, reason: 'Small' }],
    [risk, pages.risk, 'archive', { reason: 'Twice' }],
    [measure, pages.measure, 'implemented', { reason: 'Done' }],
    [finding, pages.finding, 'in-progress', { reason: 'Begun' }],
    [vendor, `/vendors/${vendor}`, 'review', { outcome: 'APPROVED' }],
    [obligation, `/obligations/${obligation}`, 'assess', { status: 'COMPLIANT', reason: 'Reported' }],
  ];
  for (const [id, page, name, fields] of acts) {
    const before = await contentOf(context, id);
    const done = await act(OWNER, base + page, name, fields);
    const after = await contentOf(context, id);
    assert.not.equal(after, before, name);
    const undone = await pressUndo(OWNER, done);
    assert.match(noticeIn(undone.text), 'The change is undone.', name);
    assert.equal(await contentOf(context, id), before, name);
    const again = await pressUndo(OWNER, undone);
    // A link that is undone and made again has the same events as any other.
    assert.match(noticeIn(again.text), `The change is ${name === 'link' ? 'undone' : 'redone'}.`, name);
    assert.equal(Object.keys(await contentOf(context, id)), Object.keys(after), name);
    await pressUndo(OWNER, again);
    assert.equal(await contentOf(context, id), before, name);
  }
});

test('undoes the end of a link, restoring, and adding a record', async (context) => {
  const { browsers, base } = context;
  const { OWNER } = browsers;
  const risk = await addRecord(context, 'addRisk', { name: 'Flood' });
  const measure = await addRecord(context, 'addMeasure', { reference_id: 'M-2', name: 'Pumps' });
  const page = `${base}/risks/${risk}`;
  await act(OWNER, page, 'link', { to_id: measure });
  const linked = await contentOf(context, risk);
  await pressUndo(OWNER, await act(OWNER, page, 'unlink', { to_id: measure, reason: 'No pumps' }));
  assert.equal(await contentOf(context, risk), linked);
  await act(OWNER, page, 'archive', { reason: 'Twice' });
  const archived = await contentOf(context, risk);
  await pressUndo(OWNER, await act(OWNER, page, 'restore', { reason: 'Not twice' }));
  assert.equal(Object.keys(await contentOf(context, risk)), Object.keys(archived));
  assert.ok(((await contentOf(context, risk)) as { archived_at: unknown }).archived_at !== null);
  const { EDITOR } = browsers;
  await EDITOR.get(`${base}/risks/add`);
  const added = await EDITOR.follow(await EDITOR.send(`${base}/risks/add`, { name: 'Typed into the wrong form' }));
  const undone = await pressUndo(EDITOR, added);
  assert.match(textIn(undone.text), 'Archived');
});

test('a change that made no difference has no undo in its notice', async (context) => {
  const { browsers, base } = context;
  const { OWNER } = browsers;
  const risk = await addRecord(context, 'addRisk', { name: 'Hail' });
  const measure = await addRecord(context, 'addMeasure', { name: 'Nets' });
  const page = `${base}/risks/${risk}`;
  await act(OWNER, page, 'link', { to_id: measure });
  const { text } = await act(OWNER, page, 'link', { to_id: measure });
  assert.match(noticeIn(text), 'They were linked already.');
  assert.equal(undoForms(text), []);
});

test('says in the history who undid a change, and offers no second undo', async (context) => {
  const { browsers, base, web } = context;
  const { organizationId: organization_id } = web;
  const id = await addRecord(context, 'addRisk', { name: 'Theft' });
  const page = `${base}/risks/${id}`;
  await web.call('updateRisk', { organization_id, id, category: 'Lost' }, 'claude');
  const { text } = await browsers.EDITOR.get(page);
  const links = undoLinks(text);
  assert.equal(
    links.map((link) => link.text),
    ['Undo'],
    'the addition is of another person, and it was changed since',
  );
  const form = await browsers.EDITOR.get(links[0]!.href);
  assert.match(textIn(form.text), /Undo a change .* Reason Optional.* Category Lost → none/);
  const answer = await browsers.EDITOR.send(links[0]!.href.split('?')[0]!, { reason: 'The wrong risk' });
  assert.is(answer.to, page);
  const after = textIn((await browsers.EDITOR.follow(answer)).text);
  assert.match(after, /Undone: Category Lost → none · The wrong risk · Eda/);
  assert.match(after, /Category Lost · Ada Byron,[^·]*·[^·]*· undone by Eda, \d+ \w+ \d{4}/);
  const left = undoLinks((await browsers.EDITOR.get(page)).text);
  assert.is(left.length, 1, 'the undo itself can be undone');
  assert.is.not(left[0]!.href.split('?')[0], links[0]!.href.split('?')[0]);
  const nothing = await browsers.EDITOR.get(links[0]!.href);
  assert.match(textIn(nothing.text), 'Nothing is left to undo.');
  assert.equal(undoForms(nothing.text), []);
});

test('offers no undo of a change whose fields all changed since, and says "in part" where some stayed', async (context) => {
  const { browsers, base, web } = context;
  const { organizationId: organization_id } = web;
  const id = await addRecord(context, 'addRisk', { name: 'Fraud' });
  const page = `${base}/risks/${id}`;
  await web.call('updateRisk', { organization_id, id, category: 'Money', description: 'Of invoices' });
  await web.call('updateRisk', { organization_id, id, category: 'Finance' });
  const [newest, older] = undoLinks((await browsers.OWNER.get(page)).text);
  const { text } = await browsers.OWNER.get(older!.href);
  assert.match(textIn(text), 'Category changed since.');
  await browsers.OWNER.send(older!.href.split('?')[0]!);
  assert.match(textIn((await browsers.OWNER.get(page)).text), /undone in part by/);
  await web.call('updateRisk', { organization_id, id, category: 'Payments' });
  const left = undoLinks((await browsers.OWNER.get(page)).text).map(({ href }) => href.split('?')[0]);
  assert.not.ok(left.includes(newest!.href.split('?')[0]), 'its one field changed since');
});

test('offers no undo of an adoption whose controls are in use, and its page names them', async (context) => {
  const { browsers, base, web } = context;
  const { organizationId: organization_id } = web;
  const controls = ['A.7.4', 'A.7.12'].map((section_title) => ({ section_title, name: `On ${section_title}` }));
  const input = { organization_id, name: 'ISO 27001', controls };
  const adopted = await web.call<{ framework: { id: string }; call_id: string }>('addFramework', input);
  const page = `${base}/frameworks/${adopted.framework.id}`;
  const undo = `${base}/undo/${adopted.call_id}`;
  const isOffered = async (list: string) =>
    undoLinks((await browsers.OWNER.get(list)).text).some(({ href }) => href.startsWith(undo));
  assert.ok(await isOffered(page));
  const [form] = undoForms((await browsers.OWNER.get(undo)).text);
  const filter = { framework_id: [adopted.framework.id] };
  const listed = await web.call<{ controls: { id: string }[] }>('listControls', { organization_id, filter });
  const changes: string[] = [];
  for (const { id } of listed.controls) {
    const changed = { organization_id, id, description: 'Changed' };
    changes.push((await web.call<{ call_id: string }>('updateControl', changed)).call_id);
  }
  assert.equal([await isOffered(page), await isOffered(`${base}/changes`)], [false, false]);
  const { text } = await browsers.OWNER.get(`${undo}?back=${encodeURIComponent(page)}`);
  assert.match(textIn(text), 'Nothing goes back. Back');
  assert.match(textIn(text), 'ISO 27001 : 2 of its controls were changed since: A.7.4, A.7.12.');
  assert.match(text, `<a href="${page}">Back</a>`);
  const sent = await browsers.OWNER.post(form!.action, form!.fields);
  assert.match(sent.to!, `${undo}?back=`, 'the page with the reason');
  for (const call_id of changes) await web.call('importRecords', { organization_id, undo: { call_id } });
  assert.ok(await isOffered(page), 'changes that were undone do not count');
});

test('offers no undo of taking records over from somebody who left, unless more goes back', async (context) => {
  const { browsers, base, web } = context;
  const { organizationId: organization_id } = web;
  const leaver = { name: 'Lea', email: 'lea@example.org', password: 'a quite long password 7' };
  await web.invite(leaver, 'EDITOR');
  const members = await web.members.membersOf(web.organizationId);
  const owner_id = members.find(({ name }) => name === leaver.name)!.account_id;
  const [taken, more] = [
    await addRecord(context, 'addRisk', { name: 'Taken', owner_id }),
    await addRecord(context, 'addRisk', { name: 'More', owner_id }),
  ];
  await web.call('updateRisk', { organization_id, id: taken, owner_id: web.ownerId });
  await web.call('updateRisk', { organization_id, id: more, owner_id: web.ownerId, category: 'People' });
  const offered = async (id: string) => undoLinks((await browsers.OWNER.get(`${base}/risks/${id}`)).text).length;
  assert.equal([await offered(taken), await offered(more)], [1, 1]);
  await browsers.OWNER.get(`${base}/members/${owner_id}`);
  assert.is((await browsers.OWNER.send(`${base}/members/${owner_id}/remove`, { reason: 'Left' })).status, 303);
  assert.equal([await offered(taken), await offered(more)], [0, 1]);
});

test('undoes 37 changes of an assistant in two clicks, from every history', async (context) => {
  const { browsers, base, web } = context;
  const { organizationId: organization_id } = web;
  const ids = await addMeasures(context, 37, 'Right');
  const set = { organization_id, type: 'MEASURE', ids, set: { category: 'Wrong' }, reason: 'Tidy up' };
  const { selection } = await web.call<{ selection: string }>('importRecords', { ...set, dry_run: true }, 'claude');
  await web.call('importRecords', { ...set, selection }, 'claude');
  for (const page of ['', '/changes', `/measures/${ids[3]}`]) {
    const links = undoLinks((await browsers.EDITOR.get(base + page)).text);
    assert.is(links.filter(({ text }) => text === 'Undo all 37').length, 1, `once on ${page}`);
  }
  const [link] = undoLinks((await browsers.EDITOR.get(base)).text);
  const { text } = await browsers.EDITOR.get(link!.href);
  assert.match(textIn(text), /Undo 37 changes .*“?Tidy up.* Right \d+ .*Category Wrong → Right/);
  const [form] = undoForms(text);
  const answer = await browsers.EDITOR.post(form!.action, form!.fields);
  assert.is(answer.to, base);
  assert.match(noticeIn((await browsers.EDITOR.follow(answer)).text), '37 changes are undone.');
  for (const id of ids) assert.is(((await contentOf(context, id)) as { category: string }).category, 'Right');
  const repeated = await browsers.EDITOR.post(form!.action, form!.fields);
  assert.is(repeated.status, 303, 'a second click changes nothing');
  const undone = await browsers.EDITOR.follow(repeated);
  const shown = await pressUndo(browsers.EDITOR, undone);
  assert.match(textIn(shown.text), /Undo 37 changes/, 'many changes are shown before they go back');
});

test('an undo of many that somebody overtook shows again what goes back', async (context) => {
  const { browsers, base, web } = context;
  const { organizationId: organization_id } = web;
  const ids = await addMeasures(context, 6, 'Before');
  const set = { organization_id, type: 'MEASURE', ids, set: { category: 'Wrong' }, reason: 'Tidy up' };
  const { selection } = await web.call<{ selection: string }>('importRecords', { ...set, dry_run: true });
  const { call_id } = await web.call<{ call_id: string }>('importRecords', { ...set, selection });
  const address = `${base}/undo/${call_id}`;
  const [form] = undoForms((await browsers.OWNER.get(address)).text);
  await web.call('updateMeasure', { organization_id, id: ids[0], category: 'Kept' });
  const answer = await browsers.OWNER.post(form!.action, form!.fields);
  assert.is(answer.status, 409);
  assert.match(textIn(answer.text), /Somebody changed these records meanwhile\..* What stays .*Before 1/);
  const [again] = undoForms(answer.text);
  assert.is((await browsers.OWNER.post(again!.action, again!.fields)).status, 303);
  assert.is(((await contentOf(context, ids[0]!)) as { category: string }).category, 'Kept');
  assert.is(((await contentOf(context, ids[1]!)) as { category: string }).category, 'Before');
});

test('offers an undo only to roles that may do it', async (context) => {
  const { browsers, base, web } = context;
  const { organizationId: organization_id } = web;
  const id = await addRecord(context, 'addRisk', { name: 'Roles' });
  const page = `${base}/risks/${id}`;
  const until = addDays(web.reader.snapshot().today(), 100);
  const accepted = { organization_id, id, decision: 'ACCEPT', until, reason: 'Small' };
  const { call_id } = await web.call<{ call_id: string }>('decideRisk', accepted);
  const offered = async (person: Person) => undoLinks((await browsers[person].get(page)).text).length;
  assert.equal([await offered('OWNER'), await offered('EDITOR'), await offered('VIEWER')], [1, 0, 0]);
  assert.is((await browsers.VIEWER.get(`${base}/undo/${call_id}`)).status, 403);
  const refused = await browsers.EDITOR.get(`${base}/undo/${call_id}`);
  assert.is(refused.status, 403);
  assert.match(textIn(refused.text), 'you need the role Admin or Owner');
  assert.equal(undoForms(refused.text), []);
  const { EDITOR } = browsers;
  const revoked = await act(EDITOR, page, 'revoke', { reason: 'Grown' });
  assert.equal(undoForms(revoked.text), [], 'the acceptance would stand again');
  assert.is((await browsers.OWNER.get(`${base}/undo/${'0'.repeat(8)}-0000-0000-0000-${'0'.repeat(12)}`)).status, 404);
  assert.is((await browsers.OWNER.get(`${base}/undo/nothing`)).status, 404);
  assert.equal(undoLinks((await browsers.OWNER.get(`${page}?as_of=2`)).text), [], 'nothing is undone in the past');
});

test('reads the calls of fifty changes with the queries of one', async ({ web }) => {
  const { organizationId } = web;
  const counted = async (positions: readonly string[]) => {
    const snapshot = web.reader.snapshot();
    let queries = 0;
    const models = new Proxy(snapshot.models, {
      get(target, name, receiver) {
        const value = Reflect.get(target, name, receiver);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]) => {
          queries += 1;
          return value.apply(target, args);
        };
      },
    });
    const reading = Object.create(snapshot, { models: { value: models } });
    const calls = await callsOfChanges(
      { snapshot: reading, organizationId, moment: { today: snapshot.today(), position: null } },
      positions,
    );
    return { queries, found: calls.size };
  };
  const newest = web.reader.snapshot().newestPosition(organizationId);
  const fifty = await counted(Array.from({ length: 50 }, (_, index) => String(newest - index)));
  assert.is(fifty.found, 50);
  assert.ok(fifty.queries <= 6, `${fifty.queries} queries`);
});

test('says what stays, what failed and what is left', () => {
  const back = { rows: [{ id: 'a' }, { id: 'b' }] };
  assert.is(undoneText({ rows: [] }), 'Nothing is left to undo.');
  assert.is(undoneText({ rows: [{ id: 'a' }] }), 'The change is undone.');
  const stays = [
    { id: 'c', why: 'CHANGED_SINCE' as const },
    { id: 'd', why: 'CHANGED_SINCE' as const, fields: ['name'] },
  ];
  assert.is(
    undoneText({ rows: [...back.rows, { id: 'e', errors: [{}] }], skipped: stays, more_skipped: 2, remaining: 7 }),
    '2 changes are undone. 3 stay. Fields that somebody changed since stay. 1 failed, because somebody changed them at the same time. 7 are left.',
  );
});

test.run();
