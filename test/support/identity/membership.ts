/** Opens the identity module after a first start, for tests of members and credentials. */

import { randomId } from '../../../src/commands/engine/ids.ts';
import type { Refusal } from '../../../src/commands/engine/refusal.ts';
import { organizationStream } from '../../../src/commands/families.ts';
import type { Role } from '../../../src/commands/organization/caller.ts';
import { firstOwnerId, firstStart } from '../../../src/identity/installation/installation.ts';
import { accountActor } from '../../../src/identity/memberships/actor.ts';
import { Members } from '../../../src/identity/memberships/members.ts';
import { Authenticator } from '../../../src/identity/tokens/authenticator.ts';
import { Tokens } from '../../../src/identity/tokens/tokens.ts';
import { open, rejectionError, type TestIdentity } from './identity.ts';

export interface Company extends TestIdentity {
  members: Members;
  authenticator: Authenticator;
  organizationId: string;
  owner: string;
  /** Creates an account that is a member of the first organization. Returns its id. */
  member(role: Role, name?: string): Promise<string>;
  /** Returns the types of an organization's events, oldest first. */
  eventTypes(organizationId?: string): Promise<string[]>;
}

/** Opens stores, or another process's existing ones, and performs the first start. */
export async function openOrganization(existing?: TestIdentity): Promise<Company> {
  const identity = await open(existing?.dataDir, existing?.clock);
  const { accounts, events, handler, names, now } = identity;
  const { installation, organizationId } = await firstStart(identity);
  const owner = firstOwnerId(installation);
  const authenticator = new Authenticator(identity);
  const tokens = new Tokens({ accounts, handler, now, onTokenChanged: (id) => authenticator.forget(id) });
  const members = new Members({ accounts, names, handler, tokens, now });
  return {
    ...identity,
    authenticator,
    members,
    organizationId,
    owner,
    tokens,
    async member(role, name = role) {
      const id = randomId('acc');
      await accounts.insert('accounts', { id, name, organizations: [], created_at: now().toISOString() });
      await members.add(organizationId, id, role, accountActor(owner));
      return id;
    },
    async eventTypes(id = organizationId) {
      return (await events.readStream(organizationStream(id))).map(({ type }) => type);
    },
  };
}

/** Returns the code with which a call is refused. */
export async function refusedWith(call: Promise<unknown>): Promise<string> {
  const error = await rejectionError(call);
  const { code } = error as Refusal;
  if (code === undefined) throw error;
  return code;
}
