/** Calls from pages of an allowed and of another origin, in a real browser. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startToyService, TOKEN } from '../support/mcp/toy-tools.ts';
import { closeBrowsers, openWindow, startBrowser } from '../support/web/browser.ts';

const browser = await startBrowser();
if (browser) {
  const test = suite('calls from other origins in Chromium');

  /** Serves a page under an origin of its own. */
  async function startPage() {
    const html = '<!doctype html><html lang="en"><title>t</title><link rel="icon" href="data:,"></html>';
    const server = createServer((_request, response) => {
      response.writeHead(200, { 'Content-Type': 'text/html' }).end(html);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  }

  const allowed = await startPage();
  const other = await startPage();
  const service = await startToyService({ toolOrigins: new Set([allowed.origin]) });

  /** Calls a tool from a page of the origin. Returns the response that the page sees. */
  async function callFrom(origin: string): Promise<string> {
    const { page, close } = await openWindow(browser!, origin);
    await page.goto('/');
    const result = await page.evaluate(
      async ([url, token]) => {
        const init = {
          method: 'POST',
          headers: {
            Authorization: `Bearer ${token}`,
            'Content-Type': 'application/json',
            'MCP-Protocol-Version': '2025-11-25',
          },
          body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
        };
        return fetch(url!, init).then(
          async (response) => `${response.status} ${await response.text()} ${response.headers.get('X-Request-Id')}`,
          () => 'blocked',
        );
      },
      [`${service.url}/api/mcp/v1`, TOKEN],
    );
    await close();
    return result;
  }

  test('lets a page of an allowed origin call and read the answer', async () => {
    assert.match(await callFrom(allowed.origin), /^200 \{"jsonrpc":"2.0","id":1,"result":\{\}\} \S{5,}$/);
  });

  test('gives a page of another origin nothing', async () => {
    assert.is(await callFrom(other.origin), 'blocked');
  });

  test.after(async () => {
    await closeBrowsers();
    await service.stop();
    for (const { server } of [allowed, other]) server.close();
  });
  test.run();
}
