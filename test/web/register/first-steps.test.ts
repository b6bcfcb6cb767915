/** The first steps of a new organization on Home: they tick themselves, and go away. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startWeb, type TestBrowser, type WebTest } from '../../support/web/web.ts';

const EDITOR = { name: 'Edith Editor', email: 'edith@example.org', password: 'a quite long password 7' };
const VIEWER = { name: 'Vera Viewer', email: 'vera@example.org', password: 'a quite long password 8' };

const test = suite<{ web: WebTest; owner: TestBrowser; path: string }>('first steps');

test.before.each(async (context) => {
  context.web = await startWeb();
  context.owner = await context.web.setUpOwner();
  context.path = `/organizations/${context.web.organizationId}`;
});
test.after.each(({ web }) => web.stop());

/** Returns the steps that Home lists, with their addresses; null for those that are done. */
async function stepsOf(browser: TestBrowser, path: string): Promise<Record<string, string | null> | null> {
  const { text } = await browser.get(path);
  const card = /<section class="card first-steps" aria-labelledby="first-steps">.*?<\/section>/s.exec(text)?.[0];
  if (card === undefined) return null;
  const items = [...card.matchAll(/<li>(.*?)<\/li>/gs)].map(([, item]) => {
    const title = item!.replace(/<span aria-hidden.*?<\/span>/, '').replace(/<[^>]+>/g, '');
    return [title.replace('Done: ', ''), /href="([^"]*)"/.exec(item!)?.[1] ?? null] as const;
  });
  return Object.fromEntries(items);
}

test('tick themselves one by one, and go away', async ({ web, owner, path }) => {
  const { call, organizationId: organization_id } = web;
  const todo = {
    'Adopt a framework': `${path}/frameworks/add`,
    'Give a record an owner': `${path}/risks`,
    'Link a measure with a control or a risk': `${path}/measures`,
    'Connect an assistant': '/connect',
    'Invite an auditor': `${path}/members`,
  };
  assert.equal(await stepsOf(owner, path), todo);
  const done: Record<string, null> = {};
  const assertDone = async (step: keyof typeof todo) => {
    done[step] = null;
    assert.equal(await stepsOf(owner, path), { ...todo, ...done }, step);
  };
  const controls = [{ section_title: 'H.1', name: 'Doors are locked' }];
  await call('addFramework', { organization_id, name: 'House rules', controls });
  await assertDone('Adopt a framework');
  const { risk } = await call<{ risk: { id: string } }>('addRisk', { organization_id, name: 'Fire' });
  const { measure } = await call<{ measure: { id: string } }>('addMeasure', { organization_id, name: 'Sprinklers' });
  assert.equal(await stepsOf(owner, path), { ...todo, ...done });
  await call('updateRisk', { organization_id, id: risk.id, owner_id: 'ME' });
  await assertDone('Give a record an owner');
  await call('linkRecords', { organization_id, action: 'LINK', links: [{ from_id: risk.id, to_id: measure.id }] });
  await assertDone('Link a measure with a control or a risk');
  await web.people.links.create({ kind: 'INVITATION', organization_id, role: 'AUDITOR', made_by: web.ownerId });
  await assertDone('Invite an auditor');
  web.oauth.assistantsOf = async () => [{}] as Awaited<ReturnType<typeof web.oauth.assistantsOf>>;
  assert.is(await stepsOf(owner, path), null);
});

test('are those that the role may make, today, before the first audit is completed', async ({ web, owner, path }) => {
  const editor = await web.invite(EDITOR, 'EDITOR');
  const viewer = await web.invite(VIEWER, 'VIEWER');
  assert.equal(Object.keys((await stepsOf(editor, path))!), [
    'Give a record an owner',
    'Link a measure with a control or a risk',
    'Connect an assistant',
  ]);
  assert.is(await stepsOf(viewer, path), null);
  const position = web.reader.snapshot().newestPosition(web.organizationId);
  assert.is(await stepsOf(owner, `${path}?as_of=${position}`), null);
  const { call, organizationId: organization_id } = web;
  const controls = [{ section_title: 'H.1', name: 'Doors are locked' }];
  const house = { organization_id, name: 'House rules', controls };
  const { framework } = await call<{ framework: { id: string } }>('addFramework', house);
  const audited = { organization_id, framework_id: framework.id, name: 'Internal audit' };
  const { audit } = await call<{ audit: { id: string } }>('addAudit', audited);
  await call('updateAudit', { organization_id, id: audit.id, state: 'COMPLETED', reason: 'Done' });
  assert.is(await stepsOf(owner, path), null);
});

test.run();
