import type { AccountStore } from '../../stores/account-store.ts';
import type { AccessLogRow } from './access-log-row.ts';

const STORE_PAGE_SIZE = 500;

/** Rows by their ids: from `from` on and below `below`. */
export interface AccessLogRange {
  from: string;
  below: string | undefined;
}

/** Reads the rows that one organization sees, the greatest id first, a page at a time. */
export async function* readAccessRows(
  accounts: AccountStore,
  organizationId: string,
  range: AccessLogRange,
): AsyncGenerator<AccessLogRow, undefined> {
  let { below } = range;
  for (let rowCount = STORE_PAGE_SIZE; rowCount === STORE_PAGE_SIZE; ) {
    const limit = STORE_PAGE_SIZE;
    const rows = await accounts.page<AccessLogRow>('access', {
      field: 'organization_id',
      value: organizationId,
      from: range.from,
      below,
      limit,
    });
    yield* rows;
    rowCount = rows.length;
    below = rows.at(-1)?.id;
  }
  return undefined;
}
