/** A real Chromium for the browser tests: found, started without a network but loopback, watched and closed. */
import { accessSync, constants } from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

/** Debian's names first. CHROMIUM_BIN names another one. */
const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

const FLAGS = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-dev-shm-usage',
  '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1 , EXCLUDE localhost',
];

/** A page must not take longer: the service is on this machine. */
const PAGE_MS = 15_000;

const started = new Set<Browser>();

/**
 * Starts Chromium, headless and in a profile of its own, which goes with it. The caller closes it by `closeBrowsers`;
 * one that is left behind ends with the test process, for it is held by a pipe.
 * @returns null where there is none: that is said on standard output, and a CI without one fails
 */
export async function startBrowser(): Promise<Browser | null> {
  const executablePath = findChromium();
  if (executablePath === null) {
    const message = 'there is no Chromium: install the package chromium, or name one by CHROMIUM_BIN';
    if (process.env.CI) throw new Error(`The browser tests cannot run: ${message}.`);
    console.log(`skipped: ${message}`);
    return null;
  }
  const browser = await chromium.launch({ executablePath, headless: true, chromiumSandbox: false, args: FLAGS });
  started.add(browser);
  return browser;
}

/** Closes everything that `startBrowser` started. */
export async function closeBrowsers(): Promise<void> {
  for (const browser of started) await browser.close();
  started.clear();
}

function findChromium(): string | null {
  const given = process.env.CHROMIUM_BIN;
  return (given ? [given] : PLACES).find(isExecutable) ?? null;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** A person's window: a cookie jar of its own, and what went wrong on its pages. */
export interface Window {
  page: Page;
  /** Messages of the console that are errors or warnings (a refused inline script is one), exceptions, and answers of 500 and above, or of 400 to what a page loads. */
  complaints: string[];
  close(): Promise<void>;
}

/**
 * Opens a window for one person. Addresses may be given without the base.
 * @param baseURL of the service, without a trailing slash
 */
export async function openWindow(
  browser: Browser,
  baseURL: string,
  options: BrowserContextOptions = {},
): Promise<Window> {
  const context = await browser.newContext({
    baseURL,
    viewport: { width: 1440, height: 900 },
    locale: 'en-GB',
    ...options,
  });
  context.setDefaultTimeout(PAGE_MS);
  const complaints: string[] = [];
  context.on('console', (message) => {
    const { url } = message.location();
    // Where an assistant is answered is no page of ours.
    if (url !== '' && !url.startsWith(baseURL)) return;
    // What could not be loaded is told below, by its answer.
    if (message.text().startsWith('Failed to load resource')) return;
    if (['error', 'warning'].includes(message.type())) complaints.push(`${url}: ${message.text()}`);
  });
  context.on('weberror', (error) => complaints.push(`exception: ${error.error().message}`));
  context.on('response', (response) => {
    const least = response.request().isNavigationRequest() ? 500 : 400;
    if (response.url().startsWith(baseURL) && response.status() >= least)
      complaints.push(`${response.status()} from ${response.url()}`);
  });
  const page = await context.newPage();
  return { page, complaints, close: () => context.close() };
}
