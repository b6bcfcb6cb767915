/** Two organizations on one service: ours with a member of each role, and one that none of them may see. */
import { randomId } from '../../../src/commands/engine/ids.ts';
import { ROLES, type Role } from '../../../src/commands/organization/caller.ts';
import { accountActor, executeOrganizationCommand, SYSTEM_ACTOR } from '../../../src/identity/memberships/actor.ts';
import { addToMembershipIndex } from '../../../src/identity/memberships/membership-index.ts';
import { ALL_TOOLS } from '../../../src/tools/all-tools.ts';
import { isKeeping, runExamples } from '../mcp/examples.ts';
import { proposeAs } from './propose.ts';
import type { TestBrowser, WebTest } from './web.ts';

/** In every text of the other organization. */
export const THEIR_SECRET = 'Kryptonite';
/** In every text of our organization. */
export const OUR_SECRET = 'Alabaster';
/** In our texts that were replaced, and in the reasons for it. */
export const OUR_PAST = 'Bygones';

/** Members by role, the other organization's owner (`NONE`), and an auditor whose membership has ended. */
export type Reader = Role | 'NONE' | 'ENDED';
export const READERS: readonly Reader[] = [...ROLES, 'NONE', 'ENDED'];

/** Ids by prefix: one record of each family, the organization, its owner and a token. `call` is a call that changed a record. */
export type Ids = ReadonlyMap<string, string>;

export interface TwoRegisters {
  browsers: Readonly<Record<Reader, TestBrowser>>;
  ours: Ids;
  theirs: Ids;
  /** Our newest position before the records of `OUR_PAST` were corrected. */
  pastPosition: number;
}

/** After the membership of `ENDED` has begun, by the test clock. */
const MEMBERSHIP_MS = 60_000;

/** Fills our organization and another one, and signs in a reader of each kind. */
export async function fillTwoRegisters(web: WebTest): Promise<TwoRegisters> {
  const { organizationId, ownerId, identity } = web;
  const { handler, accounts, clock } = identity;
  const their = await newPerson(web, 'Their owner');
  const theirOrganization = randomId('org');
  const founding = { name: `${THEIR_SECRET} Ltd`, import_key: 'their key', installation: web.installation };
  const found = { type: 'CreateOrganization', ...founding, owner_id: their.id } as const;
  await executeOrganizationCommand(handler, theirOrganization, found);
  await addToMembershipIndex(accounts, their.id, theirOrganization);

  const browsers: Partial<Record<Reader, TestBrowser>> = { NONE: their.browser };
  for (const role of ROLES) {
    const person = await newPerson(web, `${OUR_SECRET} ${role}`);
    await web.members.add(organizationId, person.id, role, SYSTEM_ACTOR);
    browsers[role] = person.browser;
  }
  const ended = await newPerson(web, 'Former auditor');
  const end = new Date(clock.now().getTime() + MEMBERSHIP_MS).toISOString();
  await web.members.add(organizationId, ended.id, 'AUDITOR', accountActor(ownerId), end);
  clock.wait(MEMBERSHIP_MS + 1);
  await web.members.rename(organizationId, `${OUR_SECRET} Ltd`, accountActor(ownerId));

  const theirs = await fill(web, their.id, theirOrganization, THEIR_SECRET);
  const ours = await fill(web, ownerId, organizationId, OUR_SECRET);
  const pastPosition = await replaceTexts(web, organizationId);
  return { browsers: { ...browsers, ENDED: ended.browser } as TwoRegisters['browsers'], ours, theirs, pastPosition };
}

/** Creates an account and returns its signed-in browser. */
async function newPerson(web: WebTest, name: string): Promise<{ id: string; browser: TestBrowser }> {
  const id = randomId('acc');
  const created_at = web.now().toISOString();
  await web.identity.accounts.insert('accounts', { id, name, created_at, organizations: [], generation: 0 });
  const clientInfo = { address: '127.0.0.1', agent: 'a browser' };
  const { cookie } = await web.people.sessions.create({ id, generation: 0 }, clientInfo, 'SIGNED_IN');
  const browser = web.browser();
  browser.cookies.set('veritrail', cookie);
  return { id, browser };
}

/** Runs the examples of all tools that write, with a mark in every text, and creates a token. Returns the ids. */
async function fill(web: WebTest, accountId: string, organizationId: string, mark: string): Promise<Ids> {
  const ids = new Map([
    ['org', organizationId],
    ['acc', accountId],
  ]);
  const call = async (tool: string, input: object) => {
    const answer = await web.callAs<Record<string, unknown>>(accountId, tool, withMark(input, mark) as object);
    for (const id of JSON.stringify(answer).match(/\b[a-z]{3}_[0-9A-Z]{26,29}\b/g) ?? []) {
      if (!ids.has(id.slice(0, 3))) ids.set(id.slice(0, 3), id);
    }
    return answer;
  };
  const writing = ALL_TOOLS.filter(isKeeping);
  await runExamples(writing, call);
  const audit = { organization_id: organizationId, id: ids.get('aud') };
  const completed = { ...audit, state: 'COMPLETED', reason: 'Found out' };
  ids.set('call', (await web.callAs<{ call_id: string }>(accountId, 'updateAudit', completed)).call_id);
  const proposed = withMark({ organization_id: organizationId, name: 'Proposed', reason: 'Needed' }, mark) as object;
  ids.set('prp', await proposeAs(web, accountId, organizationId, { tool: 'addVendor', input: proposed }));
  const grant = { account_id: accountId, role: 'VIEWER', organizations: [organizationId] } as const;
  const { record } = await web.tokens.create({ name: `${mark} token`, ...grant }, accountActor(accountId));
  return ids.set('tok', record.id);
}

/** Adds records with texts of the past and corrects them. Returns the position before the corrections. */
async function replaceTexts(web: WebTest, organization_id: string): Promise<number> {
  const added = await web.call<{ risk: { id: string } }>('addRisk', { organization_id, name: `${OUR_PAST} risk` });
  const vendor = { organization_id, name: `${OUR_PAST} vendor`, description: OUR_PAST };
  const { vendor: addedVendor } = await web.call<{ vendor: { id: string } }>('addVendor', vendor);
  const position = web.reader.snapshot().newestPosition(organization_id);
  const correction = { organization_id, reason: `${OUR_PAST} reason` };
  await web.call('updateRisk', { ...correction, id: added.risk.id, name: `${OUR_SECRET} risk of today` });
  const today = { name: `${OUR_SECRET} vendor of today`, description: `${OUR_SECRET} text of today` };
  await web.call('updateVendor', { ...correction, id: addedVendor.id, ...today });
  return position;
}

/** Returns an input with the mark in front of every text that people write. */
function withMark(value: unknown, mark: string): unknown {
  if (typeof value === 'string') return isFreeText(value) ? `${mark} ${value}` : value;
  if (Array.isArray(value)) return value.map((item) => withMark(item, mark));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withMark(item, mark)]));
}

/** Returns true for texts with a lower-case letter that are no id, hash or address. */
const isFreeText = (text: string) => /[a-z]/.test(text) && !/^([a-z]{3}_|[0-9a-f]{64}$|https?:)/.test(text);
