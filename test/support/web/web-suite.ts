/** Suites of pages: one service with its owner's browser, and the calls that most of their tests make. */
import { suite, type uvu } from 'uvu';
import { type OWNER, startWeb, type TestBrowser, unescapeHtml, type WebChanges, type WebTest } from './web.ts';

export interface PageContext {
  web: WebTest;
  owner: TestBrowser;
  /** The path of the organization's pages. */
  base: string;
}

/**
 * Returns a suite whose tests share one service.
 * @param prepare returns the other members of the context
 */
export function webSuite<Context extends PageContext = PageContext>(
  name: string,
  prepare?: (pages: PageContext) => Promise<Omit<Context, keyof PageContext>>,
  changes: WebChanges = {},
): uvu.Test<Context> {
  const test = suite<Context>(name);
  test.before(async (context) => {
    const web = await startWeb(undefined, changes);
    const pages = { web, owner: await web.setUpOwner(), base: `/organizations/${web.organizationId}` };
    Object.assign(context, pages, await prepare?.(pages));
  });
  test.after(({ web }) => web.stop());
  return test;
}

/** Returns a person to invite. */
export const person = (name: string): typeof OWNER => ({
  name,
  email: `${name.split(' ')[0]!.toLowerCase()}@example.org`,
  password: 'a quite long password 7',
});

/** Returns the text of a page or of a part of it. */
export const textIn = (html: string): string => unescapeHtml(html.replace(/<[^>]+>/g, ' ')).replace(/\s+/g, ' ');

/** Adds a record with a tool and returns its id. */
export async function addRecord({ web }: Pick<PageContext, 'web'>, tool: string, fields: object): Promise<string> {
  const input = { organization_id: web.organizationId, ...fields };
  const answer = await web.call<Record<string, { id: string }>>(tool, input);
  return Object.values(answer).find((member) => typeof member?.id === 'string')!.id;
}

/** Returns a record, archived or not, with its history. */
export async function readRecord({ web }: Pick<PageContext, 'web'>, id: string): Promise<Record<string, unknown>> {
  const input = { organization_id: web.organizationId, ids: [id], include: ['ARCHIVED', 'HISTORY'] };
  return (await web.call<{ records: Record<string, unknown>[] }>('getRecords', input)).records[0]!;
}
