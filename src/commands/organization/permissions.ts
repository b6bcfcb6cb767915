import { damagedOrganization, Refusal } from '../engine/refusal.ts';
import { type Caller, ROLES, type Role, withConfirmedRoles, withCurrentRights } from './caller.ts';

/** The roles that have a permission. */
export interface PermissionRule {
  roles: readonly Role[];
  /** The permission also needs a credential that may write. */
  writes: boolean;
  /** Names what is permitted, after "For" in refusals. docs/tools.md shows it too. */
  activity: string;
  /** It gives or takes access, so a form that needs it asks again who it is, 15 minutes after signing in. */
  needsRecentAuthentication?: true;
}

const rolesFrom = (lowest: Role): readonly Role[] => ROLES.slice(ROLES.indexOf(lowest));
const reads = (roles: readonly Role[], activity: string): PermissionRule => ({ roles, writes: false, activity });
const writes = (roles: readonly Role[], activity: string): PermissionRule => ({ roles, writes: true, activity });
const changesAccess = (roles: readonly Role[], activity: string): PermissionRule => ({
  ...writes(roles, activity),
  needsRecentAuthentication: true,
});

const ALL_ROLES = ROLES;
const FROM_AUDITOR = rolesFrom('AUDITOR');
const FROM_EDITOR = rolesFrom('EDITOR');
const FROM_ADMIN = rolesFrom('ADMIN');
const OWNER_ONLY = rolesFrom('OWNER');

/** All permissions, in one table. Every check of a role uses it. A tool's definition names the permission that it needs. */
export const PERMISSIONS = {
  // The register at any moment, with its history, comparisons and reports: a reader may see how it came to be.
  readRecords: reads(ALL_ROLES, 'reading the register'),
  // Not for EDITORs: the access log says who signed in from where.
  readAccessLog: reads(['AUDITOR', 'ADMIN', 'OWNER'], 'the access log'),
  exportHistory: reads(FROM_AUDITOR, 'audit packs and the export of the whole history'),
  changeRecords: writes(FROM_EDITOR, 'adding and changing records'),
  acceptRisks: writes(FROM_ADMIN, 'recording the acceptance of a risk'),
  adoptFrameworks: writes(FROM_ADMIN, 'adopting a framework'),
  archiveRecords: writes(FROM_ADMIN, 'archiving and restoring records'),
  changeMembers: changesAccess(OWNER_ONLY, 'inviting, changing and removing members, and admitting domains'),
  requireSecondFactor: changesAccess(OWNER_ONLY, 'requiring a second factor of all members'),
  changeApprovalPolicy: changesAccess(OWNER_ONLY, 'changing the approval policy'),
  renameOrganization: changesAccess(FROM_ADMIN, 'renaming the organization'),
  createOrganizations: changesAccess(OWNER_ONLY, 'creating another organization'),
  viewTokens: reads(FROM_ADMIN, 'viewing all members’ tokens and assistants'),
  revokeTokens: changesAccess(FROM_ADMIN, 'revoking other members’ tokens and assistants'),
  createTokens: changesAccess(
    ALL_ROLES,
    'creating your own tokens and connecting assistants, with your role or a lower one',
  ),
} as const satisfies Record<string, PermissionRule>;

export type Permission = keyof typeof PERMISSIONS;

/** The permissions that a tool can need, by their names in answers. The others are for pages. */
export const TOOL_PERMISSIONS = {
  READ_RECORDS: 'readRecords',
  READ_ACCESS_LOG: 'readAccessLog',
  EXPORT_HISTORY: 'exportHistory',
  CHANGE_RECORDS: 'changeRecords',
  ACCEPT_RISKS: 'acceptRisks',
  ADOPT_FRAMEWORKS: 'adoptFrameworks',
  ARCHIVE_RECORDS: 'archiveRecords',
} as const satisfies Record<string, Permission>;

/** Permissions of acts on records that need more than `changeRecords`. Archiving and restoring do in every family. */
export const ACT_PERMISSIONS: Readonly<Record<string, Permission>> = {
  RiskAccepted: 'acceptRisks',
  RiskAcceptanceImported: 'acceptRisks',
  FrameworkAdopted: 'adoptFrameworks',
};

/** Refuses a role that doesn't exist. @throws Refusal invalid_input */
export function requireValidRole(role: Role): void {
  if (ROLES.includes(role)) return;
  throw new Refusal('invalid_input', `Choose one of the roles ${ROLES.join(', ')}.`, { field: 'role', allowed: ROLES });
}

/** Returns true if a role has a permission. */
export function roleAllows(role: Role, permission: Permission): boolean {
  const { roles }: PermissionRule = PERMISSIONS[permission];
  return roles.includes(role);
}

/** Returns the lower of two roles. */
export function lowerRole(a: Role, b: Role): Role {
  return ROLES.indexOf(a) <= ROLES.indexOf(b) ? a : b;
}

/**
 * Returns the caller's role in an organization.
 * @throws Refusal not_found, even if the organization exists; unavailable if its own stream is damaged; forbidden if it
 *   requires a second factor that the account lacks
 */
export function roleIn(caller: Caller, organizationId: string): Role {
  const role = caller.roles.get(organizationId);
  if (role !== undefined) return role;
  if (caller.damaged?.has(organizationId)) throw damagedOrganization();
  if (caller.missingFactor?.organizations.has(organizationId)) throw secondFactorNeeded(caller.missingFactor);
  const message =
    caller.token_id === null
      ? 'You are not a member of such an organization.'
      : 'There is no such organization for this token. Call listOrganizations to list those that it reaches.';
  throw new Refusal('not_found', message, { field: 'organization_id' });
}

/** Returns the error for an account without the second factor that an organization requires. */
export function secondFactorNeeded({ page }: NonNullable<Caller['missingFactor']>): Refusal {
  return new Refusal(
    'forbidden',
    `This organization requires a second factor of its members, and this account has none. Its owner adds one at ${page}.`,
  );
}

/**
 * Returns true if a caller has a permission in an organization. Both the credential's role and the member's role must
 * have it. Otherwise an EDITOR could read the access log with an AUDITOR token of their own.
 */
export function hasPermission(caller: Caller, organizationId: string, permission: Permission): boolean {
  const role = caller.roles.get(organizationId);
  const member = caller.members.get(organizationId);
  if (role === undefined || member === undefined) return false;
  return (
    roleAllows(role, permission) &&
    roleAllows(member, permission) &&
    !(caller.read_only && PERMISSIONS[permission].writes)
  );
}

/** Returns true if a caller has a permission in at least one organization. */
export function hasPermissionAnywhere(caller: Caller, permission: Permission): boolean {
  return [...caller.roles.keys()].some((organizationId) => hasPermission(caller, organizationId, permission));
}

/**
 * Returns the caller's role in an organization, if the caller has the permission there.
 * @throws Refusal `not_found` as `roleIn` does, `forbidden` without the permission
 */
export function requirePermission(caller: Caller, organizationId: string, permission: Permission): Role {
  const role = roleIn(caller, organizationId);
  if (hasPermission(caller, organizationId, permission)) return role;
  const rule: PermissionRule = PERMISSIONS[permission];
  if (caller.read_only && rule.writes) {
    throw new Refusal(
      'forbidden',
      'This token or address is read-only. Use a token that may write, at an address without /readonly.',
    );
  }
  throw forbiddenAs(permission, role, caller.members.get(organizationId));
}

/**
 * Refuses to show a caller what was read for it, if its rights in one of these organizations have changed since.
 * @param acceptOlder the caller's roles need not be confirmed while the log doesn't answer (see `Caller.confirm`)
 * @throws Refusal conflict. The repeated call is answered by the new rights
 */
export async function requireUnchangedRights(
  caller: Caller,
  organizations: Iterable<string>,
  acceptOlder = false,
): Promise<void> {
  const found = await withCurrentRights(caller);
  if (found === caller) return;
  const { roles, members } = acceptOlder ? found : await withConfirmedRoles(found);
  for (const id of organizations) {
    if (roles.get(id) === caller.roles.get(id) && members.get(id) === caller.members.get(id)) continue;
    throw new Refusal('conflict', 'Your access changed while this was read, so it is not shown. Repeat the call.');
  }
}

/** Returns the error for a credential and its member, of whom one or both lack this permission. */
export function forbiddenAs(permission: Permission, role: Role, member: Role | undefined): Refusal {
  if (member && roleAllows(member, permission)) return forbiddenToCredential(permission, role);
  return forbidden(permission, roleAllows(role, permission) ? member : role);
}

/** Returns the error for a credential whose role is too low, while its member has this permission. */
function forbiddenToCredential(permission: Permission, role: Role): Refusal {
  return new Refusal(
    'forbidden',
    `${needOf(permission)}, but this token has the role ${role}. Use one with a higher role: you may create it.`,
  );
}

/** Returns the error for a caller without this permission. */
export function forbidden(permission: Permission, role: Role | null | undefined): Refusal {
  const message = `${needOf(permission)}, but yours is ${role ?? 'none'}. Ask an OWNER to change it.`;
  return new Refusal('forbidden', message);
}

/** Returns the beginning of a sentence: `For archiving and restoring records you need the role ADMIN or OWNER`. */
export function needOf(permission: Permission): string {
  return `For ${PERMISSIONS[permission].activity} you need the role ${neededRoles(permission)}`;
}

/** Returns the roles that have a permission: `ADMIN or OWNER`. */
export function neededRoles(permission: Permission): string {
  const { roles } = PERMISSIONS[permission];
  return roles.length > 2 ? `${roles.slice(0, -1).join(', ')} or ${roles.at(-1)}` : roles.join(' or ');
}
