/** Drives Chromium as the first owner of a started service: set-up from the printed link, then sign-in. */
import type { Page } from 'playwright-core';
import type { Service } from '../service.ts';

export const OWNER = { name: 'Ada Byron', email: 'ada@example.org', password: 'analytical engine 1843' };

/** Opens the printed link, and chooses a name and a password. */
export async function setUp(page: Page, service: Service): Promise<void> {
  const link = /\bhttp\S+\/welcome\?key=[\w-]+/.exec(service.output())?.[0];
  if (link === undefined) throw new Error(`no link for the owner in:\n${service.output()}`);
  await page.goto(link);
  for (const [name, value] of Object.entries(OWNER)) await page.fill(`[name=${name}]`, value);
  await page.click('text=Create my account');
  await page.getByRole('heading', { name: 'Connect an assistant' }).waitFor();
}

/** Fills in the sign-in page. */
export async function signIn(page: Page): Promise<void> {
  await page.fill('[name=email]', OWNER.email);
  await page.fill('[name=password]', OWNER.password);
  await page.locator('main').getByRole('button', { name: 'Sign in' }).click();
}
