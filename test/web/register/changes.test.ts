/** The page of changes: the organization's history with its filters in the address. */

import * as assert from 'uvu/assert';
import { ImportedNames } from '../../../src/identity/imported-names.ts';
import { SealKeys } from '../../../src/seal/seal-keys.ts';
import { type TestBrowser, unescapeHtml } from '../../support/web/web.ts';
import { type PageContext, webSuite } from '../../support/web/web-suite.ts';

const test = webSuite<PageContext & { viewer: TestBrowser; page: string; risk: string }>('changes', async ({ web }) => {
  const viewer = await web.invite(
    { name: 'Vi', email: 'vi@example.org', password: 'a quite long password 7' },
    'VIEWER',
  );
  const organization_id = web.organizationId;
  const { risk } = await web.call<{ risk: { id: string } }>('addRisk', {
    organization_id,
    name: 'Phishing mail',
    residual_likelihood: 2,
    residual_impact: 4,
    owner_id: web.ownerId,
  });
  await web.call('addVendor', { organization_id, name: 'Nimbus' });
  const reason = 'Exercise: 17 of 94 clicked';
  await web.call('updateRisk', { organization_id, id: risk.id, residual_likelihood: 3, reason });
  return { viewer, page: `/organizations/${organization_id}/changes`, risk: risk.id };
});

/** Returns the list items of changes, as text. */
const changesIn = (html: string) =>
  [...html.matchAll(/<li id="change-(\d+)".*?(?=<li id="change-|<\/ol>)/gs)].map(([item, position]) => ({
    position: Number(position),
    text: unescapeHtml(item.replace(/<[^>]+>/g, ' ')).replace(/\s+/g, ' '),
  }));

test('tells each change in words, with before, after, reason and person', async ({ owner, page, risk, web }) => {
  const { text, status } = await owner.get(page);
  assert.is(status, 200);
  const [newest, ...older] = changesIn(text);
  assert.match(
    newest!.text,
    /Phishing mail Risk Residual likelihood 2 → 3 · Exercise: 17 of 94 clicked · Ada Byron · \d+ \w+ \d{4}, \d\d:\d\d UTC Risk assessed /,
  );
  assert.ok(older.every(({ position }, index) => position < (older[index - 1]?.position ?? newest!.position)));
  const record = `/organizations/${web.organizationId}/risks/${risk}`;
  assert.ok(text.includes(`href="${record}?change=${newest!.position}#change-${newest!.position}"`));
  assert.ok(text.includes(`/risks?as_of=${newest!.position - 1}"`), 'the register before this change');
  assert.ok(
    older.some(({ text: item }) => /Owner Ada Byron/.test(item)),
    'people have names',
  );
  const joined = older.find(({ text: item }) => item.includes('Member added'))!;
  assert.match(joined.text, /Member added: Member Vi Viewer /, 'roles have names too');
});

test('links each change to its proof, before and after it is sealed', async ({ owner, page, web }) => {
  const { position } = changesIn((await owner.get(page)).text)[0]!;
  const linkOf = (html: string) =>
    new RegExp(`href="${page}/${position}"[^>]*>(.*?)</a>`)
      .exec(html)![1]!
      .replace(/<[^>]+>/g, '')
      .trim();
  assert.is(linkOf((await owner.get(page)).text), `· Waiting for a seal Change ${position}`);
  await web.seal();
  const { text } = await owner.get(page);
  assert.is(linkOf(text), `Change ${position}`);
  assert.is(text.match(/Sealed <time/g)!.length, 1, 'the seal is named once');
  const [, listed, ofSeals] = /(\d+) changes, newest first · not listed: (\d+) of seals/.exec(text)!;
  const newest = web.reader.snapshot().newestPosition(web.organizationId);
  assert.is(Number(listed) + Number(ofSeals), newest, 'positions count the events of seals too');
  assert.not.match((await owner.get(`${page}?record_id=${web.organizationId}`)).text, 'of seals');
  const panel = (await owner.get(`${page}/${position}`)).text;
  assert.match(panel, /This change is in the sealed history/);
  const key = (await new SealKeys(web.identity.accounts, () => new Date()).ownKeys()).at(-1)!;
  assert.match(key.public_key, /^[\w+/]{43}=$/, 'as veritrail seal-key prints it');
  const words = unescapeHtml(panel.replace(/<[^>]+>/g, ' ')).replace(/\s+/g, ' ');
  assert.ok(words.includes(`Compare this public key with the one you were given: ${key.public_key} `));
  assert.ok(words.includes(`Key id: ${key.key_id}`));
});

test('shows a proof to a VIEWER too, and none of another organization', async ({ owner, viewer, page }) => {
  for (const path of [`${page}/2`, `${page}/2/proof`]) {
    assert.is((await viewer.get(path)).status, 200, path);
    assert.is((await owner.get(path.replace(/org_\w+/, 'org_other'))).status, 404);
    assert.is((await owner.get(path.replace('/2', '/999999'))).status, 404);
  }
  const { headers, text } = await owner.get(`${page}/1/proof`);
  assert.match(String(headers['content-type']), /^application\/json/);
  assert.is(JSON.parse(text).events[0].metadata.salt, '', 'the import key is not sent');
});

test('filters by record, family, event, person and period, as the tool does', async ({ owner, page, risk, web }) => {
  const textsFor = async (query: string) =>
    changesIn((await owner.get(`${page}?${query}`)).text).map(({ text }) => text);
  assert.is((await textsFor(`record_id=${risk}`)).length, 2);
  assert.is((await textsFor('record_types=VENDOR')).length, 1);
  assert.is((await textsFor('record_types=VENDOR&record_types=RISK')).length, 3);
  assert.is((await textsFor('event_types=RiskAssessed&actor_id=&from=&to=')).length, 1);
  const all = (await textsFor('')).length;
  const [byOwner, byService] = [await textsFor(`actor_id=${web.ownerId}`), await textsFor('actor_id=SYSTEM')];
  assert.is(byOwner.length + byService.length, all);
  assert.is((await textsFor('from=2001-01-01&to=2001-12-31')).length, 0);
  assert.is((await textsFor('from=1&to=2')).length, 2);
  assert.is((await owner.get(`${page}?event_types=RiskAssesed`)).status, 400);
  assert.equal(await textsFor('utm_source=mail&record_types=VENDOR'), await textsFor('record_types=VENDOR'));
  assert.not.match((await owner.get(`${page}?utm_source=mail`)).text, 'Remove this filter');
});

test('narrows the history by a field and by the name of a client', async ({ owner, page }) => {
  const positionsFor = async (query: string) => changesIn((await owner.get(`${page}?${query}`)).text).length;
  assert.is(await positionsFor('field=residual_likelihood'), 2);
  assert.is(await positionsFor('field=residual_likelihood&event_types=RiskAssessed'), 1);
  assert.is(await positionsFor('field=country'), 0);
  assert.is(await positionsFor('client=claude'), 0);
  assert.is((await owner.get(`${page}?field=status&field=name`)).status, 400);
  const { text } = await owner.get(`${page}?record_types=RISK`);
  assert.match(text, '<option value="residual_likelihood"');
  assert.not.match(text, 'last_assessed_at', 'the history does not record it');
});

test('a filter that cannot be read is named, and can be changed or removed', async ({ owner, page }) => {
  for (const [query, message, removed] of [
    ['from=soon&client=Claude', 'Give from as a date', 'client=Claude'],
    ['field=name&field=status', 'Field can be given only once', 'field=status'],
    ['field=name&record_types=NOTHING', 'Family: choose ', 'field=name'],
    ['made_by=people&field=name', 'Made by must be assistants', 'field=name'],
    ['cursor=nonsense', 'This cursor', null],
  ] as const) {
    const { text, status } = await owner.get(`${page}?${query}`);
    assert.is(status, 400, query);
    const alert = /<p class="notice warning" role="alert">(.*?)<\/p>/s.exec(text)?.[1] ?? '';
    assert.ok(unescapeHtml(alert).includes(message), `${query}: ${alert}`);
    assert.match(text, /<form [^>]*aria-label="Filters"/);
    if (removed !== null) assert.ok(text.includes(`href="${page}?${removed}"`), `${query}: a link without the filter`);
    assert.equal(changesIn(text), [], 'no changes that could be taken for an answer');
  }
});

test('shows a past moment, and leads on to older changes', async ({ owner, page, web }) => {
  assert.is(changesIn((await owner.get(`${page}?as_of=2`)).text)[0]!.position, 2);
  const organization_id = web.organizationId;
  for (let number = 1; number <= 52; number += 1)
    await web.call('addVendor', { organization_id, name: `Vendor ${number}` });
  const first = (await owner.get(`${page}?record_types=VENDOR`)).text;
  assert.is(changesIn(first).length, 50);
  const older = unescapeHtml(/href="([^"]+cursor=[^"]+)"/.exec(first)![1]!);
  assert.is(changesIn((await owner.get(older)).text).length, 3, 'the cursor keeps the filter');
});

test('tells an imported decision in a sentence, with the name in the file until it is erased', async (context) => {
  const { owner, page, web } = context;
  const rowsOf = (type: string, row: object) =>
    web.call<{ rows: { id: string }[] }>('importRecords', { organization_id: web.organizationId, type, rows: [row] });
  const review = { status: 'APPROVED', last_reviewed: '2025-03-03', reviewed_by: 'J. Smith' };
  const [vendor] = (await rowsOf('VENDOR', { name: 'Larch', ...review })).rows;
  const acceptance = { status: 'ACCEPTED', accepted_until: '2025-12-31', acceptance_reason: 'Rare' };
  await rowsOf('RISK', { name: 'Hail', ...acceptance });
  const textOf = async (path: string) =>
    unescapeHtml((await owner.get(path)).text.replace(/<.?time[^>]*>/g, '').replace(/<[^>]+>/g, ' '));
  assert.match(await textOf(page), /Acceptance imported: accepted until 31 Dec 2025/);
  const record = page.replace('changes', `vendors/${vendor!.id}`);
  for (const path of [page, record]) {
    assert.match(await textOf(path), /Review imported: Approved on 3 Mar 2025, by “J\. Smith”/, path);
  }
  const organizationId = web.organizationId;
  const names = new ImportedNames(web.identity.accounts);
  const revisions = `${record}/revisions`;
  assert.match(await textOf(revisions), /Name in the file\s+J\. Smith/);
  const [name] = await names.list(organizationId);
  assert.ok(await names.erase(organizationId, name!.id));
  for (const path of [page, record, revisions]) assert.not.match(await textOf(path), /Smith/, path);
  assert.match(await textOf(page), /by “erased name”/);
});

test('is there for a VIEWER, but not in another organization, or for the access log', async ({
  owner,
  viewer,
  page,
  web,
}) => {
  assert.is((await viewer.get(page)).status, 200);
  assert.match((await viewer.get(page.replace('changes', 'risks'))).text, /\/changes"/);
  assert.is((await viewer.get(`${page}?record_types=ACCESS`)).to, `/organizations/${web.organizationId}/access`);
  assert.is((await viewer.get(`/organizations/${web.organizationId}/access`)).status, 403);
  assert.is((await owner.get('/organizations/org_4FEFDCP7J2GK8SGY2N848WEMP0/changes')).status, 404);
  assert.is((await owner.get(`${page}?record_types=ACCESS`)).to, `/organizations/${web.organizationId}/access`);
});

test.run();
