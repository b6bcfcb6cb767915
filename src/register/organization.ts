import {
  boolean,
  type DataOf,
  type EventOf,
  event,
  eventWithReason,
  list,
  nullable,
  number,
  optional,
  string,
} from './event-schema.ts';
import type { Autonomy } from './proposal.ts';

/** Roles from lowest to highest. AUDITOR reads everything, EDITOR writes: see permissions.ts. */
export const ROLES = ['VIEWER', 'AUDITOR', 'EDITOR', 'ADMIN', 'OWNER'] as const;
export type Role = (typeof ROLES)[number];

const FIRST_TOKEN_GRANT = {
  token_id: string(),
  account_id: string(),
  role: string<Role>(),
  read_only: boolean(),
  expires_at: string(),
  /** Present for a connected assistant, absent for an API token. */
  kind: optional(string<'ASSISTANT'>()),
};
/** Version 2 has the autonomy. Absent, as in version 1, the credential may do all that its role may. */
const TOKEN_GRANT = { ...FIRST_TOKEN_GRANT, autonomy: optional(string<Autonomy>()) };
export type TokenGrant = DataOf<typeof TOKEN_GRANT>;

export const ORGANIZATION_EVENTS = {
  OrganizationCreated: event({ name: string(), import_key: string(), installation: string() }),
  OrganizationRenamed: eventWithReason({ from: string(), to: string() }),
  MemberAdded: event(
    { account_id: string(), role: string<Role>() },
    { account_id: string(), role: string<Role>(), until: nullable(string()), reason: optional(string()) },
  ),
  MemberRoleChanged: eventWithReason({
    account_id: string(),
    from: string<Role>(),
    to: string<Role>(),
  }),
  MemberRemoved: eventWithReason({ account_id: string(), role: string<Role>() }),
  DomainAdmitted: eventWithReason({ domain: string(), role: string<Role>() }),
  DomainWithdrawn: eventWithReason({ domain: string() }),
  SecondFactorRequired: eventWithReason({ from: string() }),
  SecondFactorMadeOptional: eventWithReason(),
  ApprovalPolicyChanged: eventWithReason({
    /** The most that a credential may do here without a person. */
    ceiling: string<Autonomy>(),
    /** The decisions that another account must approve. */
    four_eyes: list(string()),
    /** Existing records that a credential below ALL may change in an hour. */
    hourly_changes: number(),
  }),
  /** Only one account may still approve these decisions, so one decides alone again. */
  FourEyesSuspended: event({ decisions: list(string()) }),
  FourEyesResumed: event({ decisions: list(string()) }),
  TokenCreated: event(FIRST_TOKEN_GRANT, TOKEN_GRANT),
  TokenAutonomyChanged: eventWithReason({ token_id: string(), from: string<Autonomy>(), to: string<Autonomy>() }),
  TokenRegenerated: event({ token_id: string(), expires_at: string() }),
  TokenRevoked: eventWithReason({ token_id: string() }),
};

export type OrganizationEvent = EventOf<typeof ORGANIZATION_EVENTS>;
