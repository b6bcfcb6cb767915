/** The page of a framework: all its controls, counted, by section, in the standard's order. */

import * as assert from 'uvu/assert';
import { controlId } from '../../../src/commands/engine/ids.ts';
import type { TestBrowser } from '../../support/web/web.ts';
import { type PageContext, textIn, webSuite } from '../../support/web/web-suite.ts';

/** More than any tool shows of a record's links. */
const CONTROLS = 134;
/** The last two make a section with a name. */
const NUMBERED = CONTROLS - 2;

const test = webSuite<PageContext & { framework: string }>('framework page', async ({ web }) => {
  const { organizationId: organization_id } = web;
  const controls = Array.from({ length: NUMBERED }, (_, index) => ({
    section_title: `A.${5 + Math.floor(index / 50)}.${(index % 50) + 1}`,
    name: `Control ${index}`,
  }));
  controls.push({ section_title: 'A.8', name: 'Sections with a name' }, { section_title: 'A.8.1', name: 'The last' });
  const { framework } = await web.call<{ framework: { id: string } }>('addFramework', {
    organization_id,
    name: 'House rules',
    controls,
  });
  return { framework: framework.id };
});

const cardOf = async ({ owner, base, framework }: { owner: TestBrowser; base: string; framework: string }) =>
  /<section class="card" aria-labelledby="linked-controls".*?<\/section>/s.exec(
    (await owner.get(`${base}/frameworks/${framework}`)).text,
  )![0];

test('counts and lists every control, by section in the standard’s order', async (context) => {
  const card = await cardOf(context);
  assert.match(textIn(card), new RegExp(`Controls ${CONTROLS} `));
  assert.not.match(card, /newest/);
  const numbers = [...card.matchAll(/>(A\.\d+\.\d+) Control \d+<\/a>/g)].map(([, number]) => number);
  assert.is(numbers.length, NUMBERED);
  assert.equal(
    [...numbers.slice(0, 3), ...numbers.slice(9, 10), numbers.at(-1)],
    ['A.5.1', 'A.5.2', 'A.5.3', 'A.5.10', 'A.7.32'],
  );
  const sections = [...card.matchAll(/<summary>(.*?)<\/summary>/gs)].map(([, summary]) => textIn(summary!).trim());
  assert.equal(sections, [
    'A.5 · 0 of 50 fully implemented',
    'A.6 · 0 of 50 fully implemented',
    'A.7 · 0 of 32 fully implemented',
    'A.8 Sections with a name · 0 of 2 fully implemented',
  ]);
});

test('says what changed since of a control far down the standard', async ({ web, owner, base, framework }) => {
  const { organizationId: organization_id } = web;
  const before = web.reader.snapshot().newestPosition(organization_id);
  const page = `${base}/frameworks/${framework}?as_of=${before}`;
  assert.match(textIn((await owner.get(page)).text), 'It has not changed since.');
  const exclusion = { status: 'EXCLUDED', exclusion_justification: 'No moat', reason: 'Found out' };
  await web.call('updateControl', { organization_id, id: controlId(framework, 0), ...exclusion });
  assert.match(textIn((await owner.get(page)).text), 'Since then: A.5.1 excluded.');
});

test('counts archived controls apart', async (context) => {
  const { web, framework } = context;
  const { organizationId: organization_id } = web;
  const ids = [controlId(framework, 1)];
  await web.call('archiveRecords', { organization_id, action: 'ARCHIVE', ids, reason: 'Not ours' });
  assert.match(textIn(await cardOf(context)), new RegExp(`Controls ${CONTROLS - 1} and 1 archived`));
});

test.run();
