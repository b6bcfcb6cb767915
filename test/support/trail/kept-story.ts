/** Fills a recorded data folder with records of every family, people with factors, tokens and an assistant. */

import { authorizeUrl, exchange, newClient, pkce, REDIRECT } from '../identity/oauth-raw.ts';
import type { OAuthService } from '../identity/oauth-service.ts';
import { codeOf } from '../identity/people.ts';
import { SoftwareKey } from '../identity/software-key.ts';
import { type Result, Session } from '../mcp/mcp-client.ts';
import type { Running } from '../service.ts';
import { OWNER, TestBrowser, textOf, unescapeHtml } from '../web/web.ts';

/** The public address. Passkeys need a host name; the port doesn't matter. */
export const BASE_URL = 'http://localhost:8080';
const EDITOR = { name: 'Edith Clarke', email: 'edith@example.org', password: 'some other long words' };
const AUDITOR = { name: 'Augusta Auditor', email: 'augusta@example.org', password: 'reads every single line' };
const GONE = { name: 'Gone Soon', email: 'gone@example.org', password: 'will be erased in a moment' };
/** The service on the folder, and a client. */
export class FolderRecorder {
  private readonly organization: Session;

  constructor(
    readonly service: Running,
    readonly token: string,
    readonly organization_id: string,
  ) {
    this.organization = new Session(service.url, token);
  }

  ok(tool: string, args: object): Promise<Result> {
    return this.organization.ok(tool, { organization_id: this.organization_id, ...args });
  }

  change(tool: string, args: object): Promise<Result> {
    return this.organization.ok(tool, args);
  }

  /** Adds a record and returns its id. */
  async add(title: string, fields: object): Promise<string> {
    const answer = (await this.ok(`add${title}`, fields)) as unknown as Record<string, { id: string }>;
    return answer[title.toLowerCase()]!.id;
  }

  browser(): TestBrowser {
    return new TestBrowser(this.service.url, new URL(BASE_URL).host, BASE_URL);
  }
}

export async function writeRecords(keeper: FolderRecorder): Promise<Record<string, string>> {
  const cloud = await keeper.add('Vendor', {
    name: 'Nimbus Hosting',
    criticality: 'CRITICAL',
    country: 'Germany',
    owner_id: 'ME',
    processes_personal_data: true,
  });
  const reviewed = { outcome: 'APPROVED', findings: 'Certificates seen', next_review_due: '2027-11-01' };
  await keeper.change('reviewVendor', { id: cloud, ...reviewed });
  const courier = await keeper.add('Vendor', { name: 'Oldwick Couriers', criticality: 'LOW' });
  await keeper.change('updateVendor', { id: courier, description: 'Carries tapes', reason: 'Was missing' });
  const flood = await keeper.add('Risk', { name: 'Flood', inherent_likelihood: 2, inherent_impact: 5, owner_id: 'ME' });
  const acceptedUntil = '2027-06-30';
  await keeper.change('decideRisk', {
    id: flood,
    decision: 'ACCEPT',
    reason: 'The river is far',
    until: acceptedUntil,
  });
  const malware = await keeper.add('Risk', { name: 'Malware', inherent_likelihood: 4, inherent_impact: 5 });
  const backups = await keeper.add('Measure', { name: 'Daily backups', state: 'IMPLEMENTED' });
  const login = await keeper.add('Measure', { name: 'Login with two factors' });
  await keeper.change('updateMeasure', {
    id: login,
    state: 'IN_PROGRESS',
    due_date: '2027-01-31',
    reason: 'Found out',
  });
  const framework = await keeper.add('Framework', {
    name: 'Backup policy',
    version: '2',
    controls: [
      { section_title: 'B.1', name: 'Backups are made' },
      { section_title: 'B.2', name: 'Restores are tested' },
    ],
  });
  const { controls } = (await keeper.ok('listControls', {})) as unknown as { controls: { id: string }[] };
  const [made, tested] = controls.map(({ id }) => id) as [string, string];
  await keeper.change('updateControl', {
    id: tested,
    status: 'EXCLUDED',
    exclusion_justification: 'Not yet asked for',
    reason: 'Found out',
  });
  const links = [
    { from_id: flood, to_id: backups },
    { from_id: malware, to_id: backups },
    { from_id: malware, to_id: cloud },
    { from_id: made, to_id: backups },
  ];
  await keeper.change('linkRecords', { links });
  await keeper.change('linkRecords', {
    links: [{ from_id: malware, to_id: cloud }],
    action: 'UNLINK',
    reason: 'Found out',
  });
  const proof = { name: 'Restore test', url: 'https://example.org/restore-test', valid_until: '2027-05-31' };
  const evidence = await keeper.add('Evidence', { ...proof, record_ids: [backups, made] });
  const audit = await keeper.add('Audit', { framework_id: framework, name: 'Internal audit', kind: 'INTERNAL' });
  const finding = { description: 'Tapes lie open', severity: 'MINOR', audit_id: audit };
  const nonconformity = await keeper.add('Nonconformity', finding);
  await keeper.change('updateNonconformity', {
    id: nonconformity,
    status: 'IN_PROGRESS',
    root_cause: 'No cupboard',
    reason: 'Found out',
  });
  const duty = { area: 'Privacy', source: 'GDPR', requirement: 'Report breaches within 72 hours' };
  const obligation = await keeper.add('Obligation', { ...duty, status: 'PARTIALLY_COMPLIANT' });
  await keeper.change('archiveRecords', { ids: [courier], action: 'ARCHIVE', reason: 'No tapes any more' });
  const rows = [{ name: 'Paperclip Supplies', country: 'Estonia' }, { name: 'Brightpay' }];
  const { created } = (await keeper.ok('importRecords', { type: 'VENDOR', rows })) as unknown as { created: number };
  if (created !== 2) throw new Error('the import was refused');
  return {
    cloud,
    courier,
    flood,
    malware,
    backups,
    login,
    framework,
    made,
    audit,
    nonconformity,
    obligation,
    evidence,
  };
}

/** Adds people by links, with factors, sessions, tokens and different roles. One of them is erased. */
export async function writePeople(
  keeper: FolderRecorder,
): Promise<{ owner: TestBrowser; secret: string; codes: string[] }> {
  const owner = await welcome(keeper, /\/welcome\?key=\S+/.exec(keeper.service.output())![0], OWNER);
  const members = `/organizations/${keeper.organization_id}/members`;
  const invite = async (person: typeof OWNER, role: string) => {
    await owner.get(members);
    const link = textOf((await owner.send(`${members}/invite`, { role, note: person.name })).text, 'invitation');
    return welcome(keeper, new URL(link).pathname + new URL(link).search, person);
  };
  const editor = await invite(EDITOR, 'EDITOR');
  await invite(AUDITOR, 'AUDITOR');
  const gone = await invite(GONE, 'EDITOR');
  await owner.get(members);
  await owner.send(`${members}/invite`, { role: 'VIEWER', note: 'nobody took it up' });

  await gone.get('/settings/tokens');
  const otherSession = new Session(
    keeper.service.url,
    textOf((await gone.send('/settings/tokens', { name: 'x' })).text, 'token'),
  );
  const acted = { organization_id: keeper.organization_id, name: 'Added by somebody who left' };
  await otherSession.ok('addVendor', acted);
  await gone.get('/settings/account');
  await gone.send('/settings/account/erase', { confirmation: 'erase my account', current: GONE.password });

  if ((await gone.get('/settings/account')).status === 200) throw new Error('the account was not erased');

  await editor.get('/settings/account');
  await editor.send('/settings/account/name', { name: 'Edith Clarke-Adams' });
  const { secret, codes } = await addFactors(editor);
  await owner.get('/organizations');
  await owner.send('/organizations', { name: 'Daughter company' });
  return { owner, secret, codes };
}

async function welcome(keeper: FolderRecorder, path: string, person: typeof OWNER): Promise<TestBrowser> {
  const browser = keeper.browser();
  await browser.get(path);
  const { status, text } = await browser.send('/welcome/new', person);
  if (status !== 303) throw new Error(`${path} did not work: ${text}`);
  return browser;
}

async function addFactors(browser: TestBrowser) {
  const page = '/settings/security';
  const secret = textOf((await browser.get(`${page}/app`)).text, 'totp-secret');
  const answer = await browser.send(`${page}/app`, { code: codeOf(secret, new Date()) });
  const form = await browser.get(`${page}/passkeys`);
  const options = /data-options="([^"]*)"/.exec(form.text)![1]!;
  const credential = JSON.stringify(new SoftwareKey(BASE_URL).create(JSON.parse(unescapeHtml(options))));
  const addResponse = await browser.send(`${page}/passkeys`, { name: 'Blue key', credential });
  if (addResponse.status >= 400) throw new Error(`no passkey: ${addResponse.text}`);
  return { secret, codes: textOf(answer.text, 'codes').split('\n') };
}

/** Creates a valid and a revoked token, and connects an assistant. */
export async function writeCredentials({ service, organization_id }: FolderRecorder, owner: TestBrowser) {
  const organizations = [organization_id];
  const make = async (name: string) => {
    await owner.get('/settings/tokens');
    const answer = await owner.send('/settings/tokens', { name, organizations, role: 'AUDITOR', days: '366' });
    return textOf(answer.text, 'token');
  };
  const answersTo = async (token: string) => {
    const headers = { Authorization: `Bearer ${token}` };
    return (await fetch(`${service.url}/api/mcp/v1/health`, { headers })).ok;
  };
  const revoked = await make('Revoked');
  // The newest token is listed first.
  const list = await owner.get('/settings/tokens');
  await owner.send(/action="([^"]*\/revoke)"/.exec(list.text)![1]!);
  const live = await make('Auditor for a year');
  if ((await answersTo(revoked)) || !(await answersTo(live))) throw new Error('the wrong token was revoked');
  await connect(service.url, owner, organizations);
  return { live, revoked };
}

/** Connects an assistant, by registration and the consent page. */
async function connect(url: string, owner: TestBrowser, organizations: string[]): Promise<void> {
  const target = { url, resource: `${BASE_URL}/api/mcp/v1` } as OAuthService;
  const client = await newClient(target, { client_name: 'Some assistant' });
  const { verifier, challenge } = pkce();
  let page = await owner.get(authorizeUrl(target, client, challenge).slice(url.length));
  if (page.to !== undefined) page = await owner.get(pathOf(page.to));
  const action = /action="(\/oauth\/interaction\/[^"]+)"/.exec(page.text)?.[1];
  if (action === undefined) throw new Error(`no consent page: ${page.status} ${page.text}`);
  let answer = await owner.send(action, { answer: 'allow', organizations });
  while (answer.to !== undefined && !answer.to.startsWith(REDIRECT)) answer = await owner.get(pathOf(answer.to));
  const code = new URL(answer.to!).searchParams.get('code')!;
  const { status, json } = await exchange(target, client, code, verifier);
  if (status !== 200) throw new Error(`no tokens for the assistant: ${JSON.stringify(json)}`);
}

const pathOf = (address: string) => {
  const { pathname, search } = new URL(address, 'http://localhost');
  return pathname + search;
};

/** The people, so that a later version can sign them in. */
export const PEOPLE = { owner: OWNER, editor: EDITOR, auditor: AUDITOR, gone: GONE };
