import type { Role } from '../commands/caller.ts';
import { organizationAggregate } from '../commands/families.ts';
import type { CommandHandler } from '../commands/handler.ts';
import { derivedId, itemCommandId, randomId } from '../commands/ids.ts';
import { memberRole, requireActorPermission, requireToken } from '../commands/organization-state.ts';
import { tokenAlreadyCreated } from '../commands/organization-tokens.ts';
import { lowerRole } from '../commands/permissions.ts';
import { withReason } from '../commands/record.ts';
import { Refusal } from '../commands/refusal.ts';
import { readName } from './account.ts';
import { type Actor, executeOrganizationCommand, isSystem, requireOrganization, SYSTEM_ACTOR } from './actor.ts';
import { removeOrganizationFromToken, type TokenChangeOptions } from './remove-organization-from-token.ts';
import { generateToken } from './token.ts';
import {
  listAccountTokens,
  listOrganizationTokens,
  newestFirst,
  type OrganizationToken,
  type TokenListItem,
} from './token-lists.ts';
import {
  DAY_MS,
  DEFAULT_TOKEN_DAYS,
  hashAndLastFour,
  type IssuedToken,
  type NewToken,
  refuseInvalidDays,
  refuseInvalidToken,
  storeToken,
  type TokenFields,
  type TokenRecord,
} from './token-record.ts';

export type { OrganizationToken as ReachingToken, TokenListItem as ShownToken } from './token-lists.ts';
export type { IssuedToken, NewToken, TokenRecord } from './token-record.ts';

/** An account has no more credentials than these that are good. */
export const MAX_ACTIVE_CREDENTIALS = 200;

export interface TokensOptions extends TokenChangeOptions {
  handler: CommandHandler;
}

/**
 * Makes, renews and takes away what may call tools: API tokens, and grants of connected assistants. Each is a fact in
 * the log of every organization it reaches; what lets somebody in is stored after the last of them and taken away
 * before the first, so that no token works without its facts. Who may do what is checked here and by the organization:
 * people make and renew their own; an OWNER or ADMIN takes any out of their organization; SYSTEM does all.
 */
export class Tokens {
  constructor(private readonly options: TokensOptions) {}

  /**
   * Makes an API token. People make it for themselves only, in organizations they are members of, with a role up to
   * their own in each.
   * @throws Refusal naming what is wrong; nothing was written then
   */
  async create(wanted: NewToken, actor: Actor = SYSTEM_ACTOR): Promise<IssuedToken> {
    const issued = await storeToken(this.options.accounts, await this.grant(wanted, actor));
    if (issued === null) throw tokenAlreadyCreated();
    return issued;
  }

  /**
   * Makes the grant of an assistant that an account connects (OAuth): a token without a text of its own. Connecting the
   * same client again makes another one: revoke the one before.
   * @throws Refusal as `create` does
   */
  async connect(wanted: NewToken & { client: { id: string; name: string } }, actor: Actor): Promise<TokenRecord> {
    const { client, ...grant } = wanted;
    const facts = await this.grant(grant, actor, 'ASSISTANT');
    const record: TokenRecord = { ...facts, client, hash: null, last_four: '', revoked_at: null, last_used_at: null };
    if (!(await this.options.accounts.insert('tokens', record))) throw new Error('a drawn id exists already');
    return record;
  }

  /** All tokens, newest first, revoked and expired ones too: for the command line. */
  async list(): Promise<TokenRecord[]> {
    return (await this.options.accounts.all<TokenRecord>('tokens')).sort(newestFirst);
  }

  /** One token, of one's own. @throws Refusal not_found: whoever does not own it is not told that it is there */
  async get(id: string, actor: Actor = SYSTEM_ACTOR): Promise<TokenRecord> {
    const record = await this.options.accounts.get<TokenRecord>('tokens', id);
    if (record !== null && (isSystem(actor) || record.account_id === actor.actor_id)) return record;
    throw new Refusal('not_found', 'There is no such token: list the tokens to find its id.');
  }

  /** An account's own tokens and assistants, newest first, revoked and expired ones too. */
  listOfAccount(accountId: string): Promise<TokenListItem[]> {
    return listAccountTokens(this.options, accountId);
  }

  /**
   * Every credential that reaches an organization now, newest first, with its owner's name; `role` is what it may there.
   * @throws Refusal forbidden unless the actor is OWNER or ADMIN there
   */
  listInOrganization(organizationId: string, actor: Actor): Promise<OrganizationToken[]> {
    return listOrganizationTokens(this.options, organizationId, actor);
  }

  /**
   * Gives an API token another text and a new life; the text it had stops working. By its owner.
   * @throws Refusal not_found also for another account's
   */
  async regenerate(id: string, days = DEFAULT_TOKEN_DAYS, actor: Actor = SYSTEM_ACTOR): Promise<IssuedToken> {
    refuseInvalidDays(days);
    const { accounts, handler, onTokenChanged: changed } = this.options;
    const before = await this.get(id, actor);
    if (before.kind === 'ASSISTANT') {
      throw new Refusal('invalid_transition', 'An assistant has no token to renew: connect it again.');
    }
    if (before.revoked_at !== null) {
      throw new Refusal('invalid_transition', 'This token is revoked and stays so: create another one.');
    }
    const { expires_at } = this.lifetime(days);
    for (const organizationId of before.organizations) {
      await executeOrganizationCommand(
        handler,
        organizationId,
        { type: 'RegenerateToken', token_id: id, expires_at },
        actor,
      );
    }
    const token = generateToken();
    const fields = { ...hashAndLastFour(token), expires_at };
    if (!(await accounts.update('tokens', id, fields, { hash: before.hash, revoked_at: null }))) {
      throw new Refusal('conflict', 'This token was changed at once by somebody else: look at it, then repeat.');
    }
    changed?.(id);
    return { token, record: { ...before, ...fields } };
  }

  /**
   * Takes a token or an assistant away for good, everywhere: at once here, within a second on other instances. By its
   * owner. Repeating it finishes what was cut off.
   * @throws Refusal not_found also for another account's
   */
  async revoke(id: string, reason?: string, actor: Actor = SYSTEM_ACTOR): Promise<void> {
    const record = await this.get(id, actor);
    const { accounts, onTokenChanged: changed, now } = this.options;
    const revoked_at = now().toISOString();
    await accounts.update('tokens', id, { hash: null, revoked_at }, { revoked_at: null });
    changed?.(id);
    for (const organizationId of record.organizations) await this.recordRevocation(organizationId, id, reason, actor);
  }

  /**
   * Takes a token or an assistant, whoever's it is, out of one organization: there it has no role at once, elsewhere it
   * goes on. One that reaches nothing any more is revoked. By an OWNER or ADMIN there, or its owner.
   * @throws Refusal not_found where the organization has no such token, forbidden
   */
  async revokeInOrganization(id: string, organizationId: string, actor: Actor, reason?: string): Promise<void> {
    const state = await requireOrganization(this.options.handler, organizationId);
    const own = Object.hasOwn(state.tokens, id) && state.tokens[id]!.account_id === actor.actor_id;
    if (!own) requireActorPermission(state, actor, 'revokeTokens');
    requireToken(state, id);
    await removeOrganizationFromToken(this.options, id, organizationId);
    await this.recordRevocation(organizationId, id, reason, actor);
  }

  /** Takes a removed member's tokens off an organization that has revoked them already. */
  async removeOrganization(accountId: string, organizationId: string): Promise<void> {
    for (const record of await this.recordsOf(accountId)) {
      if (record.revoked_at === null) await removeOrganizationFromToken(this.options, record.id, organizationId);
    }
  }

  /** Makes what is known of an account's tokens be looked up anew: its role in an organization has changed. */
  async forgetCached(accountId: string): Promise<void> {
    for (const { id, revoked_at } of await this.recordsOf(accountId))
      if (revoked_at === null) this.options.onTokenChanged?.(id);
  }

  /** What people call their tokens may tell who they are, and the access log shows it. */
  async eraseNames(accountId: string): Promise<void> {
    for (const { id, kind } of await this.recordsOf(accountId)) {
      if (kind === undefined) await this.options.accounts.update('tokens', id, { name: 'API token' });
    }
  }

  private recordsOf(accountId: string): Promise<TokenRecord[]> {
    return this.options.accounts.find<TokenRecord>('tokens', 'account_id', accountId);
  }

  /** What the log gets, checked before anything is written. */
  private async grant(wanted: NewToken, actor: Actor, kind?: 'ASSISTANT'): Promise<TokenFields> {
    const { handler } = this.options;
    const name = readName(wanted.name);
    const organizations = [...new Set(wanted.organizations)];
    const { account_id, role, read_only = false, days = DEFAULT_TOKEN_DAYS } = wanted;
    refuseInvalidToken(wanted, organizations.length);
    if (!isSystem(actor)) await this.requireOwnAccount(account_id, actor);
    for (const id of organizations) await this.requireMemberRole(id, account_id, role);

    const { created_at, expires_at } = this.lifetime(days);
    const token_id = await this.newId(wanted);
    const grant = { token_id, account_id, role, read_only, expires_at, ...(kind ? { kind } : {}) };
    for (const id of organizations)
      await executeOrganizationCommand(handler, id, { type: 'CreateToken', ...grant }, actor);
    const { token_id: id, ...facts } = grant;
    return { id, name, ...facts, organizations, created_at };
  }

  /** @throws Refusal conflict when the form was sent before */
  private async newId({ account_id, once }: NewToken): Promise<string> {
    if (once === undefined) return randomId('tok');
    const id = derivedId('tok', itemCommandId(once, account_id));
    if ((await this.options.accounts.get('tokens', id)) === null) return id;
    throw tokenAlreadyCreated();
  }

  /** Everybody makes their own, and no more than a person can oversee. */
  private async requireOwnAccount(accountId: string, { actor_id }: Actor): Promise<void> {
    if (accountId !== actor_id) {
      throw new Refusal('forbidden', 'Everybody makes tokens for themselves: let this member sign in and make one.');
    }
    const tokens = await listAccountTokens(this.options, accountId);
    if (tokens.filter(({ state }) => state === 'ACTIVE').length < MAX_ACTIVE_CREDENTIALS) return;
    throw new Refusal(
      'too_large',
      `You have ${MAX_ACTIVE_CREDENTIALS} tokens and assistants: revoke some that are not used.`,
    );
  }

  /** Answers the same for an organization of others as for none: ids of other organizations are told to nobody. */
  private async requireMemberRole(organizationId: string, accountId: string, role: Role): Promise<void> {
    const { state } = await this.options.handler.load(organizationAggregate(organizationId), true);
    const member = state && memberRole(state, accountId);
    if (member === null) {
      const message = `The account is not a member of ${organizationId}: choose one of its own organizations.`;
      throw new Refusal('not_found', message, { field: 'organizations' });
    }
    if (lowerRole(member, role) === role) return;
    const message = `The account is ${member} in ${organizationId}: choose that role or a lower one.`;
    throw new Refusal('forbidden', message, { field: 'role' });
  }

  private async recordRevocation(organizationId: string, token_id: string, reason: string | undefined, actor: Actor) {
    const command = { type: 'RevokeToken', token_id, ...withReason(reason) } as const;
    await executeOrganizationCommand(this.options.handler, organizationId, command, actor);
  }

  private lifetime(days: number): { created_at: string; expires_at: string } {
    const created = this.options.now();
    return {
      created_at: created.toISOString(),
      expires_at: new Date(created.getTime() + days * DAY_MS).toISOString(),
    };
  }
}
