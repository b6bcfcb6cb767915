import { ROLES, type Role } from '../commands/caller.ts';
import { lowerRole } from '../commands/roles.ts';

/** What each role is for, in the words of pages. */
const ABOUT: Readonly<Record<Role, string>> = {
  OWNER: 'everything, members and their roles too',
  ADMIN: 'everything but members’ roles',
  EDITOR: 'reads and writes the register, but accepts no risks and archives nothing',
  AUDITOR: 'reads everything, history and the access log too, and writes nothing',
  VIEWER: 'reads the register as it is today',
};

/** The same, as short as a list on a phone needs it. */
const BRIEFLY: Readonly<Record<Role, string>> = {
  OWNER: 'everything',
  ADMIN: 'all but members’ roles',
  EDITOR: 'reads and writes',
  AUDITOR: 'reads all, history too',
  VIEWER: 'reads today’s state',
};

/** A role with what it is for: `Editor: reads and writes …`. */
export const roleText = (role: Role): string => `${roleName(role)}: ${ABOUT[role]}`;

export const roleName = (role: Role): string => role[0] + role.slice(1).toLowerCase();

/** The roles up to this one, highest first, as choices of a form. */
export function roleChoices(highest: Role): { value: Role; label: string }[] {
  const upTo = ROLES.filter((role) => lowerRole(role, highest) === role).reverse();
  return upTo.map((role) => ({ value: role, label: `${roleName(role)}: ${BRIEFLY[role]}` }));
}
