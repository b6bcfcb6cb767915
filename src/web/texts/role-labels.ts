import { ROLES, type Role } from '../../commands/organization/caller.ts';
import { lowerRole } from '../../commands/organization/permissions.ts';

const ABOUT: Readonly<Record<Role, string>> = {
  OWNER: 'can do everything, including members and their roles',
  ADMIN: 'can do everything except change members',
  EDITOR: 'reads and writes the register, but can’t accept risks or archive records',
  AUDITOR: 'reads everything, including audit packs and the access log, and can’t write',
  VIEWER: 'reads the register at any moment, with its history and reports',
};

/** Shorter texts, for a select on a phone. */
const BRIEFLY: Readonly<Record<Role, string>> = {
  OWNER: 'everything',
  ADMIN: 'all except members',
  EDITOR: 'reads and writes',
  AUDITOR: 'reads all, with the access log',
  VIEWER: 'reads the register and its past',
};

/** Returns a role and what it may do: `Editor: reads and writes …`. */
export const describeRole = (role: Role): string => `${roleName(role)}: ${ABOUT[role]}`;

export const roleName = (role: string): string => role.charAt(0) + role.slice(1).toLowerCase();

const ROLE_CODE = new RegExp(`\\b(?:${ROLES.join('|')})\\b`, 'g');

/** Returns a message in which roles have their names on pages: Owner instead of OWNER. */
export function withRoleNames(message: string): string {
  return message.replace(ROLE_CODE, roleName);
}

/** Returns choices for the roles up to this one, highest first. */
export function roleChoices(highest: Role): { value: Role; label: string }[] {
  const upTo = ROLES.filter((role) => lowerRole(role, highest) === role).reverse();
  return upTo.map((role) => ({ value: role, label: `${roleName(role)}: ${BRIEFLY[role]}` }));
}
