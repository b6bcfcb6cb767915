/** Checks that the page checks fail for a bad page. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { plugInAuthenticator } from '../support/identity/authenticator.ts';
import { closeBrowsers, openWindow, startBrowser } from '../support/web/browser.ts';
import { checkPage } from '../support/web/check-page.ts';

const PAGES: Record<string, string> = {
  '/good': '<main><h1>Good</h1><p>Nothing is wrong here.</p></main>',
  '/bad':
    '<main><h1>Bad</h1><p style="color: #999">Pale <input><b style="display: block; width: 1500px">wide</b></p></main>',
  '/script': '<main><h1>Script</h1></main><script>document.title = "run"</script>',
};

const browser = await startBrowser();
if (browser) {
  const test = suite('harness');
  const server = createServer((request, response) => {
    const body = PAGES[request.url ?? ''];
    const policy = request.url === '/script' ? "script-src 'self'" : "default-src 'unsafe-inline'; img-src data:";
    response.writeHead(body ? 200 : 500, { 'Content-Type': 'text/html', 'Content-Security-Policy': policy });
    response.end(`<!doctype html><html lang="en"><title>t</title><link rel="icon" href="data:,">${body}</html>`);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  test('finds no violations in a correct page', async () => {
    const { page, complaints, close } = await openWindow(browser, base);
    await page.goto('/good');
    assert.equal([...(await checkPage(page, 'harness-good')), ...complaints], []);
    await close();
  });

  test('finds low contrast, a field without a label and sideways scrolling', async () => {
    const { page, close } = await openWindow(browser, base);
    await page.goto('/bad');
    const faults = (await checkPage(page, 'harness-bad')).join('\n');
    for (const rule of ['color-contrast', 'label', '360 px, light: is 1', '1440 px, dark: is 1']) {
      assert.ok(faults.includes(rule), `${rule} in:\n${faults}`);
    }
    await close();
  });

  test('reports a blocked script and a failing page', async () => {
    const { page, complaints, close } = await openWindow(browser, base);
    await page.goto('/script');
    assert.is(await page.title(), 't');
    await page.goto('/broken');
    assert.match(complaints.join('\n'), /Content Security Policy/);
    assert.match(complaints.join('\n'), /500 from/);
    await close();
  });

  test('creates a passkey with a virtual key', async () => {
    const { page, close } = await openWindow(browser, base.replace('127.0.0.1', 'localhost'));
    await page.goto('/good');
    const key = await plugInAuthenticator(page);
    await page.evaluate(`navigator.credentials.create({ publicKey: {
      challenge: new Uint8Array(16), rp: { name: 'r', id: 'localhost' }, user: { id: new Uint8Array(8), name: 'u', displayName: 'u' },
      pubKeyCredParams: [{ type: 'public-key', alg: -7 }], authenticatorSelection: { residentKey: 'required' },
    } }).then((credential) => credential.id)`);
    assert.is(await key.credentials(), 1);
    await key.remove();
    await close();
  });

  test.after(async () => {
    await closeBrowsers();
    server.close();
  });
  test.run();
}
