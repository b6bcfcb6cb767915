import type { CommandHandler } from '../../commands/engine/handler.ts';
import { derivedId, itemCommandId, randomId } from '../../commands/engine/ids.ts';
import { Refusal } from '../../commands/engine/refusal.ts';
import { organizationAggregate } from '../../commands/families.ts';
import type { Role } from '../../commands/organization/caller.ts';
import { memberRole, requireActorPermission, requireToken } from '../../commands/organization/organization-state.ts';
import { tokenAlreadyCreated } from '../../commands/organization/organization-tokens.ts';
import { lowerRole } from '../../commands/organization/permissions.ts';
import { withReason } from '../../commands/record.ts';
import type { Autonomy } from '../../register/proposal.ts';
import { readName } from '../accounts/account.ts';
import {
  type Actor,
  executeOrganizationCommand,
  isSystem,
  requireOrganization,
  SYSTEM_ACTOR,
} from '../memberships/actor.ts';
import { removeOrganizationFromToken, type TokenChangeOptions } from './remove-organization-from-token.ts';
import { generateToken } from './token.ts';
import { listAccountTokens, newestFirst, type TokenListItem } from './token-lists.ts';
import {
  DAY_MS,
  DEFAULT_TOKEN_DAYS,
  hashAndLastFour,
  type IssuedToken,
  type NewToken,
  type Revocation,
  refuseInvalidDays,
  refuseInvalidToken,
  storeToken,
  type TokenFields,
  type TokenRecord,
} from './token-record.ts';

export type { IssuedToken, NewToken, TokenRecord } from './token-record.ts';

export const MAX_ACTIVE_CREDENTIALS = 200;

export interface TokensOptions extends TokenChangeOptions {
  handler: CommandHandler;
}

/**
 * Creates, renews and revokes credentials: API tokens, and grants of connected assistants. The log of every organization
 * that a credential reaches has its events. Its hash is stored after the last of them and removed before the first, so
 * no token works without its events. What a crash leaves half done is finished by the Reconciler. People create and renew their own. An OWNER or ADMIN revokes any in their
 * organization. SYSTEM may do everything.
 */
export class Tokens {
  constructor(private readonly options: TokensOptions) {}

  /**
   * Creates an API token. People create tokens for themselves only, in their own organizations, with at most their own
   * role in each.
   * @throws Refusal before anything is written
   */
  async create(newToken: NewToken, actor: Actor = SYSTEM_ACTOR): Promise<IssuedToken> {
    const issuedToken = await storeToken(this.options.accounts, await this.grant(newToken, actor));
    if (issuedToken === null) throw tokenAlreadyCreated();
    return issuedToken;
  }

  /**
   * Creates the grant of an assistant that an account connects by OAuth: a token without a text. Connecting the same
   * client again creates another one, so revoke the earlier one.
   * @throws Refusal as `create` does
   */
  async connect(newToken: NewToken & { client: { id: string; name: string } }, actor: Actor): Promise<TokenRecord> {
    const { client, ...grant } = newToken;
    const facts = await this.grant(grant, actor, 'ASSISTANT');
    const record: TokenRecord = { ...facts, client, hash: null, last_four: '', revoked_at: null, last_used_at: null };
    if (!(await this.options.accounts.insert('tokens', record)))
      throw new Error('a token with this random id already exists');
    return record;
  }

  /** Returns all tokens, newest first, also revoked and expired ones. For the command line. */
  async list(): Promise<TokenRecord[]> {
    return (await this.options.accounts.all<TokenRecord>('tokens')).sort(newestFirst);
  }

  /** Returns one of the actor's own tokens. @throws Refusal not_found, also for somebody else's token */
  async get(id: string, actor: Actor = SYSTEM_ACTOR): Promise<TokenRecord> {
    const record = await this.options.accounts.get<TokenRecord>('tokens', id);
    if (record !== null && (isSystem(actor) || record.account_id === actor.actor_id)) return record;
    throw new Refusal('not_found', 'There is no such token. List your tokens to find its id.');
  }

  /** Returns an account's tokens and assistants, newest first, also revoked and expired ones. */
  listOfAccount(accountId: string): Promise<TokenListItem[]> {
    return listAccountTokens(this.options, accountId);
  }

  /**
   * Gives an API token a new text and a new lifetime. The old text stops working with the event (see `next_hash`). By its
   * owner.
   * @throws Refusal not_found also for another account's
   */
  async regenerate(id: string, days = DEFAULT_TOKEN_DAYS, actor: Actor = SYSTEM_ACTOR): Promise<IssuedToken> {
    refuseInvalidDays(days);
    const { accounts, handler, onTokenChanged } = this.options;
    const before = await this.get(id, actor);
    if (before.kind === 'ASSISTANT') {
      throw new Refusal('invalid_transition', 'An assistant has no token to renew. Connect it again.');
    }
    if (before.revoked_at !== null) {
      throw new Refusal('invalid_transition', 'This token was revoked. Create another one.');
    }
    const { expires_at } = this.lifetime(days);
    const token = generateToken();
    const next = hashAndLastFour(token);
    const isUnchanged = { hash: before.hash, next_hash: before.next_hash, revoked_at: null };
    if (!(await accounts.update('tokens', id, { next_hash: next.hash }, isUnchanged))) throw changedElsewhere();
    for (const organizationId of before.organizations) {
      await executeOrganizationCommand(
        handler,
        organizationId,
        { type: 'RegenerateToken', token_id: id, expires_at },
        actor,
      );
    }
    const fields = { ...next, expires_at, next_hash: null };
    if (!(await accounts.update('tokens', id, fields, { next_hash: next.hash, revoked_at: null })))
      throw changedElsewhere();
    onTokenChanged?.(id);
    return { token, record: { ...before, ...fields } };
  }

  /**
   * Changes what a token or an assistant may do without a person. By its owner. An organization that can't record it does
   * not keep the others from it; its error is thrown after them.
   * @throws Refusal as `get` does
   */
  async changeAutonomy(id: string, autonomy: Autonomy, actor: Actor = SYSTEM_ACTOR): Promise<void> {
    const { accounts, handler, onTokenChanged } = this.options;
    const { organizations } = await this.get(id, actor);
    const command = { type: 'ChangeTokenAutonomy', token_id: id, autonomy } as const;
    try {
      await inEach(organizations, (organizationId) =>
        executeOrganizationCommand(handler, organizationId, command, actor),
      );
      await accounts.update('tokens', id, { autonomy });
    } finally {
      onTokenChanged?.(id);
    }
  }

  /**
   * Revokes a token or an assistant everywhere: at once on this instance, within a second on others. By its owner.
   * Repeating it completes an interrupted call.
   * @throws Refusal not_found also for another account's
   */
  async revoke(id: string, reason?: string, actor: Actor = SYSTEM_ACTOR): Promise<void> {
    const record = await this.get(id, actor);
    const { accounts, onTokenChanged } = this.options;
    const revocation = { organization_id: null, ...revokedBy(actor, reason) };
    await accounts.update('tokens', id, { hash: null, revoked_at: this.time(), revocation }, { revoked_at: null });
    onTokenChanged?.(id);
    await inEach(record.organizations, (organizationId) => this.recordRevocation(organizationId, id, reason, actor));
  }

  /**
   * Revokes anybody's token or assistant in one organization. It loses its role there at once and stays valid elsewhere;
   * without any organization left it is revoked altogether. By an OWNER or ADMIN there, or its owner.
   * @throws Refusal not_found if the organization has no such token, forbidden
   */
  async revokeInOrganization(id: string, organizationId: string, actor: Actor, reason?: string): Promise<void> {
    const state = await requireOrganization(this.options.handler, organizationId);
    const isOwnToken = state.tokens.get(id)?.account_id === actor.actor_id;
    if (!isOwnToken) requireActorPermission(state, { ...actor, now: this.time() }, 'revokeTokens');
    requireToken(state, id);
    await removeOrganizationFromToken(this.options, id, organizationId, revokedBy(actor, reason));
    await this.recordRevocation(organizationId, id, reason, actor);
  }

  /** Removes an organization from the tokens of a removed member. Its log has revoked them already. */
  async removeOrganization(accountId: string, organizationId: string): Promise<void> {
    for (const record of await this.recordsOf(accountId)) {
      if (record.revoked_at === null) await removeOrganizationFromToken(this.options, record.id, organizationId);
    }
  }

  /** Makes caches forget an account's tokens, because its role in an organization changed. */
  async forgetCached(accountId: string): Promise<void> {
    for (const { id, revoked_at } of await this.recordsOf(accountId))
      if (revoked_at === null) this.options.onTokenChanged?.(id);
  }

  /** Erases the names of an account's tokens. They may identify the person, and the access log shows them. */
  async eraseNames(accountId: string): Promise<void> {
    for (const { id, kind } of await this.recordsOf(accountId)) {
      if (kind === undefined) await this.options.accounts.update('tokens', id, { name: 'API token' });
    }
  }

  private recordsOf(accountId: string): Promise<TokenRecord[]> {
    return this.options.accounts.find<TokenRecord>('tokens', 'account_id', accountId);
  }

  /** Checks a new credential, then writes it to the log of each organization. */
  private async grant(newToken: NewToken, actor: Actor, kind?: 'ASSISTANT'): Promise<TokenFields> {
    const { handler } = this.options;
    const name = readName(newToken.name);
    const organizations = [...new Set(newToken.organizations)];
    const { account_id, role, read_only = false, autonomy = 'ALL', days = DEFAULT_TOKEN_DAYS } = newToken;
    refuseInvalidToken(newToken, organizations.length);
    if (!isSystem(actor)) await this.requireOwnAccount(account_id, actor);
    for (const id of organizations) await this.requireMemberRole(id, account_id, role);

    const { created_at, expires_at } = this.lifetime(days);
    const token_id = await this.newId(newToken);
    const limits = { ...(kind ? { kind } : {}), ...(autonomy === 'ALL' ? {} : { autonomy }) };
    const grant = { token_id, account_id, role, read_only, expires_at, ...limits };
    for (const id of organizations)
      await executeOrganizationCommand(handler, id, { type: 'CreateToken', ...grant }, actor);
    const { token_id: id, ...facts } = grant;
    return { id, name, ...facts, organizations, created_at };
  }

  /** Returns an id for a new token. @throws Refusal conflict when the form was sent before */
  private async newId({ account_id, once }: NewToken): Promise<string> {
    if (once === undefined) return randomId('tok');
    const id = derivedId('tok', itemCommandId(once, account_id));
    if ((await this.options.accounts.get('tokens', id)) === null) return id;
    throw tokenAlreadyCreated();
  }

  /** Refuses tokens for other people's accounts, and more than MAX_ACTIVE_CREDENTIALS. */
  private async requireOwnAccount(accountId: string, { actor_id }: Actor): Promise<void> {
    if (accountId !== actor_id) {
      throw new Refusal('forbidden', 'You can only create tokens for your own account. Ask this member to create one.');
    }
    const tokens = await listAccountTokens(this.options, accountId);
    if (tokens.filter(({ state }) => state === 'ACTIVE').length < MAX_ACTIVE_CREDENTIALS) return;
    throw new Refusal(
      'too_large',
      `You have ${MAX_ACTIVE_CREDENTIALS} tokens and assistants, which is the limit. Revoke some that you do not use.`,
    );
  }

  /** Refuses a role above the member's own. Says the same for a foreign organization as for an unknown one. */
  private async requireMemberRole(organizationId: string, accountId: string, role: Role): Promise<void> {
    const { state } = await this.options.handler.load(organizationAggregate(organizationId), true);
    const member = state && memberRole(state, accountId, this.time());
    if (member === null) {
      const message = `The account is not a member of ${organizationId}. Choose one of its own organizations.`;
      throw new Refusal('not_found', message, { field: 'organizations' });
    }
    if (lowerRole(member, role) === role) return;
    const message = `The account is ${member} in ${organizationId}. Choose that role or a lower one.`;
    throw new Refusal('forbidden', message, { field: 'role' });
  }

  private async recordRevocation(organizationId: string, token_id: string, reason: string | undefined, actor: Actor) {
    const command = { type: 'RevokeToken', token_id, ...withReason(reason) } as const;
    await executeOrganizationCommand(this.options.handler, organizationId, command, actor);
  }

  private time(): string {
    return this.options.now().toISOString();
  }

  private lifetime(days: number): { created_at: string; expires_at: string } {
    const createdAt = this.options.now();
    return {
      created_at: createdAt.toISOString(),
      expires_at: new Date(createdAt.getTime() + days * DAY_MS).toISOString(),
    };
  }
}

function revokedBy({ actor_id }: Actor, reason: string | undefined): Omit<Revocation, 'organization_id'> {
  return { actor_id, ...withReason(reason) };
}

function changedElsewhere(): Refusal {
  return new Refusal('conflict', 'This token was just changed from another place. Check it, then try again.');
}

/** Acts in each organization, one after the other. An error in one is thrown after the others; the first one counts. */
async function inEach(
  organizations: readonly string[],
  act: (organizationId: string) => Promise<unknown>,
): Promise<void> {
  const errors: unknown[] = [];
  for (const organizationId of organizations) {
    try {
      await act(organizationId);
    } catch (thrown) {
      errors.push(thrown);
    }
  }
  if (errors.length > 0) throw errors[0];
}
