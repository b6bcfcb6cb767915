import { monotonicMs } from '../../clock/monotonic.ts';
import { type Autonomy, isLess } from '../../register/proposal.ts';
import type { AppendCondition } from '../../stores/event-store.ts';
import { organizationAggregate } from '../families.ts';
import { effectiveAutonomy, fourEyesInForce } from '../organization/approval-policy.ts';
import type { Role } from '../organization/caller.ts';
import { hasEnded, memberRole, membershipEnd, type OrganizationState } from '../organization/organization-state.ts';
import { forbiddenAs, lowerRole, type Permission, roleAllows } from '../organization/permissions.ts';
import { Refusal } from './refusal.ts';
import type { StreamCache } from './stream-state.ts';

/** The caller of a command: who it is, where, and which rights the command needs. */
export interface CommandActor {
  organization_id: string;
  actor_id: string;
  token_id: string | null;
  role: Role;
  /** The account's own role, which the credential may limit to `role`. */
  member_role?: Role | undefined;
  /** The credential's autonomy when the call began. Absent if it could do everything alone. */
  autonomy?: Autonomy | undefined;
  /** The account that proposed the call, if the actor approved it. */
  proposed_by?: string | undefined;
  /**
   * The permission that the actor must have when the events are appended, by the organization's own log. Absent for
   * commands on the organization, whose deciders check it, and for those of the service and the command line.
   */
  permission?: Permission | undefined;
  /** Returns false once the credential or session has ended. Called after each wait, before an append. Absent if it can't end. */
  hasValidCredential?: (() => Promise<boolean>) | undefined;
}

/** The roles by which a command is decided, and the condition under which its events may be appended. */
export interface WriteRights {
  role: Role;
  member_role?: Role | undefined;
  condition?: AppendCondition;
  /** The decisions that another account must approve. */
  fourEyes?: ReadonlySet<string>;
}

/** Returns true for the same roles and the same decisions that need another account. */
export function areSameRights(one: WriteRights, other: WriteRights): boolean {
  const decisionsIn = ({ fourEyes = new Set() }: WriteRights) => [...fourEyes].join();
  return one.role === other.role && one.member_role === other.member_role && decisionsIn(one) === decisionsIn(other);
}

/** An organization is read again after this. It leaves time to append before MAX_CONDITION_AGE_MS. */
const MAX_AGE_MS = 250;

/** Looks up the rights of commands' actors directly before their events are appended. */
export class WriteRightsReader {
  constructor(
    private readonly streams: StreamCache,
    private readonly options: { now: () => Date; simulated?: boolean },
  ) {}

  /**
   * Returns the rights of a command's actor now, or the refusal of a command that may not write any more. Commands on the
   * organization itself have no `permission` here: their deciders check the actor on the same stream.
   * @param isRepeated an append was refused, so the organization is read again
   */
  async read(envelope: CommandActor, isRepeated: boolean): Promise<WriteRights | Refusal> {
    const { permission, hasValidCredential } = envelope;
    if (hasValidCredential !== undefined && !(await hasValidCredential())) return accessEnded();
    if (permission === undefined) return envelope;
    const actor = Object.assign({}, envelope, { permission });
    const rights = await this.readOrganization(actor, isRepeated ? 0 : MAX_AGE_MS);
    // The last read may be older than a role that was just given.
    return rights instanceof Refusal && !isRepeated ? this.readOrganization(actor, 0) : rights;
  }

  private async readOrganization(
    actor: CommandActor & { permission: Permission },
    maxAgeMs: number,
  ): Promise<WriteRights | Refusal> {
    const aggregate = organizationAggregate(actor.organization_id);
    const { loaded, readAt } = await this.streams.loadRecent(aggregate, maxAgeMs);
    const now = this.options.now();
    try {
      const { role, member_role, endsAt } = actorRights(loaded.state, actor, now.toISOString());
      const isEndless = endsAt === null || this.options.simulated;
      const until = isEndless ? Number.POSITIVE_INFINITY : monotonicMs() + Date.parse(endsAt) - now.getTime();
      const { stream } = aggregate;
      const condition = { stream, revision: loaded.revision, readAt, until };
      return { role, member_role, condition, fourEyes: fourEyesInForce(loaded.state) };
    } catch (error) {
      if (error instanceof Refusal) return error;
      throw error;
    }
  }
}

interface WritingActor {
  actor_id: string;
  token_id: string | null;
  /** The credential's role when the call began. */
  role: Role;
  permission: Permission;
  autonomy?: Autonomy | undefined;
}

/** The roles of a write's actor at one moment, and the time at which they end; null without an end. */
interface ActorRights {
  role: Role;
  member_role: Role;
  endsAt: string | null;
}

/**
 * Returns an actor's rights from the organization's own state. A role that rose while the call waited stays as it was.
 * @throws Refusal forbidden if the access has ended, or a role doesn't have the permission any more
 */
function actorRights(
  state: OrganizationState | null,
  { actor_id, token_id, role: earlierRole, permission, autonomy = 'ALL' }: WritingActor,
  now: string,
): ActorRights {
  const member_role = state && memberRole(state, actor_id, now);
  const token = token_id === null ? undefined : state?.tokens.get(token_id);
  // Admission refuses tokens that the log doesn't know.
  if (member_role === null || (token !== undefined && (token.revoked || hasEnded(token.expires_at, now)))) {
    throw accessEnded();
  }
  if (token !== undefined && isLess(effectiveAutonomy(state!, token), autonomy)) throw mustPropose();
  const role = lowerRole(earlierRole, member_role);
  if (!roleAllows(role, permission)) throw forbiddenAs(permission, role, member_role);
  const ends = [membershipEnd(state!, actor_id), token?.expires_at ?? null].filter((end) => end !== null);
  return { role, member_role, endsAt: ends.length === 0 ? null : ends.reduce((a, b) => (a < b ? a : b)) };
}

/** Returns the error for a write whose credential may do less alone than when the call began. */
function mustPropose(): Refusal {
  const message = 'This credential may now do less without a person, so nothing was written. Repeat the call.';
  return new Refusal('conflict', message);
}

/** Returns the error for a write whose actor lost the membership, token or session before its turn came. */
function accessEnded(): Refusal {
  return new Refusal(
    'forbidden',
    'Your access ended before this was written, so it was not. Sign in or connect again.',
  );
}
