import type { CommandHandler } from '../../commands/engine/handler.ts';
import { Refusal } from '../../commands/engine/refusal.ts';
import { organizationAggregate } from '../../commands/families.ts';
import type { OrganizationState } from '../../commands/organization/organization.ts';
import { withReason } from '../../commands/record.ts';
import { type Actor, accountActor, executeOrganizationCommand, SYSTEM_ACTOR } from '../memberships/actor.ts';
import type { StoredModel } from '../oauth/stored-model.ts';
import { removeOrganizationFromToken, type TokenChangeOptions } from '../tokens/remove-organization-from-token.ts';
import type { TokenRecord } from '../tokens/token-record.ts';
import type { Tokens } from '../tokens/tokens.ts';
import type { Difference } from './reconciler.ts';

/** A token as an organization's log has it. Undefined if it doesn't. */
export type LoggedToken = ReturnType<OrganizationState['tokens']['get']>;

/**
 * Differences of a token in one organization:
 * - `token not stored`: the log has it, the account store doesn't. Nobody can use it.
 * - `token not revoked in the log`: the account store has revoked it.
 * - `token not revoked in the account store`: the log has.
 */
type TokenFault = 'token not stored' | 'token not revoked in the log' | 'token not revoked in the account store';

/** Differences of a regeneration that was interrupted before or after its first event. */
type RegenerationFault = 'regeneration not begun' | 'token half regenerated';

/** A connection that was interrupted before its assistant could use it, or before it replaced an earlier one. */
type AssistantFault = 'assistant never connected' | 'assistant connected again';

export interface TokenDifferencesOptions extends TokenChangeOptions {
  handler: CommandHandler;
  tokens: Pick<Tokens, 'revoke'>;
}

/** Reasons of the events that finish an interrupted call, where the call's own isn't stored. */
const NEVER_STORED = 'Creating it was interrupted, so nobody has its text.';
const HALF_REVOKED = 'It was revoked in the account store alone.';
const HALF_REGENERATED = 'Regenerating it was interrupted, so nobody has its new text.';
const NEVER_CONNECTED = 'Connecting it was interrupted, so no assistant can use it.';
/** The same as in consent.ts. */
const CONNECTED_AGAIN = 'Connected again.';

/** Collects the differences between tokens in the log and their records in the account store. */
export class TokenDifferences {
  readonly found: Difference[] = [];

  constructor(private readonly options: TokenDifferencesOptions) {}

  /** Compares a token in an organization's log with its record. */
  compare(
    { organizationId, id, token }: { organizationId: string; id: string; token: LoggedToken },
    record: TokenRecord | null,
  ): void {
    const { accounts } = this.options;
    const fault = this.faultOf(token, record, organizationId);
    if (fault === null) return;
    this.found.push({
      key: `${fault}: ${id} ${organizationId}`,
      repair: async () => {
        const newestRecord = await accounts.get<TokenRecord>('tokens', id);
        const newestToken = await this.load(organizationId, id);
        if (this.faultOf(newestToken, newestRecord, organizationId) !== fault) return;
        if (fault === 'token not revoked in the account store')
          await removeOrganizationFromToken(this.options, id, organizationId);
        else await this.revokeInLog(organizationId, id, newestRecord);
      },
    });
  }

  /** Looks at a regeneration in progress. @param logged the token in each of its organizations */
  checkRegeneration(record: TokenRecord, logged: readonly LoggedToken[]): void {
    const { accounts, tokens } = this.options;
    const { id, next_hash } = record;
    const fault = regenerationFault(record, logged);
    if (fault === null) return;
    this.found.push({
      key: `${fault}: ${id} ${next_hash}`,
      repair: async () => {
        const newestRecord = await accounts.get<TokenRecord>('tokens', id);
        if (newestRecord === null || newestRecord.next_hash !== next_hash) return;
        const newest = await Promise.all(newestRecord.organizations.map((organization) => this.load(organization, id)));
        if (regenerationFault(newestRecord, newest) !== fault) return;
        if (fault === 'token half regenerated') await tokens.revoke(id, HALF_REGENERATED);
        else await accounts.update('tokens', id, { next_hash: null }, { next_hash });
      },
    });
  }

  /** Looks at an assistant's record. @param others all records of its account, in any order */
  async checkAssistant(record: TokenRecord, others: readonly TokenRecord[]): Promise<void> {
    const { accounts, tokens } = this.options;
    const { id, account_id } = record;
    const fault = await this.assistantFault(record, others);
    if (fault === null) return;
    this.found.push({
      key: `${fault}: ${id}`,
      repair: async () => {
        const newest = await accounts.find<TokenRecord>('tokens', 'account_id', account_id);
        const newestRecord = newest.find((other) => other.id === id);
        if (newestRecord === undefined || (await this.assistantFault(newestRecord, newest)) !== fault) return;
        await tokens.revoke(id, fault === 'assistant never connected' ? NEVER_CONNECTED : CONNECTED_AGAIN);
      },
    });
  }

  private async assistantFault(record: TokenRecord, others: readonly TokenRecord[]): Promise<AssistantFault | null> {
    const { kind, revoked_at, last_used_at, expires_at } = record;
    const time = this.options.now().toISOString();
    if (kind !== 'ASSISTANT' || revoked_at !== null || expires_at <= time) return null;
    if (others.some((other) => isReplacedBy(record, other))) return 'assistant connected again';
    if (last_used_at !== null) return null;
    // It has never called. Is there a code or a token with which it could?
    const models = await this.options.accounts.find<StoredModel>('oauth', 'grant_id', record.id);
    return models.every((model) => model.expires_at <= time) ? 'assistant never connected' : null;
  }

  private faultOf(token: LoggedToken, record: TokenRecord | null, organizationId: string): TokenFault | null {
    if (token === undefined) return null;
    const isUsable = record !== null && record.revoked_at === null && record.organizations.includes(organizationId);
    if (token.revoked) return isUsable ? 'token not revoked in the account store' : null;
    // One that has expired gives nobody access, and members who leave keep theirs in the log.
    if (isUsable || token.expires_at <= this.options.now().toISOString()) return null;
    return record === null ? 'token not stored' : 'token not revoked in the log';
  }

  private async load(organizationId: string, id: string): Promise<LoggedToken> {
    const { state } = await this.options.handler.load(organizationAggregate(organizationId), true);
    return state?.tokens.get(id);
  }

  /** Revokes a token in the log as the interrupted call would have: in the name of its actor, with its reason. */
  private async revokeInLog(organizationId: string, token_id: string, record: TokenRecord | null): Promise<void> {
    const otherReason = record === null ? NEVER_STORED : HALF_REVOKED;
    const { actor_id, reason } = revocationIn(record, organizationId) ?? { ...SYSTEM_ACTOR, reason: otherReason };
    const command = { type: 'RevokeToken', token_id, ...withReason(reason) } as const;
    const revokeAs = (actor: Actor) => executeOrganizationCommand(this.options.handler, organizationId, command, actor);
    try {
      await revokeAs(accountActor(actor_id));
    } catch (error) {
      // Its actor has lost the permission since. The account store was changed while they had it.
      if (!(error instanceof Refusal) || error.code !== 'forbidden') throw error;
      await revokeAs(SYSTEM_ACTOR);
    }
  }
}

/** Returns the stored revocation that an organization's log lacks, or null if none is stored. */
function revocationIn(record: TokenRecord | null, organizationId: string): TokenRecord['revocation'] | null {
  const revocation = record?.revocation ?? null;
  const isOfAll = revocation?.organization_id === null;
  return isOfAll || revocation?.organization_id === organizationId ? revocation : null;
}

function regenerationFault(record: TokenRecord, logged: readonly LoggedToken[]): RegenerationFault | null {
  if ((record.next_hash ?? null) === null || record.revoked_at !== null) return null;
  const isLogged = logged.some((token) => token !== undefined && token.expires_at !== record.expires_at);
  return isLogged ? 'token half regenerated' : 'regeneration not begun';
}

/** Returns true if a client that registered itself has connected again, and uses the later connection. */
function isReplacedBy({ client, created_at }: TokenRecord, later: TokenRecord): boolean {
  const isSameClient = client !== undefined && later.client?.id === client.id && !URL.canParse(client.id);
  return isSameClient && later.created_at > created_at && later.revoked_at === null && later.last_used_at !== null;
}
