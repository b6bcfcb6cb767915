/** States as all pages show them: an ended acceptance is no acceptance, and an excluded control has no implementation. */

import * as assert from 'uvu/assert';
import { addDays } from '../../../src/commands/engine/dates.ts';
import { textIn, webSuite } from '../../support/web/web-suite.ts';

const test = webSuite('displayed states');

test('shows on every page that an acceptance expired, and when', async ({ web, owner, base }) => {
  const { organizationId: organization_id } = web;
  const accepted = { status: 'ACCEPTED', acceptance_reason: 'Seldom used', accepted_at: '2023-04-03' };
  const imported = await web.call<{ rows: { id: string }[] }>('importRecords', {
    organization_id,
    type: 'RISK',
    rows: [
      { reference_id: 'R-006', name: 'Old lift', accepted_until: '2024-04-03', ...accepted },
      {
        reference_id: 'R-007',
        name: 'Old stairs',
        accepted_until: addDays(new Date().toISOString().slice(0, 10), 300),
        ...accepted,
      },
    ],
  });
  const [expired, valid] = imported.rows.map(({ id }) => id);
  const { measure } = await web.call<{ measure: { id: string } }>('addMeasure', {
    organization_id,
    name: 'Inspection',
  });
  const links = [expired, valid].map((from_id) => ({ from_id, to_id: measure.id }));
  await web.call('linkRecords', { organization_id, links });
  for (const path of ['/risks', `/risks/${expired}`, `/measures/${measure.id}`, '/search?q=R-006']) {
    const words = textIn((await owner.get(base + path)).text);
    assert.match(words, /! Acceptance expired 3 Apr 2024/, path);
    const green = words.match(/✓ Accepted/g) ?? [];
    assert.is(green.length, path === '/risks' || path.startsWith('/measures') ? 1 : 0, path);
  }
  assert.match(textIn((await owner.get(`${base}/risks/${valid}`)).text), /✓ Accepted/);
  const facts = textIn(
    /<section[^>]*aria-labelledby="facts".*?<\/section>/s.exec((await owner.get(`${base}/risks/${expired}`)).text)![0],
  );
  assert.not.match(facts, /Acceptance expired ! Acceptance expired/);
  assert.is(facts.match(/Acceptance expired/g)!.length, 1);
});

test('calls no risk accepted whose acceptance was revoked, though its treatment is still to accept it', async (context) => {
  const { web, owner, base } = context;
  const { organizationId: organization_id } = web;
  const { risk } = await web.call<{ risk: { id: string } }>('addRisk', { organization_id, name: 'Old ladder' });
  const { id } = risk;
  const until = addDays(new Date().toISOString().slice(0, 10), 100);
  await web.call('decideRisk', { organization_id, id, decision: 'ACCEPT', until, reason: 'Seldom climbed' });
  await web.call('decideRisk', { organization_id, id, decision: 'REVOKE', reason: 'Somebody fell' });
  const page = (await owner.get(`${base}/risks/${id}`)).text;
  const facts = textIn(/<section[^>]*aria-labelledby="facts".*?<\/section>/s.exec(page)![0]);
  assert.match(facts, /Treatment Accept /);
  assert.not.match(facts, /Accepted/);
  const [row = ''] = /<tr(?:(?!<tr).)*Old ladder.*?<\/tr>/s.exec((await owner.get(`${base}/risks?status=OPEN`)).text)!;
  assert.match(textIn(row), /Treatment: Accept .*! Open/);
  assert.not.match(textIn(row), /Accepted/);
});

test('shows no implementation of an excluded control', async ({ web, owner, base }) => {
  const { organizationId: organization_id } = web;
  const { framework } = await web.call<{ framework: { id: string } }>('addFramework', {
    organization_id,
    name: 'House rules',
    controls: [
      { section_title: '1', name: 'Locks' },
      { section_title: '2', name: 'Moats' },
    ],
  });
  const { controls } = await web.call<{ controls: { id: string; section_title: string }[] }>('listControls', {
    organization_id,
  });
  const [locks, moats] = controls.map(({ id }) => id);
  const exclusion = { status: 'EXCLUDED', exclusion_justification: 'No water', reason: 'Found out' };
  await web.call('updateControl', { organization_id, id: moats, ...exclusion });
  const chips = (words: string) => words.match(/! None|! Not started/g)?.length ?? 0;
  for (const [path, count] of [
    [`/controls/${moats}`, 0],
    [`/controls/${locks}`, 2],
    ['/controls', 1],
    [`/frameworks/${framework.id}`, 1],
  ] as const) {
    assert.is(chips(textIn((await owner.get(base + path)).text)), count, path);
  }
});

test.run();
