import type { Members } from '../../identity/memberships/members.ts';

/** Returns the names of an organization's owners: only they change roles. */
export async function readOwners(members: Pick<Members, 'membersOf'>, organizationId: string): Promise<string[]> {
  const all = await members.membersOf(organizationId);
  return all.filter(({ role, ended }) => role === 'OWNER' && !ended).map(({ name }) => name);
}
