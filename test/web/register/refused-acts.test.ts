/** Forms of records that say what is missing, what is reached already and what a decision has as a consequence. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { addDays } from '../../../src/commands/engine/dates.ts';
import { formsIn, startWeb, type TestBrowser, unescapeHtml, type WebTest } from '../../support/web/web.ts';

interface Context {
  web: WebTest;
  owner: TestBrowser;
  base: string;
}

const test = suite<Context>('refused acts on records');

test.before(async (context) => {
  const web = await startWeb();
  Object.assign(context, { web, owner: await web.setUpOwner(), base: `/organizations/${web.organizationId}` });
});
test.after(({ web }) => web.stop());

const textIn = (html: string) => unescapeHtml(html.replace(/<[^>]+>/g, ' ')).replace(/\s+/g, ' ');
const mainOf = (html: string) => /<main.*<\/main>/s.exec(html)![0];

async function addRecord({ web }: Context, tool: string, fields: object): Promise<string> {
  const answer = await web.call<Record<string, { id: string }>>(tool, {
    organization_id: web.organizationId,
    ...fields,
  });
  return Object.values(answer).find((member) => typeof member?.id === 'string')!.id;
}

/** Adopts a framework with these controls and returns the addresses of their pages. */
async function adopt(context: Context, name: string, numbers: readonly string[]): Promise<string[]> {
  const { web, base } = context;
  const controls = numbers.map((section_title) => ({ section_title, name: `About ${section_title}` }));
  const framework = await addRecord(context, 'addFramework', { name, controls });
  const input = { organization_id: web.organizationId, filter: { framework_id: framework } };
  const { controls: added } = await web.call<{ controls: { id: string; section_title: string }[] }>(
    'listControls',
    input,
  );
  return numbers.map((number) => `${base}/controls/${added.find((one) => one.section_title === number)!.id}`);
}

/** Opens a form and sends it, and returns the answer. */
async function send({ owner }: Context, path: string, fields: Record<string, string> = {}) {
  await owner.get(path);
  return owner.send(path.split('?')[0]!, fields);
}

test('names everything that is missing at once', async (context) => {
  const { base } = context;
  const risk = `${base}/risks/${await addRecord(context, 'addRisk', { name: 'Flood' })}`;
  const finding = `${base}/nonconformities/${await addRecord(context, 'addNonconformity', { description: 'No log' })}`;
  const [control] = await adopt(context, 'House rules', ['1']);
  for (const [path, names] of [
    [`${risk}/accept`, ['until', 'reason']],
    [`${control}/excluded`, ['exclusion_justification']],
    [`${finding}/closed`, ['root_cause', 'corrective_action', 'effectiveness_check']],
    [`${risk}/link`, ['to_id']],
    [`${base}/risks/add`, ['name']],
    [`${base}/evidence/add`, ['name', 'record_ids']],
  ] as const) {
    const { status, text } = await send(context, path);
    assert.is(status, 400, path);
    const named = [...text.matchAll(/<li><a href="#([\w-]+)">/g)].map(([, name]) => name);
    for (const name of names) assert.ok(named.includes(name), `${path}: ${name} of ${named}`);
  }
  const accept = textIn((await send(context, `${risk}/accept`)).text);
  assert.match(accept, 'Give also Accepted until, a date after', 'an input by its name on the page');
  const { text } = await send(context, `${risk}/accept`, { reason: 'A dam costs more' });
  assert.not.match(text, 'href="#reason"', 'what is there is not missing');
});

test('says who reached the state before, and leads to that change', async (context) => {
  const { base, web, owner } = context;
  const organization_id = web.organizationId;
  const measure = await addRecord(context, 'addMeasure', { name: 'Rotate keys' });
  const risk = await addRecord(context, 'addRisk', { name: 'Fire' });
  const vendor = await addRecord(context, 'addVendor', { name: 'Nimbus' });
  const acts: [page: string, act: string, said: string, reach: () => Promise<unknown>][] = [
    [
      `${base}/measures/${measure}`,
      'implemented',
      'Rotate keys is already Implemented',
      () => web.call('updateMeasure', { organization_id, id: measure, state: 'IMPLEMENTED', reason: 'Done' }),
    ],
    [
      `${base}/risks/${risk}`,
      'close',
      'Fire is already Closed',
      () => web.call('decideRisk', { organization_id, id: risk, decision: 'CLOSE', reason: 'Gone' }),
    ],
    [
      `${base}/vendors/${vendor}`,
      'archive',
      'Nimbus is already archived',
      () => web.call('archiveRecords', { organization_id, ids: [vendor], action: 'ARCHIVE', reason: 'Twice' }),
    ],
  ];
  for (const [page, act, said, reach] of acts) {
    await owner.get(`${page}/${act}`);
    await reach();
    const by = new RegExp(`${said}, by [^,]+, \\d+ \\w+ \\d{4}\\.`);
    if (act !== 'archive') {
      const sent = await owner.send(`${page}/${act}`, { reason: 'Mine' });
      assert.is(sent.status, 409, act);
      assert.match(textIn(sent.text), by);
      assert.match(sent.text, new RegExp(`href="${page}\\?change=\\d+"`));
      assert.match(sent.text, />Mine</, 'what was typed is kept');
    }
    const opened = await owner.get(`${page}/${act}`);
    assert.match(opened.to!, new RegExp(`^${page}\\?change=\\d+$`));
    const { text } = await owner.follow(opened);
    assert.match(textIn(text), by);
    assert.match(text, /<li[^>]* aria-current/, 'the change is marked');
  }
  assert.is((await owner.get(`${acts[0]![0]}/closed`)).status, 404, 'a measure is never closed');
});

test('warns before a clause of a management-system standard is excluded', async (context) => {
  const { owner } = context;
  const [clause, annex] = await adopt(context, 'ISO/IEC 27001:2022', ['4.1', '10.2', 'A.5.1']);
  const warning = '4.1 is a clause of ISO/IEC 27001:2022, not a control of its Annex A. Clauses are not optional';
  assert.match(textIn((await owner.get(`${clause}/excluded`)).text), warning);
  assert.match(textIn((await send(context, `${clause}/excluded`)).text), warning);
  assert.not.match((await owner.get(`${clause}/reviewed`)).text, 'not optional');
  const [, , control] = await adopt(context, 'Another standard', ['4.1', '10.2', 'A.5.1']);
  assert.not.match((await owner.get(`${control}/excluded`)).text, 'not optional');
  const [plain] = await adopt(context, 'GDPR', ['Art. 5', 'Art. 6']);
  assert.not.match((await owner.get(`${plain}/excluded`)).text, 'not optional', annex);
});

test('quotes the texts that others wrote meanwhile, not choices and numbers', async (context) => {
  const { base, web, owner } = context;
  const id = await addRecord(context, 'addRisk', {
    name: 'Fire in rack 7',
    inherent_likelihood: 1,
    inherent_impact: 1,
  });
  const path = `${base}/risks/${id}/edit`;
  await owner.get(path);
  const theirs = { name: 'Fire in rack 8', inherent_likelihood: 2, reason: 'Seen' };
  await web.call('updateRisk', { organization_id: web.organizationId, id, ...theirs });
  const { status, text } = await owner.send(path, { name: 'Fire', inherent_likelihood: '3', reason: 'Mine' });
  assert.is(status, 409);
  assert.match(textIn(text), 'changed Risk from “Fire in rack 7” to “Fire in rack 8”.');
  assert.match(textIn(text), /changed Inherent likelihood from 1 · Rare to 2 · Unlikely\./);
});

test('attaches evidence to a record and comes back to it, as Cancel does', async (context) => {
  const { base, owner } = context;
  const page = `${base}/measures/${await addRecord(context, 'addMeasure', { name: 'Restore tests' })}`;
  const address = /href="([^"]*\/evidence\/add\?[^"]*)"/.exec((await owner.get(page)).text)![1]!;
  const form = await owner.get(unescapeHtml(address));
  assert.match(form.text, new RegExp(`href="${page}"[^>]*>\\s*Cancel`));
  const refused = await owner.send(`${base}/evidence/add`, { name: '' });
  assert.match(refused.text, new RegExp(`href="${page}"[^>]*>\\s*Cancel`));
  const answer = await owner.send(`${base}/evidence/add`, { name: 'Minutes', text: 'Restored' });
  assert.is(answer.to, page);
  assert.match(textIn((await owner.follow(answer)).text), /Added Minutes\..*Evidence 1/);
  const elsewhere = await owner.get(`${base}/evidence/add?back=${encodeURIComponent('//evil.example')}`);
  assert.match(elsewhere.text, new RegExp(`href="${base}/evidence"[^>]*>\\s*Cancel`));
});

test('says of a plan to accept a risk when nobody accepts it', async (context) => {
  const { base, web, owner } = context;
  const id = await addRecord(context, 'addRisk', { name: 'Power cut', inherent_likelihood: 2, inherent_impact: 2 });
  const page = `${base}/risks/${id}`;
  const until = addDays(web.reader.snapshot().today(), 90);
  const seen = async () => {
    const report = await owner.get(`/api/v1${base}/reports/risk-register?format=html`);
    const list = /<tr[^>]*>(?:(?!<\/tr>).)*Power cut.*?<\/tr>/s;
    return [
      textIn(/<dt>Treatment<\/dt>.*?<\/dd>/s.exec((await owner.get(page)).text)![0]),
      textIn(list.exec(mainOf((await owner.get(`${base}/risks`)).text))![0]),
      textIn(list.exec(report.text)![0]),
    ];
  };
  await send(context, `${page}/accept`, { until, reason: 'A generator costs more' });
  for (const text of await seen()) {
    assert.match(text, 'Accept');
    assert.not.match(text, 'not in force');
  }
  await send(context, `${page}/revoke`, { reason: 'Two cuts in May' });
  for (const text of await seen()) assert.match(text, 'Accept (not in force)');
  await send(context, `${page}/close`, { reason: 'A generator was bought' });
  assert.not.match((await seen())[0]!, 'not in force', 'nobody has to accept a closed risk');
});

test('offers a person the buttons of an empty register before the words to an assistant', async (context) => {
  const { web, owner } = context;
  const { organizationId } = web;
  const answer = await send(context, '/organizations', { name: 'Empty AS' });
  const base = `/organizations/${/org_\w+/.exec(answer.to!)![0]}`;
  assert.not.match(base, organizationId);
  for (const [plural, button, address] of [
    ['risks', 'Add risk', 'risks/add'],
    ['evidence', 'Add evidence', 'evidence/add'],
    ['controls', 'Adopt framework', 'frameworks/add'],
    ['frameworks', 'Adopt framework', 'frameworks/add'],
  ] as const) {
    const { text } = await owner.get(`${base}/${plural}`);
    const empty = text.slice(text.indexOf('class="empty"'));
    const [first] = [...empty.matchAll(/<a [^>]*href="([^"]*)"[^>]*>\s*([^<]*?)\s*</g)];
    assert.equal([first![1], first![2]], [`${base}/${address}`, button], plural);
    assert.match(textIn(empty), 'Or say to your assistant');
  }
  const head = (await owner.get(`/organizations/${organizationId}/controls`)).text;
  assert.ok(formsIn(head).length > 0);
  assert.match(head, new RegExp(`href="/organizations/${organizationId}/frameworks/add"[^>]*>\\s*Adopt framework`));
});

test.run();
