/** Decisions on records in the browser: the buttons by state and role, their forms, and what these leave to the tools. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { addDays } from '../../../src/commands/engine/dates.ts';
import { listLibrary } from '../../../src/library/framework-library.ts';
import type { RecordAnswer } from '../../../src/queries/records/record-details.ts';
import { FAMILY_DESCRIPTIONS } from '../../../src/register/families.ts';
import { ALL_TOOLS } from '../../../src/tools/all-tools.ts';
import { actsOn, UNLINK, WITHDRAW } from '../../../src/web/register/forms/acts.ts';
import { LIBRARY_NAMES } from '../../../src/web/register/forms/add-forms.ts';
import { isKeeping, runExamples } from '../../support/mcp/examples.ts';
import { formsIn, startWeb, type TestBrowser, unescapeHtml, type WebTest } from '../../support/web/web.ts';

type Person = 'OWNER' | 'EDITOR' | 'VIEWER';

interface Context {
  web: WebTest;
  browsers: Record<Person, TestBrowser>;
  base: string;
}

const NO_LINKS = { records: [], total: 0, totals: new Map() };

const test = suite<Context>('acts on records');

test.before(async (context) => {
  const web = await startWeb();
  const owner = await web.setUpOwner();
  const person = (name: string) => ({ name, email: `${name}@example.org`, password: 'a quite long password 7' });
  context.browsers = {
    OWNER: owner,
    EDITOR: await web.invite(person('Eda'), 'EDITOR'),
    VIEWER: await web.invite(person('Vi'), 'VIEWER'),
  };
  Object.assign(context, { web, base: `/organizations/${web.organizationId}` });
});
test.after(({ web }) => web.stop());

const textIn = (html: string) => unescapeHtml(html.replace(/<[^>]+>/g, ' ')).replace(/\s+/g, ' ');

/** Adds a record with a tool and returns its id. */
async function addRecord({ web }: Context, tool: string, fields: object): Promise<string> {
  const answer = await web.call<Record<string, { id: string }>>(tool, {
    organization_id: web.organizationId,
    ...fields,
  });
  return Object.values(answer).find((member) => typeof member?.id === 'string')!.id;
}

/** Returns a date until which a risk may be accepted. */
const inHalfAYear = ({ web }: Context) => addDays(web.reader.snapshot().today(), 180);

async function readRecord({ web }: Context, id: string): Promise<Record<string, unknown>> {
  const input = { organization_id: web.organizationId, ids: [id], include: ['ARCHIVED', 'HISTORY'] };
  const { records } = await web.call<{ records: Record<string, unknown>[] }>('getRecords', input);
  return records[0]!;
}

/** Returns the texts of the links in a record's heading that lead to its acts. */
function buttonsOf(html: string, page: string): string[] {
  const head = /<header class="record-head">.*?<\/header>/s.exec(html)![0];
  const links = [...head.matchAll(/<a[^>]* href="([^"]+)"[^>]*>([^<]*)/g)];
  return links.filter(([, href]) => href!.startsWith(`${page}/`)).map(([, , text]) => text!);
}

/** Opens an act's form, sends it, and returns the record's page. */
async function act(context: Context, page: string, name: string, fields: Record<string, string>): Promise<string> {
  const { OWNER } = context.browsers;
  assert.is((await OWNER.get(`${page}/${name}`)).status, 200, name);
  const answer = await OWNER.send(`${page}/${name}`, fields);
  assert.is(answer.status, 303, textIn(answer.text).slice(0, 2_000));
  return (await OWNER.follow(answer)).text;
}

test('offers the moves that are possible now, to the roles that may make them', async (context) => {
  const { browsers, base } = context;
  const page = `${base}/risks/${await addRecord(context, 'addRisk', { name: 'Fire' })}`;
  const buttons = async (person: Person) => buttonsOf((await browsers[person].get(page)).text, page);
  assert.equal(await buttons('OWNER'), [
    'Start treatment',
    'Mark reviewed',
    'Accept until…',
    'Close risk',
    'Archive risk',
  ]);
  assert.equal(await buttons('EDITOR'), ['Start treatment', 'Mark reviewed', 'Close risk']);
  assert.equal(await buttons('VIEWER'), []);
  const notes = textIn((await browsers.EDITOR.get(page)).text);
  assert.match(notes, 'For recording the acceptance of a risk you need the role Admin or Owner.');
  assert.match(notes, 'For archiving and restoring records you need the role Admin or Owner.');
  assert.match(
    textIn((await browsers.VIEWER.get(page)).text),
    'For adding and changing records you need the role Editor, Admin or Owner.',
  );
  for (const [name, status] of [
    ['accept', 403],
    ['archive', 403],
    ['close', 200],
  ] as const) {
    assert.is((await browsers.EDITOR.get(`${page}/${name}`)).status, status, name);
    assert.is((await browsers.VIEWER.get(`${page}/${name}`)).status, 403, name);
  }
});

test('offers moves out of the work, and back, after all others', () => {
  const details = { record: { id: 'x', history: { changes: [] } }, today: '2026-11-26', linked: NO_LINKS };
  const firstOf = (type: string, record: object) => {
    const family = FAMILY_DESCRIPTIONS.find((one) => one.type === type)!;
    const acts = actsOn(family, { ...details, record: { ...details.record, ...record } } as unknown as Parameters<
      typeof actsOn
    >[1]);
    return acts.filter(({ isPossible, name }) => isPossible && !['edit', 'link', 'archive'].includes(name));
  };
  const buttons = (type: string, record: object) => firstOf(type, record).map(({ button }) => button);
  assert.equal(buttons('CONTROL', { status: 'INCLUDED' }), ['Mark reviewed', 'Exclude control']);
  assert.equal(buttons('CONTROL', { status: 'EXCLUDED' }), ['Include control', 'Mark reviewed']);
  assert.equal(buttons('MEASURE', { state: 'IMPLEMENTED' }), [
    'Mark reviewed',
    'Mark not applicable',
    'Back to Not started',
    'Back to In progress',
  ]);
  assert.equal(buttons('RISK', { status: 'IN_TREATMENT' }), [
    'Mark reviewed',
    'Accept until…',
    'Close risk',
    'Back to Open',
  ]);
  assert.equal(buttons('VENDOR', { status: 'APPROVED' })[0], 'Mark reviewed');
  assert.equal(buttons('AUDIT', { state: 'NOT_STARTED' }), ['Start audit', 'Complete audit', 'Reject audit']);
});

test('marks a measure reviewed, which is the first button once it is due', async (context) => {
  const { browsers, base, web } = context;
  const today = web.reader.snapshot().today();
  const due = { next_review_due: addDays(today, -3), review_interval_months: 6 };
  const id = await addRecord(context, 'addMeasure', { name: 'Restore test', ...due });
  const page = `${base}/measures/${id}`;
  assert.is(buttonsOf((await browsers.EDITOR.get(page)).text, page)[0], 'Mark reviewed');
  assert.match(textIn((await browsers.OWNER.get(`${page}/reviewed`)).text), '6 months later, if you leave it empty.');
  await act(context, page, 'reviewed', { reason: 'Restored in an hour' });
  const { last_reviewed, next_review_due, state } = await readRecord(context, id);
  assert.is(String(last_reviewed).slice(0, 10), today);
  assert.ok(String(next_review_due) > addDays(today, 180));
  assert.is(state, 'NOT_STARTED');
  assert.is.not(buttonsOf((await browsers.EDITOR.get(page)).text, page)[0], 'Mark reviewed');
});

test('accepts a risk until a date, and says at the field what is missing', async (context) => {
  const { browsers, base } = context;
  const id = await addRecord(context, 'addRisk', { name: 'Flood' });
  const page = `${base}/risks/${id}`;
  await browsers.OWNER.get(`${page}/accept`);
  const refused = await browsers.OWNER.send(`${page}/accept`, { reason: 'A dam costs more' });
  assert.is(refused.status, 400);
  assert.match(refused.text, /id="until-fault"/);
  assert.is(
    formsIn(refused.text)
      .find(({ action }) => action === `${page}/accept`)!
      .fields.get('reason'),
    'A dam costs more',
  );
  const text = await act(context, page, 'accept', { until: inHalfAYear(context), reason: 'A dam costs more' });
  assert.match(textIn(text), 'Accepted');
  assert.is((await readRecord(context, id)).status, 'ACCEPTED');
  const buttons = buttonsOf((await browsers.OWNER.get(page)).text, page);
  assert.equal(buttons.slice(0, 3), ['Mark reviewed', 'Renew acceptance', 'Revoke acceptance']);
  await act(context, page, 'accept', { until: inHalfAYear(context), reason: 'Still so' });
  await act(context, page, 'revoke', { reason: 'The dam is built' });
  assert.is((await readRecord(context, id)).status, 'OPEN');
});

test('closes a finding only with what it needs, and names that beside the button', async (context) => {
  const { browsers, base } = context;
  const id = await addRecord(context, 'addNonconformity', { description: 'No restore test', root_cause: 'No time' });
  const page = `${base}/nonconformities/${id}`;
  const { text } = await browsers.OWNER.get(page);
  assert.match(textIn(text), 'Close finding Becomes Closed. Needs Corrective action and Effectiveness check.');
  await browsers.OWNER.get(`${page}/closed`);
  const refused = await browsers.OWNER.send(`${page}/closed`, { corrective_action: 'Plan it' });
  assert.is(refused.status, 400);
  assert.match(refused.text, /id="effectiveness_check-fault"/);
  const fields = { corrective_action: 'Plan it', effectiveness_check: 'Seen twice', reason: 'Checked' };
  await act(context, page, 'closed', fields);
  const { status, root_cause } = await readRecord(context, id);
  assert.equal([status, root_cause], ['CLOSED', 'No time']);
  assert.equal(buttonsOf((await browsers.OWNER.get(page)).text, page), ['Reopen finding', 'Archive finding']);
});

test('reviews a vendor, and assesses an obligation as of today', async (context) => {
  const { base, web } = context;
  const vendor = await addRecord(context, 'addVendor', { name: 'Nimbus' });
  await act(context, `${base}/vendors/${vendor}`, 'review', { outcome: 'APPROVED', findings: 'None' });
  assert.is((await readRecord(context, vendor)).status, 'APPROVED');
  await act(context, `${base}/vendors/${vendor}`, 'withdraw', { reason: 'The wrong vendor' });
  assert.is((await readRecord(context, vendor)).status, 'PENDING_REVIEW');
  const obligation = await addRecord(context, 'addObligation', { requirement: 'Report incidents' });
  await act(context, `${base}/obligations/${obligation}`, 'assess', { status: 'COMPLIANT', reason: 'Reported' });
  const { status, last_review_date } = await readRecord(context, obligation);
  assert.equal([status, last_review_date], ['COMPLIANT', web.reader.snapshot().today()]);
});

test('archives a record with a reason, and offers nothing but to restore it', async (context) => {
  const { browsers, base } = context;
  const id = await addRecord(context, 'addMeasure', { name: 'Twice' });
  const page = `${base}/measures/${id}`;
  await browsers.OWNER.get(`${page}/archive`);
  assert.match((await browsers.OWNER.send(`${page}/archive`)).text, '<a href="#reason">');
  const text = await act(context, page, 'archive', { reason: 'Recorded twice' });
  assert.equal(buttonsOf(text, page), ['Restore measure']);
  assert.not.match(text, `${page}/edit`);
  await act(context, page, 'restore', { reason: 'It was right' });
  assert.is((await readRecord(context, id)).archived_at, null);
});

test('replaces evidence, for roles that may archive; others attach newer evidence', async (context) => {
  const { browsers, base, web } = context;
  const measure = await addRecord(context, 'addMeasure', { name: 'Restore' });
  const old = await addRecord(context, 'addEvidence', { name: 'Test of May', text: 'Done', record_ids: [measure] });
  const page = `${base}/evidence/${old}`;
  assert.equal(buttonsOf((await browsers.OWNER.get(page)).text, page).slice(0, 2), [
    'Replace evidence',
    'Attach newer evidence',
  ]);
  assert.is(buttonsOf((await browsers.EDITOR.get(page)).text, page)[0], 'Attach newer evidence');
  assert.is((await browsers.EDITOR.get(`${page}/replace`)).status, 403);
  for (const form of [`${page}/replace`, `${base}/evidence/add`])
    assert.not.match((await browsers.OWNER.get(form)).text, 'name="replaces"', 'the button names the piece');
  const text = await act(context, page, 'replace', { name: 'Test of June', text: 'Done again', reason: 'Newer' });
  assert.match(textIn(text), 'Test of June', 'the form leads to the new piece');
  const before = web.reader.snapshot().newestPosition(web.organizationId) - 2;
  assert.match(
    textIn((await browsers.OWNER.get(`${page}?as_of=${before}`)).text),
    'Since then: archived, replaced by another.',
  );
  const added = String((await readRecord(context, old)).replaced_by);
  for (const [from, to, label] of [
    [old, added, 'Replaced by'],
    [added, old, 'Replaces'],
  ])
    assert.match(
      (await browsers.OWNER.get(`${base}/evidence/${from}`)).text,
      new RegExp(`<dt>${label}</dt><dd[^>]*><a href="${base}/evidence/${to}">Test of`),
    );
  assert.ok(typeof (await readRecord(context, old)).archived_at === 'string');
  const evidence = textIn((await browsers.OWNER.get(`${base}/measures/${measure}`)).text);
  assert.match(evidence, 'Test of June');
});

test('decides once when a form is sent twice', async (context) => {
  const { browsers, base } = context;
  const id = await addRecord(context, 'addRisk', { name: 'Sent twice' });
  const page = `${base}/risks/${id}/close`;
  const form = formsIn((await browsers.OWNER.get(page)).text).find(({ action }) => action === page)!;
  form.fields.set('reason', 'Gone');
  for (const time of ['first', 'second']) assert.is((await browsers.OWNER.post(page, form.fields)).status, 303, time);
  assert.is((await readRecord(context, id)).revision, 2);
});

test('lets a person look again when the record changed meanwhile', async (context) => {
  const { browsers, base, web } = context;
  const { organizationId: organization_id } = web;
  const id = await addRecord(context, 'addRisk', { name: 'Overtaken', inherent_likelihood: 1, inherent_impact: 1 });
  const page = `${base}/risks/${id}/accept`;
  await browsers.OWNER.get(page);
  await web.call('updateRisk', { organization_id, id, inherent_likelihood: 5, reason: 'Seen' });
  const typed = { until: inHalfAYear(context), reason: 'It is small' };
  const answer = await browsers.OWNER.send(page, typed);
  assert.is(answer.status, 409);
  assert.match(textIn(answer.text), /changed Inherent likelihood from 1 to 5\..* Look at it again/);
  assert.is((await readRecord(context, id)).status, 'OPEN');
  assert.is((await browsers.OWNER.send(page)).status, 303);
  assert.is((await readRecord(context, id)).status, 'ACCEPTED');
});

test('lets a person look again when the state that an act changes was changed meanwhile', async (context) => {
  const { browsers, base, web } = context;
  const { organizationId: organization_id } = web;
  const id = await addRecord(context, 'addMeasure', { name: 'Rotate keys' });
  const page = `${base}/measures/${id}/implemented`;
  await browsers.OWNER.get(page);
  const elsewhere = { state: 'NOT_APPLICABLE', justification: 'No keys', reason: 'The board decided' };
  await web.call('updateMeasure', { organization_id, id, ...elsewhere });
  const answer = await browsers.OWNER.send(page, { reason: 'Done' });
  assert.is(answer.status, 409);
  assert.match(textIn(answer.text), /changed Status from Not started to Not applicable\..* Look at it again/);
  assert.match(answer.text, /<textarea[^>]* name="reason"[^>]*>Done</);
  assert.is((await readRecord(context, id)).state, 'NOT_APPLICABLE');
  assert.is((await browsers.OWNER.send(page)).status, 303);
  assert.is((await readRecord(context, id)).state, 'IMPLEMENTED');
});

test('says that an act is not possible any more when the record changed meanwhile', async (context) => {
  const { browsers, base, web } = context;
  const { organizationId: organization_id } = web;
  const finding = await addRecord(context, 'addNonconformity', { description: 'No log' });
  const risk = await addRecord(context, 'addRisk', { name: 'Left open' });
  const opened = [
    { browser: browsers.OWNER, page: `${base}/nonconformities/${finding}/pending-verification` },
    { browser: browsers.EDITOR, page: `${base}/risks/${risk}/close` },
  ];
  for (const { browser, page } of opened) assert.is((await browser.get(page)).status, 200, page);
  const closed = { status: 'CLOSED', root_cause: 'Haste', corrective_action: 'Log', effectiveness_check: 'Seen' };
  await web.call('updateNonconformity', { organization_id, id: finding, ...closed, reason: 'Checked' });
  await web.call('decideRisk', { organization_id, id: risk, decision: 'CLOSE', reason: 'Gone' });
  const texts = await Promise.all(
    opened.map(async ({ browser, page }) => {
      const { status, text } = await browser.send(page, { reason: 'Mine' });
      assert.is(status, 409, page);
      return textIn(text);
    }),
  );
  assert.match(texts[0]!, /changed Status from Open to Closed\..* is not possible now\./);
  assert.match(texts[1]!, /Left open is already Closed, by [^,]+, \d+ \w+ \d{4}\./);
  for (const text of texts) assert.not.match(text, 'press the button once more');
});

test('leads back from an act that is not possible now, and has none in the past', async (context) => {
  const { browsers, base } = context;
  const page = `${base}/risks/${await addRecord(context, 'addRisk', { name: 'Open' })}`;
  const answer = await browsers.OWNER.get(`${page}/reopen`);
  assert.is(answer.to, page);
  assert.match((await browsers.OWNER.follow(answer)).text, 'Reopen risk is not possible now.');
  assert.is((await browsers.OWNER.get(`${page}/juggle`)).status, 404);
  const past = (
    await browsers.OWNER.get(
      `${page}?as_of=${context.web.reader.snapshot().newestPosition(context.web.organizationId)}`,
    )
  ).text;
  assert.equal(buttonsOf(past, page), []);
  assert.not.match(past, /\/edit"|evidence\/add/);
});

test('shows a form for each possible act of each family', async (context) => {
  const { browsers, base, web } = context;
  const writing = ALL_TOOLS.filter(isKeeping);
  const answers = JSON.stringify(await runExamples(writing, (tool, input) => web.call(tool, input)));
  for (const family of FAMILY_DESCRIPTIONS) {
    const id = new RegExp(`${family.prefix}_\\w+`).exec(answers)![0];
    const record = await readRecord(context, id);
    const acts = actsOn(family, { record: record as RecordAnswer, today: '2026-03-01', linked: NO_LINKS });
    assert.ok(acts.length > 0, family.type);
    assert.is(new Set(acts.map(({ name }) => name)).size, acts.length, `${family.type}: names are unique`);
    // These depend on the links and the history, which are not read here.
    for (const { name, isPossible } of acts.filter((candidate) => ![UNLINK, WITHDRAW].includes(candidate.name))) {
      const { status } = await browsers.OWNER.get(`${base}/${family.plural}/${id}/${name}`);
      assert.is(status, isPossible ? 200 : 303, `${family.type} ${name}`);
    }
  }
});

test('links a record by its number or name, names those that may be meant, and ends a link', async (context) => {
  const { browsers, base } = context;
  const id = await addRecord(context, 'addRisk', { name: 'Leak' });
  await addRecord(context, 'addMeasure', { reference_id: 'M-71', name: 'Encrypt laptops' });
  await addRecord(context, 'addMeasure', { reference_id: 'M-72', name: 'Encrypt backups' });
  await addRecord(context, 'addMeasure', { reference_id: 'M-73', name: 'Encrypt backups' });
  const page = `${base}/risks/${id}`;
  await browsers.OWNER.get(`${page}/link`);
  for (const word of ['Encrypt backups', 'Encrypt laptop', '']) {
    const refused = await browsers.OWNER.send(`${page}/link`, { to_id: word });
    assert.is(refused.status, 400, word);
    assert.match(refused.text, /id="to_id-fault"/, word);
    if (word === 'Encrypt backups') assert.match(textIn(refused.text), /Record may be .*M-72.*M-73.* Choose the one/);
  }
  await act(context, page, 'link', { to_id: 'm-71' });
  const linked = await act(context, page, 'link', { to_id: 'M-72' });
  assert.match(textIn(linked), /Measures 2 Link… M-71 Encrypt laptops/);
  const form = await browsers.OWNER.get(`${page}/unlink`);
  const [, measure] = /<option value="(msr_\w+)"[^>]*>M-71/.exec(form.text)!;
  await act(context, page, 'unlink', { to_id: measure!, reason: 'A slip' });
  assert.match(textIn((await browsers.OWNER.get(page)).text), /Measures 1 Link… M-72 Encrypt backups/);
});

test('offers records of one name as choices, and says whether a link is new', async (context) => {
  const { browsers, base } = context;
  const id = await addRecord(context, 'addRisk', { name: 'Twins' });
  const [first, second] = [
    await addRecord(context, 'addMeasure', { name: 'Twin' }),
    await addRecord(context, 'addMeasure', { name: 'Twin' }),
  ];
  const page = `${base}/risks/${id}/link`;
  await browsers.OWNER.get(page);
  const refused = await browsers.OWNER.send(page, { to_id: 'Twin' });
  assert.match(textIn(refused.text), new RegExp(`Twin ${first}, added on \\d+ \\w+ \\d{4}`));
  const form = formsIn(refused.text).find(({ action }) => action === page)!;
  const choose = async (value: string) => {
    form.fields.set('to_id', value);
    form.fields.set('idempotency_key', `${value} ${Math.random()}`);
    const answer = await browsers.OWNER.post(page, form.fields);
    return (answer.status === 303 ? await browsers.OWNER.follow(answer) : answer).text;
  };
  assert.match(textIn(await choose(second)), 'Linked with Twin.');
  assert.match(textIn(await choose(second)), 'They were linked already.');
  assert.match(await choose(''), 'href="#to_id">Record is required', 'none of these');
  const evidence = `${base}/evidence/add`;
  await browsers.OWNER.get(evidence);
  const asked = await browsers.OWNER.send(evidence, { name: 'Proof', text: 'Seen', record_ids: 'Twin' });
  assert.match(asked.text, new RegExp(`type="radio" name="record_ids" value="${first}" required`));
  assert.not.match(asked.text, 'value="Twin"');
});

test('links several records by one form, and keeps the others while one is chosen', async (context) => {
  const { browsers, base } = context;
  const id = await addRecord(context, 'addRisk', { name: 'Many roads' });
  for (const fields of [{ name: 'Double' }, { name: 'Double' }, { name: 'Single', reference_id: 'M-77' }])
    await addRecord(context, 'addMeasure', fields);
  const page = `${base}/risks/${id}/link`;
  await browsers.OWNER.get(page);
  const typed = new URLSearchParams(
    formsIn((await browsers.OWNER.get(page)).text).find(({ action }) => action === page)!.fields,
  );
  typed.delete('to_id');
  for (const word of ['', 'm-77', 'Double']) typed.append('to_id', word);
  const refused = await browsers.OWNER.post(page, typed);
  assert.is(refused.status, 400);
  assert.match(refused.text, 'value="m-77"');
  assert.not.match(refused.text, 'value="Double"');
  assert.not.match(refused.text, /type="radio"[^>]*checked/);
  const [first] = /evd_\w+|msr_\w+/.exec(/type="radio"[^>]*/.exec(refused.text)![0])!;
  const form = formsIn(refused.text).find(({ action }) => action === page)!;
  form.fields.append('to_id', first);
  const { text } = await browsers.OWNER.follow(await browsers.OWNER.post(page, form.fields));
  assert.match(textIn(text), /Linked with (M-77 Single and Double|Double and M-77 Single)\./);
});

test('excludes a control, and takes a measure out, by one sentence: the justification is the reason', async (context) => {
  const { browsers, base } = context;
  const measure = await addRecord(context, 'addMeasure', { name: 'Fence' });
  const page = `${base}/measures/${measure}`;
  assert.not.match((await browsers.OWNER.get(`${page}/not-applicable`)).text, 'name="reason"');
  await act(context, page, 'not-applicable', { justification: 'There is no yard' });
  const { state, justification, history } = await readRecord(context, measure);
  assert.equal([state, justification], ['NOT_APPLICABLE', 'There is no yard']);
  assert.is((history as { changes: { reason: string }[] }).changes[0]!.reason, 'There is no yard');
});

test('speaks of the form in its refusals, not of the inputs of tools', async (context) => {
  const { browsers, base, web } = context;
  const refusalOf = async (path: string, fields: Record<string, string>) => {
    await browsers.OWNER.get(path);
    const { status, text } = await browsers.OWNER.send(path, fields);
    assert.is(status, 400, textIn(text).slice(0, 1_500));
    return textIn(/<div class="notice errors".*?<\/div>/s.exec(text)![0]);
  };
  const vendor = `${base}/vendors/${await addRecord(context, 'addVendor', { name: 'Wren' })}`;
  const risk = `${base}/risks/${await addRecord(context, 'addRisk', { name: 'Rot' })}`;
  const measure = `${base}/measures/${await addRecord(context, 'addMeasure', { name: 'Dry it' })}`;
  const tomorrow = addDays(web.reader.snapshot().today(), 5);
  assert.match(await refusalOf(`${vendor}/review`, {}), 'Choose the review outcome.');
  assert.match(
    await refusalOf(`${vendor}/review`, { outcome: 'APPROVED', reviewed_at: tomorrow }),
    /Reviewed on is in the future\. Give today or an earlier day\. $/,
  );
  assert.match(await refusalOf(`${risk}/accept`, { reason: 'Small' }), /Give Accepted until, a date after/);
  assert.match(
    await refusalOf(`${base}/evidence/add`, { name: 'Nothing', record_ids: measure.split('/').at(-1)! }),
    'one of Address, Text and SHA-256. Give one',
  );
  assert.match(await refusalOf(`${measure}/not-applicable`, { reason: 'No' }), /Fill in Justification\. $/);
  const finding = await addRecord(context, 'addNonconformity', { description: 'Bare', status: 'IN_PROGRESS' });
  assert.match(
    await refusalOf(`${base}/nonconformities/${finding}/closed`, { reason: 'Now' }),
    'Fill in Root cause, Corrective action and Effectiveness check.',
  );
  const id = measure.split('/').at(-1)!;
  assert.match(await refusalOf(`${measure}/link`, { to_id: id }), 'A record cannot be linked with itself.');
  assert.match(
    await refusalOf(`${measure}/link`, { to_id: await addRecord(context, 'addMeasure', { name: 'Paint it' }) }),
    /Measures cannot be linked with measures, only with .*risks/,
  );
});

test('offers links only beside records that can be linked, and measures to a control without any', async (context) => {
  const { browsers, base, web } = context;
  const controls = [{ section_title: 'A.1', name: 'Locks' }];
  const framework = await addRecord(context, 'addFramework', { name: 'House rules', controls });
  const input = { organization_id: web.organizationId, filter: { framework_id: framework } };
  const { controls: added } = await web.call<{ controls: { id: string }[] }>('listControls', input);
  assert.match(textIn((await browsers.OWNER.get(`${base}/frameworks/${framework}`)).text), /Controls 1 (?!Add|Link)/);
  const page = textIn((await browsers.OWNER.get(`${base}/controls/${added[0]!.id}`)).text);
  assert.match(page, 'Measures 0 Link…');
  assert.match(page, /Frameworks 1 (?!Add|Link)/);
  const seen = await browsers.VIEWER.get(`${base}/controls/${added[0]!.id}`);
  assert.not.match(seen.text, 'id="linked-measures"');
});

test('names archiving, restoring and the renewal of an acceptance in the history', async (context) => {
  const { browsers, base } = context;
  const measure = `${base}/measures/${await addRecord(context, 'addMeasure', { name: 'Shelve' })}`;
  await act(context, measure, 'archive', { reason: 'Done twice' });
  const restored = textIn(await act(context, measure, 'restore', { reason: 'It was right' }));
  assert.match(restored, /Measure restored · .*Measure archived · /);
  const risk = `${base}/risks/${await addRecord(context, 'addRisk', { name: 'Wind' })}`;
  await act(context, risk, 'accept', { until: inHalfAYear(context), reason: 'Rare' });
  await act(context, risk, 'accept', { until: inHalfAYear(context), reason: 'Rare still' });
  assert.match(textIn((await browsers.OWNER.get(risk)).text), /Acceptance renewed.*Risk accepted/);
});

test('attaches newer evidence to the same records', async (context) => {
  const { base } = context;
  const measure = await addRecord(context, 'addMeasure', { name: 'Restore tests' });
  const old = { name: 'Restore test', record_ids: [measure], text: 'Done', valid_until: '2026-01-01' };
  const evidence = await addRecord(context, 'addEvidence', old);
  await act(context, `${base}/evidence/${evidence}`, 'renew', { text: 'Done again', valid_until: '2030-01-01' });
  const { text } = await context.browsers.OWNER.get(`${base}/measures/${measure}`);
  assert.match(textIn(text), /Evidence 2 Attach evidence Restore test valid until 1 Jan 2030/);
});

test('does what is due from Needs you, and comes back there', async (context) => {
  const { browsers, base, web } = context;
  const due = { next_review_due: '2026-01-31', owner_id: web.ownerId };
  await addRecord(context, 'addVendor', { name: 'Redpoll Legal', ...due });
  const needsYou = `${base}/needs-you?overdue=true`;
  const { text } = await browsers.OWNER.get(needsYou);
  const [, href] = /href="([^"]+)"[^>]* aria-label="Mark reviewed: Redpoll Legal"/.exec(text)!;
  const address = unescapeHtml(href!);
  await browsers.OWNER.get(address);
  const answer = await browsers.OWNER.send(address.split('?')[0]!, { outcome: 'APPROVED', findings: 'None' });
  assert.is(answer.to, needsYou);
  const after = (await browsers.OWNER.follow(answer)).text;
  assert.match(textIn(after), 'Done: Mark reviewed · Redpoll Legal.');
  assert.not.match(after, 'Mark reviewed: Redpoll Legal');
  assert.not.match((await browsers.VIEWER.get(`${base}/needs-you?owner=all`)).text, 'Next step');
});

test('adopts a framework of the library, whose names are those of the library', async (context) => {
  const { browsers, base } = context;
  assert.equal(
    Object.entries(LIBRARY_NAMES).toSorted(),
    listLibrary()
      .map(({ library_id, name }) => [library_id, name])
      .toSorted(),
  );
  await browsers.OWNER.get(`${base}/frameworks/add`);
  const answer = await browsers.OWNER.send(`${base}/frameworks/add`, { library_id: 'GDPR' });
  assert.match((await browsers.OWNER.follow(answer)).text, 'Added General Data Protection Regulation (GDPR).');
  assert.is((await browsers.EDITOR.get(`${base}/frameworks/add`)).status, 403);
});

test('finds the forms in the palette, for those who may use them', async ({ browsers, base }) => {
  const found = async (person: Person, query: string) =>
    (await browsers[person].get(`${base}/search?part=results&q=${encodeURIComponent(query)}`)).text;
  assert.match(await found('EDITOR', 'add risk'), `href="${base}/risks/add"`);
  assert.match(await found('OWNER', 'invite'), `href="${base}/members"`);
  assert.not.match(await found('VIEWER', 'add risk'), '/risks/add');
  assert.not.match(await found('EDITOR', 'invite'), `href="${base}/members"`);
});

test.run();
