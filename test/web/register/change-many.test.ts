/** Many records at once: rows chosen in a list, or all that match, and what becomes of them by one form. */
import * as assert from 'uvu/assert';
import { FAMILY_DESCRIPTIONS } from '../../../src/register/families.ts';
import { StoreUnavailable } from '../../../src/stores/errors.ts';
import { manyActs } from '../../../src/web/register/many/many-acts.ts';
import { formsIn, type TestBrowser, unescapeHtml, type WebTest } from '../../support/web/web.ts';
import { type PageContext, textIn, webSuite } from '../../support/web/web-suite.ts';

const PRIYA = { name: 'Priya Raman', email: 'priya@example.org', password: 'a quite long password 7' };
const VIEWER = { name: 'Vera Viewer', email: 'vera@example.org', password: 'a quite long password 8' };

interface Context extends PageContext {
  priya: TestBrowser;
  viewer: TestBrowser;
  priyaId: string;
}

const test = webSuite<Context>('many at once', async ({ web }) => {
  const priya = await web.invite(PRIYA, 'EDITOR');
  const viewer = await web.invite(VIEWER, 'VIEWER');
  const priyaId = (await web.people.accounts.findByEmail(PRIYA.email))!.id;
  return { priya, viewer, priyaId };
});

/** Adds records with a tool and returns their ids. */
async function add({ web }: Context, tool: string, records: readonly object[]): Promise<string[]> {
  const answers = [];
  for (const fields of records) {
    answers.push(
      await web.call<Record<string, { id: string }>>(tool, { organization_id: web.organizationId, ...fields }),
    );
  }
  return answers.map((answer) => Object.values(answer).find((member) => typeof member?.id === 'string')!.id);
}

const named = (names: readonly string[]) => names.map((name) => ({ name }));

type Row = Record<string, unknown> & { id: string };

async function read({ web }: Context, ids: readonly string[]): Promise<Row[]> {
  const input = { organization_id: web.organizationId, ids, include: ['ARCHIVED'] };
  return (await web.call<{ records: Row[] }>('getRecords', input)).records;
}

const newest = ({ web }: Context) => web.reader.snapshot().newestPosition(web.organizationId);

/** Opens the form for an act on these records. */
const many = (base: string, act: string, ids: readonly string[]) =>
  `${base}/many?act=${act}${ids.map((id) => `&ids=${id}`).join('')}`;

/** Lets the store take so many appends, then no more. @returns a function that mends it */
function failAppendsAfter({ identity: { events } }: WebTest, count: number): () => void {
  const { append } = events;
  let left = count;
  events.append = (...args) => {
    if (left-- <= 0) throw new StoreUnavailable('gone');
    return append.apply(events, args);
  };
  return () => {
    events.append = append;
  };
}

test('rows have boxes and the list a bar, for the acts that the role may do', async (context) => {
  const { owner, priya, viewer, base } = context;
  const [id] = await add(context, 'addRisk', named(['Fire']));
  const acts = async (browser: TestBrowser, path = `${base}/risks`) => {
    const { text } = await browser.get(path);
    const boxes = [...text.matchAll(/<input type="checkbox" name="ids" value="([^"]*)"/g)].map(([, value]) => value);
    const buttons = [...text.matchAll(/name="act" value="(\w+)"/g)].map(([, name]) => name);
    return [boxes, buttons];
  };
  assert.equal(await acts(owner), [[id], ['owner', 'due', 'state', 'archive', 'link']]);
  assert.equal(await acts(priya), [[id], ['owner', 'due', 'state', 'link']]);
  assert.equal(await acts(viewer), [[], []]);
  assert.equal(await acts(owner, `${base}/risks?as_of=${newest(context)}`), [[], []]);
  assert.equal(await acts(owner, `${base}/risks?status=CLOSED`), [[], []]);
  assert.is((await viewer.get(many(`${base}/risks`, 'owner', [id!]))).status, 403);
  assert.is((await priya.get(many(`${base}/risks`, 'archive', [id!]))).status, 403);
  assert.is((await owner.get(many(`${base}/risks`, 'nothing', [id!]))).status, 404);
});

test('every family has the acts that its tools have', () => {
  const names = (type: string) =>
    manyActs(FAMILY_DESCRIPTIONS.find((one) => one.type === type)!).map(({ name }) => name);
  assert.equal(names('EVIDENCE'), ['owner', 'archive', 'link']);
  assert.equal(names('FRAMEWORK'), ['owner', 'archive', 'link']);
  assert.equal(names('MEASURE'), ['owner', 'due', 'state', 'archive', 'link']);
  assert.equal(names('CONTROL'), ['owner', 'due', 'state', 'archive', 'link']);
});

test('hands over chosen due items of several families, and leads to everything of a person', async (context) => {
  const { owner, base, priyaId } = context;
  const due = { due_date: '2024-01-31', owner_id: 'ME' };
  const [backup] = await add(context, 'addMeasure', [{ reference_id: 'M-7', name: 'Backup', ...due }]);
  const [vendor] = await add(context, 'addVendor', [{ name: 'Nimbus', owner_id: 'ME', next_review_due: '2024-01-31' }]);
  const page = await owner.get(`${base}/needs-you`);
  const boxes = [...page.text.matchAll(/name="ids" value="([^"]*)"/g)].map(([, id]) => id!);
  assert.equal(boxes.toSorted(), [backup, vendor].toSorted());
  const path = `${base}/hand-over`;
  await owner.get(`${path}?ids=${backup}&ids=${vendor}`);
  const preview = textIn((await owner.send(path, { owner_id: priyaId })).text);
  for (const name of ['M-7 Backup', 'Nimbus']) assert.match(preview, `${name} Owner Ada Byron → Priya Raman`);
  const done = await owner.send(path, { owner_id: priyaId });
  assert.equal(done.to, `${base}/needs-you`);
  assert.ok((await read(context, [backup!, vendor!])).every(({ owner_id }) => owner_id === priyaId));
  const undos = formsIn((await owner.follow(done)).text).filter(({ action }) => action.includes('/undo/'));
  assert.is(undos.length, 2, 'one for each family');
  await owner.post(undos[0]!.action, undos[0]!.fields);
  const owners = async () => (await read(context, [backup!, vendor!])).map(({ owner_id }) => owner_id === priyaId);
  assert.equal((await owners()).toSorted(), [false, true]);
  await owner.post(undos[1]!.action, undos[1]!.fields);
  assert.equal(await owners(), [false, false]);
  await owner.get(`${path}?ids=${backup}&ids=${vendor}`);
  await owner.send(path, { owner_id: priyaId });
  const { web } = context;
  await web.call('updateMeasure', { organization_id: web.organizationId, id: backup, owner_id: null });
  const partial = await owner.follow(await owner.send(path, { owner_id: priyaId }));
  assert.match(textIn(partial.text), /Done: Hand over · 1 record\. The others stay as they were:/);
  const [undo, ...more] = formsIn(partial.text).filter(({ action }) => action.includes('/undo/'));
  assert.equal(more, []);
  await owner.post(undo!.action, undo!.fields);
  assert.equal(await owners(), [false, false]);
  await web.call('updateVendor', { organization_id: web.organizationId, id: vendor, owner_id: priyaId });
  const all = await owner.get(`${base}/needs-you?owner=${priyaId}`);
  const [, href] = /<a class="button quiet" href="([^"]*hand-over[^"]*)"/.exec(all.text)!;
  assert.match(textIn((await owner.get(unescapeHtml(href!))).text), 'Hand over the records of Priya Raman');
});

test('assigns an owner to a framework and to evidence, whose other fields stay', async (context) => {
  const { owner, viewer, base, priyaId, web } = context;
  const controls = [{ section_title: 'H.1', name: 'Doors are locked' }];
  const [framework] = await add(context, 'addFramework', [{ name: 'House rules', controls }]);
  const [evidence] = await add(context, 'addEvidence', [{ name: 'Photo', text: 'A door', record_ids: [framework] }]);
  for (const [plural, id] of [
    ['frameworks', framework],
    ['evidence', evidence],
  ] as const) {
    const page = `${base}/${plural}/${id}`;
    const linkIn = (html: string) =>
      />\s*Assign owner/.test(html) && /href="([^"]*\/many\?act=owner[^"]*)"/.exec(html)?.[1];
    assert.not(linkIn((await viewer.get(page)).text));
    const path = `${base}/${plural}/many`;
    await owner.get(unescapeHtml(linkIn((await owner.get(page)).text) as string));
    assert.match(textIn((await owner.send(path, { owner_id: priyaId })).text), 'Owner Priya Raman');
    assert.is((await owner.send(path, { owner_id: priyaId })).to, page);
    assert.is((await read(context, [id!]))[0]!.owner_id, priyaId);
  }
  const reason = 'It was a trial';
  const archive = { organization_id: web.organizationId, action: 'ARCHIVE', ids: [framework], reason };
  await web.call('archiveRecords', archive);
  assert.not.match((await owner.get(`${base}/frameworks/${framework}`)).text, 'Assign owner');
});

test('gives twelve risks another owner: first each change, then one call with one reason', async (context) => {
  const { owner, web, base, priyaId } = context;
  const ids = await add(context, 'addRisk', named(Array.from({ length: 12 }, (_, index) => `Risk ${index + 1}`)));
  const path = `${base}/risks/many`;
  const open = await owner.get(many(`${base}/risks`, 'owner', ids));
  assert.match(textIn(open.text), 'Change owner: risks');
  const before = newest(context);
  const withoutReason = await owner.send(path, { owner_id: priyaId });
  assert.is(withoutReason.status, 400);
  assert.match(textIn(withoutReason.text), 'Give a reason: why the call changes 12 records.');
  const preview = await owner.send(path, { owner_id: priyaId, reason: 'She runs the laboratory now' });
  assert.is(preview.status, 200);
  assert.is(textIn(preview.text).match(/Owner Priya Raman/g)?.length, 12);
  assert.match(preview.text, 'Change owner: 12 records');
  assert.is(newest(context), before, 'a dry run writes nothing');
  const form = { owner_id: priyaId, reason: 'She runs the laboratory now' };
  const written = await owner.send(path, form);
  assert.equal([written.status, written.to], [303, `${base}/risks`], textIn(written.text));
  const list = (await owner.follow(written)).text;
  assert.match(textIn(list), 'Done: Change owner · 12 records.');
  assert.match(list, /href="[^"]*\/undo\/|action="[^"]*\/undo\//);
  assert.ok((await read(context, ids)).every(({ owner_id }) => owner_id === priyaId));
  const { changes } = await web.call<{ changes: { call_id?: string; reason: string }[] }>('listChanges', {
    organization_id: web.organizationId,
    filter: { from: String(before + 1) },
    view: 'FULL',
    size: 50,
  });
  assert.is(changes.length, 12);
  assert.is(new Set(changes.map(({ call_id }) => call_id)).size, 1);
  assert.ok(changes.every(({ reason }) => reason === form.reason));
});

test('the same form again finishes a call that was interrupted, and writes nothing twice', async (context) => {
  const { owner, base, priyaId, web } = context;
  const ids = await add(context, 'addRisk', named(['Fire', 'Flood', 'Frost', 'Fraud', 'Fog', 'Fuel']));
  const path = `${base}/risks/many`;
  await owner.get(many(`${base}/risks`, 'owner', ids));
  const form = { owner_id: priyaId, reason: 'Hand-over' };
  await owner.send(path, form);
  const before = newest(context);
  // The store goes away after two of the six.
  const restore = failAppendsAfter(web, 2);
  const cut = await owner.send(path, form);
  restore();
  assert.is(cut.status, 503);
  assert.match(textIn(cut.text), 'Change owner: 6 records');
  const done = await owner.send(path, form);
  assert.is(done.status, 303, textIn(done.text));
  assert.ok((await read(context, ids)).every(({ owner_id }) => owner_id === priyaId));
  assert.is(newest(context) - before, 6);
});

test('says at the field what all records lack, and at a record what it alone does', async (context) => {
  const { owner, base } = context;
  const [measure] = await add(context, 'addMeasure', named(['Backup']));
  const path = `${base}/measures/many`;
  await owner.get(many(`${base}/measures`, 'state', [measure!]));
  const lacking = await owner.send(path, { state: 'NOT_APPLICABLE', reason: 'Another building' });
  assert.is(lacking.status, 400);
  assert.match(lacking.text, /id="justification-fault"/);
  const unreasoned = await owner.send(path, { state: 'IMPLEMENTED', justification: '', reason: '' });
  assert.match(unreasoned.text, /id="reason-fault"/);
  await owner.get(many(`${base}/measures`, 'state', [measure!]));
  // The justification is the reason too.
  const form = { state: 'NOT_APPLICABLE', justification: 'We have none', reason: '' };
  await owner.send(path, form);
  assert.is((await owner.send(path, form)).status, 303);
  assert.is((await read(context, [measure!]))[0]!.state, 'NOT_APPLICABLE');
  const [high, low] = await add(context, 'addRisk', [
    { name: 'High', inherent_likelihood: 5, inherent_impact: 5 },
    { name: 'Closed' },
  ]);
  const { web } = context;
  const decision = { decision: 'CLOSE', reason: 'Gone' };
  await web.call('decideRisk', { organization_id: web.organizationId, id: low, ...decision });
  await owner.get(many(`${base}/risks`, 'state', [high!, low!]));
  const toTreatment = { status: 'IN_TREATMENT', reason: 'Planned' };
  const mixed = await owner.send(`${base}/risks/many`, toTreatment);
  assert.match(textIn(mixed.text), '1 record can’t be changed so. Without it, press the button again.');
  assert.match(textIn(mixed.text), 'Closed Closed cannot become In treatment here.');
  await owner.send(`${base}/risks/many`, toTreatment);
  assert.is((await owner.send(`${base}/risks/many`, toTreatment)).status, 303);
  const statuses = (await read(context, [high!, low!])).map(({ status }) => status);
  assert.equal(statuses, ['IN_TREATMENT', 'CLOSED']);
});

test('shows the changes again if a record or the form changed since', async (context) => {
  const { owner, base, priyaId, web } = context;
  const ids = await add(context, 'addRisk', named(['Fire', 'Flood']));
  const path = `${base}/risks/many`;
  await owner.get(many(`${base}/risks`, 'owner', ids));
  await owner.send(path, { owner_id: priyaId });
  await web.call('updateRisk', { organization_id: web.organizationId, id: ids[0], name: 'Fire at night' });
  const before = newest(context);
  const again = await owner.send(path, { owner_id: priyaId });
  assert.is(again.status, 409);
  assert.match(textIn(again.text), 'changed since you looked');
  const other = await owner.send(path, { owner_id: web.ownerId });
  assert.is(other.status, 409);
  assert.is(newest(context), before);
  assert.is((await owner.send(path, { owner_id: web.ownerId })).status, 303);
  assert.ok((await read(context, ids)).every(({ owner_id }) => owner_id === web.ownerId));
});

test('all that match goes on in parts, with what was typed', async (context) => {
  const { owner, base, web, priyaId } = context;
  const rows = Array.from({ length: 203 }, (_, index) => ({ name: `Measure ${index}`, category: 'Access' }));
  for (const part of [rows.slice(0, 150), rows.slice(150)]) {
    await web.call('importRecords', { organization_id: web.organizationId, type: 'MEASURE', rows: part });
  }
  await add(context, 'addMeasure', [{ name: 'Other', category: 'Backup' }]);
  const list = await owner.get(`${base}/measures?category=Access`);
  assert.match(list.text, 'All 203 that match');
  const path = `${base}/measures/many`;
  const form = { owner_id: priyaId, reason: 'One team' };
  const countOwned = async () => {
    const filter = { owner_id: [priyaId], category: ['Access'] };
    const input = { organization_id: web.organizationId, filter, view: 'COUNT' };
    return (await web.call<{ total: number }>('listMeasures', input)).total;
  };
  await owner.get(`${path}?category=Access&all=true&act=owner&back=${encodeURIComponent(`${base}/measures`)}`);
  const counts: number[] = [];
  for (let parts = 0; parts < 9; parts++) {
    const preview = parts === 0 ? await owner.send(path, form) : null;
    assert.is(preview?.status ?? 200, 200);
    const written = await owner.send(path, form);
    counts.push(await countOwned());
    if (written.status === 303) break;
    assert.match(textIn(written.text), /Done: Change owner · \d+ records/);
  }
  assert.is(counts.at(-1), 203);
  assert.ok(counts.length > 1 && counts[0]! <= 200, String(counts));
});

test('archives with a reason and says who refers to each; links all with one record', async (context) => {
  const { owner, base } = context;
  const ids = await add(context, 'addRisk', named(['Fire', 'Flood']));
  const [measure] = await add(context, 'addMeasure', [{ reference_id: 'M-1', name: 'Sprinklers' }]);
  const path = `${base}/risks/many`;
  await owner.get(many(`${base}/risks`, 'link', ids));
  assert.match(textIn((await owner.send(path, { to_id: 'M-9' })).text), 'No record has the number or name “M-9”.');
  assert.match(textIn((await owner.send(path, { to_id: 'm-1' })).text), /New link.*New link.*Link: 2 records/);
  assert.is((await owner.send(path, { to_id: 'm-1' })).status, 303);
  assert.is((await read(context, [measure!]))[0]!.risk_count, 2);
  await owner.get(many(`${base}/risks`, 'archive', ids));
  assert.is((await owner.send(path, {})).status, 400);
  const preview = textIn((await owner.send(path, { reason: 'Twice' })).text);
  assert.match(preview, 'Becomes archived. 1 live record refers to it.');
  assert.not.match(preview, 'Archived at', 'the time comes with the archiving');
  assert.is((await owner.send(path, { reason: 'Twice' })).status, 303);
  assert.ok((await read(context, ids)).every(({ archived_at }) => typeof archived_at === 'string'));
});

test('takes no records of another family, and no other ids', async (context) => {
  const { owner, base, priyaId } = context;
  const [measure] = await add(context, 'addMeasure', named(['Backup']));
  const path = `${base}/risks/many`;
  const ids = [measure!, 'rsk_AAAAAAAAAAAAAAAAAAAA', '<script>'];
  const { text, status } = await owner.get(many(`${base}/risks`, 'owner', ids.map(encodeURIComponent)));
  assert.is(status, 200);
  assert.not.match(text, 'Backup');
  assert.not.match(text, '<script>');
  const sent = await owner.send(path, { owner_id: priyaId, ids, reason: 'Mine' });
  assert.match(sent.text, 'Choose at least one record.');
});

test.run();
