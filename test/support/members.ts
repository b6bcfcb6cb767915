/** Members of the test register's organization. */
import { randomId } from '../../src/commands/engine/ids.ts';
import { organizationAggregate } from '../../src/commands/families.ts';
import type { OrganizationCommand } from '../../src/commands/organization/organization.ts';
import { envelopeFor, ORGANIZATION, type TestRegister } from './register.ts';

/** Creates an account, makes it a member, and returns its id. */
export async function addMember(register: TestRegister, name: string, email: string | null = null): Promise<string> {
  const account_id = randomId('acc');
  await register.stores.accounts.insert('accounts', { id: account_id, name, email });
  await register.names.recordFirst(account_id, name);
  await execute(register, { type: 'AddMember', account_id, role: 'EDITOR' });
  return account_id;
}

export function removeMember(register: TestRegister, account_id: string): Promise<void> {
  return execute(register, { type: 'RemoveMember', account_id });
}

async function execute({ handler, projections }: TestRegister, command: OrganizationCommand): Promise<void> {
  await handler.execute(organizationAggregate(ORGANIZATION), command, envelopeFor());
  await projections.progress.waitUntilCaughtUp(Date.now(), 5_000);
}
