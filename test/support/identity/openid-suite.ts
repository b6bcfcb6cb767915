/** Tests the pages with an OpenID provider, and browsers that sign in there and return. */
import { suite } from 'uvu';
import { type PageAnswer, startWeb, type TestBrowser, type WebTest } from '../web/web.ts';
import { startProvider, type TestProvider } from './openid-provider.ts';

export const BOB = { sub: 'bob-1', email: 'bob@example.org', email_verified: true, name: 'Bob Babbage' };

/** Creates a suite in which each test has its own service and provider. */
export function openIdSuite(name: string) {
  const test = suite<{ web: WebTest; provider: TestProvider }>(name);
  test.before.each(async (context) => {
    context.provider = await startProvider();
    context.provider.person = BOB;
    context.web = await startWeb(undefined, { openId: context.provider.settings });
  });
  test.after.each(async ({ web, provider }) => {
    await web.stop();
    await provider.stop();
  });
  return test;
}

/** Presses the button with this action on the current page. Returns the address that it leads to. */
export async function startProviderSignIn(browser: TestBrowser, action = '/sign-in/openid'): Promise<string> {
  const { headers, text } = await browser.send(action);
  const address = /^0; url=(.+)$/.exec(String(headers.refresh))?.[1];
  if (address === undefined) throw new Error(`this led nowhere: ${headers.location ?? text}`);
  return address;
}

/** Returns the address to which the provider sends a browser back: path and query. */
export async function callbackPath(address: string): Promise<string> {
  const { headers } = await fetch(address, { redirect: 'manual' });
  const { pathname, search } = new URL(headers.get('location')!);
  return pathname + search;
}

/** Signs in with the provider. Returns the answer. @param path the page that has the button */
export async function signInWithProvider(
  browser: TestBrowser,
  path = '/sign-in',
  action?: string,
): Promise<PageAnswer> {
  await browser.get(path);
  return browser.get(await callbackPath(await startProviderSignIn(browser, action)));
}

/** Follows a redirect. Returns the warning on the page. */
export async function warningAfter(browser: TestBrowser, answer: PageAnswer): Promise<string> {
  const { text } = await browser.follow(answer);
  return /<p class="notice warning"[^>]*>([^<]*)</.exec(text)?.[1] ?? '';
}

export const isSignedIn = async (browser: TestBrowser): Promise<boolean> =>
  (await browser.get('/settings/security')).status === 200;
