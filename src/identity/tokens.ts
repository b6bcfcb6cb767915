import { ROLES, type Role } from '../commands/caller.ts';
import { organizationAggregate } from '../commands/families.ts';
import type { CommandHandler } from '../commands/handler.ts';
import { randomId } from '../commands/ids.ts';
import { lowerRole } from '../commands/organization.ts';
import { Refusal } from '../commands/refusal.ts';
import type { AccountRecord, AccountStore } from '../stores/account-store.ts';
import { type Actor, commandOrganization, SYSTEM } from './actor.ts';
import { hashToken, makeToken } from './token.ts';

export const DEFAULT_DAYS = 90;
export const MAX_DAYS = 366;
const MAX_NAME = 200;
const DAY_MS = 86_400_000;

/** What is kept of a token outside the log. The token's own text is nowhere. */
export interface TokenRecord extends AccountRecord {
  /** Null once revoked. */
  hash: string | null;
  last_four: string;
  account_id: string;
  name: string;
  role: Role;
  organizations: string[];
  read_only: boolean;
  created_at: string;
  expires_at: string;
  revoked_at: string | null;
  last_used_at: string | null;
}

export interface NewToken {
  name: string;
  account_id: string;
  role: Role;
  organizations: readonly string[];
  read_only?: boolean;
  days?: number;
}

/** A token's text, shown this once, and what is kept of it. */
export interface IssuedToken {
  token: string;
  record: TokenRecord;
}

export interface TokensParts {
  accounts: AccountStore;
  handler: CommandHandler;
  now: () => Date;
  /** Told the id of a token that must not be known any longer as it was: see Authenticator.forget. */
  changed?: (tokenId: string) => void;
}

/**
 * Makes, renews and revokes API tokens. Each is a fact in the log of every organization it reaches; its hash is stored
 * after the last of them and taken away before the first, so that no token works without its facts.
 */
export class Tokens {
  constructor(private readonly parts: TokensParts) {}

  /** @throws Refusal naming what is wrong; nothing was written then */
  async create(wanted: NewToken, actor: Actor = SYSTEM): Promise<IssuedToken> {
    const { accounts, handler } = this.parts;
    const name = wanted.name.trim();
    const organizations = [...new Set(wanted.organizations)];
    const { account_id, role, read_only = false, days = DEFAULT_DAYS } = wanted;
    refuseBadToken(name, role, organizations, days);
    for (const id of organizations) await this.refuseAboveMember(id, account_id, role);

    const { created_at, expires_at } = this.lifetime(days);
    const token_id = randomId('tok');
    const grant = { token_id, account_id, role, read_only, expires_at };
    for (const id of organizations) await commandOrganization(handler, id, { type: 'CreateToken', ...grant }, actor);
    const facts = { id: token_id, name, account_id, role, organizations, read_only, created_at, expires_at };
    const issued = await storeToken(accounts, facts);
    if (issued === null) throw new Error(`${token_id} exists already`);
    return issued;
  }

  /** All tokens, newest first, revoked and expired ones too. */
  async list(): Promise<TokenRecord[]> {
    const records = await this.parts.accounts.all<TokenRecord>('tokens');
    return records.sort((a, b) => b.created_at.localeCompare(a.created_at) || a.id.localeCompare(b.id));
  }

  /** Gives a token another text and a new life; the text it had stops working. */
  async regenerate(id: string, days = DEFAULT_DAYS, actor: Actor = SYSTEM): Promise<IssuedToken> {
    refuseBadDays(days);
    const { accounts, handler, changed } = this.parts;
    const before = await this.require(id);
    if (before.revoked_at !== null) {
      throw new Refusal('invalid_transition', 'This token is revoked and stays so: create another one.');
    }
    const { expires_at } = this.lifetime(days);
    for (const organizationId of before.organizations) {
      await commandOrganization(handler, organizationId, { type: 'RegenerateToken', token_id: id, expires_at }, actor);
    }
    const token = makeToken();
    const fields = { ...keptOf(token), expires_at };
    if (!(await accounts.update('tokens', id, fields, { hash: before.hash, revoked_at: null }))) {
      throw new Refusal('conflict', 'This token was changed at once by somebody else: look at it, then repeat.');
    }
    changed?.(id);
    return { token, record: { ...before, ...fields } };
  }

  /** Takes a token away: at once here, within a second on other instances. Repeating it finishes what was cut off. */
  async revoke(id: string, reason?: string, actor: Actor = SYSTEM): Promise<void> {
    const { accounts, handler, changed, now } = this.parts;
    const record = await this.require(id);
    const revoked_at = now().toISOString();
    await accounts.update('tokens', id, { hash: null, revoked_at }, { revoked_at: null });
    changed?.(id);
    const because = reason ? { reason } : {};
    for (const organizationId of record.organizations) {
      await commandOrganization(handler, organizationId, { type: 'RevokeToken', token_id: id, ...because }, actor);
    }
  }

  private async require(id: string): Promise<TokenRecord> {
    const record = await this.parts.accounts.get<TokenRecord>('tokens', id);
    if (record === null) throw new Refusal('not_found', 'There is no such token: list the tokens to find its id.');
    return record;
  }

  private async refuseAboveMember(organizationId: string, accountId: string, role: Role): Promise<void> {
    const { state } = await this.parts.handler.load(organizationAggregate(organizationId), true);
    if (state === null) {
      throw new Refusal('not_found', `There is no organization ${organizationId}.`, { field: 'organizations' });
    }
    const member = state.members[accountId];
    if (member !== undefined && lowerRole(member, role) === role) return;
    const message =
      member === undefined
        ? `The account is no member of ${organizationId}: leave it out, or add the member first.`
        : `The account is ${member} in ${organizationId}: choose that role or a lower one.`;
    throw new Refusal('forbidden', message, { field: 'role' });
  }

  private lifetime(days: number): { created_at: string; expires_at: string } {
    const created = this.parts.now();
    return {
      created_at: created.toISOString(),
      expires_at: new Date(created.getTime() + days * DAY_MS).toISOString(),
    };
  }
}

/** Draws the text of a token and keeps its hash. Null when there is a token of this id already. */
export async function storeToken(
  accounts: AccountStore,
  facts: Omit<TokenRecord, 'hash' | 'last_four' | 'revoked_at' | 'last_used_at'> & { id: string },
): Promise<IssuedToken | null> {
  const token = makeToken();
  const record = { ...facts, ...keptOf(token), revoked_at: null, last_used_at: null } as TokenRecord;
  return (await accounts.insert('tokens', record)) ? { token, record } : null;
}

function keptOf(token: string): Pick<TokenRecord, 'hash' | 'last_four'> {
  return { hash: hashToken(token), last_four: token.slice(-4) };
}

function refuseBadToken(name: string, role: string, organizations: readonly string[], days: number): void {
  refuseBadDays(days);
  if (name === '' || name.length > MAX_NAME) {
    throw new Refusal('invalid_input', `Give the token a name of 1 to ${MAX_NAME} characters.`, { field: 'name' });
  }
  if (!ROLES.some((known) => known === role)) {
    const message = `${role} is no role: choose one of ${ROLES.join(', ')}.`;
    throw new Refusal('invalid_input', message, { field: 'role', allowed: ROLES });
  }
  if (organizations.length === 0) {
    throw new Refusal('invalid_input', 'Name at least one organization for the token.', { field: 'organizations' });
  }
}

function refuseBadDays(days: number): void {
  if (Number.isInteger(days) && days >= 1 && days <= MAX_DAYS) return;
  throw new Refusal('invalid_input', `A token lives 1 to ${MAX_DAYS} whole days.`, { field: 'days' });
}
