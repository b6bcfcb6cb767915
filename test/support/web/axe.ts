/** Checks the accessibility of a page that is open in Chromium, as far as a machine can. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type axe from 'axe-core';
import type { Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/**
 * WCAG 2.0 to 2.2, levels A and AA, and the rules that axe calls best practices (one main landmark, headings in
 * order).
 */
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** The rules that depend on colours: all that another colour scheme can change. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

/**
 * Runs axe in the page. The page's content security policy doesn't block it.
 * @returns one line per violation: the rule, what it requires, and the element
 */
export async function accessibilityFaults(page: Page, rules: 'ALL' | 'COLOURS' = 'ALL'): Promise<string[]> {
  if (!(await page.evaluate('typeof axe === "object"'))) await page.evaluate(AXE);
  const runOnly: axe.RunOnly = rules === 'ALL' ? { type: 'tag', values: TAGS } : { type: 'rule', values: COLOUR_RULES };
  const { violations, passes } = await page.evaluate(async (selection): Promise<axe.AxeResults> => {
    const { axe: runner } = globalThis as unknown as { axe: typeof axe };
    return runner.run({ runOnly: selection, preload: false });
  }, runOnly);
  // A page without anything to check, such as an empty one, counts as a failure.
  if (passes.length === 0) return ['axe found nothing to check'];
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map((node) => `${id}: ${help}: ${node.target.join(' ')}: ${oneLine(node.failureSummary ?? node.html)}`),
  );
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').slice(0, 300);
}
