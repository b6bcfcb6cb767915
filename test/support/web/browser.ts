/** Finds, starts, watches and closes a real Chromium for the browser tests. It has no network but loopback. */
import { accessSync, constants } from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

/** Debian's names come first. CHROMIUM_BIN names another browser. */
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

/** Limit for loading a page: the service is on this machine. */
const PAGE_MS = 15_000;

const browsers = new Set<Browser>();

/**
 * Starts Chromium, headless, in a temporary profile. The caller closes it by `closeBrowsers`. A browser that is not closed
 * ends with the test process, because a pipe holds it.
 * @returns null if no Chromium is installed; standard output says so, and CI fails
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
  browsers.add(browser);
  return browser;
}

/** Closes everything that `startBrowser` started. */
export async function closeBrowsers(): Promise<void> {
  for (const browser of browsers) await browser.close();
  browsers.clear();
}

function findChromium(): string | null {
  const configured = process.env.CHROMIUM_BIN;
  return (configured ? [configured] : PLACES).find(isExecutable) ?? null;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** One person's window, with its own cookies and the faults of its pages. */
export interface Window {
  page: Page;
  /** Errors and warnings of the console, exceptions, answers from 500, and answers from 400 to what a page loads. */
  complaints: string[];
  close(): Promise<void>;
}

/**
 * Opens a window for one person. Addresses may be given without the base.
 * @param baseURL the service's address, without a trailing slash
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
    // The assistant's redirect address is not a page of the service.
    if (url !== '' && !url.startsWith(baseURL)) return;
    // Failed loads are recorded below, by their answers.
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
