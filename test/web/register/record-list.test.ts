/** The pages of a family's records: filters, order and paging in the address, at any moment. */

import { renderToString } from 'preact-render-to-string';
import * as assert from 'uvu/assert';
import { randomId } from '../../../src/commands/engine/ids.ts';
import { recordAggregate } from '../../../src/commands/families.ts';
import { adoptionCommand } from '../../../src/commands/framework.ts';
import { SYSTEM_ACTOR } from '../../../src/identity/memberships/actor.ts';
import { FieldContent } from '../../../src/web/register/field-content.tsx';
import { envelopeFor } from '../../support/register.ts';
import { until } from '../../support/run/wait.ts';
import { formsIn, type TestBrowser, unescapeHtml } from '../../support/web/web.ts';
import { type PageContext, person, webSuite } from '../../support/web/web-suite.ts';

const RISKS = 60;
const EVIL = `"><img src=x onerror="alert('1')">`;

const test = webSuite<PageContext & { viewer: TestBrowser; risks: string; before: number }>(
  'record lists',
  async ({ web }) => {
    const viewer = await web.invite(person('Vi'), 'VIEWER');
    const organization_id = web.organizationId;
    const before = web.reader.snapshot().newestPosition(organization_id);
    const rows = Array.from({ length: RISKS }, (_, index) => ({
      name: `Risk ${String(index).padStart(2, '0')}`,
      status: index < 40 ? 'OPEN' : 'IN_TREATMENT',
      ...(index % 2 === 0 ? { inherent_likelihood: 3, inherent_impact: 1 + (index % 5) } : {}),
      ...(index === 0 ? { category: EVIL } : {}),
    }));
    await web.call('importRecords', { organization_id, type: 'RISK', rows });
    return { viewer, before, risks: `/organizations/${organization_id}/risks` };
  },
);

/** Returns the names in the table's first column of names, in order. */
const namesIn = (html: string) =>
  [...html.matchAll(/<th scope="row"[^>]*>(?:<input[^>]*> )?<a [^>]*>([^<]*)</g)].map(([, name]) =>
    unescapeHtml(name!),
  );

/** Returns the address of the link with this text, or with this label. */
function linkIn(html: string, text: string): string | undefined {
  const links = [...html.matchAll(/<a ([^>]*)>(.*?)<\/a>/gs)];
  const [, attributes] =
    links.find(([, all, inside]) => inside === text || all!.includes(`aria-label="${text}"`)) ?? [];
  const href = /href="([^"]*)"/.exec(attributes ?? '')?.[1];
  return href === undefined ? undefined : unescapeHtml(href);
}

test('filters by the address, as the list tool does', async ({ owner, risks }) => {
  const { text, status } = await owner.get(`${risks}?status=IN_TREATMENT&min_score=9`);
  assert.is(status, 200);
  assert.match(text, new RegExp(`${namesIn(text).length} of ${RISKS} `));
  assert.equal(namesIn(text).sort(), ['Risk 42', 'Risk 44', 'Risk 48', 'Risk 52', 'Risk 54', 'Risk 58'].sort());
  assert.is(linkIn(text, 'Remove the filter Status: In treatment'), `${risks}?min_score=9`);
  assert.is(linkIn(text, 'Clear filters'), risks);
  assert.equal(namesIn((await owner.get(`${risks}?query=risk+07`)).text), ['Risk 07']);
  assert.is(namesIn((await owner.get(`${risks}?status=OPEN&status=IN_TREATMENT&missing=SCORE`)).text).length, 30);
});

test('says how to fill a register without records', async ({ owner, viewer, risks }) => {
  const page = (browser: TestBrowser, family: string) => browser.get(risks.replace('risks', family));
  const vendors = (await page(owner, 'vendors')).text;
  assert.match(vendors, 'No vendors yet.');
  assert.match(vendors, 'Import this spreadsheet as vendors into the register');
  const evidence = (await page(owner, 'evidence')).text;
  assert.match(evidence, 'Nothing is attached. An auditor will ask: when was it made, for which period, by whom?');
  const controls = (await page(owner, 'controls')).text;
  assert.match(controls, 'Show me the frameworks that I can adopt, and add one');
  assert.not.match(controls, 'Import this spreadsheet', 'an import only changes controls');
  const seen = (await page(viewer, 'vendors')).text;
  assert.match(seen, 'No vendors yet.');
  assert.not.match(seen, 'Say to');
});

test('ignores parameters that are no filters, and calls a wrong filter by its label', async ({ owner, risks }) => {
  const campaign = await owner.get(`${risks}?utm_source=mail&status=IN_TREATMENT`);
  assert.is(campaign.status, 200);
  assert.equal(namesIn(campaign.text), namesIn((await owner.get(`${risks}?status=IN_TREATMENT`)).text));
  assert.not.match((await owner.get(`${risks}?x=${encodeURIComponent(EVIL)}`)).text, /<img/);
  for (const [query, message] of [
    ['min_score=high', 'Score at least must be a number.'],
    ['status=FOO', 'Status: choose Open, In treatment, Accepted or Closed.'],
    ['min_score=1&min_score=2', 'Score at least can be given only once.'],
    ['order_by=colour', 'The order: choose '],
  ] as const) {
    const { text, status } = await owner.get(`${risks}?${query}`);
    assert.is(status, 400, query);
    assert.match(unescapeHtml(/role="alert">(.*?)<\/p>/s.exec(text)![1]!), message);
  }
});

test('keeps every filter in its form, and drops the fields that are empty', async ({ owner, risks }) => {
  const { text } = await owner.get(`${risks}?status=OPEN&ids=rsk_4FEFDCP7J2GK8SGY2N848WEMP0&order_by=name`);
  const { fields } = formsIn(text).find((form) => form.action === risks && form.fields.has('query'))!;
  assert.equal(fields.getAll('status'), ['OPEN']);
  assert.equal(fields.getAll('ids'), ['rsk_4FEFDCP7J2GK8SGY2N848WEMP0']);
  assert.is(fields.get('order_by'), 'name');
  assert.is(fields.get('min_score'), '');
  assert.is((await owner.get(`${risks}?${fields}`)).to?.split('?')[1]?.includes('min_score'), false);
});

test('shows what is wrong with a filter above the list without it', async ({ owner, risks }) => {
  for (const query of ['status=NONE', `status=${encodeURIComponent(EVIL)}`, 'min_score=9&min_score=8', 'filter=[]']) {
    const { text, status } = await owner.get(`${risks}?${query}`);
    assert.is(status, 400, query);
    assert.match(text, /role="alert"/, query);
    assert.is(namesIn(text).length, 50, query);
    assert.not.match(text, /<img/, query);
  }
  const hostile = await owner.get(`${risks}?category=${encodeURIComponent(EVIL)}`);
  assert.equal(namesIn(hostile.text), ['Risk 00']);
  assert.not.match(hostile.text, /<img/);
  assert.is((await owner.get(`${risks}?cursor=made.up`)).status, 400);
});

test('sorts by a column, and pages both ways in that order', async ({ owner, risks }) => {
  const sorted = linkIn((await owner.get(`${risks}?status=OPEN&status=IN_TREATMENT`)).text, 'Risk')!;
  const first = (await owner.get(sorted)).text;
  assert.match(first, /aria-sort="ascending"[^>]*><a [^>]*>Risk/);
  assert.is(namesIn(first)[0], 'Risk 00');
  assert.is(linkIn(first, 'Previous'), undefined);
  const second = (await owner.get(linkIn(first, 'Next')!)).text;
  assert.equal(
    namesIn(second),
    Array.from({ length: 10 }, (_, index) => `Risk ${50 + index}`),
  );
  assert.is(linkIn(second, 'Next'), undefined);
  const back = (await owner.get(linkIn(second, 'Previous')!)).text;
  assert.equal(namesIn(back), namesIn(first));
  assert.is(linkIn(back, 'Previous'), undefined);
});

test('pins the view and offers it as files, with its filters', async ({ owner, risks, web, before }) => {
  const { text } = await owner.get(`${risks}?status=OPEN&order_by=name`);
  const pinned = linkIn(text, 'Copy a link to this state')!;
  const position = web.reader.snapshot().newestPosition(web.organizationId);
  assert.is(pinned, `${risks}?as_of=${position}&status=OPEN&order_by=name`);
  assert.equal(namesIn((await owner.get(pinned)).text), namesIn(text));
  const file = `/api/v1/organizations/${web.organizationId}/records/risks`;
  assert.is(linkIn(text, 'CSV'), `${file}?format=csv&status=OPEN`);
  const past = (await owner.get(`${risks}?as_of=${before}&status=OPEN`)).text;
  assert.is(linkIn(past, 'JSON Lines'), `${file}?format=jsonl&as_of=${before}&status=OPEN`);
  assert.match(past, new RegExp(`0 records then · ${RISKS} today`));
});

test('says why a list is empty, and the next step', async ({ owner, viewer, risks, before }) => {
  const filtered = (await owner.get(`${risks}?status=OPEN&query=nothing&min_score=9`)).text;
  assert.match(filtered, new RegExp(`No risks match these 3 filters. ${RISKS} without them.`));
  assert.is(linkIn(filtered, 'Clear filters'), risks);
  const one = (await owner.get(`${risks}?query=nothing`)).text;
  assert.match(one, new RegExp(`No risks match this filter. ${RISKS} without it.`));
  assert.match(
    (await owner.get(`${risks}?as_of=2000-01-01`)).text,
    /Nothing was recorded before <time [^>]*>\d+ \w{3} \d{4}<\/time>\./,
  );
  assert.match((await owner.get(`${risks}?as_of=${before}`)).text, /There were no risks at this moment\./);
  const vendors = risks.replace(/risks$/, 'vendors');
  assert.match(
    (await owner.get(vendors)).text,
    /No vendors yet\..*Ask me about our vendors, and add them to the register/s,
  );
  assert.is(
    linkIn((await owner.get(vendors)).text, 'Import a spreadsheet'),
    vendors.replace(/vendors$/, 'getting-started#import'),
  );
  assert.is(linkIn((await owner.get(vendors)).text, 'your assistant'), '/connect');
  assert.not.match((await viewer.get(vendors)).text, /Ask me about|getting-started/);
  const evidence = (await owner.get(risks.replace(/risks$/, 'evidence'))).text;
  assert.match(evidence, /Nothing is attached. An auditor will ask: when was it made, for which period, by whom\?/);
});

test('offers the values in use instead of one that no record has', async ({ owner, risks }) => {
  const { text } = await owner.get(`${risks}?category=Finance&status=OPEN`);
  assert.match(text, 'Category: values in use');
  assert.not.match(text, '<img src=x');
  const address = [...text.matchAll(/href="([^"]*category=%22[^"]*)"/g)].map(([, href]) => unescapeHtml(href!))[0]!;
  assert.equal(namesIn((await owner.get(address)).text), ['Risk 00']);
  assert.match(address, 'status=OPEN');
  const used = (await owner.get(`${address}&min_score=25`)).text;
  assert.not.match(used, 'values in use', 'a value that is in use, so that only the filters together find nothing');
});

test('shows a VIEWER the past too, and nothing of another organization', async ({ owner, viewer, risks, before }) => {
  const list = (await viewer.get(risks)).text;
  assert.match(list, 'For adding and changing records you need the role Editor, Admin or Owner.');
  assert.not.match((await owner.get(risks)).text, 'you need the role');
  const { text, status } = await viewer.get(`${risks}?status=OPEN`);
  assert.is(status, 200);
  assert.is(namesIn(text).length, 40);
  assert.is((await viewer.get(linkIn(text, 'Copy a link to this state')!)).status, 200);
  const then = `${risks}?as_of=${before}`;
  assert.equal(namesIn((await viewer.get(then)).text), namesIn((await owner.get(then)).text));
  assert.is((await owner.get('/organizations/org_4FEFDCP7J2GK8SGY2N848WEMP0/risks?status=OPEN')).status, 404);
});

test('shows controls under their framework and section, with coverage', async ({ web, owner, risks }) => {
  const numbers = ['4', '4.1', 'A.5.1', 'A.5.2', 'A.5.10'];
  const { framework } = await web.call<{ framework: { id: string } }>('addFramework', {
    organization_id: web.organizationId,
    name: 'House rules',
    controls: numbers.map((section_title) => ({ section_title, name: `On ${section_title}` })),
  });
  const controls = risks.replace(/risks$/, 'controls');
  const { text } = await owner.get(controls);
  assert.match(text, new RegExp(`frameworks/${framework.id}">House rules</a>`));
  assert.match(text, /Coverage of the framework 0\.0 %: 0 of 5 controls and clauses in scope are fully implemented/);
  const sections = [...text.matchAll(/<summary><span>([^<]*) <small>([^<]*)</g)].map(([, title, count]) => [
    title,
    count,
  ]);
  assert.equal(sections, [
    ['4 On 4', '· 0 of 2 fully implemented'],
    ['A.5', '· 0 of 3 fully implemented'],
  ]);
  assert.equal(
    namesIn(text),
    numbers.map((number) => `On ${number}`),
  );
  const byFramework = (await owner.get(`${controls}?framework_id=${framework.id}`)).text;
  assert.is(linkIn(byFramework, 'Remove the filter Framework: House rules'), controls);
  const flat = (await owner.get(`${controls}?implementation=NONE`)).text;
  assert.not.match(flat, /House rules/);
  assert.equal(namesIn(flat), namesIn(text));
});

test('offers the frameworks to choose from once there are several', async ({ web, owner, risks }) => {
  const controls = risks.replace(/risks$/, 'controls');
  const menu = /<select[^>]*name="framework_id"|name="framework_id"[^>]*value="(frm_\w+)"/;
  assert.not.match((await owner.get(controls)).text, menu);
  const { framework } = await web.call<{ framework: { id: string } }>('addFramework', {
    organization_id: web.organizationId,
    name: 'Yard rules',
    controls: [{ section_title: 'Y.1', name: 'Gates are locked' }],
  });
  const [, first] = menu.exec((await owner.get(controls)).text)!;
  assert.match((await owner.get(controls)).text, framework.id);
  const chosen = (await owner.get(`${controls}?framework_id=${framework.id}`)).text;
  assert.equal(namesIn(chosen), ['Gates are locked']);
  assert.is(linkIn(chosen, 'Remove the filter Framework: Yard rules'), controls);
  assert.ok(first);
  const reason = 'Merged';
  await web.call('archiveRecords', {
    organization_id: web.organizationId,
    ids: [framework.id],
    action: 'ARCHIVE',
    reason,
  });
  const archived = (await owner.get(`${controls}?framework_id=${framework.id}&include_archived=true`)).text;
  assert.match(archived, 'Remove the filter Framework: Yard rules');
});

test('shows controls under the groups of an imported framework', async ({ web, owner, risks }) => {
  const id = randomId('frm');
  const group = 'Lamp › Night';
  const controls = [
    { section_title: 'L.1', name: 'The lamp burns', group },
    { section_title: 'M.1', name: 'A spare wick', group },
    { section_title: 'N.1', name: 'The horn sounds', group: 'Horn' },
  ];
  const note = 'Withdrawn by the publisher and not adopted (1):\nL.2 Whale oil';
  const command = adoptionCommand(id, { name: 'Lighthouse rules', note, controls });
  const envelope = envelopeFor({ organization_id: web.organizationId });
  await web.identity.handler.execute(recordAggregate(id), command, envelope);
  // The next write is projected after it.
  await web.call('addVendor', { organization_id: web.organizationId, name: 'Oil merchant' });
  const { text } = await owner.get(risks.replace(/risks$/, 'controls'));
  assert.match(text, /<summary><span>Lamp › Night <small>· 0 of 2 fully implemented</);
  assert.match(text, /<summary><span>Horn <small>· 0 of 1 fully implemented</);
  assert.match((await owner.get(risks.replace(/risks$/, `frameworks/${id}`))).text, /L\.2 Whale oil/);
});

test('links addresses of the web only', () => {
  const field = { kind: 'url', label: 'Website' } as const;
  const html = (url: string) => renderToString(FieldContent({ name: 'website_url', field, row: { website_url: url } }));
  assert.match(html('https://example.org/a'), 'href="https://example.org/a" rel="noopener noreferrer nofollow"');
  for (const url of ['javascript:alert(1)', 'data:text/html,x', 'example.org', '//example.org']) {
    assert.not.match(html(url), 'href');
    assert.match(html(url), url);
  }
});

test('offers the people who own records and have left, and shows their names', async ({ web, owner, risks }) => {
  const { organizationId: organization_id, members } = web;
  const person = { name: 'Lea Left', email: 'lea@example.org', password: 'a quite long password 8' };
  await web.invite(person, 'EDITOR');
  const { id: owner_id } = (await web.people.accounts.findByEmail(person.email))!;
  await web.call('addRisk', { organization_id, name: 'Left behind', owner_id });
  const position = web.reader.snapshot().newestPosition(organization_id);
  await members.remove(organization_id, owner_id, SYSTEM_ACTOR);
  const gone = async () => namesIn((await owner.get(`${risks}?missing=OWNER_GONE`)).text);
  await until(async () => (await gone()).length > 0, 5_000, 'the page knows of the removal');
  assert.equal(await gone(), ['Left behind']);
  const record = linkIn((await owner.get(`${risks}?query=left+behind`)).text, 'Left behind')!;
  for (const [page, name] of [
    [`${risks}?query=left+behind`, '>Lea Left (left)<'],
    [`${risks}?query=left+behind&as_of=${position}`, '>Lea Left<'],
    [record, 'Owner: Lea Left (left)<'],
    [record, '>Lea Left (left)</dd>'],
    [`${record}/edit`, 'Lea Left (left)</option>'],
    [`${record}?as_of=${position}`, 'Owner: Lea Left<'],
  ] as const)
    assert.match((await owner.get(page)).text, name, page);
  for (const moment of ['', `&as_of=${position}`]) {
    const { text } = await owner.get(`${risks}?owner_id=${owner_id}${moment}`);
    assert.equal(namesIn(text), ['Left behind'], moment);
    assert.ok(linkIn(text, 'Remove the filter Owner: Lea Left (left)'), moment);
  }
  assert.equal(namesIn((await owner.get(`${risks}?owner_id=lea+left`)).text), ['Left behind']);
  assert.not.match((await owner.get(risks.replace('risks', 'vendors'))).text, 'Lea Left');
});

test('filters and downloads evidence too, which has no list tool', async ({ owner, risks }) => {
  const evidence = risks.replace(/risks$/, 'evidence');
  const filter = 'expired=true&kind=URL&valid_until_before=2026-03-01&query=restore';
  const { text, status } = await owner.get(`${evidence}?${filter}`);
  assert.is(status, 200);
  for (const sentence of ['Expired', 'Kind: Address', 'Valid until before 1 Mar 2026']) {
    assert.match(text, `Remove the filter ${sentence}`);
  }
  const download = linkIn(text, 'CSV')!;
  for (const part of filter.split('&')) assert.ok(download.includes(part), part);
  assert.is((await owner.get(download)).status, 200);
  assert.is((await owner.get(`${evidence}?expired=maybe`)).status, 400);
});

test.run();
