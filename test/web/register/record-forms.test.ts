/** Forms that add and correct records: what they send to the tools, what comes back, and two people at once. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { FAMILY_DESCRIPTIONS } from '../../../src/register/families.ts';
import { ADD_FORMS, addFormOf } from '../../../src/web/register/forms/add-forms.ts';
import {
  formsIn,
  type PageAnswer,
  startWeb,
  type TestBrowser,
  unescapeHtml,
  type WebTest,
} from '../../support/web/web.ts';

const PRIYA = { name: 'Priya', email: 'priya@example.org', password: 'raises a likelihood 7' };

interface Context {
  web: WebTest;
  owner: TestBrowser;
  priya: TestBrowser;
  base: string;
}

const test = suite<Context>('forms of records');

test.before(async (context) => {
  const web = await startWeb();
  const owner = await web.setUpOwner();
  const priya = await web.invite(PRIYA, 'EDITOR');
  Object.assign(context, { web, owner, priya, base: `/organizations/${web.organizationId}` });
});
test.after(({ web }) => web.stop());

const textIn = (html: string) => unescapeHtml(html.replace(/<[^>]+>/g, ' ')).replace(/\s+/g, ' ');

/** Returns the id in the address that a form led to. */
const idIn = ({ to }: PageAnswer) => /\/([a-z]{3}_\w+)(?:\?|$)/.exec(to!)![1]!;

async function readRecord({ web }: Context, id: string): Promise<Record<string, unknown>> {
  const { organizationId: organization_id } = web;
  const { records } = await web.call<{ records: Record<string, unknown>[] }>('getRecords', {
    organization_id,
    ids: [id],
    include: ['HISTORY'],
  });
  return records[0]!;
}

async function addRisk({ owner, base }: Context, fields: Record<string, string> = {}): Promise<string> {
  await owner.get(`${base}/risks/add`);
  return idIn(await owner.send(`${base}/risks/add`, { name: 'Phishing mail', ...fields }));
}

const changesOf = (record: Record<string, unknown>) =>
  (record.history as { changes: { client: string; reason?: string; changes: { field: string }[] }[] }).changes;

test('adds a risk by its tool, and leads to it', async (context) => {
  const { owner, base, web } = context;
  const { status, text } = await owner.get(`${base}/risks/add`);
  assert.is(status, 200);
  assert.match(textIn(text), 'Risk (required)');
  assert.match(textIn(text), '4 · Likely');
  const typed = {
    reference_id: 'R-001',
    name: 'Ransomware',
    description: 'First line\r\nSecond line',
    inherent_likelihood: '4',
    inherent_impact: '5',
    next_review_due: '2026-12-01',
    owner_id: web.ownerId,
    reason: 'Seen at a neighbour',
  };
  const answer = await owner.send(`${base}/risks/add`, typed);
  assert.is(answer.status, 303);
  const page = await owner.follow(answer);
  assert.match(textIn(page.text), 'Added R-001 Ransomware.');
  const record = await readRecord(context, idIn(answer));
  assert.is(record.description, 'First line\nSecond line');
  assert.equal([record.score, record.owner_id, record.status], [20, web.ownerId, 'OPEN']);
  const [added] = changesOf(record);
  assert.match(added!.client, /^veritrail web /);
  assert.match(textIn(page.text), /Ada Byron ?, in the browser/);
  assert.is(added!.reason, 'Seen at a neighbour');
});

test('brings a refusal back to its fields, with everything that was typed', async ({ owner, base }) => {
  await owner.get(`${base}/risks/add`);
  const typed = {
    name: '',
    description: 'Kept',
    inherent_likelihood: '2',
    inherent_impact: '2',
    residual_likelihood: '5',
    residual_impact: '5',
    reason: 'x'.repeat(1_001),
  };
  const { status, text } = await owner.send(`${base}/risks/add`, typed);
  assert.is(status, 400);
  assert.match(text, '<a href="#name">Risk is required.</a>');
  assert.match(text, '<a href="#reason">Reason is longer than 1000 characters: shorten it.</a>');
  const form = formsIn(text).find(({ action }) => action === `${base}/risks/add`)!;
  for (const [name, value] of Object.entries(typed)) assert.is(form.fields.get(name), value, name);
  const refused = await owner.send(`${base}/risks/add`, { ...typed, name: 'Named', reason: '' });
  assert.is(refused.status, 400);
  assert.match(refused.text, /id="residual_likelihood-fault"/);
});

test('links a new risk in the form that adds it, and adds nothing if a record is unknown', async (context) => {
  const { owner, base, web } = context;
  const { organizationId: organization_id, ownerId } = web;
  const { measure } = await web.call<{ measure: { id: string } }>('addMeasure', {
    organization_id,
    name: 'Fire doors',
    reference_id: 'M-5',
  });
  const { vendor } = await web.call<{ vendor: { id: string } }>('addVendor', { organization_id, name: 'Fire Guards' });
  const page = `${base}/risks/add`;
  const send = async (...words: string[]) => {
    const form = formsIn((await owner.get(page)).text).find(({ action }) => action === page)!;
    assert.is(form.fields.get('owner_id'), ownerId, 'the person is the owner, unless they choose another');
    form.fields.set('name', 'Fire in the archive');
    form.fields.delete('to_id');
    for (const word of words) form.fields.append('to_id', word);
    return owner.post(page, form.fields);
  };
  for (const [words, message] of [
    [['M-5', 'Moat'], /Linked with.*|“Moat”/],
    [['M-5', 'Phishing mail'], /cannot be linked/],
  ] as const) {
    if (message.source.includes('cannot')) await addRisk(context);
    const refused = await send(...words);
    assert.is(refused.status, 400);
    assert.match(textIn(refused.text), message);
    assert.match(refused.text, 'href="#to_id"');
    assert.match(refused.text, 'value="M-5"');
  }
  const { total } = await web.call<{ total: number }>('listRisks', {
    organization_id,
    filter: { query: 'archive' },
    view: 'COUNT',
  });
  assert.is(total, 0, 'nothing was added');
  const searched = await send('M-5', 'Guards');
  assert.match(
    textIn(searched.text),
    'No record has the number or name “Guards”. Choose one of these, or type another.',
  );
  assert.match(searched.text, new RegExp(`type="radio" name="to_id" value="${vendor.id}"`));
  const answer = await send('m-5', 'Fire Guards');
  const shown = (await owner.follow(answer)).text;
  assert.match(
    textIn(shown),
    /Added Fire in the archive\. Linked with (M-5 Fire doors and Fire Guards|Fire Guards and M-5 Fire doors)\./,
  );
  const { records } = await web.call<{ records: { links: { records: { id: string }[] } }[] }>('getRecords', {
    organization_id,
    ids: [idIn(answer)],
    include: ['LINKS'],
  });
  assert.equal(records[0]!.links.records.map(({ id }) => id).sort(), [measure.id, vendor.id].sort());
  const id = idIn(answer);
  /** Presses the button of a notice, and returns the next page. */
  const pressUndo = async (html: string): Promise<string> => {
    const undo = formsIn(html).find(({ action }) => action.includes('/undo/'))!;
    return (await owner.follow(await owner.post(undo.action, undo.fields))).text;
  };
  const undone = await pressUndo(shown);
  assert.match(textIn(undone), 'The change is undone.');
  assert.is(await readRecord(context, id), undefined, 'the links are undone first, then the risk is archived');
  const redone = await pressUndo(undone);
  assert.match(textIn(redone), '2 changes are redone.');
  const measures = async () => (await readRecord(context, id))?.measure_count;
  assert.is(await measures(), 1, 'the risk is back, with its links');
  await pressUndo(redone);
  assert.is(await measures(), undefined);
});

test('adds one record after another, and offers the undo of each', async ({ owner, base }) => {
  const page = `${base}/measures/add`;
  await owner.get(page);
  const answer = await owner.send(page, { name: 'One of two', after: 'another' });
  assert.is(answer.to, `${page}?after=another`);
  const { text } = await owner.follow(answer);
  assert.match(textIn(text), 'Added One of two.');
  assert.match(text, /name="reference_id"[^>]* autofocus/);
  assert.not.match((await owner.get(page)).text, 'autofocus');
  assert.match(text, /undo/);
  assert.is(
    formsIn(text)
      .find(({ action }) => action === page)!
      .fields.get('name'),
    '',
  );
});

test('names a record that looks like the new one, with a link', async ({ owner, base }) => {
  const add = async (name: string) => {
    await owner.get(`${base}/vendors/add`);
    const answer = await owner.send(`${base}/vendors/add`, { name });
    return { id: idIn(answer), text: (await owner.follow(answer)).text };
  };
  const first = await add('Redpoll & Legal AG');
  assert.match(textIn(first.text), 'Added Redpoll & Legal AG. Undo');
  const second = await add('redpoll  legal');
  const link = `<a href="${base}/vendors/${first.id}">Redpoll &amp; Legal AG</a>`;
  assert.ok(second.text.includes(`Looks like ${link}.`));
  const third = await add('REDPOLL LEGAL, Inc.');
  assert.match(textIn(third.text), /Looks like 2 records, such as (Redpoll & Legal AG|redpoll {1,2}legal) \./);
});

test('adds nothing twice when a form is sent twice', async ({ owner, base }) => {
  await owner.get(`${base}/risks/add`);
  const once = await owner.send(`${base}/risks/add`, { name: 'Sent twice' });
  const page = (await owner.get(`${base}/risks`)).text;
  const form = formsIn((await owner.get(`${base}/risks/add`)).text).find(({ action }) => action.endsWith('/add'))!;
  form.fields.set('name', 'Sent twice again');
  const [first, second] = await Promise.all([1, 2].map(() => owner.post(form.action, form.fields)));
  assert.is(first!.to, second!.to);
  assert.is.not(first!.to, once.to);
  assert.is.not((await owner.get(`${base}/risks`)).text, page);
  form.fields.set('name', 'Another name after the browser’s back button');
  const other = await owner.post(form.action, form.fields);
  assert.is(other.status, 409);
  assert.match(other.text, 'This form was saved before, with other contents.');
});

test('corrects only what was changed, and marks the change', async (context) => {
  const { owner, base } = context;
  const id = await addRisk(context, { inherent_likelihood: '2', inherent_impact: '3', category: 'People' });
  await owner.get(`${base}/risks/${id}/edit`);
  const answer = await owner.send(`${base}/risks/${id}/edit`, {
    category: '',
    inherent_impact: '5',
    reason: 'Exercise',
  });
  assert.match(answer.to!, /\?change=\d+$/);
  assert.match((await owner.follow(answer)).text, 'class="highlighted"');
  const record = await readRecord(context, id);
  assert.equal([record.category, record.inherent_impact, record.revision], [null, 5, 3]);
  await owner.get(`${base}/risks/${id}/edit`);
  const renamed = await owner.send(`${base}/risks/${id}/edit`, { name: 'Phishing calls' });
  assert.match((await owner.follow(renamed)).text, 'Saved Phishing calls.');
  const changed = changesOf(record)
    .slice(0, 2)
    .flatMap(({ changes }) => changes.map(({ field }) => field));
  assert.equal(changed.filter((field) => !/score|priority/.test(field)).sort(), ['category', 'inherent_impact']);
  await owner.get(`${base}/risks/${id}/edit`);
  const nothing = await owner.send(`${base}/risks/${id}/edit`, { reason: 'None' });
  assert.match((await owner.follow(nothing)).text, 'You changed nothing.');
  assert.is((await readRecord(context, id)).revision, 4);
});

test('keeps both changes of two people who edit different fields', async (context) => {
  const { owner, priya, base } = context;
  const id = await addRisk(context, { inherent_likelihood: '2', inherent_impact: '3' });
  const path = `${base}/risks/${id}/edit`;
  await owner.get(path);
  await priya.get(path);
  assert.is((await priya.send(path, { inherent_likelihood: '3', reason: 'Seen' })).status, 303);
  const answer = await owner.send(path, { category: 'People' });
  const page = await owner.follow(answer);
  assert.match(
    textIn(page.text),
    'Saved Phishing mail. While you were writing: Priya changed Inherent likelihood from 2 · Unlikely to 3 · Possible. Both changes are kept.',
  );
  const record = await readRecord(context, id);
  assert.equal([record.inherent_likelihood, record.category], [3, 'People']);
});

test('shows what somebody else changed in the same field, and lets each be chosen', async (context) => {
  const { owner, priya, base } = context;
  for (const [choice, expected] of [
    ['MINE', 5],
    ['THEIRS', 3],
  ] as const) {
    const id = await addRisk(context, { inherent_likelihood: '2', inherent_impact: '3' });
    const path = `${base}/risks/${id}/edit`;
    await owner.get(path);
    await priya.get(path);
    await priya.send(path, { inherent_likelihood: '3', category: 'Theirs', reason: 'Seen' });
    const contested = await owner.send(path, { inherent_likelihood: '5', description: 'Mine', reason: 'Heard' });
    assert.is(contested.status, 409);
    assert.match(textIn(contested.text), 'Priya changed Inherent likelihood from 2 · Unlikely to 3 · Possible.');
    assert.match(textIn(contested.text), 'Before 2 · Unlikely Theirs 3 · Possible Yours 5 · Almost certain');
    assert.is((await readRecord(context, id)).description, null);
    assert.is((await owner.send(path, { 'theirs.inherent_likelihood': choice })).status, 303);
    const record = await readRecord(context, id);
    assert.equal(
      [record.inherent_likelihood, record.category, record.description],
      [expected, 'Theirs', 'Mine'],
      choice,
    );
  }
});

test('writes an edit once, however often it is sent', async (context) => {
  const { owner, base } = context;
  const id = await addRisk(context);
  const path = `${base}/risks/${id}/edit`;
  const form = formsIn((await owner.get(path)).text).find(({ action }) => action === path)!;
  form.fields.set('category', 'People');
  const answers = await Promise.all([1, 2].map(() => owner.post(path, form.fields)));
  answers.push(await owner.post(path, form.fields));
  for (const { status } of answers) assert.is(status, 303);
  assert.is((await readRecord(context, id)).revision, 2);
  assert.match((await owner.follow(answers[2]!)).text, 'Saved Phishing mail.');
});

test('attaches evidence to the record from which it was opened', async (context) => {
  const { owner, base } = context;
  const id = await addRisk(context);
  const link = /href="([^"]+)"[^>]*>\s*Attach evidence/.exec((await owner.get(`${base}/risks/${id}`)).text)![1]!;
  await owner.get(unescapeHtml(link));
  const answer = await owner.send(`${base}/evidence/add`, { name: 'Report', text: 'Seen', valid_until: '2027-01-01' });
  assert.is(answer.status, 303, answer.text);
  const { text } = await owner.get(`${base}/risks/${id}`);
  assert.match(textIn(text), 'Evidence 1 Attach evidence Report valid until 1 Jan 2027');
  await owner.get(unescapeHtml(link));
  const next = await owner.send(`${base}/evidence/add`, { name: 'Second', text: 'Seen', after: 'another' });
  assert.match((await owner.get(next.to!)).text, new RegExp(`name="record_ids" value="${id}" checked`));
});

test('has a form for every family whose tools add or correct records', async ({ owner, base }) => {
  for (const family of FAMILY_DESCRIPTIONS) {
    const { plural } = family;
    const { status, text } = await owner.get(`${base}/${plural}/add`);
    const hasForm = addFormOf(family) !== undefined;
    assert.is(status, hasForm ? 200 : 404, plural);
    assert.not.match(textIn(text), /[a-z] id \(required\)|Audit id/, plural);
    if (hasForm)
      assert.ok(
        formsIn(text).some(({ action }) => action === `${base}/${plural}/add`),
        plural,
      );
  }
});

test('takes hostile text in every field of every form as text, or refuses it at its field', async ({ owner, base }) => {
  const hostile = [
    `"><img src=x onerror="alert(1)">`,
    '\u0000\u202e',
    '[]',
    '{"a":1}',
    'x'.repeat(30_000),
    '__proto__',
    'acc_4AWMVVM0WTHCFB8X0GVJ99RNW5',
  ];
  for (const { family } of ADD_FORMS) {
    const path = `${base}/${family.plural}/add`;
    const form = formsIn((await owner.get(path)).text).find(({ action }) => action === path)!;
    for (const text of hostile) {
      const fields = new URLSearchParams(form.fields);
      for (const name of new Set(fields.keys())) if (name !== 'form_token') fields.set(name, text);
      const answer = await owner.post(path, fields);
      assert.ok([303, 400].includes(answer.status), `${path} ${text.slice(0, 20)}: ${answer.status}`);
      assert.not.match(answer.text, '<img', path);
    }
  }
});

test.run();
