/** The pages for reports and export files: their choices for each role. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { FAMILY_QUERIES } from '../../../src/queries/family-query.ts';
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

const formatsOf = (text: string) => optionsOf(text, 'posture-format').map((option) => option.split(' ')[0]);

const reports = ({ web, owner }: Context) => owner.get(`/organizations/${web.organizationId}/reports`);

test('offers PDF only on a machine with a browser', async (context) => {
  assert.equal(formatsOf((await reports(context)).text), ['html', 'pdf', 'csv', 'markdown', 'json']);
  context.canPrint = false;
  assert.equal(formatsOf((await reports(context)).text), ['html', 'csv', 'markdown', 'json']);
});

test('offers existing records, archived ones last, in a form that works without JavaScript', async (context) => {
  context.offered = {
    audits: {
      choices: [choice('aud_2', { archived: true }), choice('aud_1', { qualifier: '2026-01-02', name: EVIL })],
      isCut: false,
    },
    frameworks: { choices: [choice('frm_2', { qualifier: '2022' }), choice('frm_1')], isCut: false },
  };
  const { status, text } = await reports(context);
  assert.is(status, 200);
  assert.equal(optionsOf(text, 'audit-pack-audit_id'), [
    `aud_1 ${EVIL}, from 2026-01-02`,
    'aud_2 The aud_2 (archived)',
  ]);
  assert.not.match(text, '<img');
  assert.equal(optionsOf(text, 'statement-of-applicability-framework_id'), [
    'frm_2 The frm_2, version 2022',
    'frm_1 The frm_1',
  ]);
  const pack = formsIn(text).find(({ action }) => action.endsWith('/reports/audit-pack'))!;
  assert.is(pack.method, 'get');
  assert.equal([...pack.fields].sort(), [
    ['as_of', ''],
    ['audit_id', 'aud_1'],
    ['format', 'html'],
  ]);
});

test('says when there is no record to report on', async (context) => {
  const { text } = await reports(context);
  assert.match(text, 'No audit has been completed yet');
  assert.match(text, 'No framework has been adopted yet');
  const actions = formsIn(text).map(({ action }) => action.split('/').at(-1));
  assert.not.ok(actions.includes('audit-pack') || actions.includes('statement-of-applicability'), `${actions}`);
  assert.ok(actions.includes('posture') && actions.includes('changes-between'), `${actions}`);
});

test('offers members by name, oneself first, and says when the list is cut', async (context) => {
  const { web } = context;
  await web.invite({ name: 'Zoë', email: 'zoe@example.org', password: 'a quite long password 7' }, 'VIEWER');
  await web.invite({ name: 'Bert', email: 'bert@example.org', password: 'a quite long password 7' }, 'EDITOR');
  const labels = (text: string) => optionsOf(text, 'posture-owner_id').map((option) => option.replace(/^acc_\S+ /, ''));
  const { text } = await reports(context);
  assert.equal(labels(text), [' Everyone’s', 'ME Your own', 'Bert', 'Zoë']);
  assert.not.match(text, 'ask an assistant for the others');
  const choices = Array.from({ length: MAX_CHOICES + 1 }, (_, at) => ({
    ...{ account_id: `acc_${at}`, role: 'VIEWER' as const },
    name: `Member ${String(at).padStart(3, '0')}`,
  }));
  const membersOf = web.members.membersOf.bind(web.members);
  web.members.membersOf = async () => choices;
  context.offered = { audits: { choices: [choice('aud_1')], isCut: true }, frameworks: NONE };
  const cut = (await reports(context)).text;
  web.members.membersOf = membersOf;
  assert.is(labels(cut).length, MAX_CHOICES + 2);
  assert.is(labels(cut).at(-1), 'Member 099');
  assert.match(cut, `The first ${MAX_CHOICES} by name: ask an assistant for the others`);
  assert.match(cut, /id="audit-pack-audit_id-hint">The newest 100/);
});

test('links the files of every family except evidence, and of the changes, in both formats, by role', async ({
  web,
  owner,
}) => {
  const organizationPath = `/organizations/${web.organizationId}`;
  const linksIn = (text: string) =>
    [...text.matchAll(/href="\/api\/v1\/organizations\/(\w+)\/([^"]+)"/g)].map(([, id, path]) => {
      assert.is(id, web.organizationId);
      return unescapeHtml(path!);
    });
  const families = Object.values(FAMILY_QUERIES).filter(({ type }) => type !== 'EVIDENCE');
  const inBoth = (path: string) => [`${path}?format=csv`, `${path}?format=jsonl`];
  const records = families.flatMap(({ plural }) => inBoth(`records/${plural}`)).sort();
  const page = await owner.get(`${organizationPath}/files`);
  assert.equal(linksIn(page.text).sort(), [...inBoth('changes'), ...records]);
  assert.match((await owner.get(`${organizationPath}/reports`)).text, `href="${organizationPath}/files"`);
  for (const [role, status, first] of [
    ['AUDITOR', 200, inBoth('changes')],
    ['VIEWER', 403, []],
  ] as const) {
    const email = `${role.toLowerCase()}@example.org`;
    const browser = await web.invite({ name: role, email, password: `${role} of the register` }, role);
    assert.is((await browser.get(`${organizationPath}/reports`)).status, status, role);
    assert.equal(linksIn((await browser.get(`${organizationPath}/files`)).text).sort(), [...first, ...records], role);
  }
  assert.is((await owner.get('/organizations/org_00000000000000000000000000/files')).status, 404);
});

test.run();
