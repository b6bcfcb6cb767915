import { monotonicMs } from '../../clock/monotonic.ts';
import type { Role } from '../../register/organization.ts';
import type { Autonomy } from '../../register/proposal.ts';

export { ROLES, type Role } from '../../register/organization.ts';

/** The account that makes a call, its credential, and its roles. Identity creates one for every request. */
export interface Caller {
  account_id: string;
  token_id: string | null;
  client: { name: string; version: string } | null;
  /** The credential's role in each organization that it reaches. */
  roles: ReadonlyMap<string, Role>;
  /** The account's own role in each of these organizations. The credential's role is never higher. */
  members: ReadonlyMap<string, Role>;
  /** Organizations whose own stream is damaged, so that the caller's role there isn't known. */
  damaged?: ReadonlySet<string>;
  /**
   * Organizations that require a second factor of the account, which has none, and the page where it is added. The caller
   * has no role there.
   */
  missingFactor?: { organizations: ReadonlySet<string>; page: string };
  /** The credential's autonomy in the organizations where it may not do everything alone. */
  autonomy?: ReadonlyMap<string, Autonomy>;
  /** The credential may only read, even if its role may write. */
  read_only: boolean;
  /** The scopes that an OAuth client was granted. Absent for other credentials. */
  scopes?: readonly string[];
  /**
   * Present if the log doesn't answer and the roles are at most 10 s old. Such roles are sufficient for today's lists
   * and records. All other calls use `withConfirmedRoles` first.
   * @throws StoreUnavailable if the log still doesn't answer
   */
  confirm?: () => Promise<Caller | null>;
  /**
   * Looks the caller up again. Returns null when its credential or session has ended. Absent at the command line.
   * `withCurrentRights` calls it after each wait.
   */
  renew?: () => Promise<Caller | null>;
  /** The `monotonicMs` at which the rights were looked up. */
  checkedAt?: number;
  /** The address and user agent of a call over HTTP, for the access log. */
  clientInfo?: { address: string; agent: string };
  /** The time that this call has waited for its roles. Its command has that much less. */
  waited_ms?: number;
}

/** Returns the caller with roles read from the log now. A revoked credential has no roles. @throws StoreUnavailable */
export async function withConfirmedRoles(caller: Caller): Promise<Caller> {
  const { confirm } = caller;
  if (confirm === undefined) return caller;
  const from = monotonicMs();
  const { confirm: _, ...confirmed } = withRightsOf(caller, await confirm());
  return { ...confirmed, waited_ms: (caller.waited_ms ?? 0) + monotonicMs() - from };
}

/** A call that began this recently has not waited for anything, so its rights aren't looked up again. */
export const MAX_RIGHTS_AGE_MS = 50;

/**
 * Returns the caller with the rights that it has now. A caller whose credential or session has ended has no roles. Whatever
 * lets a call wait, such as a queue, a slow body or another thread, calls this before the call goes on.
 */
export async function withCurrentRights(caller: Caller): Promise<Caller> {
  if (caller.renew === undefined || hasRecentRights(caller)) return caller;
  return withRightsOf(caller, await caller.renew());
}

/** Returns true for rights that need not be looked up again. */
export function hasRecentRights({ checkedAt = Number.NEGATIVE_INFINITY }: Caller): boolean {
  return monotonicMs() - checkedAt < MAX_RIGHTS_AGE_MS;
}

/** Returns the same call with the rights of a look-up that began now. A call that may only read stays so. */
function withRightsOf(caller: Caller, found: Caller | null): Caller {
  const { client, clientInfo, renew, waited_ms } = caller;
  return {
    ...(found ?? { ...caller, roles: new Map(), members: new Map() }),
    read_only: caller.read_only || found?.read_only === true,
    client,
    checkedAt: monotonicMs(),
    ...(clientInfo === undefined ? {} : { clientInfo }),
    ...(renew === undefined ? {} : { renew }),
    ...(waited_ms === undefined ? {} : { waited_ms }),
  };
}

/** Returns true if an organization refuses the caller for a reason of its own, so that it must not answer `not_found`. */
export function isBarredFrom({ damaged, missingFactor }: Caller, organizationId: string): boolean {
  return damaged?.has(organizationId) || missingFactor?.organizations.has(organizationId) || false;
}

/** Returns an account's id, or the caller's for the word ME. */
export function accountOf(word: string, { account_id }: Pick<Caller, 'account_id'>): string {
  return word === 'ME' ? account_id : word;
}
