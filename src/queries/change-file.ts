import type { Caller } from '../commands/caller.ts';
import { Refusal } from '../commands/refusal.ts';
import { permit } from '../commands/roles.ts';
import type { ChangeDocument } from '../projections/changes.ts';
import { asksForAccess } from './access.ts';
import { type ChangesInput, changeConditions, presentChanges } from './changes.ts';
import { beginFile, type FileInput, type OpenedFile, ROWS_AT_ONCE } from './file.ts';
import { type PageQuery, type PageRow, readPage } from './page.ts';
import type { Reader } from './reader.ts';

/** All changes that a filter leaves, newest first, up to one position. @throws Refusal as listChanges does */
export async function openChangeFile(reader: Reader, caller: Caller, input: FileInput): Promise<OpenedFile> {
  const { organization_id: organizationId, filter, after } = input;
  const asked = { organization_id: organizationId, filter: filter as ChangesInput['filter'] };
  permit(caller, organizationId, 'listChanges');
  if (asksForAccess(asked.filter)) {
    const message = 'The access log is no file: ask listChanges for it.';
    throw new Refusal('invalid_input', message, { field: 'filter.record_types' });
  }
  const begun = await beginFile(reader, caller, 'changes', input);
  const where = await changeConditions(reader, caller, asked, begun.moment);
  const order = { key: 'position', direction: 'DESC' } as const;
  const query = { collection: 'changes', organizationId, where, order, size: ROWS_AT_ONCE };
  return { ...begun, batches: walk(reader, query, after === undefined ? null : placeOf(after)) };
}

/** Behind all sides of an event. */
function placeOf(position: string): PageQuery['after'] {
  if (/^\d{1,15}$/.test(position)) return { empty: false, key: Number(position), id: '' };
  throw new Refusal('invalid_input', 'Give after as the position in the last line of this file that you have.', {
    field: 'after',
  });
}

/** An event that is found by several of its sides is told once, by the last of them in this order, as lists do. */
async function* walk(
  reader: Reader,
  query: Omit<PageQuery, 'after'>,
  start: PageQuery['after'],
): AsyncGenerator<object[]> {
  let after = start;
  let held: PageRow[] = [];
  for (;;) {
    const found: PageRow[] = await readPage(reader.models, { ...query, after });
    const rows = [...held, ...found.slice(0, query.size)];
    const more = found.length > query.size;
    const told = rows.filter((row, index) => (index + 1 < rows.length ? row.key !== rows[index + 1]!.key : !more));
    if (told.length > 0) {
      const documents = told.map(({ doc }) => doc as unknown as ChangeDocument);
      yield await presentChanges(reader, documents, false);
    }
    if (!more) return;
    // Another side of the last event may come first in the next read.
    held = rows.slice(-1);
    after = held[0]!;
  }
}
