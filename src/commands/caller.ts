/** Lowest to highest; AUDITOR reads everything, EDITOR writes, see docs/architecture.md. */
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
}
