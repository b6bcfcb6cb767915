import { Refusal } from '../../commands/refusal.ts';
import type { ChangeDocument } from '../../projections/changes.ts';
import { readPages } from '../page.ts';
import type { ReportContext } from './report-type.ts';

/**
 * Whose records a report is narrowed to has to be somebody here, or have been: of an account that is mistaken for
 * another there would be a report of nothing.
 * @throws Refusal as writes refuse such an owner
 */
export async function requireOwner(context: ReportContext): Promise<void> {
  const { owner_id } = context.inputs;
  if (owner_id === undefined || (await isMember(context, owner_id)) || (await wasMember(context, owner_id))) return;
  const message = 'owner_id is no member: listOrganizations with include_members names them.';
  throw new Refusal('invalid_input', message, { field: 'owner_id' });
}

async function isMember({ reader, organizationId }: ReportContext, account: string): Promise<boolean> {
  const [organization] = await reader.models.get('organizations', [organizationId]);
  return account in ((organization?.doc.members ?? {}) as object);
}

/** Whoever was one was added. */
async function wasMember({ reader, organizationId }: ReportContext, account: string): Promise<boolean> {
  const where = [
    { key: 'record_id', op: 'eq', value: organizationId } as const,
    { key: 'event_type', op: 'eq', value: 'MemberAdded' } as const,
  ];
  const order = { key: 'position', direction: 'ASC' } as const;
  const added = { collection: 'changes', organizationId, where, order, size: 500, after: null };
  for await (const rows of readPages(reader.models, added)) {
    const told = rows.flatMap(({ doc }) => (doc as unknown as ChangeDocument).changes);
    if (told.some(({ field }) => field === `members.${account}`)) return true;
  }
  return false;
}
