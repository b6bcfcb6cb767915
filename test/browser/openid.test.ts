/** Sign-in by an OpenID provider in a real browser, with a host that only the provider uses. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startProvider } from '../support/identity/openid-provider.ts';
import { BOB } from '../support/identity/openid-suite.ts';
import { closeBrowsers, openWindow, startBrowser } from '../support/web/browser.ts';
import { OWNER, startWeb } from '../support/web/web.ts';

const browser = await startBrowser();
if (browser) {
  const test = suite('OpenID provider in Chromium');
  test.after(closeBrowsers);

  for (const javaScriptEnabled of [true, false]) {
    test(`accepts an invitation by the provider, ${javaScriptEnabled ? 'with' : 'without'} JavaScript`, async () => {
      const provider = await startProvider();
      // A third origin, such as a company's own sign-in page.
      const clientServer = createServer((request, response) => {
        const to = new URL(request.url!, 'http://here').searchParams.get('to')!;
        response.writeHead(302, { Location: to }).end();
      }).listen(0, '127.0.0.1');
      await once(clientServer, 'listening');
      provider.redirectVia = `http://127.0.0.1:${(clientServer.address() as AddressInfo).port}/`;
      provider.person = BOB;
      const web = await startWeb('http://localhost:0', { openId: provider.settings });
      await web.setUpOwner();
      const invitation = { kind: 'INVITATION', organization_id: web.organizationId, role: 'EDITOR' } as const;
      const { secret } = await web.people.links.create({ ...invitation, made_by: web.ownerId });

      const { page, complaints, close } = await openWindow(browser, web.baseUrl, { javaScriptEnabled });
      await page.goto(`/welcome?key=${secret}`);
      await page.getByRole('button', { name: 'Continue with' }).click();
      await page.getByRole('heading', { name: 'Connect an assistant' }).waitFor();
      assert.is(await page.getByText(BOB.name).count(), 1);
      await page.goto('/settings/security');
      await page.getByText('this is your only way to sign in').waitFor();
      await page.getByRole('button', { name: 'Sign out', exact: true }).first().click();

      await page.goto('/settings/tokens');
      await page.getByRole('button', { name: 'Continue with' }).click();
      await page.getByRole('heading', { name: 'Create a token' }).waitFor();
      await page.goto('/');
      await page.getByRole('button', { name: 'Sign out', exact: true }).first().click();
      provider.person = { ...BOB, sub: 'thief', email: OWNER.email };
      await page.goto('/sign-in');
      await page.getByRole('button', { name: 'Continue with' }).click();
      await page.getByText('Your address has an account with a password').waitFor();
      assert.equal(complaints, []);
      await close();
      await web.stop();
      await provider.stop();
      clientServer.closeAllConnections();
      clientServer.close();
    });
  }

  test.run();
}
