import type { Caller } from '../commands/caller.ts';
import { requirePermission } from '../commands/permissions.ts';
import { Refusal } from '../commands/refusal.ts';
import type { ChangeDocument } from '../projections/changes.ts';
import { changeConditions } from './change-conditions.ts';
import type { ChangesInput } from './changes-input.ts';
import { type KeysetQuery, type PageRow, readKeysetPages } from './keyset-page.ts';
import { isAccessLogRequest } from './list-access-log.ts';
import { presentChanges } from './list-changes.ts';
import { FILE_ROWS_PER_READ, type FileInput, type OpenedFile, openFileAt } from './open-file.ts';
import type { Reader } from './reader.ts';

/** All changes that a filter leaves, newest first, up to one position. @throws Refusal as listChanges does */
export async function openChangeFile(reader: Reader, caller: Caller, input: FileInput): Promise<OpenedFile> {
  const { organization_id: organizationId, filter, after } = input;
  const asked = { organization_id: organizationId, filter: filter as ChangesInput['filter'] };
  requirePermission(caller, organizationId, 'listChanges');
  if (isAccessLogRequest(asked.filter)) {
    const message = 'The access log is no file: ask listChanges for it.';
    throw new Refusal('invalid_input', message, { field: 'filter.record_types' });
  }
  const begun = await openFileAt(reader, caller, 'changes', input);
  const where = await changeConditions(reader, caller, asked, begun.moment);
  const order = { key: 'position', direction: 'DESC' } as const;
  const place = after === undefined ? null : pageStartAfter(after);
  const query = { collection: 'changes', organizationId, where, order, size: FILE_ROWS_PER_READ, after: place };
  return { ...begun, batches: lines(reader, query) };
}

/** Behind all sides of an event. */
function pageStartAfter(position: string): KeysetQuery['after'] {
  if (/^\d{1,15}$/.test(position)) return { empty: false, key: Number(position), id: '' };
  throw new Refusal('invalid_input', 'Give after as the position in the last line of this file that you have.', {
    field: 'after',
  });
}

/** An event that is found by several of its sides is told once, by the last of them in this order, as lists do. */
async function* lines(reader: Reader, query: KeysetQuery): AsyncGenerator<object[]> {
  const told = (rows: readonly PageRow[]) =>
    presentChanges(
      reader,
      query.organizationId,
      rows.map(({ doc }) => doc as unknown as ChangeDocument),
      false,
    );
  let held: PageRow[] = [];
  for await (const page of readKeysetPages(reader.models, query)) {
    const rows = [...held, ...page];
    // Another side of the last event may come first in the next page.
    held = rows.slice(-1);
    const last = rows.filter(({ key }, index) => index + 1 < rows.length && key !== rows[index + 1]!.key);
    if (last.length > 0) yield await told(last);
  }
  if (held.length > 0) yield await told(held);
}
