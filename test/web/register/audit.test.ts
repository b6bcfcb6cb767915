/** An audit's page: scope, findings and the way to the completion; and its pack with evidence by control. */

import * as assert from 'uvu/assert';
import { ClientGone } from '../../../src/http/http-errors.ts';
import { auditPackPage } from '../../../src/web/pages/register/audit-pack.tsx';
import { rejection } from '../../support/run/take.ts';
import { closedRequest } from '../../support/web/closed-request.ts';
import { type TestBrowser, unescapeHtml } from '../../support/web/web.ts';
import { type PageContext, person, webSuite } from '../../support/web/web-suite.ts';

const test = webSuite<PageContext & { viewer: TestBrowser; audit: string; open: string }>('audit', async ({ web }) => {
  const viewer = await web.invite(person('Vi'), 'VIEWER');
  const organization_id = web.organizationId;
  const add = async (tool: string, kind: string, args: object): Promise<string> => {
    const answer = await web.call<Record<string, { id: string }>>(tool, { organization_id, ...args });
    return answer[kind]!.id;
  };
  const framework_id = await add('addFramework', 'framework', { library_id: 'ISO_27001_2022' });
  const list = { organization_id, filter: { section_title: ['A.8.13'] } };
  const { controls } = await web.call<{ controls: { id: string }[] }>('listControls', list);
  const evidence = { url: 'https://example.org/restore', record_ids: [controls[0]!.id] };
  await add('addEvidence', 'evidence', { ...evidence, name: 'Restore test', valid_until: '2099-12-31' });
  // The restore test replaces the old one. Nothing replaces the old scan.
  const old = { valid_until: '2024-01-31', collected_at: '2023-01-31' };
  await add('addEvidence', 'evidence', { ...evidence, ...old, name: 'Old test' });
  const scanned = await web.call<{ controls: { id: string }[] }>('listControls', {
    organization_id,
    filter: { section_title: ['A.8.8'] },
  });
  const record_ids = [scanned.controls[0]!.id];
  await add('addEvidence', 'evidence', { ...evidence, ...old, name: 'Old scan', record_ids });
  const audit = await add('addAudit', 'audit', { framework_id, name: 'Certification' });
  await add('addNonconformity', 'nonconformity', { description: 'Two people could still sign in', audit_id: audit });
  const open = await add('addAudit', 'audit', { framework_id, name: 'Surveillance' });
  for (const state of ['IN_PROGRESS', 'COMPLETED']) {
    await web.call('updateAudit', { organization_id, id: audit, state, reason: 'Found out' });
  }
  await add('addEvidence', 'evidence', { ...evidence, name: 'Made later' });
  const path = `/organizations/${organization_id}/audits`;
  return { viewer, audit: `${path}/${audit}`, open: `${path}/${open}` };
});

const linksIn = (html: string) => [...html.matchAll(/href="([^"]+)"/g)].map(([, href]) => unescapeHtml(href!));

test('is chosen by its name in a comparison, whose fields show no id', async ({ owner, audit }) => {
  const [, path, id] = /^(.*)\/audits\/(aud_\w+)$/.exec(audit)!;
  const { status, text } = await owner.get(`${path}/compare?from=${id}`);
  assert.is(status, 200);
  const form = /<form [^>]*aria-label="Comparison".*?<\/form>/s.exec(text)![0];
  assert.match(form, new RegExp(`<option value="${id}" selected[^>]*>Certification, \\d+ \\w+ \\d{4}</option>`));
  assert.not.match(form.replace(/<option value="[^"]*"|action="[^"]*"/g, ''), /(?:aud|acc|org)_/);
  const onDay = await owner.get(`${path}/compare?from=${id}&from_day=2026-01-31`);
  assert.match(onDay.text, /<option value="2026-01-31" selected/, 'a typed day goes before the list');
});

test('shows scope, findings, and the register pinned to the completion', async ({ owner, audit, open }) => {
  const { text } = await owner.get(audit);
  assert.match(text, /<h2 id="scope">Scope/);
  assert.match(text, 'Two people could still sign in');
  assert.is(linksIn(text).filter((href) => /nonconformities\/ncf_/.test(href)).length, 1, 'not listed twice');
  const pinned = linksIn(text).filter((href) => href.includes(`as_of=${audit.split('/').at(-1)}`));
  assert.ok(pinned.length >= 2);
  for (const href of pinned) assert.match((await owner.get(href)).text, 'Certification, as completed.');
  assert.ok(linksIn(text).includes(`${audit}/pack`));
  const unfinished = (await owner.get(open)).text;
  assert.match(unfinished, 'The audit is not completed yet.');
  assert.match(unfinished, 'No finding names this audit.');
});

test('tells an owner and an admin how to share the audit, and nobody else', async ({ web, owner, viewer, audit }) => {
  const { text } = await owner.get(audit);
  assert.match(text, `then send them this address: <code>${web.baseUrl}${audit}</code>`);
  const invitation = linksIn(text).find((href) => href.endsWith('/members#invite-title'))!;
  assert.match((await owner.get(invitation.split('#')[0]!)).text, 'id="invite-title"');
  const person = { name: 'Al', email: 'al@example.org', password: 'a quite long password 8' };
  const adminPage = (await (await web.invite(person, 'ADMIN')).get(audit)).text;
  assert.match(adminPage, 'Ask an owner to invite the auditor');
  assert.not.match(adminPage, '/members#invite-title');
  assert.not.match((await viewer.get(audit)).text, 'send them this address');
});

test('shows the pack: evidence by control on that day, with the digest of the report', async ({
  web,
  owner,
  audit,
}) => {
  const { text, status } = await owner.get(`${audit}/pack`);
  assert.is(status, 200);
  const row = /<tr role="row">(?:(?!<\/tr>).)*A\.8\.13.*?<\/tr>/s.exec(text)![0];
  assert.match(row, /Restore test.*valid until.*31 Dec 2099/s);
  assert.not.match(text, 'Made later');
  assert.match(row, /Old test<\/a><span class="chip state plain">.*?Replaced by newer evidence/s);
  const lapsed = /<tr role="row">(?:(?!<\/tr>).)*A\.8\.8 .*?<\/tr>/s.exec(text)![0];
  assert.match(lapsed, /Old scan<\/a><span class="chip state danger">.*?Expired/s);
  const input = { organization_id: web.organizationId, type: 'AUDIT_PACK', audit_id: audit.split('/').at(-1) };
  const { report } = await web.call<{ report: { digest: string } }>('getReport', input);
  assert.match(text, report.digest);
  const [digest, button, firstSection] = ['class="digest"', 'Download pack', '<summary><span>4 '].map((part) =>
    text.indexOf(part),
  );
  assert.ok(
    0 < button! && button! < digest! && digest! < firstSection!,
    'download and digest stand above the sections',
  );
  assert.match(text.slice(digest!), /<details><summary><span>A\.8 .*?fully implemented/s);
  assert.is(text.match(/Download pack/g)!.length, 1);
});

test('stops making the pack when its client is gone', async ({ web, audit }) => {
  const [route] = auditPackPage(web);
  const request = closedRequest(web, { record: audit.split('/').at(-1)! });
  assert.instance(await rejection(Promise.resolve(route!.handle(request))), ClientGone);
});

test('keeps the pack from a VIEWER, and from other pages', async ({ owner, viewer, audit, open }) => {
  const { text, status } = await viewer.get(audit);
  assert.is(status, 200);
  assert.match(text, 'Two people could still sign in');
  assert.match(text, 'The controls as of the completion');
  assert.not.match(text, '/pack');
  assert.is((await viewer.get(`${audit}/pack`)).status, 403);
  assert.is((await owner.get(`${open}/pack`)).status, 400);
  assert.is((await owner.get(`${audit.replace('aud_', 'rsk_')}/pack`)).status, 404);
  assert.is((await owner.get(audit.replace(/org_\w+/, 'org_4FEFDCP7J2GK8SGY2N848WEMP0'))).status, 404);
});

test('counts all findings, though it lists the newest 50', async ({ web, owner, open }) => {
  const { organizationId: organization_id } = web;
  const audit_id = open.split('/').at(-1);
  for (let number = 1; number <= 51; number += 1) {
    const description = `Finding ${number}`;
    await web.call('addNonconformity', { organization_id, reference_id: `NC-${number}`, description, audit_id });
  }
  const { text } = await owner.get(open);
  assert.match(text, 'Findings <span class="number">51</span>');
  assert.match(text, 'NC-25: Finding 25', 'named as on its own page');
  assert.match(text, /NC-51: Finding 51.*NC-2: Finding 2<.*The newest 50 are shown\. <a [^>]*>All 51 findings</s);
  assert.not.match(text, 'NC-1: Finding 1<');
  assert.ok(linksIn(text).some((href) => href.includes(`/nonconformities?audit_id=${audit_id}`)));
});

test.run();
