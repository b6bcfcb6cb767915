import { Refusal } from '../commands/engine/refusal.ts';
import type { ChangeDocument } from '../projections/history/change-document.ts';
import { readKeysetPages } from '../queries/lists/keyset-page.ts';
import type { ReportContext } from './report-type.ts';

/**
 * Refuses an `owner_id` that neither is nor was a member. A mistyped id would otherwise give an empty report.
 * @throws Refusal as writes do for such an owner
 */
export async function requireOwner(context: ReportContext): Promise<void> {
  const { owner_id } = context.inputs;
  if (owner_id === undefined || (await isMember(context, owner_id)) || (await wasMember(context, owner_id))) return;
  const message = 'owner_id is not a member. List the members with listOrganizations and include_members.';
  throw new Refusal('invalid_input', message, { field: 'owner_id' });
}

async function isMember({ snapshot, organizationId }: ReportContext, account: string): Promise<boolean> {
  const [organization] = await snapshot.models.get('organizations', [organizationId]);
  return account in ((organization?.doc.members ?? {}) as object);
}

/** Looks for the MemberAdded event of the account. */
async function wasMember({ snapshot, organizationId }: ReportContext, account: string): Promise<boolean> {
  const where = [
    { key: 'record_id', op: 'eq', value: organizationId } as const,
    { key: 'event_type', op: 'eq', value: 'MemberAdded' } as const,
  ];
  const order = { key: 'position', direction: 'ASC' } as const;
  const additions = { collection: 'changes', organizationId, where, order, size: 500, after: null };
  for await (const rows of readKeysetPages(() => snapshot.models, additions)) {
    const changes = rows.flatMap(({ doc }) => (doc as unknown as ChangeDocument).changes);
    if (changes.some(({ field }) => field === `members.${account}`)) return true;
  }
  return false;
}
