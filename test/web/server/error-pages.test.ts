/** Errors keep the frame that the person knows, say who can help, and are pages for every browser. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startWeb, type TestBrowser, type WebTest } from '../../support/web/web.ts';

const test = suite<{ web: WebTest; editor: TestBrowser; viewer: TestBrowser }>('error pages');

const person = (name: string) => ({ name, email: `${name}@example.org`, password: 'a long enough password' });

test.before(async (context) => {
  context.web = await startWeb();
  await context.web.setUpOwner();
  context.editor = await context.web.invite(person('Eve'), 'EDITOR');
  context.viewer = await context.web.invite(person('Vic'), 'VIEWER');
});
test.after(({ web }) => web.stop());

const railOf = (text: string) => /<nav class="rail"[^>]* aria-label="([^"]*)"/.exec(text)?.[1];
const nameOf = (web: WebTest) => web.organizationNameOf(web.organizationId);

test('a page that the role may not open keeps the organization’s frame and names who changes roles', async ({
  web,
  editor,
}) => {
  const page = await editor.get(`/organizations/${web.organizationId}/access`);
  assert.is(page.status, 403);
  assert.is(railOf(page.text), await nameOf(web));
  assert.match(page.text, /You are Editor in [^<]+\. To get a higher role, ask Ada Byron\./);
});

test('an address without a page keeps the frame; one of an organization elsewhere tells nothing about it', async ({
  web,
  viewer,
}) => {
  const missing = await viewer.get(`/organizations/${web.organizationId}/nothing/here`);
  assert.equal([missing.status, railOf(missing.text)], [404, await nameOf(web)]);
  assert.not.match(missing.text, 'To get a higher role');
  const record = await viewer.get(`/organizations/${web.organizationId}/risks/rsk_00000000000000000000000000`);
  assert.equal([record.status, railOf(record.text)], [404, await nameOf(web)]);
  for (const path of ['/organizations/org_00000000000000000000000000', '/nothing']) {
    const foreign = await viewer.get(path);
    assert.equal([foreign.status, railOf(foreign.text)], [404, 'Pages'], path);
  }
  const stranger = await web.browser().get('/nothing');
  assert.equal([stranger.status, railOf(stranger.text)], [404, undefined]);
});

test('a file that can’t be made is a page for browsers, and JSON for programs', async ({ web, viewer }) => {
  const base = `/api/v1/organizations/${web.organizationId}`;
  const files: [path: string, status: number][] = [
    [`${base}/reports/nothing?format=html`, 400],
    [`${base}/records/nothing`, 404],
    [`${base}/nothing`, 404],
    ['/api/v1/organizations/org_00000000000000000000000000/records/risks', 404],
  ];
  for (const [path, status] of files) {
    const page = await viewer.get(path, { Accept: 'text/html,*/*' });
    assert.equal([page.status, page.headers['content-type']], [status, 'text/html; charset=utf-8'], path);
    assert.not.match(page.text, /"error"|in allowed|this token/);
    assert.is(railOf(page.text), path.startsWith(base) ? await nameOf(web) : 'Pages', path);
    const program = await viewer.get(path, { Accept: '*/*' });
    assert.equal([program.status, program.headers['content-type']], [status, 'application/json; charset=utf-8'], path);
  }
});

test.run();
