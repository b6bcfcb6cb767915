import { boolean, type DataOf, type EventOf, event, nullable, optional, string } from './event-schema.ts';

/** Roles from lowest to highest. AUDITOR reads everything, EDITOR writes: see permissions.ts. */
export const ROLES = ['VIEWER', 'AUDITOR', 'EDITOR', 'ADMIN', 'OWNER'] as const;
export type Role = (typeof ROLES)[number];

const TOKEN_GRANT = {
  token_id: string(),
  account_id: string(),
  role: string<Role>(),
  read_only: boolean(),
  expires_at: string(),
  /** Present for a connected assistant, absent for an API token. */
  kind: optional(string<'ASSISTANT'>()),
};
export type TokenGrant = DataOf<typeof TOKEN_GRANT>;

export const ORGANIZATION_EVENTS = {
  OrganizationCreated: event({ name: string(), import_key: string(), installation: string() }),
  OrganizationRenamed: event({ from: string(), to: string(), reason: optional(string()) }),
  MemberAdded: event(
    { account_id: string(), role: string<Role>() },
    { account_id: string(), role: string<Role>(), until: nullable(string()), reason: optional(string()) },
  ),
  MemberRoleChanged: event({
    account_id: string(),
    from: string<Role>(),
    to: string<Role>(),
    reason: optional(string()),
  }),
  MemberRemoved: event({ account_id: string(), role: string<Role>(), reason: optional(string()) }),
  DomainAdmitted: event({ domain: string(), role: string<Role>(), reason: optional(string()) }),
  DomainWithdrawn: event({ domain: string(), reason: optional(string()) }),
  TokenCreated: event(TOKEN_GRANT),
  TokenRegenerated: event({ token_id: string(), expires_at: string() }),
  TokenRevoked: event({ token_id: string(), reason: optional(string()) }),
};

export type OrganizationEvent = EventOf<typeof ORGANIZATION_EVENTS>;
