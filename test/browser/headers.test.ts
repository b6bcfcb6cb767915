/** Effects of the page headers in a real browser: allowed redirects after a form, and the headers that a form sends. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { formTargetOf, type PageHeaderOptions, pageHeaders } from '../../src/http/security-headers.ts';
import { until } from '../support/run/wait.ts';
import { closeBrowsers, openWindow, startBrowser } from '../support/web/browser.ts';

const browser = await startBrowser();
if (browser) {
  const test = suite('headers in a browser');

  /** The server of an assistant that waits for its answer. */
  const client = createServer((_request, response) => response.end('thank you')).listen(0, '127.0.0.1');
  await once(client, 'listening');
  const clientPort = (client.address() as AddressInfo).port;

  /* A small consent page. Its form redirects to this server, which redirects to the client. */
  let kind: PageHeaderOptions = {};
  let redirectUri = '';
  let posted: IncomingHttpHeaders = {};
  const server = createServer((request, response) => {
    if (request.url === '/resume') return response.writeHead(303, { Location: redirectUri }).end();
    const headers = pageHeaders()(kind);
    if (request.method === 'POST') {
      posted = request.headers;
      return response.writeHead(303, { ...headers, Location: '/resume' }).end();
    }
    response.writeHead(200, { ...headers, 'Content-Type': 'text/html' });
    const form = '<form method="post" action="/answer"><button>Allow</button></form>';
    return response.end(`<!doctype html><html lang="en"><title>t</title><link rel="icon" href="data:,">${form}</html>`);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  /** Presses the button of a page with these headers. Returns the final address and the browser's complaints. */
  async function press(uri: string, pageKind: PageHeaderOptions): Promise<{ url: string; complaints: string[] }> {
    [redirectUri, kind] = [uri, pageKind];
    const { page, complaints, close } = await openWindow(browser!, base);
    await page.goto('/consent');
    const navigation = Promise.race([
      page.waitForURL((url) => url.href === uri, { waitUntil: 'commit' }).catch(() => undefined),
      page.waitForEvent('requestfailed'),
    ]);
    await page.click('button', { noWaitAfter: true });
    await navigation;
    const address = page.url();
    // If the browser blocks the redirect, its complaint comes a little later.
    if (address !== uri && pageKind.formTargets?.includes(formTargetOf(uri)) !== true) {
      await until(() => complaints.length > 0);
    }
    await close();
    return { url: address, complaints };
  }

  for (const host of ['127.0.0.1', 'localhost']) {
    test(`lets the answer reach a client at ${host}`, async () => {
      const uri = `http://${host}:${clientPort}/callback?code=x`;
      assert.equal(await press(uri, { formTargets: [formTargetOf(uri)], mayBePopup: true }), {
        url: uri,
        complaints: [],
      });
    });
  }

  for (const uri of ['http://[::1]:9/callback', 'cursor://anysphere.cursor-mcp/oauth/callback']) {
    test(`does not block a redirect to ${uri}`, async () => {
      assert.equal((await press(uri, { formTargets: [formTargetOf(uri)], mayBePopup: true })).complaints, []);
    });
  }

  test('blocks the redirect if the page names no client or another one', async () => {
    const uri = `http://localhost:${clientPort}/callback`;
    for (const formTargets of [[], [`http://127.0.0.1:${clientPort}`]]) {
      const { url, complaints } = await press(uri, { formTargets });
      assert.is(url, `${base}/consent`);
      assert.match(complaints.join(), /form-action/);
    }
  });

  test('sends Origin and Sec-Fetch-Site with our own forms', async () => {
    const uri = `http://127.0.0.1:${clientPort}/callback`;
    await press(uri, { formTargets: [formTargetOf(uri)] });
    assert.is(posted.origin, base);
    assert.is(posted['sec-fetch-site'], 'same-origin');
  });

  for (const opened of [true, false]) {
    test(`${opened ? 'keeps' : 'drops'} the opener of a window that an assistant opened`, async () => {
      kind = { mayBePopup: opened };
      const { page, close } = await openWindow(browser, `http://localhost:${clientPort}`);
      await page.goto('/');
      const opening = page.waitForEvent('popup');
      await page.evaluate((address) => {
        window.open(address);
      }, `${base}/consent`);
      const popup = await opening;
      await popup.waitForURL(`${base}/consent`);
      const callback = `http://localhost:${clientPort}/callback`;
      await popup.evaluate((address) => location.assign(address), callback);
      await popup.waitForURL(callback);
      assert.is(await popup.evaluate(() => window.opener !== null), opened);
      await close();
    });
  }

  test.after(async () => {
    await closeBrowsers();
    server.close();
    client.close();
  });
  test.run();
}
