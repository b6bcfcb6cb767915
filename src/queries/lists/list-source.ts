import type { Caller } from '../../commands/organization/caller.ts';
import type { MissingOption } from '../../register/family-description.ts';
import type { Condition, DocumentReads } from '../../stores/read-store.ts';
import type { FamilyQuery } from '../family-query.ts';
import type { QueryContext } from '../moments/moment.ts';
import { readFormerMembers } from '../records/former-members.ts';
import { linkConditions } from '../records/link-filters.ts';
import { hasLinkFilter, listConditions } from './filters.ts';

type Filter = Record<string, unknown>;

/** The documents that a list reads, without their order. */
interface ListSource {
  collection: string;
  organizationId: string;
  where: Condition[];
}

/** The documents that a list reads, and the read models that have them. */
export interface ReadableSource extends Readonly<ListSource> {
  models: DocumentReads;
}

/** Returns the documents that a family's filter matches at a moment. @throws Refusal for an unknown linked record */
export async function listSource(
  context: QueryContext,
  family: FamilyQuery,
  { account_id }: Pick<Caller, 'account_id'>,
  filter: Filter,
): Promise<ListSource> {
  const { organizationId, moment } = context;
  const links = hasLinkFilter(filter) ? await linkConditions(context, family, filter) : [];
  const missing = (filter.missing ?? []) as readonly MissingOption[];
  const formerMembers = missing.includes('OWNER_GONE') ? await readFormerMembers(context) : [];
  const own = listConditions(family, moment, { today: moment.today, account_id, filter, formerMembers });
  return {
    collection: moment.position === null ? family.plural : family.history,
    organizationId,
    where: [...links, ...own],
  };
}

/** Returns true if a filter can leave out records that are not archived. A `query` without a word can't. */
export function hasCondition(family: FamilyQuery, filter: Filter): boolean {
  if (hasLinkFilter(filter)) return true;
  const moment = { today: '', position: null };
  const context = { today: '', account_id: '', filter: { ...filter, include_archived: true } };
  return listConditions(family, moment, context).length > 0;
}
