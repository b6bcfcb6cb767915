/** Checks a page in both widths, light and dark, and takes a screenshot of each if somebody wants to look at them. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { accessibilityFaults } from './axe.ts';

/** Widths of a small phone and a desktop, in CSS pixels. */
export const WIDTHS = [360, 1440] as const;
const SCHEMES = ['light', 'dark'] as const;
const HEIGHT = 900;

/** Folder of the screenshots. Without one, none are taken. */
const FOLDER = process.env.SCREENSHOTS_DIR;

/**
 * Checks the open page in each width and colour scheme, without loading it again.
 * @param name prefix of the screenshots: `<name>-<width>-<scheme>.png`
 * @returns one line per fault
 */
export async function checkPage(page: Page, name: string): Promise<string[]> {
  const faults: string[] = [];
  // A click returns before the next page has its style sheets.
  await page.waitForLoadState('load');
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: HEIGHT });
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      const title = `${name} at ${width} px, ${colorScheme}`;
      const rules = colorScheme === SCHEMES[0] ? 'ALL' : 'COLOURS';
      const pageFaults = [...(await accessibilityFaults(page, rules)), ...(await overflow(page, width))];
      faults.push(...pageFaults.map((fault) => `${title}: ${fault}`));
      await takeScreenshot(page, `${name}-${width}-${colorScheme}.png`);
    }
  }
  return faults;
}

async function takeScreenshot(page: Page, file: string): Promise<void> {
  if (FOLDER === undefined) return;
  mkdirSync(FOLDER, { recursive: true });
  await page.screenshot({ path: join(FOLDER, file), fullPage: true });
}

/** Runs in the page. Returns its width and the first elements that stick out on the right. */
const MEASURE = `(() => {
  const limit = document.documentElement.clientWidth;
  const outside = [...document.querySelectorAll('body *')].filter((element) => element.getBoundingClientRect().right > limit + 1);
  const names = outside.slice(0, 3).map((element) => element.tagName.toLowerCase() + '.' + element.className);
  return { scrollWidth: document.documentElement.scrollWidth, names };
})()`;

/** Describes a page that scrolls sideways, with the elements that stick out. */
async function overflow(page: Page, width: number): Promise<string[]> {
  const { scrollWidth, names } = await page.evaluate<{ scrollWidth: number; names: string[] }>(MEASURE);
  return scrollWidth > width ? [`is ${scrollWidth} px wide: ${names.join(', ')}`] : [];
}
