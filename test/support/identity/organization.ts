/** People in the tests of organization commands. */

import type { DecisionContext } from '../../../src/commands/engine/decider.ts';
import type { Role } from '../../../src/commands/organization/caller.ts';
import type { OrganizationEvent } from '../../../src/register/organization.ts';

const ADA = 'acc_ada';

type Acting = Pick<DecisionContext, 'actor_id' | 'role'>;

export const organizationStory = {
  /** The OWNER who creates it, and other people. */
  ADA,
  BO: 'acc_bo',
  CY: 'acc_cy',
  SYSTEM: { actor_id: 'SYSTEM', role: 'OWNER' } as Acting,
  /** The context of a person in a browser: only the member's role limits the permissions. */
  as: (actor_id: string): Acting => ({ actor_id, role: 'OWNER' }),
  begun: [
    { type: 'OrganizationCreated', data: { name: 'Acme', import_key: 'k', installation: 'i' } },
    { type: 'MemberAdded', data: { account_id: ADA, role: 'OWNER', until: null } },
  ] as OrganizationEvent[],
  added: (account_id: string, role: Role, until: string | null = null): OrganizationEvent => ({
    type: 'MemberAdded',
    data: { account_id, role, until },
  }),
};
