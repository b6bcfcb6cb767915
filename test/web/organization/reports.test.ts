/** The pages for reports and export files: their choices for each role. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { FAMILY_QUERIES } from '../../../src/queries/family-query.ts';
import { REPORT_TYPES } from '../../../src/reports/all-reports.ts';
import { MAX_CHOICES, type ReportChoice, type ReportChoices } from '../../../src/reports/report-choices.ts';
import { formsIn, startWeb, type TestBrowser, unescapeHtml, type WebTest } from '../../support/web/web.ts';

const EVIL = `"><img src=x onerror="alert('1')">`;
const NONE = { choices: [], isCut: false };

const choice = (id: string, overrides: Partial<ReportChoice> = {}): ReportChoice => ({
  ...{ id, name: `The ${id}`, qualifier: null, archived: false },
  ...overrides,
});

interface Context {
  web: WebTest;
  owner: TestBrowser;
  /** The choices that the read models offer. */
  offered: ReportChoices;
  /** True if the machine has a browser. */
  canPrint: boolean;
}

const test = suite<Context>('pages for reports and files');

test.before(async (context) => {
  const web = await startWeb(undefined, {
    reportChoices: async () => context.offered,
    canPrintPdf: () => context.canPrint,
  });
  Object.assign(context, { web, owner: await web.setUpOwner() });
});
test.before.each((context) => {
  context.offered = { audits: NONE, frameworks: NONE };
  context.canPrint = true;
});
test.after(({ web }) => web.stop());

/** Returns a select's options as `value label`. */
function optionsOf(html: string, id: string): string[] {
  const [, select = ''] = new RegExp(`<select id="${id}"[^>]*>(.*?)</select>`, 's').exec(html) ?? [];
  const options = [
    ...select.matchAll(/<option(?: selected)?(?: value(?:="([^"]*)")?)?(?: selected)?>(.*?)<\/option>/gs),
  ];
  return options.map(([, value = '', label = '']) => `${value} ${unescapeHtml(label)}`);
}

/** Returns the values of the buttons that open or download a report. */
const formatsOf = (text: string) => [...text.matchAll(/name="format" value="(\w+)"/g)].map(([, format]) => format);

/** Opens the gallery, or the page of one report. */
const reports = ({ web, owner }: Context, path = '') =>
  owner.get(`/organizations/${web.organizationId}/reports${path}`);

test('introduces every report on a card that leads to its options, at the moment shown', async (context) => {
  const { web } = context;
  const path = `/organizations/${web.organizationId}/reports/`;
  for (const [moment, query] of [
    ['', ''],
    ['?as_of=2', '?as_of=2'],
  ] as const) {
    const { text } = await reports(context, moment);
    const links = REPORT_TYPES.map((type) => `${path}${type.toLowerCase().replaceAll('_', '-')}${query}`);
    for (const link of links) assert.match(text, `href="${link}"`);
    assert.is(text.match(/<svg class="picture"/g)?.length, REPORT_TYPES.length);
    for (const link of links) assert.is((await context.owner.get(link)).status, 200, link);
  }
  assert.is((await reports(context, '/none_of_these')).status, 404);
});

test('offers PDF only on a machine with a browser', async (context) => {
  assert.equal(formatsOf((await reports(context, '/posture')).text), [
    'html',
    'pdf',
    'xlsx',
    'csv',
    'markdown',
    'json',
  ]);
  context.canPrint = false;
  assert.equal(formatsOf((await reports(context, '/posture')).text), ['html', 'xlsx', 'csv', 'markdown', 'json']);
});

test('offers existing records, archived ones last, in a form that works without JavaScript', async (context) => {
  context.offered = {
    audits: {
      choices: [choice('aud_2', { archived: true }), choice('aud_1', { qualifier: '2026-01-02', name: EVIL })],
      isCut: false,
    },
    frameworks: { choices: [choice('frm_2', { qualifier: '2022' }), choice('frm_1')], isCut: false },
  };
  const { status, text } = await reports(context, '/audit-pack');
  assert.is(status, 200);
  assert.equal(optionsOf(text, 'audit_id'), [`aud_1 ${EVIL}, from 2026-01-02`, 'aud_2 The aud_2 (archived)']);
  assert.not.match(text, '<img');
  const statement = (await reports(context, '/statement-of-applicability')).text;
  assert.equal(optionsOf(statement, 'framework_id'), ['frm_2 The frm_2, version 2022', 'frm_1 The frm_1']);
  const pack = formsIn(text).find(({ fields }) => fields.has('audit_id'))!;
  assert.is(pack.method, 'get');
  assert.is(pack.fields.get('audit_id'), 'aud_1');
  assert.match(text, 'aria-label="Download pack as CSV"');
});

test('says when there is no record to report on', async (context) => {
  for (const [path, message] of [
    ['/audit-pack', 'No audit has been completed yet'],
    ['/statement-of-applicability', 'No framework has been adopted yet'],
  ] as const) {
    const { text } = await reports(context, path);
    assert.match(text, message);
    assert.equal(formatsOf(text), [], path);
  }
  assert.is(formatsOf((await reports(context, '/changes-between')).text).length, 6);
});

test('offers members by name, oneself first, and says when the list is cut', async (context) => {
  const { web } = context;
  await web.invite({ name: 'Zoë', email: 'zoe@example.org', password: 'a quite long password 7' }, 'VIEWER');
  await web.invite({ name: 'Bert', email: 'bert@example.org', password: 'a quite long password 7' }, 'EDITOR');
  const labels = (text: string) => optionsOf(text, 'owner_id').map((option) => option.replace(/^acc_\S+ /, ''));
  const { text } = await reports(context, '/posture');
  assert.equal(labels(text), [' Everyone’s', 'ME Your own', 'Bert', 'Zoë']);
  assert.not.match(text, 'ask an assistant for the others');
  const choices = Array.from({ length: MAX_CHOICES + 1 }, (_, at) => ({
    ...{ account_id: `acc_${at}`, role: 'VIEWER' as const, until: null, ended: false },
    name: `Member ${String(at).padStart(3, '0')}`,
  }));
  const membersOf = web.members.membersOf.bind(web.members);
  web.members.membersOf = async () => choices;
  context.offered = { audits: { choices: [choice('aud_1')], isCut: true }, frameworks: NONE };
  const cut = (await reports(context, '/posture')).text;
  const cutAudits = (await reports(context, '/audit-pack')).text;
  web.members.membersOf = membersOf;
  assert.is(labels(cut).length, MAX_CHOICES + 2);
  assert.is(labels(cut).at(-1), 'Member 099');
  assert.match(cut, `The first ${MAX_CHOICES} by name: ask an assistant for the others`);
  assert.match(cutAudits, /id="audit_id-hint">The newest 100/);
});

test('leads from valid options to the file, and from a mistake back to the form with what was typed', async (context) => {
  const { web, owner } = context;
  const file = `/api/v1/organizations/${web.organizationId}/reports`;
  const opened = await reports(context, '/changes-between?from=2020-01-01&to=&as_of=&format=csv');
  assert.is(opened.status, 303);
  assert.is(opened.headers.location, `${file}/changes-between?from=2020-01-01&format=csv`);
  const day = new Date().toISOString().slice(0, 10);
  for (const [path, field, ids] of [
    ['/changes-between?from=&to=2020-01-01&as_of=', 'from', ['from', 'to']],
    [`/changes-between?from=${day}&to=2020-01-01&as_of=`, 'from', ['from', 'to']],
    ['/posture?as_of=2999-01-01&owner_id=ME', 'as_of', ['report-as_of']],
    ['/posture?as_of=yesterday', 'as_of', ['report-as_of']],
    ['/due-items?until=2020-02-31', 'until', ['until']],
  ] as const) {
    const { status, text } = await reports(context, `${path}&format=html`);
    assert.is(status, 400, path);
    assert.match(text, '<title>Error: ', path);
    assert.not.match(text, /\b(as_of|from|until) is /, path);
    const id = field === 'as_of' ? 'report-as_of' : field;
    assert.match(text, `<a href="#${id}">`, path);
    assert.match(text, new RegExp(`id="${id}"[^>]* aria-invalid="true"`), path);
    const typed = new URLSearchParams(path.split('?')[1]);
    for (const name of ids) {
      const value = typed.get(name.replace('report-', ''))!;
      if (value !== '') assert.match(text, new RegExp(`id="${name}"[^>]* value="${value}"`), path);
    }
  }
  assert.is((await owner.get(`/organizations/${web.organizationId}/reports/posture?as_of=2999-01-01`)).status, 400);
});

test('carries the moment shown and filled options into the form', async (context) => {
  const { text } = await reports(context, '/risk-register?as_of=2&owner_id=acc_former');
  assert.match(text, '<input type="hidden" name="as_of" value="2"/>');
  assert.not.match(text, 'id="report-as_of"');
  assert.match(text, '<option value="acc_former" selected>acc_former</option>');
});

test('links the files of every family except evidence, and of the changes, in each format, by role', async ({
  web,
  owner,
}) => {
  const organizationPath = `/organizations/${web.organizationId}`;
  const linksIn = (text: string) =>
    [...text.matchAll(/href="\/api\/v1\/organizations\/(\w+)\/([^"]+)"/g)].map(([, id, path]) => {
      assert.is(id, web.organizationId);
      return unescapeHtml(path!);
    });
  const families = Object.values(FAMILY_QUERIES);
  const inAll = (path: string) => ['xlsx', 'csv', 'jsonl'].map((format) => `${path}?format=${format}`);
  const records = families.flatMap(({ plural }) => inAll(`records/${plural}`)).sort();
  const changes = inAll('changes').sort();
  const page = await owner.get(`${organizationPath}/files`);
  assert.equal(linksIn(page.text).sort(), [...changes, ...records]);
  assert.match((await owner.get(`${organizationPath}/reports`)).text, `href="${organizationPath}/files"`);
  for (const [role, hasPack] of [
    ['AUDITOR', true],
    ['VIEWER', false],
  ] as const) {
    const email = `${role.toLowerCase()}@example.org`;
    const browser = await web.invite({ name: `An ${role}`, email, password: `${role} of the register` }, role);
    const gallery = (await browser.get(`${organizationPath}/reports`)).text;
    assert.match(gallery, '/reports/posture');
    assert.is(gallery.includes('/reports/audit-pack'), hasPack, role);
    const files = (await browser.get(`${organizationPath}/files`)).text;
    assert.equal(linksIn(files).sort(), [...changes, ...records], role);
    assert.is(files.includes('npx veritrail export'), hasPack, role);
  }
  const semicolons = await owner.get(`${organizationPath}/files?delimiter=%3B`);
  assert.equal(
    linksIn(semicolons.text).sort(),
    [...changes, ...records].map((path) => path.replace('=csv', '=csv&delimiter=%3B')).sort(),
  );
  assert.match(page.text, 'files?delimiter=%3B">Use semicolons</a>');
  assert.match(semicolons.text, 'files">Use commas</a>');
  const past = await owner.get(`${organizationPath}/files?as_of=2`);
  assert.equal(
    linksIn(past.text).sort(),
    [...changes, ...records].map((path) => path.replace('?', '?as_of=2&')).sort(),
  );
  assert.is((await owner.get('/organizations/org_00000000000000000000000000/files')).status, 404);
});

test.run();
