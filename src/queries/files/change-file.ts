import { invalidField } from '../../commands/engine/refusal.ts';
import type { Caller } from '../../commands/organization/caller.ts';
import { requirePermission } from '../../commands/organization/permissions.ts';
import type { ChangeDocument } from '../../projections/history/change-document.ts';
import { isAccessLogRequest } from '../changes/access-log-source.ts';
import { changeConditions } from '../changes/change-conditions.ts';
import type { ChangesInput } from '../changes/changes-input.ts';
import { presentChanges } from '../changes/list-changes.ts';
import { type KeysetQuery, type PageRow, readKeysetPages } from '../lists/keyset-page.ts';
import { type PinnedMoment, POSITION } from '../moments/moment.ts';
import type { Reader } from '../moments/snapshot.ts';
import { FILE_ROWS_PER_READ, type FileInput, type OpenedFile, pinFile } from './open-file.ts';

/** Opens the file of all changes that match a filter, newest first, up to one position. @throws Refusal as listChanges does */
export async function openChangeFile(reader: Reader, caller: Caller, input: FileInput): Promise<OpenedFile> {
  const { organization_id: organizationId, filter, after } = input;
  const changesFilter = filter as ChangesInput['filter'];
  requirePermission(caller, organizationId, 'readRecords');
  if (isAccessLogRequest(changesFilter)) {
    throw invalidField('filter.record_types', 'The access log is not available as a file. Use listChanges.');
  }
  const snapshot = reader.snapshot();
  const file = await pinFile(snapshot, caller, 'changes', input);
  const context = { snapshot, organizationId, moment: file.moment };
  const where = await changeConditions(context, caller, changesFilter);
  const order = { key: 'position', direction: 'DESC' } as const;
  const start = after === undefined ? null : pageStartAfter(after);
  const query = { collection: 'changes', organizationId, where, order, size: FILE_ROWS_PER_READ, after: start };
  return { ...file, batches: lines(reader, query, file.moment) };
}

/** Returns the start of the page that follows all rows of the event at this position. */
function pageStartAfter(position: string): KeysetQuery['after'] {
  if (POSITION.test(position)) return { isKeyEmpty: false, key: Number(position), id: '' };
  throw invalidField('after', 'after is not a position. Give the position in the last line of the file that you have.');
}

/** Returns the file's lines. An event with several matching rows gives one line, from the last of them, as in lists. */
async function* lines(reader: Reader, query: KeysetQuery, moment: PinnedMoment): AsyncGenerator<object[]> {
  const presentRows = (rows: readonly PageRow[]) => {
    const context = { snapshot: reader.snapshot(), organizationId: query.organizationId, moment };
    return presentChanges(
      context,
      rows.map(({ doc }) => doc as unknown as ChangeDocument),
      { withCalls: true },
    );
  };
  let pendingRows: PageRow[] = [];
  for await (const page of readKeysetPages(() => reader.snapshot().models, query)) {
    const rows = [...pendingRows, ...page];
    // The last row waits: the next page may start with another row of the same event.
    pendingRows = rows.slice(-1);
    const eventRows = rows.filter(({ key }, index) => index + 1 < rows.length && key !== rows[index + 1]!.key);
    if (eventRows.length > 0) yield await presentRows(eventRows);
  }
  if (pendingRows.length > 0) yield await presentRows(pendingRows);
}
