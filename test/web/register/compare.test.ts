/** The page that compares two moments. */

import * as assert from 'uvu/assert';
import { ClientGone } from '../../../src/http/http-errors.ts';
import { comparePage } from '../../../src/web/pages/register/compare.tsx';
import { rejection } from '../../support/run/take.ts';
import { closedRequest } from '../../support/web/closed-request.ts';
import { type TestBrowser, unescapeHtml } from '../../support/web/web.ts';
import { type PageContext, person, textIn, webSuite } from '../../support/web/web-suite.ts';

const test = webSuite<PageContext & { viewer: TestBrowser; page: string; before: number }>(
  'compare',
  async ({ web }) => {
    const viewer = await web.invite(person('Vi'), 'VIEWER');
    const organization_id = web.organizationId;
    const addRisk = async (name: string, likelihood: number): Promise<string> => {
      const rating = { inherent_likelihood: likelihood, inherent_impact: 5 };
      const { risk } = await web.call<{ risk: { id: string } }>('addRisk', { organization_id, name, ...rating });
      return risk.id;
    };
    const [falling, gone] = [await addRisk('Falling', 5), await addRisk('Gone', 5)];
    const before = web.reader.snapshot().newestPosition(organization_id);
    await web.call('updateRisk', { organization_id, id: falling, inherent_likelihood: 1, reason: 'Exercise' });
    await web.call('updateRisk', { organization_id, id: falling, note: 'Only a note' });
    await web.call('archiveRecords', { organization_id, ids: [gone], action: 'ARCHIVE', reason: 'Sold' });
    await addRisk('New', 4);
    const { vendor } = await web.call<{ vendor: { id: string } }>('addVendor', { organization_id, name: 'New vendor' });
    await web.call('updateVendor', { id: vendor.id, owner_id: 'ME' });
    return { viewer, before, page: `/organizations/${organization_id}/compare` };
  },
);

test('says in a headline what changed, then shows each record with its changes', async ({ owner, page, before }) => {
  const { text, status } = await owner.get(`${page}?from=${before}`);
  assert.is(status, 200);
  const words = textIn(text);
  assert.match(
    words,
    /Better: risks scored 15 or more 2 → 1; 1 risk score down\. Also: 1 risk and 1 vendor added; 1 risk archived\./,
  );
  assert.match(text, /<b class="better">Better/);
  assert.match(words, /Risks: /);
  assert.match(words, /Falling Score 25 → 5 2 changes Inherent likelihood 5 → 1 · Exercise · Ada Byron · /);
  assert.match(
    textIn((await owner.get(`${page}?from=${before}&fields=all`)).text),
    /Falling Note Only a note .*?Score 25 → 5/,
  );
});

test('shows figures whose difference is the sum of the records that its links open', async ({
  owner,
  page,
  before,
}) => {
  const { text } = await owner.get(`${page}?from=${before}`);
  const rows = [...text.matchAll(/<tr role="row">(.*?)<\/tr>/gs)].map(([, row]) => row!).slice(1);
  assert.ok(rows.length > 5);
  const names: string[] = [];
  for (const row of rows) {
    const [from, until] = [...row.matchAll(/<div>(\d+)<\/div>/g)].map(([, value]) => Number(value));
    let sum = 0;
    for (const [, href, sign, count, kind] of row.matchAll(/<a href="([^"]+)">([+−])(\d+)( \w+)?<\/a>/g)) {
      sum += sign === '−' ? -Number(count) : Number(count);
      const list = (await owner.get(unescapeHtml(href!))).text;
      const opened = [...list.matchAll(/<th scope="row"[^>]*>(?:<input[^>]*> )?<a [^>]*>([^<]*)</g)].map(
        ([, name]) => name!,
      );
      assert.is(opened.length, Number(count), href);
      names.push(...opened.map((name) => `${sign}${name}${kind ?? ''}`));
    }
    assert.is(until! - from!, sum, textIn(row));
  }
  for (const moved of ['+New new', '−Gone archived', '−Falling']) assert.ok(names.includes(moved), moved);
});

test('shows each number of Home at both moments', async ({ web, owner, page, before }) => {
  const home = `/organizations/${web.organizationId}`;
  const tilesAt = async (address: string) => {
    const pattern = /class="tile"[^>]*><b>(\d+)<\/b>.*?<span>([^<(]+)/g;
    return [...(await owner.get(address)).text.matchAll(pattern)].map(([, count, label]) => [label!.trim(), count!]);
  };
  const [earlier, later] = [await tilesAt(`${home}?as_of=${before}`), await tilesAt(home)];
  assert.is(later.length, 6);
  const { text } = await owner.get(`${page}?from=${before}`);
  const rows = [...text.matchAll(/<th scope="row"[^>]*>([^<]+)<\/th>.*?<div>(\d+)<\/div>.*?<div>(\d+)<\/div>/g)];
  const compared = rows.slice(0, later.length).map(([, label, ...counts]) => [label, ...counts]);
  assert.equal(
    compared,
    later.map(([label, count], index) => [label, earlier[index]![1], count]),
  );
});

test('has the digest of the report to which it links', async ({ web, owner, page, before }) => {
  const { text } = await owner.get(`${page}?from=${before}`);
  const link = new URL(unescapeHtml(/href="([^"]*reports\/changes-between[^"]*)"/.exec(text)![1]!), web.url);
  const { from, to, as_of } = Object.fromEntries(link.searchParams);
  const organization_id = web.organizationId;
  const input = { organization_id, type: 'CHANGES_BETWEEN', from, to, as_of };
  const { report } = await web.call<{ report: { digest: string } }>('getReport', input);
  assert.match(text, report.digest);
});

test('compares only the families and the owner in the address', async ({ web, owner, page, before }) => {
  const organization_id = web.organizationId;
  const from = String(before);
  const digestOf = async (filters: object) => {
    const input = { organization_id, type: 'CHANGES_BETWEEN', from: String(before + 1), ...filters };
    const to = String(web.reader.snapshot().newestPosition(organization_id));
    const { report } = await web.call<{ report: { digest: string } }>('getReport', { ...input, to, as_of: to });
    return report.digest;
  };
  const { text: risks } = await owner.get(`${page}?from=${from}&record_types=RISK`);
  assert.match(textIn(risks), /Only risks: Better: .*? Also: 1 risk added; 1 risk archived\. /);
  assert.match(risks, 'Falling');
  assert.not.match(risks, /New vendor|Vendors past review/);
  assert.match(risks, await digestOf({ record_types: ['RISK'] }));
  assert.match(risks, /<option value="RISK" selected>/);

  const { text: mine } = await owner.get(`${page}?from=${from}&owner_id=ME`);
  assert.match(textIn(mine), /Only records owned by Ada Byron: 1 vendor added\. /);
  assert.match(mine, 'New vendor');
  assert.not.match(mine, 'Falling');
  assert.match(mine, await digestOf({ owner_id: 'ME' }));
  assert.match((await owner.get(`${page}?from=${from}&owner_id=Ada%20Byron`)).text, await digestOf({ owner_id: 'ME' }));
  const both = (await owner.get(`${page}?from=${from}&owner_id=ME&record_types=RISK,VENDOR`)).text;
  assert.match(textIn(both), /Only risks, vendors owned by Ada Byron: /);
  const link = new URL(unescapeHtml(/href="([^"]*reports\/changes-between[^"]*)"/.exec(both)![1]!), web.url);
  assert.is(link.searchParams.get('record_types'), 'RISK,VENDOR');
  assert.match(both, /<option value="RISK,VENDOR" selected>/);
  const quarters = [...both.matchAll(/class="chip" href="([^"]*)"/g)].map(([, address]) => unescapeHtml(address!));
  assert.is(quarters.filter((address) => /record_types=RISK%2CVENDOR&owner_id=ME/.test(address)).length, 5);
  const none = await owner.get(`${page}?from=${from}&record_types=AUDIT`);
  assert.match(textIn(none.text), 'None of these records was changed');
  for (const wrong of ['record_types=SHIP', 'owner_id=acc_4FEFDCP7J2GK8SGY2N848WEMP0', 'owner_id=Nobody']) {
    assert.is((await owner.get(`${page}?from=${from}&${wrong}`)).status, 400, wrong);
  }
});

test('leads to the proof of the newest change of a record', async ({ web, owner, page, before }) => {
  const newest = web.reader.snapshot().newestPosition(web.organizationId);
  const { text } = await owner.get(`${page}?from=${before}`);
  const [, address] = /href="([^"]+)">Check the newest of these changes/.exec(text)!;
  assert.is(address, `/organizations/${web.organizationId}/changes/${newest}`);
  assert.is((await owner.get(address!)).status, 200);
});

test('says when nothing was changed, and asks for moments without an address', async ({ web, owner, page }) => {
  const newest = web.reader.snapshot().newestPosition(web.organizationId);
  assert.match((await owner.get(`${page}?from=${newest}`)).text, 'Nothing was changed');
  assert.match((await owner.get(page)).text, /<select[^>]*name="from"/);
  assert.is((await owner.get(`${page}?from=yesterday`)).status, 400);
  assert.is((await owner.get(`${page}?from=${newest}&until=1`)).status, 400);
});

test('offers the last two quarters, each against the one before', async ({ owner, page, before }) => {
  for (const address of [page, `${page}?from=${before}`]) {
    const { text } = await owner.get(address);
    const links = [...text.matchAll(/href="[^"]*from=([\d-]+)&amp;until=([\d-]+)"[^>]*>(Q\d \d{4}) against/g)];
    assert.is(links.length, 2, address);
    const [[, from, until], [, , earlierUntil]] = links as unknown as [string[], string[]];
    assert.is(earlierUntil, from);
    assert.match(`${from} ${until}`, /-(03-31|06-30|09-30|12-31) .*-(03-31|06-30|09-30|12-31)$/);
  }
});

test('opens each quarter that compare and Home offer, even before the first record', async ({ web, owner, page }) => {
  const home = (await owner.get(`/organizations/${web.organizationId}`)).text;
  const offered = [...((await owner.get(page)).text + home).matchAll(/href="([^"]*compare\?from=\d{4}-[^"]*)"/g)];
  assert.is(offered.length, 5);
  for (const [, address] of offered) {
    const { status, text } = await owner.get(unescapeHtml(address!));
    assert.is(status, 200, address);
    assert.match(text, /Also: |\d changes?\.|Worse: |Nothing was changed/);
  }
});

test('keeps what was typed beside a moment that it can’t read, and says which one', async ({ owner, page }) => {
  for (const [address, message] of [
    ['?from=abc&until=2026-03-31', /From is not a date that we know\. Choose one/],
    ['?from=1&until=soon', /Until is not a date that we know\. Choose one/],
    ['?from=1&until=2099-01-01', /Until is in the future\. Give an earlier moment, or today’s date/],
    ['?from=2&until=1', /The period ends before it begins\. Give the earlier moment first\./],
  ] as const) {
    const { text, status } = await owner.get(`${page}${address}`);
    assert.is(status, 400);
    assert.match(textIn(text), message);
    for (const [name, value] of new URLSearchParams(address))
      assert.match(text, new RegExp(`<select[^>]* name="${name}".*?<option value="${value}" selected`));
  }
});

test('stops when its client is gone', async ({ web, before }) => {
  const [route] = comparePage(web);
  const stopped = rejection(Promise.resolve(route!.handle(closedRequest(web, {}, `from=${before}`))));
  assert.instance(await stopped, ClientGone);
});

test('only counts the records that moved a figure if there are more than 500', async ({ web, owner, page }) => {
  const organization_id = web.organizationId;
  const from = web.reader.snapshot().newestPosition(organization_id);
  const importRisks = async (first: number) => {
    const rows = Array.from({ length: 100 }, (_, index) => ({ name: `Risk ${first + index}` }));
    await web.call('importRecords', { organization_id, type: 'RISK', rows });
  };
  for (const first of [0, 100, 200, 300, 400]) await importRisks(first);
  const atLimit = (await owner.get(`${page}?from=${from}`)).text;
  assert.not.match(atLimit, 'too many to list');
  assert.is([...atLimit.matchAll(/>\+500 new /g)].length, 2, 'one number for each of two figures');
  assert.is([...atLimit.matchAll(/>\d+–\d+<\/a>/g)].length, 20, 'with ten links each');
  assert.match(textIn(atLimit), /· 497 more · 1–50 · 51–100 · .* · 451–500/);
  const records = (html: string) => [...html.matchAll(/<b>Risk \d+<\/b>/g)].length;
  assert.is(records(atLimit), 10);
  const [, all = ''] = /href="([^"]+)">Show all 500</.exec(atLimit) ?? [];
  const ofRisks = (await owner.get(unescapeHtml(all))).text;
  assert.is(records(ofRisks), 200);
  assert.match(ofRisks, 'The first 200 are shown.');
  await web.call('addRisk', { organization_id, name: 'One more' });
  const { text } = await owner.get(`${page}?from=${from}`);
  assert.match(text, '501 records are too many to list here.');
  assert.not.match(text, /[?&;]ids=/);
  for (const first of [500, 600, 700, 800, 900]) await importRisks(first);
  assert.match((await owner.get(`${page}?from=${from}`)).text, 'More than 1,000 records are too many to list here.');
});

test('shows what became of coverage and controls, and opens records at the later moment', async (context) => {
  const { web, owner, page } = context;
  const { organizationId: organization_id, call } = web;
  const newest = () => web.reader.snapshot().newestPosition(organization_id);
  const rules = [1, 2, 3].map((number) => ({ section_title: `B.${number}`, name: `Rule ${number}` }));
  const { framework } = await call<{ framework: { id: string } }>('addFramework', {
    organization_id,
    name: 'Yard',
    controls: rules,
  });
  const { controls } = await call<{ controls: { id: string }[] }>('listControls', {
    organization_id,
    filter: { framework_id: [framework.id] },
  });
  const added = await call<{ measure: { id: string } }>('addMeasure', {
    organization_id,
    name: 'Fence',
    state: 'IN_PROGRESS',
  });
  const { id } = added.measure;
  await call('updateMeasure', { id, state: 'IMPLEMENTED', reason: 'Built' });
  const links = controls.slice(0, 2).map((control) => ({ from_id: control.id, to_id: id }));
  await call('linkRecords', { organization_id, links });
  const from = newest();
  await call('updateMeasure', { id, state: 'IN_PROGRESS', reason: 'It fell' });
  const until = newest();
  await call('updateMeasure', { id, name: 'Higher fence' });
  const { text } = await owner.get(`${page}?from=${from}&until=${until}`);
  const words = textIn(text);
  assert.match(
    words,
    /Coverage of Yard 66\.7 % 0\.0 % ▼ 66\.7 points worse Its controls’ implementation or applicability/,
  );
  assert.match(words, /Controls: 2 changed B\.1 Rule 1 Implementation Full → Started Changed through its measures\./);
  const fence = new RegExp(`href="([^"]*/measures/${id}[^"]*)"><b>`).exec(text)![1]!;
  assert.match(fence, `as_of=${until}`);
  assert.match((await owner.get(unescapeHtml(fence))).text, /<h1[^>]*>(?:<[^>]+>)*Fence/);
  assert.match(text, /<td[^>]* data-label="\d+ \w+ \d{4}" data-day="\d{4}-\d\d-\d\d"/);
  const same = textIn((await owner.get(`${page}?from=${until}`)).text);
  assert.match(same, /Coverage of Yard 0\.0 % 0\.0 % 0 –/);
});

test('is there for a VIEWER, but not in another organization', async ({ viewer, owner, page, before }) => {
  assert.is((await viewer.get(`${page}?from=${before}`)).status, 200);
  assert.is((await owner.get(`/organizations/org_4FEFDCP7J2GK8SGY2N848WEMP0/compare?from=1`)).status, 404);
});

test.run();
