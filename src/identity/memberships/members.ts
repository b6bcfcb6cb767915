import { randomBytes } from 'node:crypto';
import type { TimeSource } from '../../clock/service-clock.ts';
import type { CommandHandler } from '../../commands/engine/handler.ts';
import { idPrefix, randomId } from '../../commands/engine/ids.ts';
import { invalidField, Refusal } from '../../commands/engine/refusal.ts';
import { organizationAggregate } from '../../commands/families.ts';
import { type ApprovalPolicy, approvalPolicyOf } from '../../commands/organization/approval-policy.ts';
import { type Caller, ROLES, type Role } from '../../commands/organization/caller.ts';
import type { OrganizationCommand } from '../../commands/organization/organization.ts';
import { allMembersOf, countOwners, MAX_REVOCATIONS } from '../../commands/organization/organization-members.ts';
import {
  hasEnded,
  memberRole,
  membershipEnd,
  requiresSecondFactor,
} from '../../commands/organization/organization-state.ts';
import { requireValidRole, roleAllows } from '../../commands/organization/permissions.ts';
import { type OptionalReason, withReason } from '../../commands/record.ts';
import type { NameReader } from '../../queries/records/member-names.ts';
import type { Autonomy } from '../../register/proposal.ts';
import type { AccountStore } from '../../stores/account-store.ts';
import { StreamDamaged } from '../../stores/errors.ts';
import { findAccount, readOrganizationName } from '../accounts/account.ts';
import { storedInstallationId } from '../installation/installation.ts';
import { barredOrganizations, hasTwoFactors, missingFactorFrom } from '../second-factor/required-factor.ts';
import type { Tokens } from '../tokens/tokens.ts';
import {
  type Actor,
  accountActor,
  executeOrganizationCommand,
  isSystem,
  rehearseOrganizationCommand,
  requireOrganization,
} from './actor.ts';
import { Domains } from './domains.ts';
import { addToMembershipIndex, indexedOrganizations, pruneMembershipIndex } from './membership-index.ts';

export const MAX_OWNED_ORGANIZATIONS = 50;

/** An organization that an account is a member of. */
export interface Membership {
  id: string;
  name: string;
  role: Role;
  /** The number of OWNERs there. The last one can neither leave nor be demoted. */
  owners: number;
  /** True if the organization requires a second factor and the account has none: it has no access then. */
  missingFactor: boolean;
  /** The day from which that is so, or will be. Null if the account lacks nothing. */
  missingFactorFrom: string | null;
  /** The most that a credential may do there without a person. */
  ceiling: Autonomy;
}

export interface Member {
  account_id: string;
  /** "former member" for a deleted account. */
  name: string;
  role: Role;
  /** The end of the membership; null without one. */
  until: string | null;
  /** True after `until`. The account then has no access, but stays in the list until it is removed. */
  ended: boolean;
}

export interface MembersOptions {
  accounts: AccountStore;
  names: NameReader;
  handler: CommandHandler;
  tokens: Tokens;
  now: TimeSource;
  /** The service's base address, for refusals that name a page. By default they name its path. */
  baseUrl?: string | undefined;
}

/**
 * Members of organizations and their roles. Each organization's log holds its members; an account's record only says
 * where to look. The organization checks each actor on its newest state.
 */
export class Members {
  /** Domains whose people can join without an invitation. */
  readonly domains: Domains;

  constructor(private readonly options: MembersOptions) {
    this.domains = new Domains(options);
  }

  /** Returns the organizations of an account, by name. */
  async organizationsOf(accountId: string): Promise<Membership[]> {
    const memberships = await this.readMemberships(accountId);
    return memberships.sort((a, b) => a.name.localeCompare(b.name) || a.id.localeCompare(b.id));
  }

  /**
   * Returns the organizations that have an account on record, also those where its membership has ended, and those whose
   * stream is damaged.
   */
  async organizationsOnRecord(accountId: string): Promise<string[]> {
    const hints = await indexedOrganizations(this.options.accounts, accountId);
    const isOnRecord = async (id: string) => {
      const { state } = await this.options.handler.load(organizationAggregate(id), true);
      return state !== null && Object.hasOwn(state.members, accountId);
    };
    const asDamaged = (error: unknown) => {
      if (error instanceof StreamDamaged) return true;
      throw error;
    };
    const onRecord = await Promise.all(hints.map((id) => isOnRecord(id).catch(asDamaged)));
    return hints.filter((_, index) => onRecord[index]);
  }

  /** Leaves out organizations whose stream is damaged, so that they don't keep the account from its others. */
  private async readMemberships(
    accountId: string,
    onDamaged: (organizationId: string) => void = () => undefined,
  ): Promise<Membership[]> {
    const read = (id: string) =>
      this.membership(accountId, id).catch((error: unknown) => {
        if (!(error instanceof StreamDamaged)) throw error;
        onDamaged(id);
        return null;
      });
    const hints = await indexedOrganizations(this.options.accounts, accountId);
    return (await Promise.all(hints.map(read))).filter((membership) => membership !== null);
  }

  /**
   * Returns an account's membership in an organization. Null if it is not a member, its membership has ended, or the
   * organization doesn't exist.
   */
  async membership(accountId: string, organizationId: string): Promise<Membership | null> {
    if (idPrefix(organizationId) !== 'org') return null;
    const { state } = await this.options.handler.load(organizationAggregate(organizationId), true);
    const role = state && memberRole(state, accountId, this.time());
    const end = role && membershipEnd(state, accountId);
    if (end !== null) this.options.now.refuseDoubtful?.(Date.parse(end));
    if (state === null || role === null) return null;
    const factorFrom = await missingFactorFrom(this.options.accounts, accountId, state);
    return {
      ...{ id: organizationId, name: state.name, role, owners: countOwners(state.members) },
      missingFactor: factorFrom !== null && requiresSecondFactor(state, this.time()),
      missingFactorFrom: factorFrom,
      ceiling: approvalPolicyOf(state).ceiling,
    };
  }

  /** Returns an account's current role in each of its organizations. */
  async rolesOf(accountId: string): Promise<Map<string, Role>> {
    return new Map((await this.organizationsOf(accountId)).map(({ id, role }) => [id, role]));
  }

  /** Returns a signed-in person as a caller of queries and tools. */
  async callerOf(accountId: string): Promise<Caller> {
    const damaged = new Set<string>();
    const memberships = await this.readMemberships(accountId, (id) => damaged.add(id));
    const roles = new Map(memberships.flatMap(({ id, role, missingFactor }) => (missingFactor ? [] : [[id, role]])));
    const lacking = new Set(memberships.flatMap(({ id, missingFactor }) => (missingFactor ? [id] : [])));
    const caller = { account_id: accountId, token_id: null, client: null, roles, members: roles, read_only: false };
    return { ...caller, ...barredOrganizations(damaged, lacking, this.options.baseUrl) };
  }

  /** Returns all members, also ended ones, with their names: highest role first, then by name. @throws Refusal not_found */
  async membersOf(organizationId: string): Promise<Member[]> {
    const state = await requireOrganization(this.options.handler, organizationId);
    const { members } = state;
    const now = this.time();
    const names = await this.options.names.readNames(Object.keys(members), async () => allMembersOf(state));
    const memberships = Object.entries(members).map(([account_id, role]) => ({
      account_id,
      role,
      name: names.of(account_id),
      until: membershipEnd(state, account_id),
      ended: memberRole(state, account_id, now) === null,
    }));
    const rankOf = ({ role }: Member) => -ROLES.indexOf(role);
    return memberships.sort((a, b) => rankOf(a) - rankOf(b) || a.name.localeCompare(b.name));
  }

  /**
   * Creates an organization with its OWNER. Only an OWNER of another organization may do it.
   * @throws Refusal forbidden, too_large (MAX_OWNED_ORGANIZATIONS), invalid_input
   */
  async createOrganization(
    name: string,
    accountId: string,
    actor: Actor = accountActor(accountId),
  ): Promise<{ id: string; name: string }> {
    const readableName = readOrganizationName(name);
    const roles = [...(await this.rolesOf(accountId)).values()];
    const owned = roles.filter((role) => roleAllows(role, 'createOrganizations')).length;
    if (owned === 0) throw new Refusal('forbidden', 'Only an OWNER can create organizations. Ask an owner of yours.');
    if (owned >= MAX_OWNED_ORGANIZATIONS) {
      throw new Refusal(
        'too_large',
        `You own ${MAX_OWNED_ORGANIZATIONS} organizations, which is the limit. Hand one over before you create another.`,
      );
    }
    const id = randomId('org');
    const installation = (await storedInstallationId(this.options.accounts))!;
    const import_key = randomBytes(32).toString('hex');
    await addToMembershipIndex(this.options.accounts, accountId, id);
    const begin = {
      type: 'CreateOrganization',
      name: readableName,
      import_key,
      installation,
      owner_id: accountId,
    } as const;
    await this.command(id, begin, actor);
    return { id, name: readableName };
  }

  /** Renames an organization. By an OWNER or ADMIN. @throws Refusal */
  async rename(organizationId: string, name: string, actor: Actor): Promise<void> {
    await this.command(organizationId, { type: 'RenameOrganization', name: readOrganizationName(name) }, actor);
  }

  /** Returns the date from which an organization requires a second factor, or null. @throws Refusal not_found */
  async secondFactorFrom(organizationId: string): Promise<string | null> {
    return (await requireOrganization(this.options.handler, organizationId)).second_factor_from ?? null;
  }

  /** Returns an organization's policy of approvals, and the decisions whose four eyes are suspended. @throws Refusal not_found */
  async approvalsOf(organizationId: string): Promise<{ policy: ApprovalPolicy; suspended: readonly string[] }> {
    const state = await requireOrganization(this.options.handler, organizationId);
    return { policy: approvalPolicyOf(state), suspended: state.four_eyes_suspended ?? [] };
  }

  /** Returns the number of present members without a second factor. */
  async countWithoutFactor(members: readonly Member[]): Promise<number> {
    const present = members.filter(({ ended }) => !ended);
    const haveFactors = await Promise.all(
      present.map(({ account_id }) => hasTwoFactors(this.options.accounts, account_id)),
    );
    return haveFactors.filter((has) => !has).length;
  }

  /**
   * Requires a second factor of all members from a date on. By an OWNER who has one.
   * @throws Refusal invalid_input for a past date; forbidden
   */
  async requireSecondFactor(organizationId: string, from: string, actor: Actor): Promise<void> {
    if (!isSystem(actor) && !(await hasTwoFactors(this.options.accounts, actor.actor_id))) {
      const message = 'Add a second factor to your own account first, under Your account → Security.';
      throw new Refusal('forbidden', message);
    }
    await this.command(organizationId, { type: 'RequireSecondFactor', from }, actor);
    await this.forgetCachedOf(organizationId);
  }

  /** Makes the second factor optional again. By an OWNER. @throws Refusal */
  async makeSecondFactorOptional(organizationId: string, actor: Actor): Promise<void> {
    await this.command(organizationId, { type: 'MakeSecondFactorOptional' }, actor);
    await this.forgetCachedOf(organizationId);
  }

  /**
   * Adds a member, for an accepted invitation or the command line. The actor must be an OWNER at this moment, or SYSTEM.
   * Repeating it changes nothing.
   * @param until the end of the membership; null without one
   * @throws Refusal invalid_transition for a member with another role or end
   */
  async add(
    organizationId: string,
    accountId: string,
    role: Role,
    actor: Actor,
    until: string | null = null,
  ): Promise<void> {
    refuseNoAccount(accountId);
    requireValidRole(role);
    await addToMembershipIndex(this.options.accounts, accountId, organizationId);
    await this.addOrAddAgain(organizationId, { type: 'AddMember', account_id: accountId, role, until }, actor);
    // Again, because a concurrent removal of this member takes it out of the index.
    await addToMembershipIndex(this.options.accounts, accountId, organizationId);
    if ((await this.options.accounts.get('accounts', accountId))?.erased_at) {
      await this.leave(organizationId, accountId);
      throw new Refusal('not_found', 'This account has been deleted. Choose another one.');
    }
    await this.options.tokens.forgetCached(accountId);
  }

  /**
   * Checks that an OWNER may invite somebody with this role and end, before they pass the link on.
   * @throws Refusal as `add` would
   */
  async checkInvitation(organizationId: string, role: Role, until: string | null, actor: Actor): Promise<void> {
    const command = { type: 'AddMember', account_id: randomId('acc'), role, until } as const;
    await rehearseOrganizationCommand(this.options.handler, organizationId, command, actor);
  }

  /**
   * Sets or removes the end of a membership, also of one that has ended. By an OWNER.
   * @throws Refusal invalid_input for an end in the past or of an OWNER, not_found for no member, invalid_transition as
   *   `prolongingObstacle`
   */
  async changeEnd(
    organizationId: string,
    accountId: string,
    until: string | null,
    actor: Actor,
    reason?: string,
  ): Promise<void> {
    const state = await requireOrganization(this.options.handler, organizationId);
    const obstacle = await this.prolongingObstacle(accountId, membershipEnd(state, accountId));
    if (obstacle !== null) throw new Refusal('invalid_transition', obstacle);
    const command = { type: 'ChangeMembershipEnd', account_id: accountId, until, ...withReason(reason) } as const;
    await this.addOrAddAgain(organizationId, command, actor);
    await this.options.tokens.forgetCached(accountId);
  }

  /**
   * Returns why a membership that ended can't be prolonged, and the next step; null if it can. A link that set a new
   * password since then is not in this organization's access log, so its creator could be the one who comes back.
   */
  async prolongingObstacle(accountId: string, end: string | null): Promise<string | null> {
    const reset_at = (await findAccount(this.options.accounts, accountId))?.reset_at ?? null;
    if (reset_at === null || !hasEnded(end, reset_at)) return null;
    return 'After this access ended, a link of somebody else set a new password for the account. To give access again, create an invitation, and pass it to the person yourself.';
  }

  /** Changes a member's role. By an OWNER. @throws Refusal invalid_transition for the last OWNER, not_found for no member */
  async changeRole(
    organizationId: string,
    accountId: string,
    role: Role,
    actor: Actor,
    reason?: string,
  ): Promise<void> {
    requireValidRole(role);
    const command = { type: 'ChangeMemberRole', account_id: accountId, role, ...withReason(reason) } as const;
    await this.command(organizationId, command, actor);
    await this.options.tokens.forgetCached(accountId);
  }

  /**
   * Removes a member, with all its tokens and assistants there, however many. By an OWNER, or the member itself.
   * @throws Refusal invalid_transition for the last OWNER, not_found for no member
   */
  async remove(organizationId: string, accountId: string, actor: Actor, reason?: string): Promise<void> {
    const command = { type: 'RemoveMember', account_id: accountId, ...withReason(reason) } as const;
    await this.commandWithRevocations(organizationId, command, actor);
    await this.options.tokens.removeOrganization(accountId, organizationId);
    await pruneMembershipIndex(this.options, accountId, organizationId);
  }

  /**
   * Removes a member at their own request.
   * @throws Refusal invalid_transition for the last OWNER; not_found for no member or an unknown organization
   */
  async leave(organizationId: string, accountId: string): Promise<void> {
    if ((await this.membership(accountId, organizationId)) === null) {
      throw new Refusal('not_found', 'The account is not a member there. Check the list of its organizations.');
    }
    await this.remove(organizationId, accountId, accountActor(accountId));
  }

  /**
   * Leaves every organization before an account is erased, also where its membership has ended. Erases the names of its
   * tokens.
   * @throws Refusal invalid_transition naming the organizations that would lose their last OWNER; then none was left
   */
  async leaveAll(accountId: string): Promise<void> {
    const organizations = await this.organizationsOf(accountId);
    const last = organizations.filter(({ role, owners }) => role === 'OWNER' && owners === 1);
    if (last.length > 0) {
      const names = last.map(({ name }) => name).join(', ');
      const message = `This account is the last OWNER of ${names}. Make another member OWNER there first.`;
      throw new Refusal('invalid_transition', message);
    }
    for (const id of await indexedOrganizations(this.options.accounts, accountId)) {
      const { state } = await this.options.handler.load(organizationAggregate(id), true);
      if (state && Object.hasOwn(state.members, accountId)) await this.remove(id, accountId, accountActor(accountId));
    }
    await this.options.tokens.eraseNames(accountId);
  }

  /** Executes a command that adds a member. One that is added again after its end loses its earlier tokens. */
  private async addOrAddAgain(organizationId: string, command: CommandOnMember, actor: Actor): Promise<void> {
    const { state } = await this.options.handler.load(organizationAggregate(organizationId), true);
    const hadEnded = state !== null && hasEnded(membershipEnd(state, command.account_id), this.time());
    const { event_types } = await this.commandWithRevocations(organizationId, command, actor);
    if (hadEnded || event_types.includes('TokenRevoked')) {
      await this.options.tokens.removeOrganization(command.account_id, organizationId);
    }
  }

  /**
   * Executes a command that also revokes the member's tokens. If one append can't hold them all, it revokes some before,
   * so calling it again finishes an interrupted call.
   */
  private async commandWithRevocations(organizationId: string, command: CommandOnMember, actor: Actor) {
    const { account_id, reason } = command;
    const revocation = { type: 'RevokeMemberTokens', account_id, ...withReason(reason) } as const;
    for (;;) {
      // Nothing may be revoked if the command itself is refused.
      const { event_types } = await rehearseOrganizationCommand(this.options.handler, organizationId, command, actor);
      if (event_types.filter((type) => type === 'TokenRevoked').length <= MAX_REVOCATIONS) break;
      await this.command(organizationId, revocation, actor);
    }
    return this.command(organizationId, command, actor);
  }

  /** Forgets the cached tokens of all members, so that a requirement applies at once on this instance. */
  private async forgetCachedOf(organizationId: string): Promise<void> {
    const { members } = await requireOrganization(this.options.handler, organizationId);
    for (const accountId of Object.keys(members)) await this.options.tokens.forgetCached(accountId);
  }

  private time(): string {
    return this.options.now().toISOString();
  }

  private command(organizationId: string, command: OrganizationCommand, actor: Actor) {
    return executeOrganizationCommand(this.options.handler, organizationId, command, actor);
  }
}

/** A command that may end a member's tokens. */
type CommandOnMember = OrganizationCommand & { account_id: string } & OptionalReason;

function refuseNoAccount(accountId: string): void {
  if (idPrefix(accountId) === 'acc') return;
  throw invalidField('account_id', 'Enter the id of an account (acc_…).');
}
