/**
 * Takes the README's pictures of the demo again, with Chromium: `npm run pictures`. They follow the first minute of a
 * visitor, and are joined to the loop `first-minute.png`.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { until } from '../../test/support/run/wait.ts';
import { type Service, startService } from '../../test/support/service.ts';
import { closeBrowsers, openWindow, startBrowser } from '../../test/support/web/browser.ts';
import { joinPictures } from './animated-png.ts';

const FOLDER = 'docs/pictures';
const SIZE = { width: 1280, height: 800 };
const SEAL_TIMEOUT_MS = 90_000;
/** The time that each picture of the loop stays. */
const PAUSE_MS = 3000;

const data = mkdtempSync(join(tmpdir(), 'veritrail-pictures-'));
const browser = await startBrowser();
if (browser === null) process.exit(1);
const service = await startService({ DATA_DIR: data }, ['--demo']);
try {
  const { page } = await openWindow(browser, service.url);
  await page.setViewportSize(SIZE);
  const pictures = await walkFirstMinute(service, page);
  const images = pictures.map((path) => readFileSync(path));
  writeFileSync(join(FOLDER, 'first-minute.png'), joinPictures(images, PAUSE_MS));
  console.log(`${pictures.length} pictures and their loop are in ${FOLDER}.`);
} finally {
  await closeBrowsers();
  await service.stop();
  rmSync(data, { recursive: true });
}

/** Goes from Home to a forgery that is found, and returns the pictures of the way. */
async function walkFirstMinute({ output }: Service, page: Page): Promise<string[]> {
  const pictures: string[] = [];
  const take = async (name: string) => {
    const path = join(FOLDER, `${name}.png`);
    await page.screenshot({ path });
    pictures.push(path);
  };
  const main = page.locator('main');
  await page.goto(/\/demo\?key=[\w-]+/.exec(output())![0]);
  await page.getByRole('button', { name: 'Look around as Ingrid' }).click();
  await page.waitForURL(/\/organizations\/org_\w+$/);
  const isSealed = async () => {
    await page.reload();
    return (await main.innerText()).includes('Last sealed');
  };
  await until(isSealed, SEAL_TIMEOUT_MS, 'the demo is sealed');
  await take('home');
  await main.getByRole('link', { name: /^Go to \d/ }).click();
  await main.getByRole('link', { name: 'See what changed since' }).waitFor();
  await take('certification-audit');
  await main.getByRole('link', { name: 'See what changed since' }).click();
  await main.getByRole('link', { name: 'Check the newest of these changes' }).waitFor();
  await take('what-changed-since');
  await main.getByRole('link', { name: 'Check the newest of these changes' }).click();
  await page.getByRole('button', { name: 'Check in this browser' }).click();
  await page.locator('[data-outcome][data-result=SEALED]').waitFor();
  await take('checked');
  const copy = page.getByLabel('Now try to cheat: change one letter of this copy');
  await copy.fill((await copy.inputValue()).replace('Three offers', 'Thrée offers'));
  await page.locator('[data-cheat-outcome][data-result=MISMATCH]').waitFor();
  await page.locator('[data-cheat-outcome]').scrollIntoViewIfNeeded();
  await take('forgery-found');
  return pictures;
}
