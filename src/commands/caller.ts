/** Lowest to highest; AUDITOR reads everything, EDITOR writes: see roles.ts. */
export const ROLES = ['VIEWER', 'AUDITOR', 'EDITOR', 'ADMIN', 'OWNER'] as const;
export type Role = (typeof ROLES)[number];

/** Who calls, with what, and what they may do in which organization. Made by identity for every request. */
export interface Caller {
  account_id: string;
  token_id: string | null;
  client: { name: string; version: string } | null;
  /** Organizations this credential reaches, with its effective role there. */
  roles: ReadonlyMap<string, Role>;
  /** The account's own role in each of these organizations: the credential's is never above it. See roles.ts. */
  members: ReadonlyMap<string, Role>;
  /** A credential limited to reading, whatever its role. */
  read_only: boolean;
  /** What an OAuth client was granted; absent for other credentials, which have no scopes. */
  scopes?: readonly string[];
  /**
   * Present where the log does not answer and the roles are those it confirmed at most 10 s ago. They serve today's lists
   * and records; everything else asks `confirmed` first.
   * @throws StoreUnavailable where the log still does not answer
   */
  confirm?: () => Promise<Caller | null>;
  /** The time this call has waited for its roles: its command has that much less. */
  waited_ms?: number;
}

/** The caller with roles that the log confirms now; with none, where the credential is good no more. @throws StoreUnavailable */
export async function confirmed(caller: Caller): Promise<Caller> {
  if (caller.confirm === undefined) return caller;
  const { client, waited_ms = 0, confirm } = caller;
  const from = Date.now();
  const { confirm: _, ...rest } = (await confirm()) ?? { ...caller, roles: new Map(), members: new Map() };
  return { ...rest, client, waited_ms: waited_ms + Date.now() - from };
}
